//! Gives an element the keyboard focus with the Tab key.
//!
//! Qt accepts focus requests only for a few kinds of elements: its combo boxes and item views have no
//! such action. The Tab key reaches them as it does for a user.

use std::collections::HashSet;

use deskhand_model::{Event, EventKind, Index, Node, NodeId, Rect, Role, Snapshot, State};
use deskhand_platform::{
    BackgroundKeyboard, Deadline, Key, NamedKey, NodeFields, Press, Result as PlatformResult,
    WalkOptions,
};

use super::{
    action_names, line_end, real_input,
    target::{ActionTarget, ELEMENT_FACETS},
    timing,
    verify::poll_until,
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
    if !can_start(cx, target) {
        return Ok(false);
    }
    let mut visited = HashSet::new();
    for pressed in 1..=MAX_TABS {
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
        if takes_tab_as_input(&focused) {
            return Ok(false);
        }
        let is_last = pressed == MAX_TABS || cx.deadline.remaining().is_zero();
        if !visited.insert(focused.id) || is_last {
            go_back(pressed, keyboard, deadline)?;
            return Ok(false);
        }
    }
    Ok(false)
}

/// Returns the focus to the element that had it before Tab was pressed.
fn go_back(
    times: usize,
    keyboard: &mut dyn BackgroundKeyboard,
    deadline: Deadline,
) -> PlatformResult<()> {
    let shift = Key::Named(NamedKey::Shift);
    keyboard.send_key(&shift, Press::Down, deadline)?;
    let pressed = (0..times).try_for_each(|_| {
        real_input::press_key(NamedKey::Tab, deadline, |key, press, deadline| {
            keyboard.send_key(key, press, deadline)
        })
    });
    // The modifier is released in any case.
    keyboard.send_key(&shift, Press::Up, deadline)?;
    pressed
}

/// Waits until the app reports which element of the target's window has the focus. Returns `true` if
/// Tab leaves that element.
///
/// A window without a keyboard reports no focused element, so this must be called after the window
/// has received the background keyboard.
fn can_start(cx: &Context<'_>, target: &ActionTarget) -> bool {
    let Some(window) = target.window().map(|window| &window.id) else { return false };
    let within = WalkOptions::with_fields(NodeFields::MINIMAL);
    let mut focus = WindowFocus::Unknown;
    poll_until(timing::FOCUS_TIMEOUT, || {
        let deadline = Deadline::after(timing::MAX_TREE_READ);
        // A window that cannot be read may contain a document, so no key is pressed.
        let read = cx.desktop.tree.walk(&target.app, &target.app.root, &within, deadline);
        focus = read.map_or(WindowFocus::Unknown, |snapshot| {
            window_focus(&snapshot, window, &target.node.id)
        });
        focus != WindowFocus::Unknown
    });
    focus == WindowFocus::LeftByTab
}

/// The keyboard focus within a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowFocus {
    /// No element reports the focus.
    Unknown,
    /// Tab leaves the focused element.
    LeftByTab,
    /// A focused element may take the Tab key as input.
    TakesTab,
}

