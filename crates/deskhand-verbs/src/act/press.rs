//! Clicks and named actions.

use std::sync::Arc;

use deskhand_model::{App, Index, Role, State};
use deskhand_platform::{Act, Button, Named};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Mode,
    attempt::{Way, attempt},
    by_hand::{self, Spot},
    caution::{self, Leave},
    goal::{self, Goal},
    heard::{Ear, listening},
    names,
    target::{self, Target, Wants},
};
use crate::{
    Context, Error, Result,
    effect::{Done, Tried, Verdict},
};

/// How to click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Click {
    /// Once.
    #[default]
    Single,
    /// Twice, which opens things.
    Double,
    /// With the other button, which opens menus.
    Right,
}

impl Click {
    /// Which button, and how often.
    pub fn by_pointer(self) -> (Button, usize) {
        match self {
            Self::Single => (Button::Left, 1),
            Self::Double => (Button::Left, 2),
            Self::Right => (Button::Right, 1),
        }
    }
}

/// What to say when no way in the background worked.
const BY_FOCUS: &str = "use --mode focus: it brings the window forward and uses the pointer";

/// The word for it in a question.
const CLICK: &str = "Click";

/// Clicks the one element a query means.
pub fn click(cx: &Context<'_>, app: &App, query: &str, click: Click, mode: Mode) -> Result<Done> {
    if mode == Mode::Focus {
        if cx.warden.heeds_risks() {
            // The window comes forward before the click, and the question before that.
            let there = target::ready(cx, app, query, Wants::THERE)?;
            match caution::leave(cx, &there, CLICK)? {
                Leave::Free => {}
                Leave::Given => {
                    return by_pointer(&caution::later(cx), app, &there.reference, click);
                }
                Leave::Refused(done) => return Ok(*done),
            }
        }
        return by_pointer(cx, app, query, click);
    }
    let (target, ear) = listening(cx, app, || target::ready(cx, app, query, Wants::ACTION))?;
    match caution::leave(cx, &target, CLICK)? {
        Leave::Free => in_background(cx, target, ear, click),
        Leave::Given => {
            let cx = &caution::later(cx);
            let again = target::ready(cx, app, &target.reference, Wants::ACTION)?;
            in_background(cx, again, ear, click)
        }
        Leave::Refused(done) => Ok(*done),
    }
}

/// Clicks with the real pointer, after bringing the window forward.
fn by_pointer(cx: &Context<'_>, app: &App, query: &str, click: Click) -> Result<Done> {
    let (target, ear) = listening(cx, app, || by_hand::in_front(cx, app, query))?;
    let (button, count) = click.by_pointer();
    let goal = match click {
        Click::Single => clicked(&target),
        Click::Double => Goal::Doubles,
        Click::Right => Goal::Happens,
    };
    let pointer = |name: &str, spot: Spot| {
        Way::new(name, move |cx: &Context<'_>, target: &Target| {
            by_hand::click(cx, target, spot, button, count)
        })
        .in_front()
    };
    let mut ways = vec![pointer("pointer", Spot::Middle)];
    // The expander of GTK 3 says it is as wide as its box, and only its title takes clicks.
    if target.node.role == Role::ToggleButton && target.node.states.has(State::Expandable) {
        ways.push(pointer("pointer on its arrow", Spot::Start));
    }
    attempt(cx, target, ear, &goal, &ways, "look at the window: take a screenshot")
}

/// Clicks through accessibility.
fn in_background(
    cx: &Context<'_>,
    target: Target,
    ear: Option<Arc<Ear>>,
    click: Click,
) -> Result<Done> {
    if let Some(refusal) = takes_the_keyboard(&target, click) {
        return Ok(refusal);
    }
    let offered = &target.node.actions;
    let (goal, ways) = match click {
        Click::Single => (clicked(&target), single(&target)),
        Click::Double => (Goal::Opens, action(names::open(offered)).into_iter().collect()),
        Click::Right => (Goal::Happens, action(names::menu(offered)).into_iter().collect()),
    };
    attempt(cx, target, ear, &goal, &ways, BY_FOCUS)
}

/// An open menu takes pointer and keyboard from whoever has them, so none is opened in the
/// background: what is in it can be had without. A menu that is part of a web page takes nothing.
pub fn takes_the_keyboard(target: &Target, click: Click) -> Option<Done> {
    let node = &target.node;
    let menu = match (click, node.role) {
        (Click::Right, _) | (_, Role::Menu | Role::ComboBox | Role::MenuButton) => true,
        (Click::Single | Click::Double, _) => node.states.has(State::HasPopup),
    };
    let snapshot = &target.look.snapshot;
    let page =
        |up: Index| matches!(snapshot.node(up).role, Role::WebDocument | Role::DocumentFrame);
    let of_page = click != Click::Right
        && node.role != Role::ComboBox
        && snapshot.ancestors(target.at).any(page);
    if !menu || of_page {
        return None;
    }
    let items: Vec<&str> = snapshot
        .subtree(target.at)
        .skip(1)
        .map(|at| snapshot.node(at))
        .filter(|item| !item.name.is_empty() && item.role != Role::Separator)
        .map(|item| item.name.as_str())
        .take(12)
        .collect();
    let next = match (node.role, items.is_empty()) {
        (Role::ComboBox, _) => "choose with `deskhand set` or `deskhand select`".to_owned(),
        (_, false) => format!("click what is in it at once: {}", items.join(", ")),
        (_, true) => BY_FOCUS.to_owned(),
    };
    let why = "an open menu takes the keyboard from the person at the desk".to_owned();
    let tried = vec![Tried { way: "menu".to_owned(), why }];
    let done = Done { tried, ..Done::new(Verdict::Refused, "none") }.or_else(next);
    Some(Done { element_ref: Some(target.reference.clone()), ..done.to(target.label()) })
}

