//! `view_apps`: the running apps, and in few words how those are that the caller connected to.

use deskhand_model::App;
use deskhand_platform::Windows;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::{self, Condition};
use crate::{Context, Effect, Need, Result, Spec, Tool};

pub(crate) struct Apps;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// What runs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Running {
    /// The apps, sorted by name.
    apps: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    /// The name it calls itself.
    name: String,
    /// Its process.
    pid: u32,
    /// Its desktop-file id.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    /// Whether the caller connected to it.
    connected: bool,
    /// What it does; only of connected ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Condition>,
    /// The title of its window that has the keyboard, or else of its frontmost; only of connected
    /// ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_window: Option<String>,
}

impl Tool for Apps {
    const SPEC: Spec = Spec {
        name: "view_apps",
        command: "",
        about: "The running apps; of connected ones also their state and window.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Running;

    fn run(cx: &Context<'_>, _: Args) -> Result<Running> {
        let mut apps = cx.desktop.tree.apps(cx.by)?;
        cx.session.retain(|id| apps.iter().any(|app| app.id == *id));
        // An app that has just joined does not know its own name yet.
        apps.retain(|app| !app.name.is_empty());
        let rows = apps.into_iter().map(|app| {
            let connected = cx.session.has(&app.id);
            Row {
                state: connected.then(|| state::condition(cx, &app)),
                focused_window: if connected { window(cx, &app) } else { None },
                name: app.name,
                pid: app.pid,
                bundle_id: app.bundle_id,
                connected,
            }
        });
        Ok(Running { apps: rows.collect() })
    }
}

fn window(cx: &Context<'_>, app: &App) -> Option<String> {
    let windows: &dyn Windows = cx.desktop.windows.as_deref()?;
    // An app without a known window has none to name.
    let mut own = windows.list(cx.by).ok()?;
    own.retain(|window| window.pid == app.pid);
    let found = own.iter().find(|window| window.focused).or(own.first());
    found.map(|window| window.title.clone())
}
