//! Scrolling to an element or by an amount.

use deskhand_model::{Advice, App, Index, Node, NodeId, Rect, Role, Snapshot, State, Step, Value};
use deskhand_platform::{ActionReply, Deadline, NodeAction, NodeFields, WalkOptions};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ActionMode, real_input,
    target::{self, ActionTarget, Readiness},
    timing,
    verify::{
        Expectation, SendOutcome, Strategy, act_and_verify, find_while_listening, perform,
        poll_until, send_outcome,
    },
    wheel,
};
use crate::{Context, Error, Result, effect::ActionOutcome};

/// The direction to scroll in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Direction {
    /// Returns `true` for up and down.
    pub(crate) fn is_vertical(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }

    /// Returns -1 for up and left, and 1 for down and right.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Up | Self::Left => -1.0,
            Self::Down | Self::Right => 1.0,
        }
    }
}

/// Scrolls until the only element that matches a query is visible.
pub fn scroll_to(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let (target, listener) = find_while_listening(cx, app, || {
        let target = target::wait_until_ready(cx, app, query, Readiness::EXISTS)?;
        if mode == ActionMode::Focus {
            real_input::focus_window(cx, &target)?;
        }
        Ok(target)
    })?;
    let mut strategies = vec![
        Strategy::accessibility("scroll to", NodeAction::Reveal),
        Strategy::new("scroll bar", |cx: &Context<'_>, target: &ActionTarget| {
            move_scroll_bars(cx, &target.app, &target.tree.snapshot, target.index, &target.node)
        }),
    ];
    if mode == ActionMode::Focus {
        strategies.push(Strategy::new("wheel", wheel::wheel_to));
        strategies = strategies.into_iter().map(Strategy::in_foreground).collect();
    }
    act_and_verify(
        cx,
        target,
        listener,
        &Expectation::InView,
        &strategies,
        Advice::from("scroll by an amount, or use ").step(Step::FocusMode),
    )
}

/// Scrolls an element into view as far as possible. Returns `true` if anything was sent. If the
/// element stays invisible, the caller reports it.
pub(crate) fn scroll_into_view(cx: &Context<'_>, target: &ActionTarget) -> Result<bool> {
    let Some(visible_area) =
        scroll_areas(cx, target, cx.deadline).into_iter().reduce(Rect::clipped_to)
    else {
        return Ok(false);
    };
    let is_visible = || {
        let deadline = Deadline::after(timing::SCROLL_SETTLE);
        target::read_now(cx, &target.app, &target.node.id)
            .is_ok_and(|now| fills(&now, visible_area) || is_in_view(cx, target, &now, deadline))
    };
    if is_visible() {
        return Ok(false);
    }
    perform(cx, target, &NodeAction::Reveal)?;
    if poll_until(timing::SCROLL_SETTLE, is_visible) {
        return Ok(true);
    }
    move_scroll_bars(cx, &target.app, &target.tree.snapshot, target.index, &target.node)?;
    if !poll_until(timing::SCROLL_SETTLE, is_visible) {
        wheel::wheel_to(cx, target)?;
    }
    Ok(true)
}

/// Returns `true` if an element covers the center of the area in which it scrolls. A list that
/// reports the height of all its rows is visible wherever its own center is.
fn fills(node: &Node, visible_area: Rect) -> bool {
    let (x, y) = visible_area.center();
    !visible_area.is_empty()
        && node.states.has(State::Showing)
        && node.bounds.is_some_and(|bounds| bounds.contains(x, y))
}

/// Returns the bounds of the scrollable ancestors of an element, the nearest first.
pub(crate) fn scroll_areas(
    cx: &Context<'_>,
    target: &ActionTarget,
    deadline: Deadline,
) -> Vec<Rect> {
    ancestor_bounds(cx, &target.app, &target.tree.snapshot, target.index, deadline, |role| {
        matches!(
            role,
            Role::ScrollPane
                | Role::Viewport
                | Role::List
                | Role::ListBox
                | Role::Table
                | Role::Tree
                | Role::TreeTable
                | Role::WebDocument
                | Role::DocumentFrame
        )
    })
}

