//! `ax_list_apps`: lists the running apps.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NoArguments, core};
use crate::{Context, Effect, Offer, Requirement, Result, Tool, ToolSpec};

pub(crate) struct AxListApps;

#[derive(Serialize, JsonSchema)]
pub(crate) struct AppsResult {
    apps: Vec<ListedApp>,
}

#[derive(Serialize, JsonSchema)]
struct ListedApp {
    name: String,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    connected: bool,
    responding: bool,
}

impl Tool for AxListApps {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_list_apps",
        command: "",
        about: "List the running apps.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    const OFFER: Option<Offer> = core("List running applications");
    type Args = NoArguments;
    type Output = AppsResult;

    fn run(cx: &Context<'_>, _: NoArguments) -> Result<AppsResult> {
        let apps = cx.desktop.tree.apps(cx.deadline)?.into_iter().map(|app| ListedApp {
            connected: cx.session.is_connected(&app.id),
            name: app.name,
            pid: app.pid,
            bundle_id: app.bundle_id,
            responding: app.responding,
        });
        Ok(AppsResult { apps: apps.collect() })
    }
}
