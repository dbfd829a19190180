//! `view_status`: reports accessibility and the caller's connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Result, Tool, ToolSpec, verbs::app};

pub(crate) struct StatusView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// The status of the server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// `true` if apps can be read.
    accessibility_enabled: bool,
    /// The service that analyzes images.
    vlm_backend: &'static str,
    /// `true` if the service is reachable.
    vlm_available: bool,
    /// The apps the caller is connected to.
    connected_apps: Vec<String>,
    /// Operating system and processor.
    platform: String,
    /// The security mode.
    security_mode: &'static str,
}

impl Tool for StatusView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_status",
        command: "",
        about: "Accessibility status and connected apps.",
        effect: Effect::Observe,
        needs: &[],
    };
    type Args = Args;
    type Output = StatusReport;

    fn run(cx: &Context<'_>, _: Args) -> Result<StatusReport> {
        let apps = app::list_apps(cx);
        let connections = cx.session.connections();
        Ok(StatusReport {
            accessibility_enabled: apps.is_ok(),
            vlm_backend: "none",
            vlm_available: false,
            connected_apps: connections.into_iter().map(|one| one.name).collect(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            security_mode: cx.security_mode,
        })
    }
}
