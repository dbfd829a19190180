//! Asking before something that may lose what a person made: a click, a switch that is turned, keys,
//! text that leaves its field, a click at a point.

use std::time::Duration;

use deskhand_model::{App, AppId, Node, NodeId, Role, Snapshot, Toolkit, outline::quote};
use deskhand_platform::{Deadline, Extent, Facets, Key, Whose};

use super::{
    key_risk::{self, Met},
    target::{self, Target},
    warning,
};
use crate::{
    Context, Error, Result, Risk, Warning, app,
    effect::{Done, Tried, Verdict},
    keys::Combo,
    warden,
};

/// How long an element may take to be ready once a person has answered.
const AGAIN: Duration = Duration::from_secs(5);

/// How many characters of an app's name are shown.
const SHOWN: usize = 60;

/// The word for keys in a question.
const KEYS: &str = "Press a key on";

/// The same for typed text.
const TYPED: &str = "Type keys that may press";

/// What is looked at: icons are known by their identifiers.
const SEEN: Facets = Facets { identifiers: true, ..target::SEEN };

/// Whether an action may go on.
pub enum Leave {
    /// Nobody need be asked, or there is nobody to ask.
    Free,
    /// A person said yes, and took time for it: the element must be found again.
    Given,
    /// A person said no; this is the answer.
    Refused(Box<Done>),
}

/// Asks the gate before something is done to an element that warns of a loss; `doing` is the word for
/// it, such as `Click`.
pub fn leave(cx: &Context<'_>, target: &Target, doing: &str) -> Result<Leave> {
    let left = asked(cx, &target.app, &target.node, doing)?;
    Ok(match left {
        Leave::Refused(done) => {
            Leave::Refused(Box::new(Done { element_ref: Some(target.reference.clone()), ..*done }))
        }
        Leave::Free | Leave::Given => left,
    })
}

/// Asks the same before items are chosen in what an element holds.
pub fn before_items(cx: &Context<'_>, holder: &Target, items: &[Node]) -> Result<Leave> {
    let Some(item) = items.iter().find(|item| warning::of(item).is_some()) else {
        return Ok(Leave::Free);
    };
    asked(cx, &holder.app, item, "Choose")
}

/// Asks the same before keys that press what has the keyboard, close or delete, in an app or in the one
/// in front.
pub fn before_keys(cx: &Context<'_>, app: Option<&str>, combos: &[Combo]) -> Result<Leave> {
    if !cx.warden.heeds_risks() || !may_harm(cx, combos) {
        return Ok(Leave::Free);
    }
    let (owner, seen) = at_the_keyboard(cx, app);
    let Some(met) = key_risk::first(seen.as_ref(), combos) else { return Ok(Leave::Free) };
    let left = asked_about(cx, &owner, &met, KEYS)?;
    let moved = || {
        let (_, now) = at_the_keyboard(&later(cx), Some(&owner.pid.to_string()));
        !key_risk::first(now.as_ref(), combos).is_some_and(|now| same(&now, &met))
    };
    Ok(match left {
        Leave::Given if moved() => refused(&words(&met), "the keyboard is elsewhere by now", None),
        Leave::Given | Leave::Free | Leave::Refused(_) => left,
    })
}

/// Asks the same before text is typed on a keyboard that leaves its field and presses something; with
/// it comes what was asked about.
pub fn before_text(cx: &Context<'_>, field: &Target, text: &str) -> Result<(Leave, Option<Met>)> {
    if !cx.warden.heeds_risks() {
        return Ok((Leave::Free, None));
    }
    let Some(met) = key_risk::by_text(&field.look.snapshot, field.at, text) else {
        return Ok((Leave::Free, None));
    };
    Ok((asked_about(cx, &field.app, &met, TYPED)?, Some(met)))
}

