//! Scrolling: to an element, or by an amount.

use std::time::Duration;

use deskhand_model::{App, Index, Node, NodeId, Rect, Role, Snapshot, State, Value};
use deskhand_platform::{Act, Deadline, Extent, Facets, Reply};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Mode,
    attempt::{Sent, Way, attempt, perform, sent, until},
    by_hand,
    goal::Goal,
    heard::listening,
    target::{self, Target, Wants},
    wheel,
};
use crate::{Context, Error, Result, effect::Done};

/// Where to scroll.
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
    pub fn is_vertical(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }

    pub fn sign(self) -> f64 {
        match self {
            Self::Up | Self::Left => -1.0,
            Self::Down | Self::Right => 1.0,
        }
    }
}

/// Scrolls until the one element a query means is in view.
pub fn to_element(cx: &Context<'_>, app: &App, query: &str, mode: Mode) -> Result<Done> {
    let (target, ear) = listening(cx, app, || {
        let target = target::ready(cx, app, query, Wants::THERE)?;
        if mode == Mode::Focus {
            by_hand::bring_forward(cx, &target)?;
        }
        Ok(target)
    })?;
    let mut ways = vec![
        Way::tree("scroll to", Act::Reveal),
        Way::new("scroll bar", |cx: &Context<'_>, target: &Target| {
            by_bar(cx, &target.app, &target.look.snapshot, target.at, &target.node)
        }),
    ];
    if mode == Mode::Focus {
        ways.push(Way::new("wheel", wheel::to_element));
        ways = ways.into_iter().map(Way::in_front).collect();
    }
    attempt(cx, target, ear, &Goal::InView, &ways, "scroll by an amount, or use --mode focus")
}

/// Brings an element into view as well as can be: what does not come is told by who needs it there.
/// Answers whether anything was done for it.
pub fn into_view(cx: &Context<'_>, target: &Target) -> Result<bool> {
    let Some(room) = rooms(cx, target, cx.by).into_iter().reduce(Rect::meet) else {
        return Ok(false);
    };
    let seen = || {
        let by = Deadline::after(wheel::SCROLLED);
        target::fresh(cx, &target.app, &target.node.id)
            .is_ok_and(|now| fills(&now, room) || is_in_view(cx, target, &now, by))
    };
    if seen() {
        return Ok(false);
    }
    perform(cx, target, &Act::Reveal)?;
    if until(wheel::SCROLLED, seen) {
        return Ok(true);
    }
    by_bar(cx, &target.app, &target.look.snapshot, target.at, &target.node)?;
    if !until(wheel::SCROLLED, seen) {
        wheel::to_element(cx, target)?;
    }
    Ok(true)
}

/// Whether an element lies over the middle of what it is scrolled in: a list that says it is as long
/// as all its rows is in view wherever its own middle is.
fn fills(node: &Node, room: Rect) -> bool {
    let (x, y) = room.center();
    !room.is_empty()
        && node.states.has(State::Showing)
        && node.bounds.is_some_and(|bounds| bounds.contains(x, y))
}

