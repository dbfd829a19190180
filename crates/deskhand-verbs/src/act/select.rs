//! Selecting items in lists, tabs, trees, tables and combo boxes.

use deskhand_model::{Advice, App, Index, Node, NodeId, Role, Snapshot, State, Step};
use deskhand_platform::{Deadline, NamedKey, NodeAction, WalkOptions};

use super::{
    action_names, click, click_strategies, container_selection,
    exclusive_selection::{self, WantedSelection},
    real_input,
    risk::{self, ActionDecision},
    target::{self, ActionTarget, Readiness, label},
    timing, type_text,
    verify::{
        Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening, send_outcome,
        stale_tree_advice,
    },
    visibility,
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
};

/// The character that stands for an element inside a text. Chromium reports it as the value of a combo
/// box whose list is closing.
const EMBEDDED_OBJECT: char = '\u{fffc}';

/// The depth to which items of a container are searched.
const MAX_ITEM_DEPTH: usize = 6;

/// Returns `true` if an element has one of several items as its choice.
pub(crate) fn has_choice(node: &Node) -> bool {
    matches!(node.role, Role::ComboBox | Role::List | Role::ListBox | Role::TabList)
}

/// Returns the current choice of a container: its text, the item that it reports as selected, or
/// its name. The states of the items come later, because in a closed menu they describe the menu.
pub(crate) fn current_choice(
    cx: &Context<'_>,
    app: &App,
    id: &NodeId,
    deadline: Deadline,
) -> Option<String> {
    let tree = &cx.desktop.tree;
    let within =
        WalkOptions { max_depth: Some(3), ..WalkOptions::with_fields(target::SNAPSHOT_FACETS) };
    // A container that cannot be read now is judged by a later read.
    let part = tree.walk(app, id, &within, deadline).ok()?;
    let is_field = |node: &&Node| matches!(node.role, Role::Entry | Role::Text);
    let field = part.iter().map(|(_, node)| node).filter(is_field).find_map(Node::text);
    if let Some(text) = field {
        return Some(text.to_owned());
    }
    let selected = tree.selected_items(app, id, deadline).ok().flatten().unwrap_or_default();
    let first = selected.first().and_then(|item| {
        let known = part.position(item).map(|at| part.node(at).clone());
        let read = || {
            tree.read(app, std::slice::from_ref(item), target::SNAPSHOT_FACETS, deadline)
                .ok()?
                .pop()?
        };
        known.or_else(read)
    });
    if let Some(item) = first.filter(|item| !item.name.is_empty()) {
        return Some(item.name);
    }
    let own = part.node(Index::ROOT);
    let selected_item = items(&part, Index::ROOT)
        .into_iter()
        .map(|item| part.node(item))
        .find(|item| item.states.has(State::Selected));
    match selected_item {
        Some(item) if own.role != Role::ComboBox => Some(item.name.clone()),
        // A pop-up button on a Mac has its choice as its value and its purpose as its name.
        Some(_) | None => {
            let text = own.text().filter(|text| !text.trim_matches(EMBEDDED_OBJECT).is_empty());
            Some(text.unwrap_or(&own.name).to_owned())
        }
    }
}

/// Returns `true` if an element can be selected.
fn is_item(node: &Node) -> bool {
    matches!(
        node.role,
        Role::ListItem
            | Role::MenuItem
            | Role::CheckMenuItem
            | Role::RadioMenuItem
            | Role::Tab
            | Role::TreeItem
            | Role::Cell
            | Role::TableRow
            | Role::Icon
    ) || (node.states.has(State::Selectable) && !holds_items(node.role))
}

/// Returns `true` for the parts of a combo box that contain the items or show the choice. Swing
/// reports these as selectable, too.
fn holds_items(role: Role) -> bool {
    matches!(role, Role::PopupMenu | Role::List | Role::ListBox | Role::Entry | Role::Text)
}

/// Returns the items of a container in order.
pub(super) fn items(snapshot: &Snapshot, at: Index) -> Vec<Index> {
    snapshot
        .subtree(at)
        .skip(1)
        .filter(|below| is_item(snapshot.node(*below)))
        .filter(|below| snapshot.ancestors(*below).take(MAX_ITEM_DEPTH).any(|up| up == at))
        .collect()
}

/// Parses an item number such as `#2`, which counts from 1, into an index.
fn parse_item_number(wanted: &str) -> Option<usize> {
    wanted.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1)
}

