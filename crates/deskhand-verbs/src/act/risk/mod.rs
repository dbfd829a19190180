//! Checks actions that may lose the user's data with the consent gate: clicks, switches, keys, text
//! that leaves its field, clicks at a point, and drags.

pub(crate) mod keys;
mod words;

pub(crate) use self::words::risk_cause;

use deskhand_model::{Advice, App, AppId, Node, NodeId, Role, Snapshot, Toolkit, outline::quote};
use deskhand_platform::{Deadline, Key, NodeFields, OwnerQuery, WalkOptions};

use self::keys::Harm;
use super::{
    target::{self, ActionTarget},
    timing,
};
use crate::{
    Context, Decision, Error, Result, Risk, RiskCause, app,
    effect::{ActionEffect, ActionOutcome, FailedAttempt},
    input::keys::KeyCombo,
};

/// The number of characters of an app's name that a question shows.
const MAX_APP_NAME_CHARS: usize = 60;

/// The beginning of a question about keys.
const PRESS_KEY: &str = "Press a key on";

/// The beginning of a question about typed text.
const TYPE_KEYS: &str = "Type keys that may press";

/// The facets needed to find risks. Icons are recognized by their identifiers.
const RISK_FACETS: NodeFields = NodeFields { identifiers: true, ..target::SNAPSHOT_FACETS };

/// The decision on an action, with the outcome if it is refused.
pub(crate) enum ActionDecision {
    /// The action may proceed without a question.
    Allowed,
    /// The user approved the action. Answering took time, so the element must be found again.
    Approved,
    /// The action may not proceed. This is its outcome.
    Refused(Box<ActionOutcome>),
}

/// Checks an action on an element. `action` is the verb in the question, such as `Click`.
pub(crate) fn check_element(
    cx: &Context<'_>,
    target: &ActionTarget,
    action: &str,
) -> Result<ActionDecision> {
    let decision = check_node(cx, &target.app, &target.node, action)?;
    Ok(match decision {
        ActionDecision::Refused(outcome) => ActionDecision::Refused(Box::new(ActionOutcome {
            element_ref: Some(target.reference.clone()),
            ..*outcome
        })),
        ActionDecision::Allowed | ActionDecision::Approved => decision,
    })
}

/// Checks the selection of items in a container.
pub(crate) fn check_items(
    cx: &Context<'_>,
    container: &ActionTarget,
    items: &[Node],
) -> Result<ActionDecision> {
    let Some(item) = items.iter().find(|item| risk_cause(item).is_some()) else {
        return Ok(ActionDecision::Allowed);
    };
    check_node(cx, &container.app, item, "Choose")
}

/// Checks keys that press the focused element, close or delete, in the given app or in the one in
/// front.
pub(crate) fn check_keys(
    cx: &Context<'_>,
    app: Option<&str>,
    combos: &[KeyCombo],
) -> Result<ActionDecision> {
    if !cx.consent.checks_risks() || !may_do_harm(cx, combos) {
        return Ok(ActionDecision::Allowed);
    }
    let (owner, snapshot) = focused_app(cx, app);
    let Some(harm) = keys::first_harm(snapshot.as_ref(), combos) else {
        return Ok(ActionDecision::Allowed);
    };
    let decision = check_harm(cx, &owner, &harm, PRESS_KEY)?;
    let moved = || {
        let (_, now) = focused_app(&with_new_deadline(cx), Some(&owner.pid.to_string()));
        !keys::first_harm(now.as_ref(), combos).is_some_and(|now| is_same_harm(&now, &harm))
    };
    Ok(match decision {
        ActionDecision::Approved if moved() => {
            refuse(&describe_harm(&harm), "the keyboard focus has moved in the meantime", None)
        }
        ActionDecision::Approved | ActionDecision::Allowed | ActionDecision::Refused(_) => decision,
    })
}

/// Checks text that leaves its field when it is typed and then presses something. Also returns the
/// harm that the user was asked about.
pub(crate) fn check_text(
    cx: &Context<'_>,
    field: &ActionTarget,
    text: &str,
) -> Result<(ActionDecision, Option<Harm>)> {
    if !cx.consent.checks_risks() {
        return Ok((ActionDecision::Allowed, None));
    }
    let Some(harm) = keys::text_harm(&field.tree.snapshot, field.index, text) else {
        return Ok((ActionDecision::Allowed, None));
    };
    Ok((check_harm(cx, &field.app, &harm, TYPE_KEYS)?, Some(harm)))
}

