//! The element an action is meant for, as soon as it is ready for it.

use std::time::{Duration, Instant};

use deskhand_locate::{Found, Query, Strategy};
use deskhand_model::{App, Index, Node, NodeId, Rect, Role, Snapshot, State, outline::quote};
use deskhand_platform::{Act, Extent, Facets, Reply};

use super::{
    heard::{Ear, Mark},
    recent, reveal, sight,
};
use crate::{
    Context, Error, Result,
    error::Condition,
    look::{self, Look, Sought},
};

/// How long to wait between two looks at an element that is not ready.
const PAUSE: Duration = Duration::from_millis(30);

/// How long several matches may stay several.
const AMBIGUOUS: Duration = Duration::from_millis(400);

/// How long an app may take to scroll.
const SCROLL: Duration = Duration::from_millis(300);

/// How far apart two looks are that find an element in the same place.
const FRAME: Duration = Duration::from_millis(20);

/// How many characters of a name are shown.
const SHOWN: usize = 60;

/// What an element must be before it is acted on, beside being there, alone and enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// It takes text.
    pub editable: bool,
    /// The pointer can reach it: in sight, at rest, not covered.
    pub pointer: bool,
    /// It may be disabled and out of sight: it is only looked at or scrolled to.
    pub anyhow: bool,
}

impl Wants {
    /// Ready for an action through accessibility.
    pub const ACTION: Wants = Wants { editable: false, pointer: false, anyhow: false };
    /// Ready to take text.
    pub const TEXT: Wants = Wants { editable: true, ..Self::ACTION };
    /// Ready for the pointer.
    pub const POINTER: Wants = Wants { pointer: true, ..Self::ACTION };
    /// Only there.
    pub const THERE: Wants = Wants { anyhow: true, ..Self::ACTION };
}

/// An element that is ready.
pub struct Target {
    /// Its app.
    pub app: App,
    /// The look it was found in.
    pub look: Look,
    /// Where it stands there.
    pub at: Index,
    /// The element itself, just read, with its actions and its place.
    pub node: Node,
    /// The ref it goes by.
    pub reference: String,
    /// How long a look at its app takes.
    pub look_takes: Duration,
    /// The moment before the look, in what the app reports; none while nobody listened.
    pub since: Option<Mark>,
    /// Whether the look is an earlier one, brought up to date by what the app reported.
    pub recalled: bool,
}

impl Target {
    /// The element in words: `button "Save"`.
    pub fn label(&self) -> String {
        label(&self.node)
    }

    /// The window it stands in, as the tree has it.
    pub fn window(&self) -> Option<&Node> {
        window_of(&self.look.snapshot, self.at).map(|at| self.look.snapshot.node(at))
    }
}

/// An element in words: `button "Save"`.
pub fn label(node: &Node) -> String {
    if node.name.is_empty() {
        node.role.short().to_owned()
    } else {
        format!("{} {}", node.role.short(), quote(&node.name, SHOWN))
    }
}

/// The top-level window an element stands in.
pub fn window_of(snapshot: &Snapshot, at: Index) -> Option<Index> {
    std::iter::once(at)
        .chain(snapshot.ancestors(at))
        .filter(|up| snapshot.node(*up).role != Role::Application)
        .last()
}

/// What is read of an app before and after an action: enough to tell what changed.
pub const SEEN: Facets = Facets { values: true, ..Facets::NAMES };

/// What is read of the element itself.
pub const WHOLE: Facets = Facets { relations: false, ..Facets::ALL };

/// Waits until the one element a query means is ready.
pub fn ready(cx: &Context<'_>, app: &App, query: &str, wants: Wants) -> Result<Target> {
    let query = Query::parse(query, Strategy::Auto)?;
    let ear = cx.memory.open_ear(&app.id);
    let found = |sought: Sought<Found>, began: Began, recalled, revealed: &mut bool| {
        let look_takes = began.at.elapsed();
        let (look, at) = (sought.look, sought.found.index);
        let reference = sought.found.reference.to_string();
        let id = look.snapshot.node(at).id.clone();
        let node = checked(cx, app, &look.snapshot, at, &id, wants, query.text(), revealed)?;
        cx.warden.aims(app, &node);
        let since = began.mark;
        Ok(Target { app: app.clone(), look, at, node, reference, look_takes, since, recalled })
    };
    if let Some(ear) = &ear {
        let began = Began::now(Some(ear));
        // Whatever is wrong with what is remembered, a new look tells better.
        let known = recent::recall(cx, app, ear, SEEN)
            .and_then(|snapshot| look::known(cx, app, &query, snapshot, SEEN).ok().flatten())
            .and_then(|sought| found(sought, began, true, &mut true).ok());
        if let Some(target) = known {
            return Ok(target);
        }
    }
    wait_for(cx, |revealed| {
        let began = Began::now(ear.as_deref());
        let sought = look::to_act_on(cx, app, &query, SEEN)?;
        found(sought, began, false, revealed)
    })
}

