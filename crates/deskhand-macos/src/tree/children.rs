//! The children of an element, a page at a time: tables of a hundred thousand rows are never read
//! whole.

use deskhand_platform::Deadline;

use super::{
    Fault, Value,
    room::{MESSAGE, Room},
    system::{Answer, Ax},
};

/// Of a list too long to read whole, this many items are read at once.
pub(crate) const SAMPLE: usize = 50;

/// Some children of an element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<E> {
    /// Those read.
    pub(crate) items: Vec<E>,
    /// How many there are in all.
    pub(crate) total: usize,
}

/// Whether such elements have so many children that they are counted before they are read.
fn is_long(ax_role: &str) -> bool {
    matches!(ax_role, "AXTable" | "AXOutline" | "AXList" | "AXGrid" | "AXBrowser")
}

/// Whether the rows of such an element are a list of their own: among its children are the columns
/// too, which hold the same cells again.
fn has_rows(ax_role: &str) -> bool {
    matches!(ax_role, "AXTable" | "AXOutline")
}

/// How many of a number of children are read at once.
fn share(total: usize, most: usize) -> usize {
    if total > most { most.min(SAMPLE) } else { total }
}

impl<G: Ax> Room<G> {
    /// How many children an element has.
    pub(crate) fn child_count(
        &self,
        of: &G::Element,
        ax_role: &str,
        by: Deadline,
    ) -> Answer<usize> {
        let Some(rows) = self.rows(of, ax_role, by)? else {
            return self.counted(of, "AXChildren", by);
        };
        Ok(rows + usize::from(self.header(of, by)?.is_some()))
    }

    /// Children of an element, from one on, as many as a look may hold of one element.
    pub(crate) fn children(
        &self,
        of: &G::Element,
        ax_role: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Page<G::Element>> {
        if let Some(rows) = self.rows(of, ax_role, by)? {
            return self.table(of, rows, first, most, by);
        }
        let (name, many) = ("AXChildren", most.saturating_add(1));
        if first == 0 && !is_long(ax_role) {
            let mut items = self.paged(of, name, 0, many, by)?;
            if items.len() < many {
                let total = items.len();
                return Ok(Page { items, total });
            }
            items.truncate(share(many, most));
            return Ok(Page { items, total: self.counted(of, name, by)?.max(many) });
        }
        let total = self.counted(of, name, by)?;
        let left = total.saturating_sub(first);
        let items = self.paged(of, name, first, share(left, most), by)?;
        Ok(Page { items, total })
    }

    /// The rows of a table, behind its header.
    fn table(
        &self,
        of: &G::Element,
        rows: usize,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Page<G::Element>> {
        let header = self.header(of, by)?;
        let ahead = usize::from(header.is_some());
        let total = rows + ahead;
        let want = share(total.saturating_sub(first), most);
        let mut items: Vec<G::Element> = header.into_iter().skip(first).take(want).collect();
        let from = first.saturating_sub(ahead);
        items.extend(self.paged(of, "AXRows", from, want - items.len(), by)?);
        Ok(Page { items, total })
    }

    /// How many rows a table has; `None` for what is no table or counts none.
    fn rows(&self, of: &G::Element, ax_role: &str, by: Deadline) -> Answer<Option<usize>> {
        if !has_rows(ax_role) {
            return Ok(None);
        }
        Ok(Some(self.counted(of, "AXRows", by)?).filter(|rows| *rows > 0))
    }

    fn header(&self, of: &G::Element, by: Deadline) -> Answer<Option<G::Element>> {
        match self.ax.get(of, "AXHeader", by.or_after(MESSAGE)) {
            Ok(value) => Ok(value.element().cloned()),
            Err(fault) if is_nothing(fault) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn counted(&self, of: &G::Element, name: &str, by: Deadline) -> Answer<usize> {
        match self.ax.count(of, name, by.or_after(MESSAGE)) {
            Err(fault) if is_nothing(fault) => Ok(0),
            answer => answer,
        }
    }

    fn paged(
        &self,
        of: &G::Element,
        name: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Vec<G::Element>> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let page = |most: usize| self.ax.page(of, name, first, most, by.or_after(MESSAGE));
        let answer = match page(most) {
            // An empty list has no first value to begin with; a list that is not empty was asked for
            // more than it has, which not every app takes.
            Err(Fault::IllegalArgument) => {
                let left = self.counted(of, name, by)?.saturating_sub(first);
                if left == 0 { Ok(Vec::new()) } else { page(most.min(left)) }
            }
            answer => answer,
        };
        match answer {
            Ok(values) => Ok(values.iter().filter_map(Value::element).cloned().collect()),
            Err(fault) if is_nothing(fault) => Ok(Vec::new()),
            Err(fault) => Err(fault),
        }
    }
}

/// Whether a fault only says that there is nothing: what is no list is an illegal argument.
fn is_nothing(fault: Fault) -> bool {
    fault.is_absence() || fault == Fault::IllegalArgument
}