/// Finds the focused element in a window. A container of the goal is no surface that the app draws
/// itself, so Tab leaves it.
fn window_focus(snapshot: &Snapshot, window: &NodeId, goal: &NodeId) -> WindowFocus {
    let active = |at: &Index| snapshot.node(*at).states.has(State::Active);
    let Some(window) = snapshot.position(window).filter(active) else {
        return WindowFocus::Unknown;
    };
    let is_focused = |at: Index| {
        let node = snapshot.node(at);
        node.states.has(State::Focused) && !node.role.is_window()
    };
    // Qt reports the current item of every list as focused, also while the list is not.
    let is_only_current = |at: Index| {
        action_names::is_item(snapshot.node(at))
            && !snapshot.ancestors(at).take_while(|up| *up != window).any(is_focused)
    };
    // Containers report the focus of an element inside them as their own.
    let is_container = |at: Index| snapshot.subtree(at).skip(1).any(is_focused);
    let (current, focused): (Vec<Index>, Vec<Index>) = snapshot
        .subtree(window)
        .filter(|at| is_focused(*at) && !is_container(*at))
        .partition(|at| is_only_current(*at));
    // Lists, tables and trees of Qt do not report their own focus. If nothing else has the focus in an
    // active window, one of them has it. Tab leaves lists and moves within tables.
    let takes_tab = if focused.is_empty() {
        current.iter().any(|at| snapshot.node(*at).role != Role::ListItem)
    } else {
        let goal = snapshot.position(goal);
        let contains_goal = |at: Index| {
            snapshot.node(at).role.is_layout()
                && goal.is_some_and(|goal| snapshot.ancestors(goal).any(|up| up == at))
        };
        focused.iter().any(|at| takes_tab_as_input(snapshot.node(*at)) && !contains_goal(*at))
    };
    match (takes_tab, focused.is_empty() && current.is_empty()) {
        (_, true) => WindowFocus::Unknown,
        (true, false) => WindowFocus::TakesTab,
        (false, false) => WindowFocus::LeftByTab,
    }
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

    /// Returns the focus in a window with a list, an item in it, and an element with this role.
    fn focus_with(list: &[State], role: Role, states: &[State]) -> WindowFocus {
        focus_in(&window_with(list, Role::ListItem, role, states))
    }

    fn focus_in(snapshot: &Snapshot) -> WindowFocus {
        window_focus(snapshot, &NodeId::new("window"), &NodeId::new("goal"))
    }

    fn window_with(list: &[State], item: Role, role: Role, states: &[State]) -> Snapshot {
        let mut window = element("window", Role::Window);
        window.states = window.states.with(State::Active);
        let nodes = vec![
            window,
            with_states(Role::List, list),
            with_states(item, &[State::Focused]),
            with_states(role, states),
        ];
        let children = [vec![1, 3], vec![2], Vec::new(), Vec::new()];
        Snapshot::assemble(app("app"), nodes, &children)
    }

    #[test]
    fn tab_is_pressed_only_if_it_leaves_the_focused_element() {
        let focused = &[State::Focused];
        let document = &[State::Focused, State::Editable, State::MultiLine];
        assert_eq!(focus_with(focused, Role::Button, &[]), WindowFocus::LeftByTab);
        assert_eq!(focus_with(&[], Role::Button, focused), WindowFocus::LeftByTab);
        assert_eq!(focus_with(&[], Role::Text, document), WindowFocus::TakesTab);
        assert_eq!(focus_with(&[], Role::Filler, focused), WindowFocus::TakesTab);
        assert_eq!(focus_with(focused, Role::Text, document), WindowFocus::TakesTab);
    }

    #[test]
    fn the_current_item_of_a_list_is_the_focus_only_if_nothing_else_has_it() {
        assert_eq!(focus_with(&[], Role::Button, &[]), WindowFocus::LeftByTab);
        let in_table = window_with(&[], Role::Cell, Role::Button, &[]);
        assert_eq!(focus_in(&in_table), WindowFocus::TakesTab);
    }

    #[test]
    fn a_window_that_is_not_active_says_nothing_about_the_focus() {
        let mut snapshot = window_with(&[], Role::ListItem, Role::Button, &[State::Focused]);
        snapshot = snapshot.with_updated_nodes([element("window", Role::Window)]);
        assert_eq!(focus_in(&snapshot), WindowFocus::Unknown);
    }

    #[test]
    fn tab_leaves_a_focused_container_of_the_goal() {
        let mut window = element("window", Role::Window);
        window.states = window.states.with(State::Active);
        let surface = with_states(Role::Filler, &[State::Focused]);
        let nodes = vec![window, surface, element("goal", Role::List)];
        for (children, focus) in [
            ([vec![1], vec![2], Vec::new()], WindowFocus::LeftByTab),
            ([vec![1, 2], Vec::new(), Vec::new()], WindowFocus::TakesTab),
        ] {
            let snapshot = Snapshot::assemble(app("app"), nodes.clone(), &children);
            assert_eq!(focus_in(&snapshot), focus);
        }
    }

    #[test]
    fn an_item_counts_as_part_of_its_view() {
        let view = Rect::new(10, 10, 100, 200);
        assert!(is_inside(Rect::new(10, 30, 100, 20), view));
        assert!(!is_inside(Rect::new(10, 230, 100, 20), view));
        assert!(!is_inside(Rect::new(0, 0, 300, 300), view));
    }
}