/// Asks the same in the midst of typing, once the text has left its field; what was asked about
/// before is not asked about again.
///
/// # Errors
///
/// When it may not go on: a part was typed by then.
pub fn midway(cx: &Context<'_>, app: &App, next: char, known: Option<&Met>) -> Result<Where> {
    let cx = &later(cx);
    let (owner, seen) = at_the_keyboard(cx, Some(&app.pid.to_string()));
    let Some(seen) = seen else { return Ok(Where::Elsewhere) };
    if key_risk::in_text(&seen) {
        return Ok(Where::InText);
    }
    let combo = Combo { keys: vec![Key::Char(next)] };
    let met = key_risk::first(Some(&seen), &[combo]);
    let Some(met) = met.filter(|met| !known.is_some_and(|known| same(known, met))) else {
        return Ok(Where::Elsewhere);
    };
    let held = |why: String| Err(Error::HeldBack { what: words(&met), why });
    match asked_about(cx, &owner, &met, TYPED) {
        Ok(Leave::Free | Leave::Given) => Ok(Where::Elsewhere),
        Ok(Leave::Refused(done)) => {
            held(done.tried.into_iter().map(|tried| tried.why).collect::<Vec<_>>().join(", "))
        }
        Err(Error::Asks { .. }) => held("a person must be asked before".to_owned()),
        Err(error) => Err(error),
    }
}

/// Where the keyboard is after a text has left its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In something that takes text.
    InText,
    /// Elsewhere.
    Elsewhere,
}

/// Asks the same before the pointer presses or drops something at a point.
pub fn before_pointer(cx: &Context<'_>, at: (i32, i32), doing: &str) -> Result<Leave> {
    if !cx.warden.heeds_risks() {
        return Ok(Leave::Free);
    }
    // Where nothing tells what lies there, nothing warns.
    let Some((app, node)) = under_the_pointer(cx, at) else { return Ok(Leave::Free) };
    let left = asked(cx, &app, &node, doing)?;
    let moved = || under_the_pointer(&later(cx), at).is_none_or(|(_, now)| now.id != node.id);
    Ok(match left {
        Leave::Given if moved() => {
            refused(&target::label(&node), "something else lies there by now", None)
        }
        Leave::Given | Leave::Free | Leave::Refused(_) => left,
    })
}

/// Asks the same, once, before something is taken up and dropped: `ends` finds what warns at both.
pub fn before_drag(
    cx: &Context<'_>,
    ends: impl Fn(&Context<'_>) -> Result<Vec<(App, Node)>>,
) -> Result<Leave> {
    if !cx.warden.heeds_risks() {
        return Ok(Leave::Free);
    }
    let risky = ends(cx)?;
    let Some((app, first)) = risky.first() else { return Ok(Leave::Free) };
    let Some(sign) = warning::of(first) else { return Ok(Leave::Free) };
    let labels: Vec<String> = risky.iter().map(|(_, node)| target::label(node)).collect();
    let what = labels.join(" and ");
    let left = put(cx, app, &what, "Drag from or to", sign)?;
    let ids = |all: &[(App, Node)]| all.iter().map(|(_, node)| node.id.clone()).collect::<Vec<_>>();
    let moved = || !ends(&later(cx)).is_ok_and(|now| ids(&now) == ids(&risky));
    Ok(match left {
        Leave::Given if moved() => refused(&what, "something else lies there by now", None),
        Leave::Given | Leave::Free | Leave::Refused(_) => left,
    })
}

/// The same call, with time to find the element again.
pub fn later<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { by: Deadline::after(AGAIN), ..*cx }
}

fn asked(cx: &Context<'_>, app: &App, node: &Node, doing: &str) -> Result<Leave> {
    let Some(sign) = warning::of(node) else { return Ok(Leave::Free) };
    put(cx, app, &target::label(node), doing, sign)
}

fn asked_about(cx: &Context<'_>, app: &App, met: &Met, doing: &str) -> Result<Leave> {
    match met {
        Met::Key(key) => put(cx, app, key, "Press", Warning::Key(key.clone())),
        Met::Element(node) => asked(cx, app, node, doing),
    }
}

fn put(cx: &Context<'_>, app: &App, what: &str, doing: &str, sign: Warning) -> Result<Leave> {
    let named = format!("{what} in {}", quote(&app.name, SHOWN));
    Ok(match cx.warden.leave(&Risk { app, doing, what: named, sign })? {
        warden::Leave::Free => Leave::Free,
        warden::Leave::Given => Leave::Given,
        warden::Leave::Refused { why, next } => refused(what, &why, next),
    })
}