/// What a click on this element should bring about.
pub fn clicked(target: &Target) -> Goal {
    let node = &target.node;
    let is = |roles: &[Role]| roles.contains(&node.role);
    if is(&[Role::CheckBox, Role::ToggleButton, Role::Switch, Role::CheckMenuItem]) {
        return Goal::Flips;
    }
    if is(&[Role::RadioButton, Role::RadioMenuItem]) {
        return Goal::Is(State::Checked, true);
    }
    // Qt does not tell which of its tabs is the one in front.
    let tab = is(&[Role::Tab]) && tells_selection(target);
    let item = is(&[Role::ListItem, Role::TreeItem, Role::Cell, Role::TableRow])
        && names::press(node.role, &node.actions).is_none();
    if tab || item { Goal::Is(State::Selected, true) } else { Goal::Happens }
}

/// Whether one of the tabs beside this one says that it is selected.
fn tells_selection(target: &Target) -> bool {
    let snapshot = &target.look.snapshot;
    let Some(row) = snapshot.parent(target.at) else { return false };
    snapshot.children(row).any(|tab| snapshot.node(tab).states.has(State::Selected))
}

fn action(name: Option<String>) -> Option<Way<'static>> {
    name.map(|name| Way::tree(format!("action:{name}"), Act::Do(name)))
}

/// The ways to click in the background, the surest first.
pub fn single(target: &Target) -> Vec<Way<'static>> {
    let node = &target.node;
    let mut ways: Vec<Way<'static>> =
        action(names::press(node.role, &node.actions)).into_iter().collect();
    if matches!(
        node.role,
        Role::Tab | Role::ListItem | Role::TreeItem | Role::Cell | Role::TableRow | Role::Icon
    ) {
        ways.push(Way::tree("selection", Act::SelectOnly));
    }
    let opens = matches!(node.role, Role::Link | Role::MenuItem | Role::ListItem | Role::TreeItem);
    let key = if opens { Named::Return } else { Named::Space };
    if node.states.has(State::Focusable) || node.role.is_control() {
        ways.push(Way::new("own keyboard", move |cx: &Context<'_>, target: &Target| {
            by_hand::aside(cx, target, |keyboard, by| {
                by_hand::strike(key, by, |key, press, by| keyboard.key(key, press, by))
            })
        }));
    }
    ways
}

/// Does what a word means to the one element a query means.
pub fn act(cx: &Context<'_>, app: &App, query: &str, word: &str, mode: Mode) -> Result<Done> {
    let plain = word.to_lowercase();
    match (plain.as_str(), mode) {
        ("press" | "click", _) => return click(cx, app, query, Click::Single, mode),
        ("show-menu" | "show_menu" | "show menu", Mode::Focus) => {
            return click(cx, app, query, Click::Right, mode);
        }
        ("raise", _) => return raise(cx, app, query),
        _ => {}
    }
    let (target, ear) = listening(cx, app, || target::ready(cx, app, query, Wants::ACTION))?;
    match caution::leave(cx, &target, "Act on")? {
        Leave::Free => named(cx, target, ear, word, mode),
        Leave::Given => {
            let cx = &caution::later(cx);
            let again = target::ready(cx, app, &target.reference, Wants::ACTION)?;
            named(cx, again, ear, word, mode)
        }
        Leave::Refused(done) => Ok(*done),
    }
}

/// Does what a word means to an element.
fn named(
    cx: &Context<'_>,
    target: Target,
    ear: Option<Arc<Ear>>,
    word: &str,
    mode: Mode,
) -> Result<Done> {
    let plain = word.to_lowercase();
    let for_menu = names::meant("show-menu", &target.node.actions);
    if mode == Mode::Background
        && for_menu.is_some()
        && for_menu == names::meant(word, &target.node.actions)
        && let Some(refusal) = takes_the_keyboard(&target, Click::Right)
    {
        return Ok(refusal);
    }
    let step = match (plain.as_str(), &target.node.value) {
        ("increment", Some(deskhand_model::Value::Number { step, .. })) => Some(step.max(0.0)),
        ("decrement", Some(deskhand_model::Value::Number { step, .. })) => Some(-step.max(0.0)),
        _ => None,
    };
    let now = goal::number(&target.node);
    let mut ways: Vec<Way<'_>> =
        action(names::meant(word, &target.node.actions)).into_iter().collect();
    if let (Some(step), Some(now)) = (step, now) {
        let step = if step == 0.0 { 1.0_f64.copysign(step) } else { step };
        ways.push(Way::tree("value", Act::SetNumber(now + step)));
    }
    if plain == "pick" && ways.is_empty() {
        ways.extend(single(&target));
    }
    if ways.is_empty() {
        let offered = target.node.actions.join(", ");
        let offered = if offered.is_empty() { "none".to_owned() } else { offered };
        return Err(Error::Unfit {
            what: target.label(),
            why: format!("it has no action `{word}`"),
            instead: format!("its actions: {offered}"),
        });
    }
    attempt(cx, target, ear, &Goal::Happens, &ways, BY_FOCUS)
}

/// Brings the window of an element to the front.
fn raise(cx: &Context<'_>, app: &App, query: &str) -> Result<Done> {
    use crate::effect::{Evidence, Sign};
    let target = target::ready(cx, app, query, Wants::THERE)?;
    by_hand::bring_forward(cx, &target)?;
    let title = by_hand::window_of(cx, &target).map(|window| window.title).unwrap_or_default();
    let seen = Evidence::of(Sign::Window, format!("window \"{title}\" is in front"));
    Ok(Done {
        element_ref: Some(target.reference.clone()),
        ..Done::confirmed("window", seen).to(target.label())
    })
}
