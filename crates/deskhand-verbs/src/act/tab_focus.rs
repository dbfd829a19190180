//! Gives an element the keyboard focus with the Tab key.
//!
//! Qt accepts focus requests only for a few kinds of elements: its combo boxes and item views have no
//! such action. The Tab key reaches them as it does for a user.

use std::collections::HashSet;

use deskhand_model::{Event, EventKind, Index, Node, Rect, Role, Snapshot, State};
use deskhand_platform::{BackgroundKeyboard, Deadline, NamedKey, Result as PlatformResult};

use super::{
    line_end, real_input,
    target::{ActionTarget, ELEMENT_FACETS},
    timing,
};
use crate::Context;

/// The most times that Tab is pressed: more than the elements of a usual dialog.
const MAX_TABS: usize = 40;

/// Presses Tab until the target or an item inside it has the focus. Returns `false` if that is not
/// possible. Stops before an element that would take the key as text.
pub(crate) fn reach(
    cx: &Context<'_>,
    target: &ActionTarget,
    keyboard: &mut dyn BackgroundKeyboard,
    deadline: Deadline,
) -> PlatformResult<bool> {
    let is_qt = target.app.toolkit.name.starts_with("Qt");
    let goal = target.node.bounds.filter(|bounds| !bounds.is_empty());
    let listener = cx.listeners.get(&target.app.id);
    let (true, Some(goal), Some(listener)) = (is_qt, goal, listener) else { return Ok(false) };
    if !can_start(target) {
        return Ok(false);
    }
    let mut visited = HashSet::new();
    for _ in 0..MAX_TABS {
        let position = listener.position();
        real_input::press_key(NamedKey::Tab, deadline, |key, press, deadline| {
            keyboard.send_key(key, press, deadline)
        })?;
        listener.wait_for_event(position, timing::FOCUS_TIMEOUT);
        listener.wait_until_quiet(timing::QUIET_BEFORE, timing::FOCUS_TIMEOUT);
        let Some(focused) = newly_focused(cx, target, &listener.events_since(position)) else {
            return Ok(false);
        };
        if focused.bounds.is_some_and(|bounds| is_inside(bounds, goal)) {
            return Ok(true);
        }
        if takes_tab_as_input(&focused) || !visited.insert(focused.id) {
            return Ok(false);
        }
    }
    Ok(false)
}

/// Returns `true` if the focused element of the target's window is known, and Tab leaves it.
fn can_start(target: &ActionTarget) -> bool {
    let snapshot = &target.tree.snapshot;
    let path = snapshot.ancestors(target.index);
    let window = path.filter(|at| *at != Index::ROOT).last();
    window.is_some_and(|window| tab_leaves_focus(snapshot, window))
}

/// Returns `true` if Tab leaves each element of a window that may have the focus. Qt reports the
/// current item of every list as focused, wherever the focus is, so there may be several.
fn tab_leaves_focus(snapshot: &Snapshot, window: Index) -> bool {
    let is_focused = |at: &Index| {
        let node = snapshot.node(*at);
        node.states.has(State::Focused) && !node.role.is_window()
    };
    // Containers report the focus of an element inside them as their own.
    let is_container = |at: &Index| snapshot.subtree(*at).skip(1).any(|below| is_focused(&below));
    let mut focused =
        snapshot.subtree(window).filter(is_focused).filter(|at| !is_container(at)).peekable();
    focused.peek().is_some() && focused.all(|at| !takes_tab_as_input(snapshot.node(at)))
}

/// Returns `true` for elements that may take the Tab key as input: documents, terminals and surfaces
/// that the app draws itself.
fn takes_tab_as_input(node: &Node) -> bool {
    is_document(node)
        || node.role.is_layout()
        || matches!(node.role, Role::Canvas | Role::DrawingArea | Role::WebDocument)
}

fn is_document(node: &Node) -> bool {
    let is_editable = node.states.has(State::Editable) && !node.states.has(State::ReadOnly);
    node.role == Role::Terminal || is_editable && !line_end::is_single_line(node)
}

/// Reads the element that has received the focus according to the events.
fn newly_focused(cx: &Context<'_>, target: &ActionTarget, events: &[Event]) -> Option<Node> {
    let mut focus = events.iter().rev().filter(|event| event.kind == EventKind::FocusChanged);
    let id = focus.find(|event| event.on)?.node.clone()?;
    let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
    // An element that cannot be read may be a document, so the keys stop.
    let nodes = cx.desktop.tree.read(&target.app, &[id], ELEMENT_FACETS, deadline).ok()?;
    nodes.into_iter().flatten().next()
}

fn is_inside(inner: Rect, outer: Rect) -> bool {
    !inner.is_empty() && inner.clipped_to(outer) == inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, element};

    fn with_states(role: Role, states: &[State]) -> Node {
        let mut node = element("x", role);
        node.states = states.iter().fold(node.states, |all, state| all.with(*state));
        node
    }

    #[test]
    fn tab_is_not_pressed_where_it_would_be_text() {
        let editable = [State::Editable, State::MultiLine];
        assert!(takes_tab_as_input(&with_states(Role::Text, &editable)));
        assert!(takes_tab_as_input(&with_states(Role::Terminal, &[])));
        assert!(takes_tab_as_input(&with_states(Role::Filler, &[])));
        assert!(takes_tab_as_input(&with_states(Role::Canvas, &[])));
        for role in [Role::Button, Role::ComboBox, Role::ListItem, Role::SpinButton] {
            assert!(!takes_tab_as_input(&with_states(role, &[])), "{role:?}");
        }
        assert!(!takes_tab_as_input(&with_states(Role::Entry, &[State::Editable])));
    }

    #[test]
    fn tab_is_not_pressed_while_a_document_may_have_the_focus() {
        let window = |role: Role, states: &[State]| {
            let nodes = vec![
                element("window", Role::Window),
                with_states(Role::Panel, &[State::Focused]),
                with_states(Role::ListItem, &[State::Focused]),
                with_states(role, states),
            ];
            let children = [vec![1, 3], vec![2], Vec::new(), Vec::new()];
            Snapshot::assemble(app("app"), nodes, &children)
        };
        let allows = |snapshot: Snapshot| tab_leaves_focus(&snapshot, Index::ROOT);
        assert!(allows(window(Role::Filler, &[])), "only the list has the focus");
        assert!(!allows(window(Role::Filler, &[State::Focused])), "a drawn document has it");
        let document = [State::Focused, State::Editable, State::MultiLine];
        assert!(!allows(window(Role::Text, &document)));
        assert!(allows(window(Role::Button, &[State::Focused])));
    }

    #[test]
    fn an_item_counts_as_part_of_its_view() {
        let view = Rect::new(10, 10, 100, 200);
        assert!(is_inside(Rect::new(10, 30, 100, 20), view));
        assert!(!is_inside(Rect::new(10, 230, 100, 20), view));
        assert!(!is_inside(Rect::new(0, 0, 300, 300), view));
    }
}