/// Finds an item by number (`#2`) or by name.
fn find_item(snapshot: &Snapshot, container: Index, wanted: &str) -> Result<Index> {
    let all = items(snapshot, container);
    let text = |at: &Index| {
        let node = snapshot.node(*at);
        if node.name.is_empty() { node.text().unwrap_or_default() } else { &node.name }.to_owned()
    };
    if let Some(found) = parse_item_number(wanted).and_then(|number| all.get(number)) {
        return Ok(*found);
    }
    let exact = all.iter().find(|at| text(at) == wanted);
    let loose = || {
        let wanted = wanted.trim().to_lowercase();
        all.iter().find(|at| text(at).trim().to_lowercase() == wanted)
    };
    let inside = || {
        all.iter().find(|at| {
            snapshot.subtree(**at).skip(1).any(|below| snapshot.node(below).name == wanted)
        })
    };
    exact.or_else(loose).or_else(inside).copied().ok_or_else(|| {
        let mut offers: Vec<String> =
            all.iter().map(text).filter(|name| !name.is_empty()).collect();
        offers.dedup();
        let more = offers.len().saturating_sub(20);
        offers.truncate(20);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        Error::NotApplicable {
            what: label(snapshot.node(container)),
            why: format!("it has no item \"{wanted}\""),
            instead: format!("its items: {}{rest}", offers.join(", ")).into(),
        }
    })
}

/// Chooses an item in a container with a single choice, such as a combo box.
pub(crate) fn choose(
    cx: &Context<'_>,
    mut target: ActionTarget,
    wanted: &str,
) -> Result<ActionOutcome> {
    let app = target.app.clone();
    let item = match find_item(&target.tree.snapshot, target.index, wanted) {
        Ok(item) => item,
        Err(error) => {
            if let Some(number) = parse_item_number(wanted)
                && items(&target.tree.snapshot, target.index).is_empty()
            {
                return choose_unlisted(cx, target, number);
            }
            // An editable combo box accepts values that are not in its list.
            let own = visibility::is_editable(&target.node).then_some(target.index);
            let Some(field) = own.or_else(|| text_field_of(&target)) else { return Err(error) };
            let reference = target.tree.assign_ref(field).to_string();
            target.tree.save_refs()?;
            return type_text::replace_text(cx, &app, &reference, wanted);
        }
    };
    let node = target.tree.snapshot.node(item).clone();
    let approved_cx;
    let (cx, item) = match risk::check_items(cx, &target, std::slice::from_ref(&node))? {
        ActionDecision::Allowed => (cx, item),
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            target = target::from_id(&approved_cx, &app, &target.node.id)?;
            let refreshed_item = find_item(&target.tree.snapshot, target.index, wanted)?;
            if label(target.tree.snapshot.node(refreshed_item)) != label(&node) {
                let what = label(&node);
                return Err(deskhand_platform::Error::Gone { what }.into());
            }
            (&approved_cx, refreshed_item)
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let snapshot = &target.tree.snapshot;
    let node = snapshot.node(item).clone();
    let number = snapshot
        .parent(item)
        .map_or(0, |menu| snapshot.children(menu).position(|sibling| sibling == item).unwrap_or(0));
    let expectation = Expectation::Choice(if node.name.is_empty() {
        wanted.to_owned()
    } else {
        node.name.clone()
    });
    let listener = cx.listeners.get_or_start(cx.desktop, &app, cx.deadline);
    let mut strategies = vec![Strategy::accessibility("selection", NodeAction::SelectItem(number))];
    // In Swing, an item of the list shows a choice that the combo box does not have.
    if !app.toolkit.name.starts_with("J2SE") {
        let item = node.clone();
        let press = move |cx: &Context<'_>, target: &ActionTarget| press_item(cx, target, &item);
        strategies.push(Strategy::new("action on the item", press));
        strategies.push(item_strategy("selection of the item", &node, NodeAction::SelectOnly));
    }
    strategies.push(Strategy::new(
        "own keyboard",
        move |cx: &Context<'_>, target: &ActionTarget| {
            real_input::with_background_keyboard(cx, target, |keyboard, deadline| {
                let mut press = |key| {
                    real_input::press_key(key, deadline, |key, press, deadline| {
                        keyboard.send_key(key, press, deadline)
                    })
                };
                press(NamedKey::Home)?;
                (0..number).try_for_each(|_| press(NamedKey::Down))
            })
        },
    ));
    if app.toolkit.name.starts_with("Qt") {
        // Qt changes its hidden list and not the combo box, which only takes time.
        strategies.rotate_right(1);
    }
    let next = Advice::from("use ").step(Step::FocusMode).text(": open it with ");
    let next = next.step(Step::Click).text(", then click the item");
    act_and_verify(cx, target, listener, &expectation, &strategies, next)
}

