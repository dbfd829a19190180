//! The state of an app: windows, focus, activity and menus.

use deskhand_model::{App, Index, Node, Role, Snapshot, State, Window};
use deskhand_platform::{Error as Below, NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Context, Error, Result,
    programs::{list_windows, resolve_program},
    tree::focus,
};

/// The activity of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// It waits for input.
    Idle,
    /// A part of it reports that it is busy.
    Loading,
    /// It does not respond.
    Busy,
    /// A modal dialog is open.
    ModalDialog,
}

/// The state of an app.
#[derive(Debug)]
pub struct AppState {
    /// The app.
    pub app: App,
    /// Its windows in index order: the frontmost first, minimized ones last.
    pub windows: Vec<Window>,
    /// The focused element.
    pub focused: Option<Node>,
    /// The activity of the app.
    pub activity: Activity,
    /// The names of the menus in its menu bar.
    pub menus: Vec<String>,
}

/// Reads the state of an app.
///
/// # Errors
///
/// Fails if the app is not running or has no tree. An app that does not respond is busy.
pub fn read_state(cx: &Context<'_>, wanted: &str) -> Result<AppState> {
    let running = resolve_program(cx, wanted)?;
    let windows = running.windows_by_index();
    let Some(app) = running.app else {
        let window = windows.first().map(|window| window.title.clone()).unwrap_or_default();
        return Err(Error::NoTree { wanted: wanted.to_owned(), pid: running.pid, window });
    };
    let snapshot = read_if_responding(cx, &app)?;
    Ok(AppState {
        windows,
        focused: snapshot
            .as_ref()
            .and_then(|all| Some(all.node(focus::focused_index(all)?).clone())),
        activity: snapshot.as_ref().map_or(Activity::Busy, activity_in),
        menus: snapshot.as_ref().map(menus_in).unwrap_or_default(),
        app,
    })
}

/// Returns the activity of an app. An app that cannot be read is busy.
pub fn activity(cx: &Context<'_>, app: &App) -> Activity {
    // The reason does not matter: an app that cannot be read is not idle.
    read_if_responding(cx, app).ok().flatten().as_ref().map_or(Activity::Busy, activity_in)
}

/// Returns the title of an app's focused window, or of its frontmost one.
pub fn front_window_title(cx: &Context<'_>, app: &App) -> Option<String> {
    // Without a window list, no window is known.
    let mut windows = list_windows(cx, cx.deadline).ok()?;
    windows.retain(|window| window.pid == app.pid);
    let front = windows.iter().find(|window| window.focused).or(windows.first());
    front.map(|window| window.title.clone())
}

/// Reads an app. Returns `None` if it does not respond.
fn read_if_responding(cx: &Context<'_>, app: &App) -> Result<Option<Snapshot>> {
    if !app.responding {
        return Ok(None);
    }
    let options = WalkOptions::with_fields(NodeFields::MINIMAL);
    match cx.desktop.tree.walk(app, &app.root, &options, cx.deadline) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(Below::Timeout { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn activity_in(snapshot: &Snapshot) -> Activity {
    let is_shown = |node: &Node| node.states.has(State::Showing);
    let is_dialog = |at: Index| {
        let node = snapshot.node(at);
        is_shown(node) && (node.states.has(State::Modal) || node.role == Role::Alert)
    };
    let is_busy = |node: &Node| is_shown(node) && node.states.has(State::Busy);
    if snapshot.children(Index::ROOT).any(is_dialog) {
        Activity::ModalDialog
    } else if snapshot.iter().any(|(_, node)| is_busy(node)) {
        Activity::Loading
    } else {
        Activity::Idle
    }
}

/// Returns the menus of the first menu bar.
fn menus_in(snapshot: &Snapshot) -> Vec<String> {
    let bar = snapshot.iter().find(|(_, node)| node.role == Role::MenuBar);
    let Some((bar, _)) = bar else { return Vec::new() };
    let names = snapshot.children(bar).map(|at| snapshot.node(at).name.clone());
    names.filter(|name| !name.is_empty()).collect()
}