fn refused(what: &str, why: &str, next: Option<String>) -> Leave {
    let tried = vec![Tried { way: "question".to_owned(), why: why.to_owned() }];
    let done = Done { tried, escalation: next, ..Done::new(Verdict::Refused, "none") };
    Leave::Refused(Box::new(done.to(what.to_owned())))
}

fn words(met: &Met) -> String {
    match met {
        Met::Key(key) => key.clone(),
        Met::Element(node) => target::label(node),
    }
}

/// Whether two looks found the same.
fn same(one: &Met, other: &Met) -> bool {
    match (one, other) {
        (Met::Key(one), Met::Key(other)) => one == other,
        (Met::Element(one), Met::Element(other)) => one.id == other.id,
        (Met::Key(_), Met::Element(_)) | (Met::Element(_), Met::Key(_)) => false,
    }
}

/// Whether it is worth a look what keys would do.
fn may_harm(cx: &Context<'_>, combos: &[Combo]) -> bool {
    combos.iter().any(key_risk::matters)
        || (combos.iter().any(key_risk::matters_in_a_menu) && pops_up(cx))
}

/// Whether something is shown that no window manager knows of, as menus are.
fn pops_up(cx: &Context<'_>) -> bool {
    let Some(windows) = &cx.desktop.windows else { return false };
    // What cannot be told now is looked at.
    let (Ok(all), Ok(shown)) = (windows.list(cx.by), windows.shown(cx.by)) else { return true };
    shown.iter().any(|one| all.iter().all(|known| known.id != one.id))
}

/// Whose keyboard it is, and what is seen of it; nothing of an app that cannot be looked at.
fn at_the_keyboard(cx: &Context<'_>, app: Option<&str>) -> (App, Option<Snapshot>) {
    let Ok(app) = app::meant(cx, app) else { return (without_tree(cx, app), None) };
    let seen = cx.desktop.tree.walk(&app, &app.root, &Extent::of(SEEN), cx.by).ok();
    (app, seen)
}

/// An app that shows nothing but windows, by what these say.
fn without_tree(cx: &Context<'_>, app: Option<&str>) -> App {
    // Without a list of windows it has no name.
    let all = cx.desktop.windows.as_ref().and_then(|all| all.list(cx.by).ok()).unwrap_or_default();
    let pid = app.and_then(|app| app.parse::<u32>().ok());
    let window = all.into_iter().find(|one| pid.map_or(one.focused, |pid| one.pid == pid));
    let pid = window.as_ref().map(|window| window.pid).or(pid).unwrap_or_default();
    let name = window.map(|window| window.app.unwrap_or(window.class)).unwrap_or_default();
    App {
        id: AppId(String::new()),
        name,
        pid,
        started: 0,
        bundle_id: None,
        executable: None,
        toolkit: Toolkit::default(),
        root: NodeId::new(""),
        windows: 1,
        responding: true,
    }
}

/// What a click means where it falls; a window or a page that warns is not what is clicked.
const CLICKED: &[Role] = &[
    Role::Cell,
    Role::DesktopIcon,
    Role::Icon,
    Role::Image,
    Role::Label,
    Role::StaticText,
    Role::TableRow,
];

/// What warns of a loss and lies at a point.
pub fn under_the_pointer(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<(App, Node)> {
    let windows = cx.desktop.windows.as_ref()?;
    // A menu is no window of any list, and may stick out over another app's.
    let owners = windows.owners(Whose::At(x, y), cx.by).ok()?;
    let within = Extent::of(Facets { bounds: true, ..SEEN });
    owners.iter().flat_map(|owner| [Some(owner.pid), owner.says]).flatten().find_map(|pid| {
        // An app that cannot be looked at is clicked as it is.
        let app = app::meant(cx, Some(&pid.to_string())).ok()?;
        let seen = cx.desktop.tree.walk(&app, &app.root, &within, cx.by).ok()?;
        let shown = key_risk::shown(&seen);
        let mut there = seen.iter().filter(|(_, node)| {
            (node.role.is_control() || CLICKED.contains(&node.role))
                && shown(node)
                && node.bounds.is_some_and(|bounds| bounds.contains(x, y))
                && warning::of(node).is_some()
        });
        let node = there.next_back()?.1.clone();
        Some((app, node))
    })
}
