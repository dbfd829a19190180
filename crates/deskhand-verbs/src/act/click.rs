//! Clicks and named actions.

use std::sync::Arc;

use deskhand_model::{Advice, App, Index, NodeId, Rect, Role, State, Step};
use deskhand_platform::{Button, NodeAction};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ActionMode, action_names,
    click_strategies::{action_strategy, click_strategies},
    exclusive_selection::{self, WantedSelection},
    popups::PopupWatch,
    real_input::{self, ClickPoint},
    risk::{self, ActionDecision},
    target::{self, ActionTarget, Readiness},
    target_window,
    verify::{
        EventListener, Expectation, Strategy, act_and_verify, expectation, find_while_listening,
    },
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, FailedAttempt},
};

/// The kind of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClickKind {
    /// One click.
    #[default]
    Single,
    /// A double click, which opens things.
    Double,
    /// A click with the secondary button, which opens menus.
    Right,
}

impl ClickKind {
    /// Returns the pointer button and the number of clicks.
    pub fn button_and_count(self) -> (Button, usize) {
        match self {
            Self::Single => (Button::Left, 1),
            Self::Double => (Button::Left, 2),
            Self::Right => (Button::Right, 1),
        }
    }
}

/// Returns the next step if no background strategy worked.
fn focus_mode_advice() -> Advice {
    let advice = Advice::from("use ").step(Step::FocusMode);
    advice.text(": it brings the window to the front and uses the pointer")
}

/// The verb in a question about a click.
const CLICK_PROMPT: &str = "Click";

/// Clicks the only element that matches a query.
pub fn click(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    click: ClickKind,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    if mode == ActionMode::Focus {
        if cx.consent.checks_risks() {
            // The question comes before the window is brought to the front.
            let located = target::wait_until_ready(cx, app, query, Readiness::EXISTS)?;
            match risk::check_element(cx, &located, CLICK_PROMPT)? {
                ActionDecision::Allowed => {}
                ActionDecision::Approved => {
                    return click_with_pointer(
                        &risk::with_new_deadline(cx),
                        app,
                        &located.reference,
                        click,
                    );
                }
                ActionDecision::Refused(outcome) => return Ok(*outcome),
            }
        }
        return click_with_pointer(cx, app, query, click);
    }
    let (target, listener) = find_while_listening(cx, app, || {
        target::wait_until_ready(cx, app, query, Readiness::ACTION)
    })?;
    match risk::check_element(cx, &target, CLICK_PROMPT)? {
        ActionDecision::Allowed => click_in_background(cx, target, listener, click),
        ActionDecision::Approved => {
            let cx = &risk::with_new_deadline(cx);
            let refreshed =
                target::wait_until_ready(cx, app, &target.reference, Readiness::ACTION)?;
            click_in_background(cx, refreshed, listener, click)
        }
        ActionDecision::Refused(outcome) => Ok(*outcome),
    }
}

/// Clicks with the real pointer, after bringing the window to the front.
fn click_with_pointer(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    click: ClickKind,
) -> Result<ActionOutcome> {
    let (target, listener) =
        find_while_listening(cx, app, || real_input::ready_for_pointer(cx, app, query))?;
    let (button, count) = click.button_and_count();
    let expectation = match click {
        ClickKind::Single => expectation_of_sent_click(&target),
        ClickKind::Double | ClickKind::Right => Expectation::Opening,
    };
    let pointer = |name: &str, spot: ClickPoint| {
        Strategy::new(name, move |cx: &Context<'_>, target: &ActionTarget| {
            real_input::click_element(cx, target, spot, button, count)
        })
        .in_foreground()
    };
    let mut strategies = vec![pointer("pointer", ClickPoint::Center)];
    // The expander of GTK 3 reports the width of its box, but only its title accepts clicks.
    if target.node.role == Role::ToggleButton && target.node.states.has(State::Expandable) {
        strategies.push(pointer("pointer on its arrow", ClickPoint::Start));
    }
    let popups = PopupWatch::start(cx, app);
    let next = "take a screenshot to see the window";
    let outcome = act_and_verify(cx, target, listener, &expectation, &strategies, next)?;
    Ok(match click {
        ClickKind::Right => popups.report(cx, outcome),
        ClickKind::Single | ClickKind::Double => outcome,
    })
}

