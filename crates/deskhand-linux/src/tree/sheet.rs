//! The used area of a spreadsheet. LibreOffice reports a sheet as a table of 2³¹ cells, almost all of
//! them empty.

use deskhand_platform::Deadline;
use zbus::{Message, OwnedVariant};

use super::{
    atspi,
    dbus::{CallError, DbusClient, Peer, body, method_call},
    facts::{self, Fact},
};

/// A table with more cells is a spreadsheet.
const MIN_CELLS: usize = 100_000_000;

/// The role of scroll bars.
const SCROLL_BAR: u32 = 48;

/// The position of the states for orientations in the first word of a state set.
const HORIZONTAL: u32 = 1 << 14;
const VERTICAL: u32 = 1 << 29;

/// The part of a sheet that may have content: its first rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedArea {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl UsedArea {
    /// Returns the number of cells.
    pub(super) fn len(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// Returns the row and the column of a cell. Cells are counted column by column, because sheets
    /// have few columns with many rows.
    pub(super) fn cell(self, at: usize) -> (i32, i32) {
        let number = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        (number(at % self.rows), number(at / self.rows))
    }
}

/// Returns `true` if a table with this many cells is a spreadsheet.
pub(super) fn is_sheet(cells: usize) -> bool {
    cells > MIN_CELLS
}

/// Builds the call that requests a cell of a sheet.
pub(super) fn cell_call(
    peer: &Peer,
    sheet: &str,
    (row, column): (i32, i32),
) -> Result<Message, CallError> {
    method_call(peer, sheet, atspi::TABLE, "GetAccessibleAt", &(row, column))
}

/// Builds the call that requests the whole text of a cell.
pub(super) fn text_call(peer: &Peer, cell: &str) -> Result<Message, CallError> {
    Fact::Text(-1).request(peer, cell)
}

/// Returns the used area of a sheet. The sheet does not report it, but its scroll bars do: they end
/// about one screen after the last cell with content.
pub(super) fn used_area(
    client: &mut DbusClient,
    peer: &Peer,
    sheet: &str,
    deadline: Deadline,
) -> Result<Option<UsedArea>, CallError> {
    let mut holder = sheet.to_owned();
    // The sheet is inside a document, which has the scroll bars as siblings.
    for _ in 0..2 {
        let parent = atspi::property_call(peer, &holder, atspi::ACCESSIBLE, "Parent")?;
        let parent: OwnedVariant = body(&client.call(parent, deadline)?)?;
        let Ok((_, path)) = atspi::ObjectRef::try_from(parent) else { return Ok(None) };
        holder = path.as_str().to_owned();
    }
    let mut call = |path: &str, fact: Fact| client.call(fact.request(peer, path)?, deadline);
    let siblings: Vec<atspi::ObjectRef> = body(&call(&holder, Fact::Children)?)?;
    let (mut rows, mut columns) = (0, 0);
    for (_, path) in &siblings {
        if body::<u32>(&call(path.as_str(), Fact::Role)?)? != SCROLL_BAR {
            continue;
        }
        let states: Vec<u32> = body(&call(path.as_str(), Fact::States)?)?;
        let end = facts::number(&call(path.as_str(), Fact::NumberMax)?).unwrap_or(0.0) as usize;
        match states.first() {
            Some(word) if word & VERTICAL != 0 => rows = rows.max(end),
            Some(word) if word & HORIZONTAL != 0 => columns = columns.max(end),
            Some(_) | None => {}
        }
    }
    Ok((rows > 0 && columns > 0).then_some(UsedArea { rows, columns }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_column_by_column() {
        let area = UsedArea { rows: 3, columns: 2 };
        let cells: Vec<(i32, i32)> = (0..area.len()).map(|at| area.cell(at)).collect();
        assert_eq!(cells, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
        assert!(is_sheet(1_048_576 * 1_024) && !is_sheet(200_002));
    }
}