/// Returns `true` if the center of an element is inside the bounds of all its ancestors. The
/// reported states are not enough: GTK 3 reports every row of a list as showing.
pub(crate) fn is_in_view(
    cx: &Context<'_>,
    target: &ActionTarget,
    node: &Node,
    deadline: Deadline,
) -> bool {
    let Some(bounds) = node.bounds.filter(|bounds| !bounds.is_empty()) else { return false };
    if !node.states.has(State::Showing) {
        return false;
    }
    let (x, y) = bounds.center();
    ancestor_bounds(cx, &target.app, &target.tree.snapshot, target.index, deadline, clips_content)
        .iter()
        .all(|visible_area| visible_area.contains(x, y))
}

/// Returns `true` if elements of this role clip their content.
fn clips_content(role: Role) -> bool {
    role != Role::Application && role != Role::TreeItem
}

/// Reads the bounds of the ancestors with matching roles, the nearest first.
fn ancestor_bounds(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    deadline: Deadline,
    kind: impl Fn(Role) -> bool,
) -> Vec<Rect> {
    let ids: Vec<NodeId> = snapshot
        .ancestors(at)
        .map(|up| snapshot.node(up))
        .filter(|up| kind(up.role))
        .map(|up| up.id.clone())
        .collect();
    let facets = NodeFields { bounds: true, ..NodeFields::MINIMAL };
    // An ancestor that cannot be read is not known to clip anything.
    let read = cx.desktop.tree.read(app, &ids, facets, deadline).unwrap_or_default();
    let areas = read.into_iter().flatten().filter_map(|node| node.bounds);
    areas.filter(|bounds| !bounds.is_empty()).collect()
}

/// Moves the scroll bars around an element until its center is in the center of the visible area.
pub(crate) fn move_scroll_bars(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    node: &Node,
) -> Result<SendOutcome> {
    let deadline = Deadline::after(timing::SCROLL_BAR_TIMEOUT);
    let Some(bounds) = node.bounds.filter(|bounds| !bounds.is_empty()) else {
        return move_bar_to_item(cx, app, snapshot, at, deadline);
    };
    let areas = ancestor_bounds(cx, app, snapshot, at, deadline, clips_content);
    let Some(visible_area) =
        areas.into_iter().reduce(Rect::clipped_to).filter(|visible_area| !visible_area.is_empty())
    else {
        return Ok(SendOutcome::Impossible(
            "no element around it has a position on the screen".to_owned(),
        ));
    };
    let (x, y) = bounds.center();
    let (across, down) = (x - visible_area.center().0, y - visible_area.center().1);
    let mut moved_any = false;
    for (direction, far, inside) in [
        (Direction::Down, down, y >= visible_area.y && y < visible_area.bottom()),
        (Direction::Right, across, x >= visible_area.x && x < visible_area.right()),
    ] {
        if inside {
            continue;
        }
        if let Some(bar) = find_scroll_bar(cx, app, snapshot, at, direction) {
            let wanted = NodeAction::SetNumber(bar_value_after(&bar, direction, f64::from(far)));
            match send_outcome(cx.desktop.tree.perform(app, &bar.id, &wanted, deadline))? {
                SendOutcome::Replied(_) => moved_any = true,
                SendOutcome::Impossible(_) | SendOutcome::Missed(_) => {}
            }
        }
    }
    Ok(if moved_any {
        SendOutcome::Replied(ActionReply::Accepted)
    } else {
        SendOutcome::Impossible("no scroll bar around the element can be moved".to_owned())
    })
}

/// Moves the scroll bar around an item without bounds in proportion to the item's position in its
/// list.
fn move_bar_to_item(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    deadline: Deadline,
) -> Result<SendOutcome> {
    let impossible = |why: &str| Ok(SendOutcome::Impossible(why.to_owned()));
    let Some(list) = snapshot.parent(at) else { return impossible("it has no parent") };
    let items: Vec<Index> = snapshot
        .children(list)
        .filter(|item| snapshot.node(*item).role == snapshot.node(at).role)
        .collect();
    let Some(number) = items.iter().position(|item| *item == at) else {
        return impossible("it is not an item of a list");
    };
    let Some(bar) = find_scroll_bar(cx, app, snapshot, list, Direction::Down) else {
        return impossible("no scroll bar around the element can be moved");
    };
    let Some(Value::Number { min, max, .. }) = bar.value else {
        return impossible("the scroll bar around the element has no value");
    };
    let share = number as f64 / (items.len().max(2) - 1) as f64;
    send_outcome(cx.desktop.tree.perform(
        app,
        &bar.id,
        &NodeAction::SetNumber(min + (max - min) * share),
        deadline,
    ))
}