/// Checks the next character during typing, after the text has left its field. Known harm is not
/// asked about again.
///
/// # Errors
///
/// [`Error::TypingStopped`] if the character may not be typed. The text before it has been typed.
pub(crate) fn check_typing(
    cx: &Context<'_>,
    app: &App,
    next: char,
    known: Option<&Harm>,
) -> Result<KeyboardLocation> {
    let cx = &with_new_deadline(cx);
    let (owner, snapshot) = focused_app(cx, Some(&app.pid.to_string()));
    let Some(snapshot) = snapshot else { return Ok(KeyboardLocation::Elsewhere) };
    if keys::is_focus_in_text(&snapshot) {
        return Ok(KeyboardLocation::InText);
    }
    let combo = KeyCombo { keys: vec![Key::Char(next)] };
    let harm = keys::first_harm(Some(&snapshot), &[combo]);
    let Some(harm) = harm.filter(|harm| !known.is_some_and(|known| is_same_harm(known, harm)))
    else {
        return Ok(KeyboardLocation::Elsewhere);
    };
    let stopped = |why: String| Err(Error::TypingStopped { what: describe_harm(&harm), why });
    match check_harm(cx, &owner, &harm, TYPE_KEYS) {
        Ok(ActionDecision::Allowed | ActionDecision::Approved) => Ok(KeyboardLocation::Elsewhere),
        Ok(ActionDecision::Refused(outcome)) => stopped(
            outcome
                .failed_attempts
                .into_iter()
                .map(|failed_attempts| failed_attempts.why)
                .collect::<Vec<_>>()
                .join(", "),
        ),
        Err(Error::QuestionPending { .. }) => stopped("the user must be asked first".to_owned()),
        Err(error) => Err(error),
    }
}

/// The location of the keyboard focus after a text has left its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyboardLocation {
    /// An element that accepts text.
    InText,
    /// Another element.
    Elsewhere,
}

/// Checks a click or a drop at a point.
pub(crate) fn check_point(
    cx: &Context<'_>,
    at: (i32, i32),
    action: &str,
) -> Result<ActionDecision> {
    if !cx.consent.checks_risks() {
        return Ok(ActionDecision::Allowed);
    }
    // If the element at the point is unknown, it has no known risk.
    let Some((app, node)) = risky_element_at(cx, at) else { return Ok(ActionDecision::Allowed) };
    let decision = check_node(cx, &app, &node, action)?;
    let moved =
        || risky_element_at(&with_new_deadline(cx), at).is_none_or(|(_, now)| now.id != node.id);
    Ok(match decision {
        ActionDecision::Approved if moved() => {
            refuse(&target::label(&node), "another element is there now", None)
        }
        ActionDecision::Approved | ActionDecision::Allowed | ActionDecision::Refused(_) => decision,
    })
}

/// Checks a drag with a single question. `ends` returns the risky elements at both ends.
pub(crate) fn check_drag(
    cx: &Context<'_>,
    ends: impl Fn(&Context<'_>) -> Result<Vec<(App, Node)>>,
) -> Result<ActionDecision> {
    if !cx.consent.checks_risks() {
        return Ok(ActionDecision::Allowed);
    }
    let risky = ends(cx)?;
    let Some((app, first)) = risky.first() else { return Ok(ActionDecision::Allowed) };
    let Some(cause) = risk_cause(first) else { return Ok(ActionDecision::Allowed) };
    let labels: Vec<String> = risky.iter().map(|(_, node)| target::label(node)).collect();
    let what = labels.join(" and ");
    let decision = ask_gate(cx, app, &what, "Drag from or to", cause)?;
    let ids = |all: &[(App, Node)]| all.iter().map(|(_, node)| node.id.clone()).collect::<Vec<_>>();
    let moved = || !ends(&with_new_deadline(cx)).is_ok_and(|now| ids(&now) == ids(&risky));
    Ok(match decision {
        ActionDecision::Approved if moved() => refuse(&what, "another element is there now", None),
        ActionDecision::Approved | ActionDecision::Allowed | ActionDecision::Refused(_) => decision,
    })
}

/// Returns the same context with time to find the element again.
pub(crate) fn with_new_deadline<'a>(cx: &Context<'a>) -> Context<'a> {
    Context { deadline: Deadline::after(timing::RESUME_TIMEOUT), ..*cx }
}

fn check_node(cx: &Context<'_>, app: &App, node: &Node, action: &str) -> Result<ActionDecision> {
    let Some(cause) = risk_cause(node) else { return Ok(ActionDecision::Allowed) };
    ask_gate(cx, app, &target::label(node), action, cause)
}

fn check_harm(cx: &Context<'_>, app: &App, harm: &Harm, action: &str) -> Result<ActionDecision> {
    match harm {
        Harm::Key(key) => ask_gate(cx, app, key, "Press", RiskCause::Key(key.clone())),
        Harm::Element(node) => check_node(cx, app, node, action),
    }
}

