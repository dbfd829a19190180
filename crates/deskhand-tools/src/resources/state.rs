//! `view_state`: an app in few words: its windows, where the keyboard is, what it does, its menus.

use deskhand_model::{App, Index, Node, Role, Snapshot, State as Mark};
use deskhand_platform::{Error as Below, Extent, Facets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Effect, Error, Need, Result, Spec, Tool, verbs};

pub(crate) struct State;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid or desktop-file id.
    app: String,
}

/// An app in few words.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Seen {
    /// The name it calls itself.
    app: String,
    /// Its process.
    pid: u32,
    /// Its windows, the frontmost first.
    windows: Vec<Row>,
    /// Where the keyboard is.
    #[serde(skip_serializing_if = "Option::is_none")]
    focused_element: Option<Focused>,
    /// What it does.
    detected_state: Condition,
    /// The menus of its menu bar.
    menu_bar: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    title: String,
    focused: bool,
    position: [i32; 2],
    size: [i32; 2],
}

#[derive(Serialize, JsonSchema)]
struct Focused {
    role: &'static str,
    title: String,
}

/// What an app does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Condition {
    /// Nothing: it waits for somebody.
    Idle,
    /// It says that a part of it is at work.
    Loading,
    /// It does not answer.
    Busy,
    /// It asks something before anything else goes on.
    ModalDialog,
}

impl Tool for State {
    const SPEC: Spec = Spec {
        name: "view_state",
        command: "",
        about: "An app in few words: windows, focus, what it does, menus.",
        effect: Effect::Observe,
        needs: &[Need::Tree],
    };
    type Args = Args;
    type Output = Seen;

    fn run(cx: &Context<'_>, args: Args) -> Result<Seen> {
        let running = verbs::running::meant(cx, &args.app)?;
        let mut windows = running.windows;
        windows.sort_by_key(|window| window.minimized);
        let Some(app) = running.app else {
            let window = windows.first().map(|window| window.title.clone()).unwrap_or_default();
            return Err(Error::NoTree { wanted: args.app, window });
        };
        let snapshot = look(cx, &app)?;
        let rows = windows.into_iter().map(|window| Row {
            title: window.title,
            focused: window.focused,
            position: [window.bounds.x, window.bounds.y],
            size: [window.bounds.width, window.bounds.height],
        });
        Ok(Seen {
            windows: rows.collect(),
            focused_element: snapshot.as_ref().and_then(focused),
            detected_state: snapshot.as_ref().map_or(Condition::Busy, judged),
            menu_bar: snapshot.as_ref().map(menus).unwrap_or_default(),
            app: app.name,
            pid: app.pid,
        })
    }
}

/// What an app does, by a look at it.
pub(super) fn condition(cx: &Context<'_>, app: &App) -> Condition {
    // Whoever cannot be looked at is not idle, whatever the reason.
    look(cx, app).ok().flatten().as_ref().map_or(Condition::Busy, judged)
}

/// A look at an app; `None` when it does not answer.
fn look(cx: &Context<'_>, app: &App) -> Result<Option<Snapshot>> {
    if !app.responding {
        return Ok(None);
    }
    match cx.desktop.tree.walk(app, &app.root, &Extent::of(Facets::NAMES), cx.by) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(Below::Timeout { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn judged(snapshot: &Snapshot) -> Condition {
    let is_shown = |node: &Node| node.states.has(Mark::Showing);
    let asks = |at: Index| {
        let node = snapshot.node(at);
        is_shown(node) && (node.states.has(Mark::Modal) || node.role == Role::Alert)
    };
    let works = |node: &Node| is_shown(node) && node.states.has(Mark::Busy);
    if snapshot.children(Index::ROOT).any(asks) {
        Condition::ModalDialog
    } else if snapshot.iter().any(|(_, node)| works(node)) {
        Condition::Loading
    } else {
        Condition::Idle
    }
}

/// The innermost element that says it has the keyboard, in the window that is in use.
fn focused(snapshot: &Snapshot) -> Option<Focused> {
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
    Some(Focused { role: node.role.ax(), title: title.clone() })
}

/// The menus of the first menu bar.
fn menus(snapshot: &Snapshot) -> Vec<String> {
    let bar = snapshot.iter().find(|(_, node)| node.role == Role::MenuBar);
    let Some((bar, _)) = bar else { return Vec::new() };
    let names = snapshot.children(bar).map(|at| snapshot.node(at).name.clone());
    names.filter(|name| !name.is_empty()).collect()
}