/// Scrolls the element that matches a query, or the first scroll area of the app, by pixels.
pub fn scroll_by(
    cx: &Context<'_>,
    app: &App,
    query: Option<&str>,
    direction: Direction,
    pixels: i64,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    if mode == ActionMode::Focus {
        let query = query.unwrap_or("/descendant::*[@showing='true'][1]");
        return wheel::wheel_by(cx, app, query, direction, pixels);
    }
    let (bar, listener) = find_while_listening(cx, app, || {
        let (snapshot, from) = match query {
            Some(query) => {
                let found = target::wait_until_ready(cx, app, query, Readiness::EXISTS)?;
                (found.tree.snapshot, found.index)
            }
            None => {
                let within = WalkOptions::with_fields(target::SNAPSHOT_FACETS);
                (cx.desktop.tree.walk(app, &app.root, &within, cx.deadline)?, Index::ROOT)
            }
        };
        let bar = find_scroll_bar(cx, app, &snapshot, from, direction).ok_or_else(|| {
            Error::NotApplicable {
                what: query.unwrap_or("the app").to_owned(),
                why: "nothing near it has a scroll bar for that direction".to_owned(),
                instead: Advice::from("scroll to an element, or use ")
                    .step(Step::FocusMode)
                    .text(", which turns the wheel"),
            }
        })?;
        target::from_id(cx, app, &bar.id)
    })?;
    let wanted = bar_value_after(&bar.node, direction, pixels as f64);
    let expectation = Expectation::Number(wanted);
    let strategies = [Strategy::accessibility("scroll bar", NodeAction::SetNumber(wanted))];
    act_and_verify(
        cx,
        bar,
        listener,
        &expectation,
        &strategies,
        Advice::from("use ").step(Step::FocusMode).text(", which turns the wheel"),
    )
}

/// Returns the value of a scroll bar after moving it.
fn bar_value_after(bar: &Node, direction: Direction, pixels: f64) -> f64 {
    match bar.value {
        Some(Value::Number { now, min, max, .. }) => {
            (now + direction.sign() * pixels).clamp(min, max.max(min))
        }
        Some(Value::Text { .. } | Value::Secret) | None => 0.0,
    }
}

/// Returns the scroll bar that moves an element: the nearest one around or inside it. Bars that
/// appear only during use are read as well.
pub(crate) fn find_scroll_bar(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    direction: Direction,
) -> Option<Node> {
    let has_orientation = |node: &Node| {
        let (vertical, horizontal) =
            (node.states.has(State::Vertical), node.states.has(State::Horizontal));
        if direction.is_vertical() { vertical || !horizontal } else { horizontal }
    };
    let movable_bar = |below: Index| {
        let node = snapshot.node(below);
        (node.role == Role::ScrollBar && has_orientation(node))
            .then(|| target::read_now(cx, app, &node.id).ok())
            .flatten()
            .filter(can_move)
    };
    std::iter::once(at)
        .chain(snapshot.ancestors(at))
        .find_map(|up| snapshot.subtree(up).find_map(movable_bar))
}

fn can_move(bar: &Node) -> bool {
    matches!(bar.value, Some(Value::Number { min, max, .. }) if max > min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_longer_than_its_visible_area_counts_as_visible() {
        let visible_area = Rect::new(100, 100, 200, 150);
        let at = |bounds: Rect, showing: bool| {
            let mut node = Node::new(NodeId::new("list"), Role::List);
            node.bounds = Some(bounds);
            if showing {
                node.states = node.states.with(State::Showing);
            }
            node
        };
        let long = Rect::new(100, 100, 200, 4_000);
        assert!(fills(&at(long, true), visible_area));
        assert!(!fills(&at(long, false), visible_area));
        let row_below = Rect::new(100, 400, 200, 20);
        assert!(!fills(&at(row_below, true), visible_area));
        assert!(!fills(&at(long, true), Rect::new(100, 100, 0, 0)));
    }
}
