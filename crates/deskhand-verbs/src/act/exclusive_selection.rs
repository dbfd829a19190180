//! Deselects the items that an action was not meant to select.

use deskhand_model::{App, Index, Node, NodeId, Rect, State};
use deskhand_platform::{ActionReply, NodeAction, NodeFields, WalkOptions};

use super::{
    select,
    target::{SNAPSHOT_FACETS, label},
    timing,
};
use crate::{
    Context,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// The items that are to be the only selected ones of a container.
pub(super) struct WantedSelection<'a> {
    /// The list, table or tree.
    pub container: &'a NodeId,
    /// The items.
    pub items: &'a [NodeId],
    /// The place of the only item, which has another id in each read of some lists of Qt.
    pub place: Option<Rect>,
    /// The other cells in the row of the item are selected together with it.
    pub has_columns: bool,
}

impl WantedSelection<'_> {
    fn contains(&self, item: &Node) -> bool {
        let is_same_row = |one: Rect, other: Rect| one.y < other.bottom() && other.y < one.bottom();
        let is_in_place = self.place.is_some_and(|place| match item.bounds {
            Some(bounds) if self.has_columns => is_same_row(place, bounds),
            Some(bounds) => place == bounds,
            // A cell without a place may be in the same row.
            None => true,
        });
        is_in_place || self.items.contains(&item.id)
    }
}

/// Deselects all other items of the container. If one stays selected, or a wanted one is no longer
/// selected, the outcome says so.
pub(super) fn deselect_others(
    cx: &Context<'_>,
    app: &App,
    wanted: &WantedSelection<'_>,
    mut outcome: ActionOutcome,
) -> ActionOutcome {
    let is_selected = |item: &Node| item.states.has(State::Selected);
    let is_other = |item: &Node| is_selected(item) && !wanted.contains(item);
    for item in read_items(cx, app, wanted).unwrap_or_default().iter().filter(|one| is_other(one)) {
        deselect(cx, app, item);
    }
    if !matches!(outcome.effect, ActionEffect::Confirmed | ActionEffect::Unverified) {
        return outcome;
    }
    let Some(all) = read_items(cx, app, wanted) else {
        outcome.effect = ActionEffect::Unverified;
        return outcome
            .with_next_step("the selection cannot be read now: read the container again");
    };
    // A single item was verified by itself. Of several, a list with one choice keeps only the last.
    let is_lost =
        |item: &Node| wanted.items.len() > 1 && wanted.contains(item) && !is_selected(item);
    for (what, names) in [
        ("still selected as well", names_of(&all, is_other)),
        ("no longer selected", names_of(&all, is_lost)),
    ] {
        if !names.is_empty() {
            outcome.effect = ActionEffect::Partial;
            let text = format!("{what}: {}", names.join(", "));
            outcome.evidence.push(Evidence::new(EvidenceKind::Selection, text));
        }
    }
    outcome
}

fn read_items(cx: &Context<'_>, app: &App, wanted: &WantedSelection<'_>) -> Option<Vec<Node>> {
    let fields = NodeFields { bounds: wanted.place.is_some(), ..SNAPSHOT_FACETS };
    let within = WalkOptions { max_depth: Some(3), ..WalkOptions::with_fields(fields) };
    let deadline = cx.deadline.at_most(timing::SELECTION_TIMEOUT);
    let part = cx.desktop.tree.walk(app, wanted.container, &within, deadline).ok()?;
    let all = select::items(&part, Index::ROOT).into_iter();
    Some(all.map(|at| part.node(at).clone()).collect())
}

/// Deselects an item. Items of Qt have an action for it in place of a container that deselects them.
fn deselect(cx: &Context<'_>, app: &App, item: &Node) {
    let send = |act: NodeAction| {
        let deadline = cx.deadline.at_most(timing::SELECTION_TIMEOUT);
        cx.desktop.tree.perform(app, &item.id, &act, deadline)
    };
    if send(NodeAction::Deselect) != Ok(ActionReply::Accepted) && app.toolkit.name.starts_with("Qt")
    {
        // The next read shows if this worked.
        let _toggled = send(NodeAction::Invoke("Toggle".to_owned()));
    }
}

fn names_of(items: &[Node], is_meant: impl Fn(&Node) -> bool) -> Vec<String> {
    items.iter().filter(|item| is_meant(item)).map(label).collect()
}

#[cfg(test)]
mod tests {
    use deskhand_model::Role;

    use super::*;
    use crate::testing::element;

    fn item(id: &str, bounds: Option<Rect>) -> Node {
        Node { bounds, ..element(id, Role::Cell) }
    }

    #[test]
    fn the_cells_in_the_row_of_a_clicked_item_stay_selected() {
        let (container, ids) = (NodeId::new("table"), [NodeId::new("clicked")]);
        let place = Some(Rect::new(0, 20, 80, 20));
        let in_table =
            WantedSelection { container: &container, items: &ids, place, has_columns: true };
        assert!(in_table.contains(&item("renamed", place)), "its id is new in this read");
        assert!(in_table.contains(&item("size", Some(Rect::new(80, 20, 50, 20)))));
        assert!(in_table.contains(&item("unplaced", None)));
        assert!(!in_table.contains(&item("below", Some(Rect::new(0, 40, 80, 20)))));
        let icons = WantedSelection { has_columns: false, ..in_table };
        assert!(!icons.contains(&item("beside", Some(Rect::new(80, 20, 80, 20)))));
        let named = WantedSelection { place: None, ..icons };
        assert!(named.contains(&item("clicked", None)) && !named.contains(&item("x", place)));
    }
}
