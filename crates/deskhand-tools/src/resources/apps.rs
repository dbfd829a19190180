//! `view_apps`: lists the running apps, with a short status of connected ones.

use deskhand_model::App;
use deskhand_platform::Windows;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::{self, Activity};
use crate::{Context, Effect, Requirement, Result, Tool, ToolSpec};

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
        let mut apps = cx.desktop.tree.apps(cx.deadline)?;
        cx.session.retain_connections(|id| apps.iter().any(|app| app.id == *id));
        // An app that has just joined does not know its own name yet.
        apps.retain(|app| !app.name.is_empty());
        let rows = apps.into_iter().map(|app| {
            let connected = cx.session.is_connected(&app.id);
            AppSummary {
                state: connected.then(|| state::condition(cx, &app)),
                focused_window: if connected { window(cx, &app) } else { None },
                name: app.name,
                pid: app.pid,
                bundle_id: app.bundle_id,
                connected,
            }
        });
        Ok(AppSummaries { apps: rows.collect() })
    }
}

fn window(cx: &Context<'_>, app: &App) -> Option<String> {
    let windows: &dyn Windows = cx.desktop.windows.as_deref()?;
    // An app without a known window has none to name.
    let mut own = windows.list(cx.deadline).ok()?;
    own.retain(|window| window.pid == app.pid);
    let found = own.iter().find(|window| window.focused).or(own.first());
    found.map(|window| window.title.clone())
}