/// The places of what an element can be scrolled in, the nearest first.
pub fn rooms(cx: &Context<'_>, target: &Target, by: Deadline) -> Vec<Rect> {
    around(cx, &target.app, &target.look.snapshot, target.at, by, |role| {
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

/// Whether the middle of an element lies within everything around it that has a place. What an app
/// says of itself is not enough: GTK 3 calls every row of a list showing.
pub fn is_in_view(cx: &Context<'_>, target: &Target, node: &Node, by: Deadline) -> bool {
    let Some(bounds) = node.bounds.filter(|bounds| !bounds.is_empty()) else { return false };
    if !node.states.has(State::Showing) {
        return false;
    }
    let (x, y) = bounds.center();
    around(cx, &target.app, &target.look.snapshot, target.at, by, is_room)
        .iter()
        .all(|room| room.contains(x, y))
}

/// Whether an element hides what of another lies outside it.
fn is_room(role: Role) -> bool {
    role != Role::Application && role != Role::TreeItem
}

/// The places of the elements around one that are of a kind, the nearest first.
fn around(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    by: Deadline,
    kind: impl Fn(Role) -> bool,
) -> Vec<Rect> {
    let ids: Vec<NodeId> = snapshot
        .ancestors(at)
        .map(|up| snapshot.node(up))
        .filter(|up| kind(up.role))
        .map(|up| up.id.clone())
        .collect();
    let facets = Facets { bounds: true, ..Facets::NAMES };
    // An element around it that cannot be read hides nothing that is known.
    let read = cx.desktop.tree.read(app, &ids, facets, by).unwrap_or_default();
    let rooms = read.into_iter().flatten().filter_map(|node| node.bounds);
    rooms.filter(|bounds| !bounds.is_empty()).collect()
}

/// Moves the scroll bars around an element until its middle lies in the middle of the room.
pub fn by_bar(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    node: &Node,
) -> Result<Sent> {
    let by = Deadline::after(Duration::from_secs(1));
    let Some(bounds) = node.bounds.filter(|bounds| !bounds.is_empty()) else {
        return by_share(cx, app, snapshot, at, by);
    };
    let rooms = around(cx, app, snapshot, at, by, is_room);
    let Some(room) = rooms.into_iter().reduce(Rect::meet).filter(|room| !room.is_empty()) else {
        return Ok(Sent::Impossible("nothing around the element has a place".to_owned()));
    };
    let (x, y) = bounds.center();
    let (across, down) = (x - room.center().0, y - room.center().1);
    let mut moved_any = false;
    for (direction, far, inside) in [
        (Direction::Down, down, y >= room.y && y < room.bottom()),
        (Direction::Right, across, x >= room.x && x < room.right()),
    ] {
        if inside {
            continue;
        }
        if let Some(bar) = bar_for(cx, app, snapshot, at, direction) {
            let wanted = Act::SetNumber(moved(&bar, direction, f64::from(far)));
            match sent(cx.desktop.tree.perform(app, &bar.id, &wanted, by))? {
                Sent::Replied(_) => moved_any = true,
                Sent::Impossible(_) => {}
            }
        }
    }
    Ok(if moved_any {
        Sent::Replied(Reply::Accepted)
    } else {
        Sent::Impossible("no scroll bar around the element moves".to_owned())
    })
}

/// Moves the scroll bar around an item without a place as far as the item is along its list.
fn by_share(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    by: Deadline,
) -> Result<Sent> {
    let cannot = |why: &str| Ok(Sent::Impossible(why.to_owned()));
    let Some(list) = snapshot.parent(at) else { return cannot("it stands in nothing") };
    let items: Vec<Index> = snapshot
        .children(list)
        .filter(|item| snapshot.node(*item).role == snapshot.node(at).role)
        .collect();
    let Some(number) = items.iter().position(|item| *item == at) else {
        return cannot("it is no item of a list");
    };
    let Some(bar) = bar_for(cx, app, snapshot, list, Direction::Down) else {
        return cannot("no scroll bar around the element moves");
    };
    let Some(Value::Number { min, max, .. }) = bar.value else {
        return cannot("the scroll bar around the element has no value");
    };
    let share = number as f64 / (items.len().max(2) - 1) as f64;
    sent(cx.desktop.tree.perform(app, &bar.id, &Act::SetNumber(min + (max - min) * share), by))
}

/// Scrolls the element a query means, or the app's largest scrolled part, by pixels.
pub fn by_amount(
    cx: &Context<'_>,
    app: &App,
    query: Option<&str>,
    direction: Direction,
    pixels: i64,
    mode: Mode,
) -> Result<Done> {
    if mode == Mode::Focus {
        let query = query.unwrap_or("/descendant::*[@showing='true'][1]");
        return wheel::by_amount(cx, app, query, direction, pixels);
    }
    let (bar, ear) = listening(cx, app, || {
        let (look, from) = match query {
            Some(query) => {
                let found = target::ready(cx, app, query, Wants::THERE)?;
                (found.look.snapshot, found.at)
            }
            None => {
                let within = Extent::of(target::SEEN);
                (cx.desktop.tree.walk(app, &app.root, &within, cx.by)?, Index::ROOT)
            }
        };
        let bar = bar_for(cx, app, &look, from, direction).ok_or_else(|| Error::Unfit {
            what: query.unwrap_or("the app").to_owned(),
            why: "nothing near it has a scroll bar for that direction".to_owned(),
            instead: "scroll to an element, or use --mode focus, which turns the wheel".to_owned(),
        })?;
        target::of(cx, app, &bar.id)
    })?;
    let wanted = moved(&bar.node, direction, pixels as f64);
    let goal = Goal::Counts(wanted);
    let ways = [Way::tree("scroll bar", Act::SetNumber(wanted))];
    attempt(cx, bar, ear, &goal, &ways, "use --mode focus, which turns the wheel")
}

/// Where a scroll bar stands after it moved.
fn moved(bar: &Node, direction: Direction, pixels: f64) -> f64 {
    match bar.value {
        Some(Value::Number { now, min, max, .. }) => {
            (now + direction.sign() * pixels).clamp(min, max.max(min))
        }
        Some(Value::Text { .. } | Value::Secret) | None => 0.0,
    }
}

/// The scroll bar that moves an element, as it is now: the nearest one around or in it. Bars that
/// show only while they are used are read all the same.
pub fn bar_for(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    at: Index,
    direction: Direction,
) -> Option<Node> {
    let turned = |node: &Node| {
        let (vertical, horizontal) =
            (node.states.has(State::Vertical), node.states.has(State::Horizontal));
        if direction.is_vertical() { vertical || !horizontal } else { horizontal }
    };
    let moves = |below: Index| {
        let node = snapshot.node(below);
        (node.role == Role::ScrollBar && turned(node))
            .then(|| target::fresh(cx, app, &node.id).ok())
            .flatten()
            .filter(has_room)
    };
    std::iter::once(at)
        .chain(snapshot.ancestors(at))
        .find_map(|up| snapshot.subtree(up).find_map(moves))
}

fn has_room(bar: &Node) -> bool {
    matches!(bar.value, Some(Value::Number { min, max, .. }) if max > min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_longer_than_its_view_is_not_scrolled_to_be_seen() {
        let room = Rect::new(100, 100, 200, 150);
        let at = |bounds: Rect, showing: bool| {
            let mut node = Node::new(NodeId::new("list"), Role::List);
            node.bounds = Some(bounds);
            if showing {
                node.states = node.states.with(State::Showing);
            }
            node
        };
        let long = Rect::new(100, 100, 200, 4_000);
        assert!(fills(&at(long, true), room));
        assert!(!fills(&at(long, false), room));
        let row_below = Rect::new(100, 400, 200, 20);
        assert!(!fills(&at(row_below, true), room));
        assert!(!fills(&at(long, true), Rect::new(100, 100, 0, 0)));
    }
}
