//! `ax_session_info`: describes the caller's session.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NoArguments, offer};
use crate::{Context, Effect, Offer, Result, Tool, ToolSpec};

pub(crate) struct AxSessionInfo;

#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionInfoResult {
    connected_apps: Vec<String>,
    action_count: u64,
    undo_stack_depth: u32,
    subscriptions: usize,
    uptime_seconds: f64,
    #[schemars(extend("enum" = ["normal", "safe", "sandboxed"]))]
    security_mode: &'static str,
}

impl Tool for AxSessionInfo {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_session_info",
        command: "",
        about: "Return this session's connected apps, action count, subscriptions and security \
                mode.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = offer("Session information");
    type Args = NoArguments;
    type Output = SessionInfoResult;

    fn run(cx: &Context<'_>, _: NoArguments) -> Result<SessionInfoResult> {
        // Without a list of running apps, all connections are returned.
        if let Ok(apps) = cx.desktop.tree.apps(cx.deadline) {
            cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
        }
        let connections = cx.session.connections();
        Ok(SessionInfoResult {
            connected_apps: connections.into_iter().map(|one| one.name).collect(),
            action_count: cx.session.actions(),
            undo_stack_depth: 0,
            subscriptions: cx.session.subscriptions(),
            uptime_seconds: cx.session.age().as_secs_f64(),
            security_mode: cx.security_mode,
        })
    }
}
