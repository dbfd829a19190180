//! Selection by item number in containers that manage their own selection.

use std::collections::BTreeSet;

use deskhand_model::{Index, NodeId, Role, Snapshot};
use deskhand_platform::{Deadline, NodeAction};

use super::{
    target::{self, ActionTarget},
    timing,
    verify::{poll_until, send_outcome},
};
use crate::{
    Context, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
};

/// Selects items by number; `None` if the container does not manage a selection or nothing changed.
/// Swing creates new items for every read, so only their numbers are stable.
pub(crate) fn select_in_container(
    cx: &Context<'_>,
    container: &ActionTarget,
    found: &[Index],
) -> Result<Option<ActionOutcome>> {
    let (tree, app, id) = (&cx.desktop.tree, &container.app, &container.node.id);
    let items: Vec<Index> = container.tree.snapshot.children(container.index).collect();
    let numbers: Option<BTreeSet<usize>> =
        found.iter().map(|item| items.iter().position(|child| child == item)).collect();
    let selected =
        || selected_numbers(cx, container, &items, Deadline::after(timing::SELECTION_TIMEOUT));
    let (Some(wanted), Some(before)) = (numbers, selected()) else { return Ok(None) };
    let columns = column_count(&container.tree.snapshot, &items);
    let is_wanted = |now: &BTreeSet<usize>| selects_rows(now, &wanted, columns);
    let format_items = |numbers: &BTreeSet<usize>| {
        let name = |number: &usize| item_title(&container.tree.snapshot, items[*number]);
        numbers.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let mut outcome =
        ActionOutcome::new(ActionEffect::Confirmed, "selection").on(container.label());
    outcome.element_ref = Some(container.reference.clone());
    if is_wanted(&before) {
        let text = format!("{} is already in that state", container.label());
        outcome.evidence.push(Evidence::new(EvidenceKind::Selection, text));
        return Ok(Some(ActionOutcome { strategy: "nothing to do".to_owned(), ..outcome }));
    }
    let clear = (!before.is_empty()).then_some(NodeAction::SelectNone);
    let acts = clear.into_iter().chain(wanted.iter().map(|at| NodeAction::SelectItem(*at)));
    for (sent, act) in acts.enumerate() {
        let deadline = Deadline::after(timing::SELECTION_TIMEOUT);
        match send_outcome(tree.perform(app, id, &act, deadline)) {
            Ok(_) => {}
            // Something was sent, so the selection that is read below decides.
            Err(_) if sent > 0 => break,
            Err(error) => return Err(error),
        }
    }
    let mut now = Some(before.clone());
    poll_until(timing::SELECTION_SETTLE, || {
        now = selected();
        now.as_ref().is_some_and(is_wanted)
    });
    if now.as_ref().is_some_and(is_wanted) {
        // Some apps undo a selection right after it was made.
        std::thread::sleep(timing::SLOW_SETTLE_QUIET);
        now = selected();
    }
    let Some(now) = now else {
        let next = "the selection cannot be read now: read the container again";
        outcome.effect = ActionEffect::Unverified;
        return Ok(Some(outcome.with_next_step(next)));
    };
    if now == before {
        return Ok(None);
    }
    if !is_wanted(&now) {
        outcome.effect = ActionEffect::Partial;
        outcome.next_step = Some("check the selection before you continue".into());
    }
    let change = Evidence::change(
        EvidenceKind::Selection,
        container.label(),
        format_items(&before),
        format_items(&now),
    );
    outcome.evidence.push(change);
    Ok(Some(outcome))
}

/// Returns the number of columns of a table that lists its headers and cells row by row, as GTK 3 does;
/// otherwise 1.
fn column_count(snapshot: &Snapshot, items: &[Index]) -> usize {
    let role = |at: &Index| snapshot.node(*at).role;
    let is_header = |at: &Index| matches!(role(at), Role::ColumnHeader | Role::TableColumnHeader);
    items.iter().take_while(|at| is_header(at)).count().max(1)
}

/// Returns `true` if the selected items are the wanted ones, or the other cells of their rows.
fn selects_rows(now: &BTreeSet<usize>, wanted: &BTreeSet<usize>, columns: usize) -> bool {
    let rows = |all: &BTreeSet<usize>| all.iter().map(|at| at / columns).collect::<BTreeSet<_>>();
    now.is_superset(wanted) && rows(now) == rows(wanted)
}

/// Returns the numbers of the selected items; `None` if the container does not manage a selection
/// or an item cannot be identified.
fn selected_numbers(
    cx: &Context<'_>,
    container: &ActionTarget,
    items: &[Index],
    deadline: Deadline,
) -> Option<BTreeSet<usize>> {
    let (tree, app, snapshot) = (&cx.desktop.tree, &container.app, &container.tree.snapshot);
    // If the container does not manage a selection, the items themselves are asked.
    let selected = tree.selected_items(app, &container.node.id, deadline).ok().flatten()?;
    let number = |id: &NodeId| match snapshot.position(id) {
        Some(at) => items.iter().position(|item| *item == at),
        None => {
            let read =
                tree.read(app, std::slice::from_ref(id), target::SNAPSHOT_FACETS, deadline).ok()?;
            let name = read.into_iter().flatten().next().map(|item| item.name)?;
            let mut same_name =
                (0..items.len()).filter(|at| snapshot.node(items[*at]).name == name);
            same_name.next().filter(|_| same_name.next().is_none())
        }
    };
    selected.iter().map(number).collect()
}

/// Returns the title of an item. GTK 4 gives all tabs and rows the same name and puts their text
/// inside.
fn item_title(snapshot: &Snapshot, item: Index) -> String {
    let name = |at: Index| snapshot.node(at).name.as_str();
    let inside = || snapshot.subtree(item).skip(1).map(name).find(|name| !name.is_empty());
    let same_name = snapshot.parent(item).is_some_and(|up| {
        snapshot.children(up).filter(|other| name(*other) == name(item)).count() > 1
    });
    let own = if same_name || name(item).is_empty() { inside() } else { None };
    own.unwrap_or(name(item)).to_owned()
}

#[cfg(test)]
mod tests {
    use deskhand_model::Node;

    use super::*;
    use crate::testing::app;

    /// Builds a row of tabs with the same name and different labels.
    fn tabs(labels: &[&str]) -> Snapshot {
        let app = app("row");
        let mut nodes = vec![Node::new(NodeId::new("row"), Role::TabList)];
        let mut children = vec![Vec::new()];
        for label in labels {
            let tab = nodes.len() as u32;
            children[0].push(tab);
            children.push(vec![tab + 1]);
            children.push(Vec::new());
            let named = |id: String, role, name: &str| Node {
                name: name.to_owned(),
                ..Node::new(NodeId::new(id), role)
            };
            nodes.push(named(format!("tab {label}"), Role::Tab, "Tab"));
            nodes.push(named(format!("label {label}"), Role::Label, label));
        }
        Snapshot::assemble(app, nodes, &children)
    }

    #[test]
    fn a_selected_row_contains_the_wanted_cell() {
        let set = |numbers: &[usize]| numbers.iter().copied().collect::<BTreeSet<_>>();
        assert!(selects_rows(&set(&[4, 5]), &set(&[4]), 2), "the whole row");
        assert!(!selects_rows(&set(&[4, 5, 6]), &set(&[4]), 2), "and another row");
        assert!(!selects_rows(&set(&[5]), &set(&[4]), 2), "without the cell");
        assert!(!selects_rows(&set(&[4, 5]), &set(&[4]), 1), "a list has no columns");
        assert!(!selects_rows(&set(&[]), &set(&[4]), 1));
    }

    #[test]
    fn items_with_the_same_name_are_titled_by_their_content() {
        let row = tabs(&["One", "Two"]);
        let names: Vec<String> =
            row.children(Index::ROOT).map(|tab| item_title(&row, tab)).collect();
        assert_eq!(names, ["One", "Two"]);
        let alone = tabs(&["One"]);
        let only = alone.children(Index::ROOT).next().map(|tab| item_title(&alone, tab));
        assert_eq!(only.as_deref(), Some("Tab"));
    }
}
