//! `view_apps`: lists the running apps, with a short status of connected ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::app::{
        self, ListedApp,
        state::{self, Activity},
    },
};

pub(crate) struct AppsView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// The running apps.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AppSummaries {
    /// The apps, sorted by name.
    apps: Vec<AppSummary>,
}

#[derive(Serialize, JsonSchema)]
struct AppSummary {
    /// Name.
    name: String,
    /// Process id.
    pid: u32,
    /// Desktop-file id.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    /// `true` if the caller is connected to it.
    connected: bool,
    /// Activity; only for connected apps.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Activity>,
    /// Title of its focused window, or of its frontmost one; only for connected apps.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_window: Option<String>,
}

impl Tool for AppsView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_apps",
        command: "",
        about: "The running apps, with state and window of connected ones.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = AppSummaries;

    fn run(cx: &Context<'_>, _: Args) -> Result<AppSummaries> {
        let mut apps = app::list_apps(cx)?;
        // An app that has just started does not know its own name yet.
        apps.retain(|listed| !listed.app.name.is_empty());
        let rows = apps.into_iter().map(|ListedApp { app, is_connected, .. }| AppSummary {
            state: is_connected.then(|| state::activity(cx, &app)),
            focused_window: is_connected.then(|| state::front_window_title(cx, &app)).flatten(),
            name: app.name,
            pid: app.pid,
            bundle_id: app.bundle_id,
            connected: is_connected,
        });
        Ok(AppSummaries { apps: rows.collect() })
    }
}
