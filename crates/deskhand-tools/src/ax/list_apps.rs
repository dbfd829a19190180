//! `ax_list_apps`: lists the running apps.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NoArguments, core};
use crate::{Context, Effect, Offer, Requirement, Result, Tool, ToolSpec, verbs::app};

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
    /// `false`: only windows, keys and pictures
    tree: bool,
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
        let apps = app::list_apps(cx)?.into_iter().map(|listed| ListedApp {
            name: listed.app.name,
            pid: listed.app.pid,
            bundle_id: listed.app.bundle_id,
            connected: listed.is_connected,
            responding: listed.app.responding,
            tree: listed.has_tree,
        });
        Ok(AppsResult { apps: apps.collect() })
    }
}