fn ask_gate(
    cx: &Context<'_>,
    app: &App,
    what: &str,
    action: &str,
    cause: RiskCause,
) -> Result<ActionDecision> {
    let named = format!("{what} in {}", quote(&app.name, MAX_APP_NAME_CHARS));
    Ok(match cx.consent.check(&Risk { app, action, target: named, cause })? {
        Decision::Allowed => ActionDecision::Allowed,
        Decision::Approved => ActionDecision::Approved,
        Decision::Refused { why, next } => refuse(what, &why, next),
    })
}

fn refuse(what: &str, why: &str, next: Option<String>) -> ActionDecision {
    let failed_attempts =
        vec![FailedAttempt { strategy: "question".to_owned(), why: why.to_owned() }];
    let outcome = ActionOutcome {
        failed_attempts,
        next_step: next.map(Advice::from),
        ..ActionOutcome::new(ActionEffect::Refused, "none")
    };
    ActionDecision::Refused(Box::new(outcome.on(what.to_owned())))
}

fn describe_harm(harm: &Harm) -> String {
    match harm {
        Harm::Key(key) => key.clone(),
        Harm::Element(node) => target::label(node),
    }
}

/// Returns `true` if both mean the same key or element.
fn is_same_harm(one: &Harm, other: &Harm) -> bool {
    match (one, other) {
        (Harm::Key(one), Harm::Key(other)) => one == other,
        (Harm::Element(one), Harm::Element(other)) => one.id == other.id,
        (Harm::Key(_), Harm::Element(_)) | (Harm::Element(_), Harm::Key(_)) => false,
    }
}

/// Returns `true` if the effect of the keys depends on the focused element.
fn may_do_harm(cx: &Context<'_>, combos: &[KeyCombo]) -> bool {
    combos.iter().any(keys::may_harm)
        || (combos.iter().any(keys::may_harm_in_menu) && has_popup(cx))
}

/// Returns `true` if something is shown that the window manager does not list, such as a menu.
fn has_popup(cx: &Context<'_>) -> bool {
    let Some(windows) = &cx.desktop.windows else { return false };
    // If this is unknown, the tree is read.
    let (Ok(all), Ok(shown)) = (windows.list(cx.deadline), windows.visible(cx.deadline)) else {
        return true;
    };
    shown.iter().any(|one| all.iter().all(|known| known.id != one.id))
}

/// Returns the app that has the keyboard, with its snapshot if it can be read.
fn focused_app(cx: &Context<'_>, app: Option<&str>) -> (App, Option<Snapshot>) {
    let Ok(app) = app::resolve_app(cx, app) else { return (app_without_tree(cx, app), None) };
    let snapshot = cx
        .desktop
        .tree
        .walk(&app, &app.root, &WalkOptions::with_fields(RISK_FACETS), cx.deadline)
        .ok();
    (app, snapshot)
}

/// Describes an app without a tree by its window.
fn app_without_tree(cx: &Context<'_>, app: Option<&str>) -> App {
    // Without a window list the app has no name.
    let all =
        cx.desktop.windows.as_ref().and_then(|all| all.list(cx.deadline).ok()).unwrap_or_default();
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

/// Roles that are clicked although they are not controls. A window or page with a risky name is not
/// the target of a click.
const CLICKABLE_ROLES: &[Role] = &[
    Role::Cell,
    Role::DesktopIcon,
    Role::Icon,
    Role::Image,
    Role::Label,
    Role::StaticText,
    Role::TableRow,
];

/// Returns the risky element at a point.
pub(crate) fn risky_element_at(cx: &Context<'_>, (x, y): (i32, i32)) -> Option<(App, Node)> {
    let windows = cx.desktop.windows.as_ref()?;
    // A menu is not in the window list, and it may extend over a window of another app.
    let owners = windows.owners(OwnerQuery::Point(x, y), cx.deadline).ok()?;
    let within = WalkOptions::with_fields(NodeFields { bounds: true, ..RISK_FACETS });
    owners.iter().flat_map(|owner| [Some(owner.pid), owner.claimed_pid]).flatten().find_map(|pid| {
        // An app that cannot be read is clicked without a check.
        let app = app::resolve_app(cx, Some(&pid.to_string())).ok()?;
        let snapshot = cx.desktop.tree.walk(&app, &app.root, &within, cx.deadline).ok()?;
        let shown = keys::visibility_test(&snapshot);
        let mut candidates = snapshot.iter().filter(|(_, node)| {
            (node.role.is_control() || CLICKABLE_ROLES.contains(&node.role))
                && shown(node)
                && node.bounds.is_some_and(|bounds| bounds.contains(x, y))
                && risk_cause(node).is_some()
        });
        let node = candidates.next_back()?.1.clone();
        Some((app, node))
    })
}