/// When a look began.
#[derive(Clone, Copy)]
struct Began {
    at: Instant,
    mark: Option<Mark>,
}

impl Began {
    fn now(ear: Option<&Ear>) -> Self {
        Self { at: Instant::now(), mark: ear.map(Ear::mark) }
    }
}

/// An element that is known already, with a new look at its app.
pub fn of(cx: &Context<'_>, app: &App, id: &NodeId) -> Result<Target> {
    let began = Began::now(cx.memory.open_ear(&app.id).as_deref());
    let mut look = Look::at(cx, app, &Extent::of(SEEN))?;
    let look_takes = began.at.elapsed();
    let node = fresh(cx, app, id)?;
    let gone = || deskhand_platform::Error::Gone { what: "the element".to_owned() };
    let at = look.snapshot.position(id).ok_or_else(gone)?;
    let reference = look.reference(at).to_string();
    cx.warden.aims(app, &node);
    let (app, since) = (app.clone(), began.mark);
    Ok(Target { app, look, at, node, reference, look_takes, since, recalled: false })
}

/// Waits until the element of an app that has the keyboard takes text.
pub fn focused(cx: &Context<'_>, app: &App) -> Result<Target> {
    wait_for(cx, |revealed| {
        let began = Began::now(cx.memory.open_ear(&app.id).as_deref());
        let mut look = Look::at(cx, app, &Extent::of(SEEN))?;
        let look_takes = began.at.elapsed();
        let at = sight::focused(&look.snapshot).ok_or_else(|| Error::NotReady {
            query: "the focused element".to_owned(),
            condition: Condition::Focused,
            seen: "no element of the app has the keyboard focus".to_owned(),
        })?;
        let id = look.snapshot.node(at).id.clone();
        let name = "the focused element";
        let node = checked(cx, app, &look.snapshot, at, &id, Wants::TEXT, name, revealed)?;
        cx.warden.aims(app, &node);
        let reference = look.reference(at).to_string();
        look.keep()?;
        let (app, since) = (app.clone(), began.mark);
        Ok(Target { app, look, at, node, reference, look_takes, since, recalled: false })
    })
}

fn wait_for(
    cx: &Context<'_>,
    mut attempt: impl FnMut(&mut bool) -> Result<Target>,
) -> Result<Target> {
    let begun = Instant::now();
    let mut revealed = false;
    let mut reason = None;
    loop {
        match attempt(&mut revealed) {
            Ok(target) => return Ok(target),
            // What was wrong with the element says more than that time ran out while looking.
            Err(Error::Platform(deskhand_platform::Error::Timeout { what })) => {
                let late = deskhand_platform::Error::Timeout { what };
                return Err(reason.unwrap_or(Error::Platform(late)));
            }
            Err(error) => {
                if !may_pass(&error, begun) || cx.by.left() < PAUSE * 2 {
                    let lost =
                        matches!(error, Error::Locate(deskhand_locate::Error::NoMatch { .. }));
                    return Err(if lost { reason.unwrap_or(error) } else { error });
                }
                // A look that time cut short finds nothing, which is no news of the element.
                let cut_short = matches!(error, Error::Locate(_)) && reason.is_some();
                if !cut_short {
                    reason = Some(error);
                }
            }
        }
        cx.stop.sleep(PAUSE)?;
    }
}

/// Whether waiting may help.
fn may_pass(error: &Error, begun: Instant) -> bool {
    let always = matches!(
        error,
        Error::NotReady { .. } | Error::Locate(deskhand_locate::Error::NoMatch { .. })
    );
    // A dialog waits for an answer, which this call does not give.
    let briefly = matches!(
        error,
        Error::NotReady { condition: Condition::Unblocked, .. }
            | Error::Locate(deskhand_locate::Error::Ambiguous { .. })
    );
    if briefly { begun.elapsed() < AMBIGUOUS } else { always }
}

