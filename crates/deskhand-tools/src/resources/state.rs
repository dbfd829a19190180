//! `view_state`: summarizes an app: windows, focus, activity, menus.

use deskhand_model::{App, Index, Node, Role, Snapshot, State as Mark};
use deskhand_platform::{Error as Below, NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Error, Requirement, Result, Tool, ToolSpec, verbs};

pub(crate) struct StateView;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
}

/// The summary of an app.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AppState {
    /// Name.
    app: String,
    /// Process id.
    pid: u32,
    /// Its windows, frontmost first.
    windows: Vec<WindowSummary>,
    /// The focused element.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_element: Option<FocusedElement>,
    /// The activity of the app.
    detected_state: Activity,
    /// The menus of the menu bar.
    menu_bar: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct WindowSummary {
    title: String,
    focused: bool,
    position: [i32; 2],
    size: [i32; 2],
}

#[derive(Serialize, JsonSchema)]
struct FocusedElement {
    role: &'static str,
    title: String,
}

/// The activity of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Activity {
    /// It waits for input.
    Idle,
    /// A part of it reports that it is busy.
    Loading,
    /// It does not respond.
    Busy,
    /// A modal dialog is open.
    ModalDialog,
}

impl Tool for StateView {
    const SPEC: ToolSpec = ToolSpec {
        name: "view_state",
        command: "",
        about: "A summary of an app: windows, focus, activity, menus.",
        effect: Effect::Observe,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = AppState;

    fn run(cx: &Context<'_>, args: Args) -> Result<AppState> {
        let running = verbs::programs::resolve_program(cx, &args.app)?;
        let mut windows = running.windows;
        windows.sort_by_key(|window| window.minimized);
        let Some(app) = running.app else {
            let window = windows.first().map(|window| window.title.clone()).unwrap_or_default();
            return Err(Error::NoTree { wanted: args.app, window });
        };
        let snapshot = look(cx, &app)?;
        let rows = windows.into_iter().map(|window| WindowSummary {
            title: window.title,
            focused: window.focused,
            position: [window.bounds.x, window.bounds.y],
            size: [window.bounds.width, window.bounds.height],
        });
        Ok(AppState {
            windows: rows.collect(),
            focused_element: snapshot.as_ref().and_then(focused),
            detected_state: snapshot.as_ref().map_or(Activity::Busy, judged),
            menu_bar: snapshot.as_ref().map(menus).unwrap_or_default(),
            app: app.name,
            pid: app.pid,
        })
    }
}

/// Determines the activity from a snapshot.
pub(super) fn condition(cx: &Context<'_>, app: &App) -> Activity {
    // Whoever cannot be looked at is not idle, whatever the reason.
    look(cx, app).ok().flatten().as_ref().map_or(Activity::Busy, judged)
}

/// Reads an app. Returns `None` if it does not respond.
fn look(cx: &Context<'_>, app: &App) -> Result<Option<Snapshot>> {
    if !app.responding {
        return Ok(None);
    }
    match cx.desktop.tree.walk(
        app,
        &app.root,
        &WalkOptions::with_fields(NodeFields::MINIMAL),
        cx.deadline,
    ) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(Below::Timeout { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn judged(snapshot: &Snapshot) -> Activity {
    let is_shown = |node: &Node| node.states.has(Mark::Showing);
    let asks = |at: Index| {
        let node = snapshot.node(at);
        is_shown(node) && (node.states.has(Mark::Modal) || node.role == Role::Alert)
    };
    let works = |node: &Node| is_shown(node) && node.states.has(Mark::Busy);
    if snapshot.children(Index::ROOT).any(asks) {
        Activity::ModalDialog
    } else if snapshot.iter().any(|(_, node)| works(node)) {
        Activity::Loading
    } else {
        Activity::Idle
    }
}

/// Returns the innermost focused element of the active window.
fn focused(snapshot: &Snapshot) -> Option<FocusedElement> {
    let all = snapshot
        .iter()
        .filter(|(_, node)| node.states.has(Mark::Focused) && node.role != Role::Application);
    let rank = |at: Index| {
        let above: Vec<Index> = snapshot.ancestors(at).collect();
        let in_use = above.iter().any(|up| snapshot.node(*up).states.has(Mark::Active));
        (in_use, above.len())
    };
    let (_, node) = all.max_by_key(|(at, _)| rank(*at))?;
    let title = if node.name.is_empty() { &node.description } else { &node.name };
    Some(FocusedElement { role: node.role.ax(), title: title.clone() })
}

/// Returns the menus of the first menu bar.
fn menus(snapshot: &Snapshot) -> Vec<String> {
    let bar = snapshot.iter().find(|(_, node)| node.role == Role::MenuBar);
    let Some((bar, _)) = bar else { return Vec::new() };
    let names = snapshot.children(bar).map(|at| snapshot.node(at).name.clone());
    names.filter(|name| !name.is_empty()).collect()
}