/// Clicks through accessibility.
fn click_in_background(
    cx: &Context<'_>,
    target: ActionTarget,
    listener: Option<Arc<EventListener>>,
    click: ClickKind,
) -> Result<ActionOutcome> {
    if let Some(refusal) = refuse_menu(&target, click) {
        return Ok(refusal);
    }
    let strategies = click_strategies(&target);
    let (expectation, strategies) = match click {
        // A state that was set without a click may need the click all the same.
        ClickKind::Single if strategies.iter().any(Strategy::is_silent) => {
            (expectation_of_sent_click(&target), strategies)
        }
        ClickKind::Single => (click_expectation(&target), strategies),
        // A right click was refused above.
        ClickKind::Double | ClickKind::Right => {
            let open = action_names::open_action(&target.node.actions);
            (Expectation::Opening, action_strategy(open).into_iter().collect())
        }
    };
    let clicked = (click == ClickKind::Single).then(|| clicked_item(&target)).flatten();
    let app = target.app.clone();
    let outcome =
        act_and_verify(cx, target, listener, &expectation, &strategies, focus_mode_advice())?;
    Ok(match clicked {
        Some(clicked) if outcome.strategy.starts_with("action:") => {
            let wanted = WantedSelection {
                container: &clicked.container,
                items: std::slice::from_ref(&clicked.item),
                place: clicked.place,
                has_columns: clicked.has_columns,
            };
            exclusive_selection::deselect_others(cx, &app, &wanted, outcome)
        }
        Some(_) | None => outcome,
    })
}

/// An item that a click selects.
struct ClickedItem {
    container: NodeId,
    item: NodeId,
    place: Option<Rect>,
    has_columns: bool,
}

/// Returns the item that a click selects with the selection action of Qt. The action adds the item to the
/// selection, which a click does not.
fn clicked_item(target: &ActionTarget) -> Option<ClickedItem> {
    let snapshot = &target.tree.snapshot;
    let role = |at: &Index| snapshot.node(*at).role;
    let is_table = |at: &Index| matches!(role(at), Role::Table | Role::Tree | Role::TreeTable);
    let is_list = |at: &Index| matches!(role(at), Role::List | Role::ListBox);
    let selects = action_names::selection_action(&target.node).is_some();
    let container = snapshot
        .ancestors(target.index)
        .filter(|_| selects)
        .find(|up| is_table(up) || is_list(up))?;
    Some(ClickedItem {
        container: snapshot.node(container).id.clone(),
        item: target.node.id.clone(),
        place: target.node.bounds,
        has_columns: is_table(&container),
    })
}

/// Refuses to open a menu in the background, because an open menu takes the pointer and keyboard
/// from the user. Its items can be used without opening it. A menu inside a web page takes nothing
/// and is allowed.
pub(crate) fn refuse_menu(target: &ActionTarget, click: ClickKind) -> Option<ActionOutcome> {
    let node = &target.node;
    let opens_menu = match (click, node.role) {
        (ClickKind::Right, _) | (_, Role::Menu | Role::ComboBox | Role::MenuButton) => true,
        (ClickKind::Single | ClickKind::Double, _) => node.states.has(State::HasPopup),
    };
    let snapshot = &target.tree.snapshot;
    let page =
        |up: Index| matches!(snapshot.node(up).role, Role::WebDocument | Role::DocumentFrame);
    let is_in_page = click != ClickKind::Right
        && node.role != Role::ComboBox
        && snapshot.ancestors(target.index).any(page);
    if !opens_menu || is_in_page {
        return None;
    }
    let items: Vec<&str> = snapshot
        .subtree(target.index)
        .skip(1)
        .map(|at| snapshot.node(at))
        .filter(|item| !item.name.is_empty() && item.role != Role::Separator)
        .map(|item| item.name.as_str())
        .take(12)
        .collect();
    let next = match (node.role, items.is_empty()) {
        (Role::ComboBox, _) => Advice::from("choose with ").step(Step::ChooseItem),
        (_, false) => format!("click one of its items directly: {}", items.join(", ")).into(),
        (_, true) => focus_mode_advice(),
    };
    let why = "an open menu takes the keyboard from the user".to_owned();
    let failed_attempts = vec![FailedAttempt { strategy: "menu".to_owned(), why }];
    let outcome =
        ActionOutcome { failed_attempts, ..ActionOutcome::new(ActionEffect::Refused, "none") }
            .with_next_step(next);
    Some(ActionOutcome {
        element_ref: Some(target.reference.clone()),
        ..outcome.on(target.label())
    })
}

/// Returns the expected effect of a click on the target.
pub(crate) fn click_expectation(target: &ActionTarget) -> Expectation {
    let node = &target.node;
    let is = |roles: &[Role]| roles.contains(&node.role);
    if is(&[Role::CheckBox, Role::ToggleButton, Role::Switch, Role::CheckMenuItem]) {
        return Expectation::Toggled;
    }
    if is(&[Role::RadioButton, Role::RadioMenuItem]) {
        return Expectation::HasState(State::Checked, true);
    }
    let opens_dialog =
        node.name.trim_end().ends_with(['…']) || node.name.trim_end().ends_with("...");
    if opens_dialog && is(&[Role::MenuItem, Role::Button]) {
        return Expectation::Opening;
    }
    // Qt does not report which tab is selected.
    let tab = is(&[Role::Tab]) && tabs_report_selection(target);
    let item = action_names::is_item(node) && action_names::press_action(node).is_none();
    if tab || item { Expectation::HasState(State::Selected, true) } else { Expectation::AnyChange }
}