/// Chooses by number if the choices are not in the tree. GTK 4 neither lists them nor reports the
/// current one.
fn choose_unlisted(cx: &Context<'_>, target: ActionTarget, number: usize) -> Result<ActionOutcome> {
    let listener = cx.listeners.get_or_start(cx.desktop, &target.app, cx.deadline);
    let strategies = [Strategy::accessibility("selection", NodeAction::SelectItem(number))];
    let next = Advice::from("use ").step(Step::FocusMode).text(": open it and click the item");
    act_and_verify(cx, target, listener, &Expectation::AnyChange, &strategies, next)
}

/// Returns the text field of a combo box, if it has one.
fn text_field_of(target: &ActionTarget) -> Option<Index> {
    let snapshot = &target.tree.snapshot;
    snapshot.subtree(target.index).skip(1).find(|below| {
        let node = snapshot.node(*below);
        matches!(node.role, Role::Entry | Role::Text) && node.states.has(State::Editable)
    })
}

fn item_strategy(name: &str, item: &Node, act: NodeAction) -> Strategy<'static> {
    let id = item.id.clone();
    Strategy::new(name, move |cx: &Context<'_>, target: &ActionTarget| {
        send_outcome(cx.desktop.tree.perform(
            &target.app,
            &id,
            &act,
            Deadline::after(timing::SELECTION_TIMEOUT),
        ))
    })
}

/// Presses an item with its own action.
fn press_item(cx: &Context<'_>, target: &ActionTarget, item: &Node) -> Result<SendOutcome> {
    let fresh = target::read_now(cx, &target.app, &item.id)?;
    let Some(action) = action_names::item_action(&fresh.actions) else {
        return Ok(SendOutcome::Impossible("the item has no action".to_owned()));
    };
    let reply = cx.desktop.tree.perform(
        &target.app,
        &item.id,
        &NodeAction::Invoke(action),
        Deadline::after(timing::SELECTION_TIMEOUT),
    );
    send_outcome(reply)
}

