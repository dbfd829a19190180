//! The children of an element, read page by page. A table may have a hundred thousand rows.

use deskhand_platform::Deadline;

use super::{
    AxError, Value,
    ax_api::{AxApi, AxResult},
    session::AxSession,
};
use crate::timing::MESSAGE_TIMEOUT;

/// The number of items read from a list that has more than the limit.
pub(crate) const LONG_LIST_SAMPLE: usize = 50;

/// Some children of an element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChildPage<E> {
    /// The children that were read.
    pub(crate) items: Vec<E>,
    /// The number of all children.
    pub(crate) total: usize,
}

/// Returns `true` if such an element may have so many children that they are counted before reading.
fn is_long(ax_role: &str) -> bool {
    matches!(ax_role, "AXTable" | "AXOutline" | "AXList" | "AXGrid" | "AXBrowser")
}

/// Returns `true` if such an element has a separate list of rows. Its children include the columns, which
/// contain the same cells again.
fn has_rows(ax_role: &str) -> bool {
    matches!(ax_role, "AXTable" | "AXOutline")
}

/// The number of children to read of a list with `total` items.
fn page_size(total: usize, limit: usize) -> usize {
    if total > limit { limit.min(LONG_LIST_SAMPLE) } else { total }
}

impl<A: AxApi> AxSession<A> {
    /// The number of an element's children.
    pub(crate) fn child_count(
        &self,
        of: &A::Element,
        ax_role: &str,
        deadline: Deadline,
    ) -> AxResult<usize> {
        let Some(rows) = self.row_count(of, ax_role, deadline)? else {
            return self.count_or_zero(of, "AXChildren", deadline);
        };
        Ok(rows + usize::from(self.header(of, deadline)?.is_some()))
    }

    /// The children of an element, beginning at index `first`.
    pub(crate) fn children(
        &self,
        of: &A::Element,
        ax_role: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<ChildPage<A::Element>> {
        if let Some(rows) = self.row_count(of, ax_role, deadline)? {
            return self.table_children(of, rows, first, limit, deadline);
        }
        let (name, one_more) = ("AXChildren", limit.saturating_add(1));
        if first == 0 && !is_long(ax_role) {
            let mut items = self.element_page(of, name, 0, one_more, deadline)?;
            if items.len() < one_more {
                let total = items.len();
                return Ok(ChildPage { items, total });
            }
            items.truncate(page_size(one_more, limit));
            return Ok(ChildPage {
                items,
                total: self.count_or_zero(of, name, deadline)?.max(one_more),
            });
        }
        let total = self.count_or_zero(of, name, deadline)?;
        let left = total.saturating_sub(first);
        let items = self.element_page(of, name, first, page_size(left, limit), deadline)?;
        Ok(ChildPage { items, total })
    }

    /// The header and rows of a table.
    fn table_children(
        &self,
        of: &A::Element,
        rows: usize,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<ChildPage<A::Element>> {
        let header = self.header(of, deadline)?;
        let offset = usize::from(header.is_some());
        let total = rows + offset;
        let count = page_size(total.saturating_sub(first), limit);
        let mut items: Vec<A::Element> = header.into_iter().skip(first).take(count).collect();
        let first_row = first.saturating_sub(offset);
        items.extend(self.element_page(of, "AXRows", first_row, count - items.len(), deadline)?);
        Ok(ChildPage { items, total })
    }

    /// The number of rows of a table, or `None` if the element is not a table or has no rows.
    fn row_count(
        &self,
        of: &A::Element,
        ax_role: &str,
        deadline: Deadline,
    ) -> AxResult<Option<usize>> {
        if !has_rows(ax_role) {
            return Ok(None);
        }
        Ok(Some(self.count_or_zero(of, "AXRows", deadline)?).filter(|rows| *rows > 0))
    }

    fn header(&self, of: &A::Element, deadline: Deadline) -> AxResult<Option<A::Element>> {
        match self.ax.attribute(of, "AXHeader", deadline.at_most(MESSAGE_TIMEOUT)) {
            Ok(value) => Ok(value.element().cloned()),
            Err(error) if is_empty_list(error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn count_or_zero(&self, of: &A::Element, name: &str, deadline: Deadline) -> AxResult<usize> {
        match self.ax.value_count(of, name, deadline.at_most(MESSAGE_TIMEOUT)) {
            Err(error) if is_empty_list(error) => Ok(0),
            answer => answer,
        }
    }

    fn element_page(
        &self,
        of: &A::Element,
        name: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<Vec<A::Element>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let page = |limit: usize| {
            self.ax.values(of, name, first, limit, deadline.at_most(MESSAGE_TIMEOUT))
        };
        let answer = match page(limit) {
            // Asking an empty list for its first value is an illegal argument. Some apps also reject a
            // request for more values than there are.
            Err(AxError::IllegalArgument) => {
                let left = self.count_or_zero(of, name, deadline)?.saturating_sub(first);
                if left == 0 { Ok(Vec::new()) } else { page(limit.min(left)) }
            }
            answer => answer,
        };
        match answer {
            Ok(values) => Ok(values.iter().filter_map(Value::element).cloned().collect()),
            Err(error) if is_empty_list(error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

/// Returns `true` if the error means an empty list. For an attribute that is not a list, macOS reports an
/// illegal argument.
fn is_empty_list(error: AxError) -> bool {
    error.is_absent() || error == AxError::IllegalArgument
}
