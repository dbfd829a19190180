//! The identity of items, cells, headers and tabs that have no permanent id.
//!
//! Qt 5 and 6 give the rows, cells and headers of trees and tables a new id each time, and the ids of
//! list items and tabs follow their place: after an item was inserted or removed, the same id is another
//! item. Such an element is the same if it is in the same container and shows the same in the same column
//! of a row with the same content. Of several alike, it is the one in the same place, as long as the
//! container has as many items as before.

use std::hash::{DefaultHasher, Hash, Hasher};

use deskhand_model::{Index, NodeId, Role, Snapshot};
use serde::{Deserialize, Serialize};

/// The identity of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CellIdentity {
    /// The table, whose id is permanent.
    #[serde(rename = "t")]
    pub(super) table: NodeId,
    /// A hash of the role, the column and the names in the row.
    #[serde(rename = "h")]
    pub(super) content: u64,
    /// The number of the cell among the children of the table.
    #[serde(rename = "n")]
    pub(super) number: u32,
    /// The number of cells in the table, if several show the same. Only its place tells such a cell
    /// from the others.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    alike_among: Option<u32>,
    /// A hash of the first name in the row. The other columns of a row may change, as the progress of a
    /// download does.
    #[serde(rename = "k", default)]
    key: u64,
}

impl CellIdentity {
    /// Returns the identity of an element; `None` if its own id is permanent.
    pub(super) fn of(snapshot: &Snapshot, at: Index) -> Option<Self> {
        if !is_recreated(snapshot, at) {
            return None;
        }
        let table = snapshot.parent(at)?;
        let cells: Vec<Index> = snapshot.children(table).collect();
        let number = cells.binary_search(&at).ok()?;
        Some(Self {
            table: snapshot.node(table).id.clone(),
            content: content(snapshot, &cells, number),
            number: number as u32,
            alike_among: has_twin(snapshot, &cells, number).then_some(cells.len() as u32),
            key: key(snapshot, &cells, number),
        })
    }

    /// Returns `true` if an element with the same id is in the same row as before.
    pub(super) fn is_same_row(&self, now: &Self) -> bool {
        let is_same_place = self.number == now.number && self.alike_among == now.alike_among;
        self.table == now.table
            && self.key == now.key
            && (is_same_place || self.alike_among.or(now.alike_among).is_none())
    }

    /// Returns the cell with this identity in a snapshot, if there is exactly one candidate.
    pub(super) fn find(&self, snapshot: &Snapshot) -> Option<Index> {
        let table = snapshot.position(&self.table)?;
        let cells: Vec<Index> = snapshot.children(table).collect();
        let number = self.number as usize;
        if number < cells.len() && content(snapshot, &cells, number) == self.content {
            let is_certain = self.alike_among.is_none_or(|count| count as usize == cells.len());
            return is_certain.then(|| cells[number]);
        }
        if self.alike_among.is_some() {
            return None;
        }
        let same = |number: &usize| content(snapshot, &cells, *number) == self.content;
        let mut alike = (0..cells.len()).filter(same);
        alike.next().filter(|_| alike.next().is_none()).map(|number| cells[number])
    }
}

/// Returns `true` for an element of a Qt table, tree, list or tab bar, which has no permanent id.
fn is_recreated(snapshot: &Snapshot, at: Index) -> bool {
    let toolkit = &snapshot.app().toolkit;
    let table = snapshot.parent(at).map(|parent| snapshot.node(parent).role);
    toolkit.name.eq_ignore_ascii_case("qt")
        && table.is_some_and(|role| {
            matches!(
                role,
                Role::Table
                    | Role::Tree
                    | Role::TreeTable
                    | Role::List
                    | Role::ListBox
                    | Role::TabList
            )
        })
        && (is_header(snapshot.node(at).role)
            || matches!(
                snapshot.node(at).role,
                Role::Cell | Role::TreeItem | Role::TableRow | Role::ListItem | Role::Tab
            ))
}

fn is_header(role: Role) -> bool {
    matches!(
        role,
        Role::TableColumnHeader | Role::ColumnHeader | Role::TableRowHeader | Role::RowHeader
    )
}

/// Hashes what a cell shows.
fn content(snapshot: &Snapshot, cells: &[Index], number: usize) -> u64 {
    let (role, column, names) = shown(snapshot, cells, columns(snapshot, cells), number);
    let mut hasher = DefaultHasher::new();
    (role.short(), column).hash(&mut hasher);
    names.for_each(|name| name.hash(&mut hasher));
    hasher.finish()
}

/// Hashes the first name in the row of a cell.
fn key(snapshot: &Snapshot, cells: &[Index], number: usize) -> u64 {
    let (_, _, mut names) = shown(snapshot, cells, columns(snapshot, cells), number);
    let mut hasher = DefaultHasher::new();
    names.find(|name| !name.is_empty()).hash(&mut hasher);
    hasher.finish()
}

/// Returns `true` if another cell shows the same.
fn has_twin(snapshot: &Snapshot, cells: &[Index], number: usize) -> bool {
    let columns = columns(snapshot, cells);
    let others = (number % columns..cells.len()).step_by(columns).filter(|other| *other != number);
    let (role, _, names) = shown(snapshot, cells, columns, number);
    others.into_iter().any(|other| {
        let (other_role, _, other_names) = shown(snapshot, cells, columns, other);
        other_role == role && other_names.eq(names.clone())
    })
}

/// Returns the number of columns. Qt lists the column headers first and then the cells row by row.
fn columns(snapshot: &Snapshot, cells: &[Index]) -> usize {
    let is_column_header = |at: &&Index| {
        matches!(snapshot.node(**at).role, Role::TableColumnHeader | Role::ColumnHeader)
    };
    cells.iter().take_while(is_column_header).count().max(1)
}

/// Returns what a cell shows: its role, its column and the names in its row.
fn shown<'a>(
    snapshot: &'a Snapshot,
    cells: &'a [Index],
    columns: usize,
    number: usize,
) -> (Role, usize, impl Iterator<Item = &'a str> + Clone) {
    let column = number % columns;
    let role = snapshot.node(cells[number]).role;
    let row = if is_header(role) {
        &cells[number..=number]
    } else {
        let first = number - column;
        &cells[first..cells.len().min(first + columns)]
    };
    (role, column, row.iter().map(|cell| snapshot.node(*cell).name.as_str()))
}
