//! Makes an item of a list, tree or table the current one with arrow keys.
//!
//! Selecting an item through accessibility does not make it the current item in Qt. Apps that show a
//! page for the current item then show the wrong page, and commands act on the wrong item. Some lists
//! of GTK 3 do not accept selections through accessibility at all.

use deskhand_model::{Index, Node, NodeId, Rect, Role, State};
use deskhand_platform::{Deadline, NamedKey, WalkOptions};

use super::{
    real_input,
    target::{self, ActionTarget, ELEMENT_FACETS},
    timing,
    verify::{SendOutcome, poll_until},
};
use crate::{Context, Result};

/// The most arrow keys that are pressed. Each one makes another item current on the way.
const MAX_STEPS: usize = 40;

/// Moves to the target with arrow keys. The view that contains it must accept the focus.
pub(crate) fn move_to_target(cx: &Context<'_>, target: &ActionTarget) -> Result<SendOutcome> {
    let impossible = |why: &str| Ok(SendOutcome::Impossible(why.to_owned()));
    let Some(view) = view_of(target) else {
        return impossible("the list of the item was not found");
    };
    let Some(goal) = target.node.bounds.filter(|bounds| !bounds.is_empty()) else {
        return impossible("the item has no position");
    };
    let mut view_target = target::from_id(cx, &target.app, &view)?;
    view_target.reference.clone_from(&target.reference);
    let (mut arrived, mut has_moved) = (false, false);
    let sent = real_input::with_background_keyboard(cx, &view_target, |keyboard, deadline| {
        let mut last = None;
        for _ in 0..MAX_STEPS {
            let Some(current) = current_item(cx, target, &view) else { return Ok(()) };
            if current == goal {
                arrived = true;
                return Ok(());
            }
            if last == Some(current) {
                return Ok(());
            }
            if cx.deadline.remaining().is_zero() {
                return Ok(());
            }
            has_moved = true;
            let key = key_towards(current, goal);
            real_input::press_key(key, deadline, |key, press, deadline| {
                keyboard.send_key(key, press, deadline)
            })?;
            poll_until(timing::FOCUS_TIMEOUT, || {
                current_item(cx, target, &view).is_some_and(|now| now != current)
            });
            last = Some(current);
        }
        Ok(())
    })?;
    match sent {
        SendOutcome::Replied(_) if !arrived && has_moved => {
            Ok(SendOutcome::Missed("the arrow keys did not reach the item".to_owned()))
        }
        SendOutcome::Replied(_) if !arrived => impossible("the list reports no current item"),
        SendOutcome::Replied(_) | SendOutcome::Impossible(_) | SendOutcome::Missed(_) => Ok(sent),
    }
}

/// Returns the list, tree or table that contains the target.
fn view_of(target: &ActionTarget) -> Option<NodeId> {
    let snapshot = &target.tree.snapshot;
    let is_view = |at: &Index| {
        matches!(
            snapshot.node(*at).role,
            Role::List | Role::ListBox | Role::Tree | Role::TreeTable | Role::Table
        )
    };
    snapshot.ancestors(target.index).find(is_view).map(|at| snapshot.node(at).id.clone())
}

/// Returns the bounds of the current item of a view that has the focus.
fn current_item(cx: &Context<'_>, target: &ActionTarget, view: &NodeId) -> Option<Rect> {
    let within = WalkOptions { max_depth: Some(3), ..WalkOptions::with_fields(ELEMENT_FACETS) };
    let deadline = Deadline::after(timing::ELEMENT_READ_TIMEOUT);
    // A view that cannot be read has no known current item, and the keys stop.
    let items = cx.desktop.tree.walk(&target.app, view, &within, deadline).ok()?;
    let is_current = |node: &&Node| node.states.has(State::Focused);
    items.iter().skip(1).map(|(_, node)| node).find(is_current).and_then(|node| node.bounds)
}

/// Returns the arrow key that leads from one item towards another: first to its row, then to its
/// column.
fn key_towards(from: Rect, to: Rect) -> NamedKey {
    let is_same_row = from.y < to.y + to.height && to.y < from.y + from.height;
    match (is_same_row, from.y < to.y, from.x < to.x) {
        (false, true, _) => NamedKey::Down,
        (false, false, _) => NamedKey::Up,
        (true, _, true) => NamedKey::Right,
        (true, _, false) => NamedKey::Left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrow_keys_lead_to_the_row_first() {
        let at = |x, y| Rect::new(x, y, 80, 20);
        assert_eq!(key_towards(at(0, 0), at(100, 40)), NamedKey::Down);
        assert_eq!(key_towards(at(0, 40), at(0, 0)), NamedKey::Up);
        assert_eq!(key_towards(at(0, 40), at(100, 42)), NamedKey::Right);
        assert_eq!(key_towards(at(100, 40), at(0, 40)), NamedKey::Left);
    }
}