/// Returns the expected effect of a click that is sent in any case: an element that is already in its
/// state must show another effect.
fn expectation_of_sent_click(target: &ActionTarget) -> Expectation {
    let expectation = click_expectation(target);
    let is_met = matches!(
        expectation,
        Expectation::HasState(state, wanted) if target.node.states.has(state) == wanted
    );
    if is_met { Expectation::AnyChange } else { expectation }
}

/// Returns `true` if one of the tabs in the row reports that it is selected.
fn tabs_report_selection(target: &ActionTarget) -> bool {
    let snapshot = &target.tree.snapshot;
    let Some(row) = snapshot.parent(target.index) else { return false };
    snapshot.children(row).any(|tab| snapshot.node(tab).states.has(State::Selected))
}

/// Performs a named action on the only element that matches a query.
pub fn perform_action(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    word: &str,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let lowercase = word.to_lowercase();
    match (lowercase.as_str(), mode) {
        ("press" | "click", _) => return click(cx, app, query, ClickKind::Single, mode),
        ("show-menu" | "show_menu" | "show menu", ActionMode::Focus) => {
            return click(cx, app, query, ClickKind::Right, mode);
        }
        ("raise", _) => return raise(cx, app, query),
        _ => {}
    }
    let (target, listener) = find_while_listening(cx, app, || {
        target::wait_until_ready(cx, app, query, Readiness::ACTION)
    })?;
    match risk::check_element(cx, &target, "Act on")? {
        ActionDecision::Allowed => perform_named(cx, target, listener, word, mode),
        ActionDecision::Approved => {
            let cx = &risk::with_new_deadline(cx);
            let refreshed =
                target::wait_until_ready(cx, app, &target.reference, Readiness::ACTION)?;
            perform_named(cx, refreshed, listener, word, mode)
        }
        ActionDecision::Refused(outcome) => Ok(*outcome),
    }
}

/// Performs a named action on a target.
fn perform_named(
    cx: &Context<'_>,
    target: ActionTarget,
    listener: Option<Arc<EventListener>>,
    word: &str,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let lowercase = word.to_lowercase();
    let for_menu = action_names::resolve_action("show-menu", &target.node.actions);
    if mode == ActionMode::Background
        && for_menu.is_some()
        && for_menu == action_names::resolve_action(word, &target.node.actions)
        && let Some(refusal) = refuse_menu(&target, ClickKind::Right)
    {
        return Ok(refusal);
    }
    let step = match (lowercase.as_str(), &target.node.value) {
        ("increment", Some(deskhand_model::Value::Number { step, .. })) => Some(step.max(0.0)),
        ("decrement", Some(deskhand_model::Value::Number { step, .. })) => Some(-step.max(0.0)),
        _ => None,
    };
    let now = expectation::number(&target.node);
    let mut strategies: Vec<Strategy<'_>> =
        action_strategy(action_names::resolve_action(word, &target.node.actions))
            .into_iter()
            .collect();
    if let (Some(step), Some(now)) = (step, now) {
        let step = if step == 0.0 { 1.0_f64.copysign(step) } else { step };
        strategies.push(Strategy::accessibility("value", NodeAction::SetNumber(now + step)));
    }
    if lowercase == "pick" && strategies.is_empty() {
        strategies.extend(click_strategies(&target));
    }
    if strategies.is_empty() {
        let offered = target.node.actions.join(", ");
        let offered = if offered.is_empty() { "none".to_owned() } else { offered };
        return Err(Error::NotApplicable {
            what: target.label(),
            why: format!("it has no action `{word}`"),
            instead: format!("its actions: {offered}").into(),
        });
    }
    let expectation = match lowercase.as_str() {
        "expand" | "collapse" => {
            Expectation::HasState(State::Expanded, lowercase.as_str() == "expand")
        }
        "open" => Expectation::Opening,
        _ => Expectation::AnyChange,
    };
    act_and_verify(cx, target, listener, &expectation, &strategies, focus_mode_advice())
}

/// Brings the window of an element to the front.
fn raise(cx: &Context<'_>, app: &App, query: &str) -> Result<ActionOutcome> {
    use crate::effect::{Evidence, EvidenceKind};
    let target = target::wait_until_ready(cx, app, query, Readiness::EXISTS)?;
    real_input::focus_window(cx, &target)?;
    let Some(window) = target_window::find_window(cx, &target) else {
        return Err(Error::NoWindow { wanted: target.label(), windows: Vec::new() });
    };
    let title = window.title;
    let evidence = Evidence::new(EvidenceKind::Window, format!("window \"{title}\" is in front"));
    Ok(ActionOutcome {
        element_ref: Some(target.reference.clone()),
        ..ActionOutcome::confirmed("window", evidence).on(target.label())
    })
}
