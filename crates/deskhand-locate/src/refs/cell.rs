//! The identity of table cells and headers that a toolkit creates anew for each read.
//!
//! Qt 5 and 6 give the rows, cells and headers of trees and tables a new id each time. Such an
//! element is the same if it is in the same table and shows the same in the same column of a row
//! with the same content. Of several alike, it is the one in the same place.

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
        })
    }

    /// Returns the cell with this identity in a snapshot, if there is exactly one candidate.
    pub(super) fn find(&self, snapshot: &Snapshot) -> Option<Index> {
        let table = snapshot.position(&self.table)?;
        let cells: Vec<Index> = snapshot.children(table).collect();
        let number = self.number as usize;
        if number < cells.len() && content(snapshot, &cells, number) == self.content {
            return Some(cells[number]);
        }
        let same = |number: &usize| content(snapshot, &cells, *number) == self.content;
        let mut alike = (0..cells.len()).filter(same);
        alike.next().filter(|_| alike.next().is_none()).map(|number| cells[number])
    }
}

/// Returns `true` for an element of a Qt table or tree, which has no permanent id.
fn is_recreated(snapshot: &Snapshot, at: Index) -> bool {
    let toolkit = &snapshot.app().toolkit;
    let table = snapshot.parent(at).map(|parent| snapshot.node(parent).role);
    toolkit.name.eq_ignore_ascii_case("qt")
        && table.is_some_and(|role| matches!(role, Role::Table | Role::Tree | Role::TreeTable))
        && (is_header(snapshot.node(at).role)
            || matches!(
                snapshot.node(at).role,
                Role::Cell | Role::TreeItem | Role::TableRow | Role::ListItem
            ))
}

fn is_header(role: Role) -> bool {
    matches!(
        role,
        Role::TableColumnHeader | Role::ColumnHeader | Role::TableRowHeader | Role::RowHeader
    )
}

/// Hashes what a cell shows: its role, its column and the names in its row. Qt lists the column
/// headers first and then the cells row by row.
fn content(snapshot: &Snapshot, cells: &[Index], number: usize) -> u64 {
    let is_column_header = |at: &&Index| {
        matches!(snapshot.node(**at).role, Role::TableColumnHeader | Role::ColumnHeader)
    };
    let columns = cells.iter().take_while(is_column_header).count().max(1);
    let node = snapshot.node(cells[number]);
    let mut hasher = DefaultHasher::new();
    (node.role.short(), number % columns).hash(&mut hasher);
    if is_header(node.role) {
        node.name.hash(&mut hasher);
    } else {
        let first = number - number % columns;
        for cell in &cells[first..cells.len().min(first + columns)] {
            snapshot.node(*cell).name.hash(&mut hasher);
        }
    }
    hasher.finish()
}