/// Selects exactly the given items of the container that matches a query.
pub fn select(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    wanted: &[String],
) -> Result<ActionOutcome> {
    let (mut container, listener) = find_while_listening(cx, app, || {
        target::wait_until_ready(cx, app, query, Readiness::SELECTION)
    })?;
    if container.node.role == Role::ComboBox {
        let [only] = wanted else {
            return Err(Error::NotApplicable {
                what: container.label(),
                why: format!("it holds one choice, and {} were given", wanted.len()),
                instead: "name one item".into(),
            });
        };
        return choose(cx, container, only);
    }
    let found: Result<Vec<Index>> = wanted
        .iter()
        .map(|item| find_item(&container.tree.snapshot, container.index, item))
        .collect();
    let found = found?;
    let snapshot = &container.tree.snapshot;
    let nodes: Vec<Node> = found.iter().map(|at| snapshot.node(*at).clone()).collect();
    let approved_cx;
    let cx = match risk::check_items(cx, &container, &nodes)? {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let selected: Vec<NodeId> = found.iter().map(|at| snapshot.node(*at).id.clone()).collect();
    let selected_before = selected_names(snapshot, container.index);
    let stale = real_input::may_be_stale(cx, &container);
    // Other selected items are unknown in an outdated tree.
    let mark_stale = |outcome: ActionOutcome| match stale {
        true => ActionOutcome { effect: ActionEffect::Unverified, ..outcome }
            .with_next_step(stale_tree_advice()),
        false => outcome,
    };
    if let Some(outcome) = container_selection::select_in_container(cx, &container, &found)? {
        return Ok(mark_stale(outcome));
    }
    let mut combined: Option<ActionOutcome> = None;
    for (count, at) in found.into_iter().enumerate() {
        let node = container.tree.snapshot.node(at).clone();
        let reference = container.reference.clone();
        let found = target::from_id(cx, app, &node.id).or_else(|error| {
            // Qt creates the items of tables anew for each read. Their refs last.
            let item = container.tree.assign_ref(at).to_string();
            container.tree.save_refs()?;
            target::wait_until_ready(cx, app, &item, Readiness::EXISTS).map_err(|_| error)
        });
        let mut target = match (found, &combined) {
            (Ok(target), _) => target,
            // The items before this one are selected, so the call has not failed as a whole.
            (Err(error), Some(_)) if !error.stops_call() => {
                let why = error.to_string();
                let failed = FailedAttempt { strategy: label(&node), why };
                combined = combined.map(|previous| combine(previous, not_reached(failed)));
                continue;
            }
            (Err(error), _) => return Err(error),
        };
        target.reference = reference;
        let act = if count == 0 { NodeAction::SelectOnly } else { NodeAction::Select };
        let mut strategies = vec![Strategy::accessibility("selection", act)];
        let select = action_names::selection_action(&target.node);
        strategies.extend(click_strategies::action_strategy(select));
        if wanted.len() == 1 {
            strategies.extend(click_strategies::state_strategies(&target));
        }
        let expectation = if target.node.role == Role::Tab {
            click::click_expectation(&target)
        } else {
            Expectation::HasState(State::Selected, true)
        };
        let outcome = act_and_verify(
            cx,
            target,
            listener.clone(),
            &expectation,
            &strategies,
            Advice::from("use ").step(Step::FocusMode),
        )?;
        combined = Some(match combined {
            None => outcome,
            Some(previous) => combine(previous, outcome),
        });
    }
    let outcome = combined.ok_or_else(|| Error::NotApplicable {
        what: container.label(),
        why: "no item was named".to_owned(),
        instead: "name at least one".into(),
    })?;
    let container_id = &container.node.id;
    let wanted = WantedSelection {
        container: container_id,
        items: &selected,
        place: None,
        has_columns: false,
    };
    let outcome = exclusive_selection::deselect_others(cx, app, &wanted, outcome);
    Ok(mark_stale(report_lost_selection(cx, &container, &selected_before, outcome)))
}

/// Returns the names of the selected items of a container.
fn selected_names(snapshot: &Snapshot, container: Index) -> Vec<String> {
    items(snapshot, container)
        .into_iter()
        .map(|at| snapshot.node(at))
        .filter(|item| item.states.has(State::Selected))
        .map(|item| item.name.clone())
        .collect()
}

/// Reports a selection that changed although the wanted item is not selected. Some containers clear
/// their selection before they refuse the new one.
fn report_lost_selection(
    cx: &Context<'_>,
    container: &ActionTarget,
    before: &[String],
    outcome: ActionOutcome,
) -> ActionOutcome {
    if outcome.effect != ActionEffect::NoEffect {
        return outcome;
    }
    let within =
        WalkOptions { max_depth: Some(3), ..WalkOptions::with_fields(target::SNAPSHOT_FACETS) };
    let deadline = Deadline::after(timing::SELECTION_TIMEOUT);
    let now = match cx.desktop.tree.walk(&container.app, &container.node.id, &within, deadline) {
        Ok(part) => selected_names(&part, Index::ROOT),
        // A container that cannot be read may have changed.
        Err(_) => return ActionOutcome { effect: ActionEffect::Unverified, ..outcome },
    };
    if now == before {
        return outcome;
    }
    let change = Evidence::change(
        EvidenceKind::Selection,
        container.label(),
        before.join(", "),
        now.join(", "),
    );
    let evidence = outcome.evidence.iter().cloned().chain([change]).collect();
    ActionOutcome { effect: ActionEffect::Partial, evidence, ..outcome }
        .with_next_step("check the selection before you continue")
}

fn not_reached(failed: FailedAttempt) -> ActionOutcome {
    let outcome = ActionOutcome::new(ActionEffect::Refused, "none");
    ActionOutcome { failed_attempts: vec![failed], ..outcome }
}

/// Combines the outcomes of two steps. The result is as good as the worse one.
fn combine(first: ActionOutcome, then: ActionOutcome) -> ActionOutcome {
    let effect = match (first.effect, then.effect) {
        (ActionEffect::Confirmed, ActionEffect::Confirmed) => ActionEffect::Confirmed,
        (ActionEffect::Confirmed, _) | (_, ActionEffect::Confirmed) => ActionEffect::Partial,
        (first, _) => first,
    };
    let mut evidence = first.evidence;
    evidence.extend(then.evidence);
    let mut failed_attempts = first.failed_attempts;
    failed_attempts.extend(then.failed_attempts);
    ActionOutcome { effect, evidence, failed_attempts, ..then }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_are_confirmed_only_if_both_are() {
        let good =
            || ActionOutcome::confirmed("selection", Evidence::new(EvidenceKind::Selection, "a"));
        assert_eq!(combine(good(), good()).effect, ActionEffect::Confirmed);
        assert_eq!(
            combine(good(), ActionOutcome::new(ActionEffect::NoEffect, "x")).effect,
            ActionEffect::Partial
        );
    }
}