/// Reads the element and checks whether it is ready.
#[allow(clippy::too_many_arguments)] // One caller a kind of search; a struct would only rename them.
fn checked(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    id: &NodeId,
    wants: Wants,
    query: &str,
    revealed: &mut bool,
) -> Result<Node> {
    let mut node = fresh(cx, app, id)?;
    if node.name.is_empty() {
        // Some names come from what is inside, which only a look at the whole tells.
        node.name.clone_from(&snapshot.node(at).name);
    }
    if wants.anyhow {
        return Ok(node);
    }
    let not = |condition: Condition, seen: String| {
        Err(Error::NotReady { query: query.to_owned(), condition, seen })
    };
    if let Some(dialog) = sight::blocking(snapshot, at) {
        return not(Condition::Unblocked, format!("{} is open above it", label(dialog)));
    }
    if let Some(title) = blocking_window(cx, app, snapshot, at) {
        return not(Condition::Unblocked, format!("window \"{title}\" is open above it"));
    }
    let in_sight = if wants.pointer {
        node.states.has(State::Showing) && has_room(&node)
    } else {
        sight::is_shown(snapshot, at, &node) || in_minimized(cx, app, snapshot, at, &node)
    };
    if !in_sight {
        if !*revealed {
            *revealed = true;
            let by = cx.by.or_after(SCROLL);
            let scrolled = cx.desktop.tree.perform(app, id, &Act::Reveal, by);
            if scrolled != Ok(Reply::Accepted) {
                // What cannot be scrolled stays where it is, and that is told below.
                let _moved = reveal::by_bar(cx, app, snapshot, at, &node);
            }
        }
        return not(Condition::Visible, state_of(&node));
    }
    if !node.states.has(State::Enabled) && sight::says_whether_enabled(&node) {
        return not(Condition::Enabled, state_of(&node));
    }
    if wants.editable && !sight::is_editable(&node) {
        return not(Condition::Editable, state_of(&node));
    }
    if wants.pointer {
        std::thread::sleep(FRAME);
        let again = fresh(cx, app, id)?;
        if again.bounds != node.bounds {
            let moved = format!("it moved from {} to {}", place(&node), place(&again));
            return not(Condition::Stable, moved);
        }
    }
    Ok(node)
}

/// Whether an element is out of sight only because its window is minimized. Firefox says of such a
/// window that it is showing.
fn in_minimized(cx: &Context<'_>, app: &App, snapshot: &Snapshot, at: Index, node: &Node) -> bool {
    if !node.states.has(State::Visible) {
        return false;
    }
    let title = window_of(snapshot, at).map_or("", |window| snapshot.node(window).name.as_str());
    super::by_hand::own_window(cx, app, title).is_some_and(|window| window.minimized)
}

/// The title of a modal window of the app beside the one an element stands in. Qt tells the window
/// system that a dialog is modal, and not the tree.
fn blocking_window(cx: &Context<'_>, app: &App, snapshot: &Snapshot, at: Index) -> Option<String> {
    let windows = cx.desktop.windows.as_ref()?;
    let window = window_of(snapshot, at).map(|window| snapshot.node(window));
    let asks = |window: &Node| {
        window.states.has(State::Active)
            || matches!(window.role, Role::Dialog | Role::Alert | Role::FileChooser)
    };
    // LibreOffice gives its questions another title on the screen than in the tree.
    if window.is_some_and(asks) {
        return None;
    }
    let own = window.map(|window| window.name.as_str());
    let mut all = windows.list(cx.by).ok()?;
    all.retain(|window| window.pid == app.pid);
    if all.len() < 2 {
        return None;
    }
    let modal = |window: &deskhand_model::Window| {
        // A window that closed meanwhile blocks nobody.
        let state = windows.state(window.id, cx.by).ok();
        state.is_some_and(|state| state.states.iter().any(|word| word == "modal"))
    };
    let others = all.into_iter().filter(|window| Some(window.title.as_str()) != own);
    others.into_iter().find(modal).map(|window| window.title)
}

/// The element as it is now.
pub fn fresh(cx: &Context<'_>, app: &App, id: &NodeId) -> Result<Node> {
    let ids = std::slice::from_ref(id);
    let read = cx.desktop.tree.read(app, ids, WHOLE, cx.by)?.pop().flatten();
    read.ok_or_else(|| {
        Error::Platform(deskhand_platform::Error::Gone { what: "the element".to_owned() })
    })
}

fn has_room(node: &Node) -> bool {
    node.bounds.is_some_and(|bounds| !bounds.is_empty())
}

fn place(node: &Node) -> String {
    match node.bounds {
        Some(Rect { x, y, width, height }) => format!("{x},{y} {width}x{height}"),
        None => "nowhere".to_owned(),
    }
}

fn state_of(node: &Node) -> String {
    let states: Vec<&str> = node.states.iter().map(State::word).collect();
    format!("{} at {} [{}]", label(node), place(node), states.join(" "))
}
