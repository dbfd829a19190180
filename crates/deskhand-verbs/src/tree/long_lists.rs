//! Searches the parts of an app that a read of the whole app leaves out: lists with thousands of
//! elements.

use std::time::Instant;

use deskhand_locate::NameFilter;
use deskhand_model::{App, Cut, Index, Node, NodeId, Snapshot, State};
use deskhand_platform::{
    ChildPart, Deadline, Error as PlatformError, NamedChild, NodeFields, WalkOptions,
};

use crate::{Context, Result, act::target::label, timing};

/// The number of children per request. The deadline is checked between two requests.
const CHILDREN_PER_PAGE: usize = 1_000;

/// The same on platforms that only read whole elements. It is below the limit of one read.
const ELEMENTS_PER_PAGE: usize = 500;

/// The number of children with matching names that are read per page.
const MAX_CANDIDATES: usize = 50;

/// The result of a search in long lists.
pub(super) struct ListSearch {
    /// The snapshot with the children that may match; `None` if none does.
    pub grown: Option<Snapshot>,
    /// The lists that were not searched completely, in words.
    pub unsearched: Vec<String>,
}

/// The snapshot whose long lists to search.
#[derive(Clone, Copy)]
pub(super) struct ListScope<'a> {
    pub cx: &'a Context<'a>,
    pub app: &'a App,
    pub snapshot: &'a Snapshot,
    /// A snapshot of the same app with the names of some long lists.
    pub known_names: Option<&'a Snapshot>,
    pub names: &'a NameFilter<'a>,
    /// The fields to read of elements that may match.
    pub fields: NodeFields,
}

/// Searches the long lists of a snapshot until `matches` accepts the snapshot with the children whose
/// names may match. Visible lists come first.
pub(super) fn search(
    scope: ListScope<'_>,
    matches: &mut dyn FnMut(&Snapshot) -> bool,
) -> Result<ListSearch> {
    let snapshot = scope.snapshot;
    let mut lists: Vec<Index> = snapshot
        .cuts()
        .filter(|(_, cut)| matches!(cut, Cut::Many | Cut::Budget))
        .map(|(at, _)| at)
        .collect();
    if scope.names.is_nothing() {
        lists.clear();
    }
    lists.sort_by_key(|at| !snapshot.node(*at).states.has(State::Showing));
    let mut unsearched = Vec::new();
    for at in lists {
        match (LongList { scope, at }).search(matches)? {
            PageResult::Found(grown) => {
                return Ok(ListSearch { grown: Some(*grown), unsearched });
            }
            PageResult::Searched => {}
            PageResult::Stopped(Gap(gap)) => {
                unsearched.push(format!("{} ({gap})", label(snapshot.node(at))));
            }
        }
    }
    Ok(ListSearch { grown: None, unsearched })
}

/// A list of which only the first children were read.
struct LongList<'a> {
    scope: ListScope<'a>,
    at: Index,
}

enum PageResult {
    /// The snapshot with a child that matches.
    Found(Box<Snapshot>),
    /// No child matches.
    Searched,
    /// The search stopped early.
    Stopped(Gap),
}

/// The part of a list that was not searched, in words.
struct Gap(String);

impl Gap {
    /// Describes a search that ran out of time, with the time that all children would take.
    fn new(searched: usize, total: Option<usize>, started: Instant) -> Self {
        let Some(total) = total else { return Self(format!("{searched} children searched")) };
        let share = searched as f64 / total as f64;
        let whole = started.elapsed().as_secs_f64() / share;
        let estimate = if whole.is_finite() {
            format!("; all of them take about {whole:.0} s")
        } else {
            String::new()
        };
        Self(format!("{searched} of {total} children searched{estimate}"))
    }

    /// Describes a search that left out long lists inside the children.
    fn inside(searched: usize) -> Self {
        Self(format!("{searched} children searched, but not the long lists inside them"))
    }
}

impl LongList<'_> {
    fn search(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        let Some(children) = self.known_children() else { return self.search_names(matches) };
        let inside = children.iter().any(|child| child.names.len() > 1);
        Ok(match self.with_candidates(&children, inside)? {
            Some(grown) if matches(&grown) => PageResult::Found(Box::new(grown)),
            Some(_) | None => PageResult::Searched,
        })
    }

    /// Returns the children with the names inside them; `None` if not all are known.
    fn known_children(&self) -> Option<Vec<NamedChild>> {
        let known = self.scope.known_names?;
        let now = self.scope.snapshot.node(self.at);
        let list = known.position(&now.id)?;
        // A browser that has just started accessibility adds rows from one read to the next.
        let has_grown = known.children(list).count() != now.child_count as usize;
        if has_grown || known.subtree(list).any(|at| known.node(at).cut.is_some()) {
            return None;
        }
        let name = |at: Index| known.node(at).name.clone();
        let children = known.children(list).enumerate().map(|(index, child)| NamedChild {
            index,
            id: known.node(child).id.clone(),
            names: known.subtree(child).map(name).collect(),
        });
        Some(children.collect())
    }

    /// Reads the names of the children, and then only the children whose names may match.
    fn search_names(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        // Names are inside the children if the first ones have children themselves.
        let mut known = self.scope.snapshot.children(self.at).peekable();
        let inside = known.peek().is_none()
            || known.any(|child| self.scope.snapshot.children(child).next().is_some());
        let id = &self.scope.snapshot.node(self.at).id;
        let tree = &self.scope.cx.desktop.tree;
        let started = Instant::now();
        let mut searched = 0;
        let mut total = None;
        let mut has_gaps = false;
        while let Some(deadline) = self.next_deadline()? {
            let part = ChildPart { first: searched, count: CHILDREN_PER_PAGE, inside };
            let page = match tree.child_names(self.scope.app, id, part, deadline) {
                Ok(page) => page,
                Err(PlatformError::Unsupported { .. }) => return self.search_elements(matches),
                Err(PlatformError::Timeout { .. }) => break,
                Err(error) => return Err(error.into()),
            };
            if let Some(grown) = self.with_candidates(&page.children, inside)?
                && matches(&grown)
            {
                return Ok(PageResult::Found(Box::new(grown)));
            }
            total = Some(page.total);
            has_gaps |= page.has_gaps;
            let expected = CHILDREN_PER_PAGE.min(page.total.saturating_sub(searched));
            searched += page.complete;
            if searched >= page.total {
                break;
            }
            if page.complete < expected {
                return Ok(PageResult::Stopped(Gap::new(searched, total, started)));
            }
        }
        Ok(if total.is_some_and(|total| searched >= total) {
            if has_gaps { PageResult::Stopped(Gap::inside(searched)) } else { PageResult::Searched }
        } else {
            PageResult::Stopped(Gap::new(searched, total, started))
        })
    }

    /// Returns the snapshot with those children whose names may match; `None` if there are none.
    fn with_candidates(&self, children: &[NamedChild], inside: bool) -> Result<Option<Snapshot>> {
        let mut buffer = String::new();
        let candidates: Vec<&NamedChild> = children
            .iter()
            .filter(|child| {
                child.names.iter().any(|name| self.scope.names.may_match(name, &mut buffer))
            })
            .take(MAX_CANDIDATES)
            .collect();
        if candidates.is_empty() {
            return Ok(None);
        }
        let list = &self.scope.snapshot.node(self.at).id;
        let tree = &self.scope.cx.desktop.tree;
        if !inside {
            // The name can be the text of a cell, which is its value.
            let fields = NodeFields { values: true, ..self.scope.fields };
            let ids: Vec<NodeId> = candidates.iter().map(|child| child.id.clone()).collect();
            let nodes = tree.read(self.scope.app, &ids, fields, self.scope.cx.deadline)?;
            return Ok(Some(self.with_page(&self.page_of(nodes.into_iter().flatten()))));
        }
        let mut grown = self.scope.snapshot.clone();
        for child in candidates {
            let page = WalkOptions {
                first_child: child.index,
                page_size: Some(1),
                ..WalkOptions::with_fields(self.scope.fields)
            };
            let page = tree.walk(self.scope.app, list, &page, self.scope.cx.deadline)?;
            // Children follow their list, so the list stays where it is.
            grown = grown.with_more_children(self.at, &page);
        }
        Ok(Some(grown))
    }

    /// Reads the children with everything inside them, page by page.
    fn search_elements(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        let id = &self.scope.snapshot.node(self.at).id;
        let started = Instant::now();
        let mut first = 0;
        let mut buffer = String::new();
        while let Some(deadline) = self.next_deadline()? {
            let page = WalkOptions {
                first_child: first,
                page_size: Some(ELEMENTS_PER_PAGE),
                ..WalkOptions::with_fields(self.scope.fields)
            };
            let page = match self.scope.cx.desktop.tree.walk(self.scope.app, id, &page, deadline) {
                Ok(page) => page,
                Err(PlatformError::Timeout { .. }) => break,
                Err(error) => return Err(error.into()),
            };
            let is_last = page.children(Index::ROOT).next().is_none();
            if page
                .iter()
                .skip(1)
                .any(|(_, node)| self.scope.names.may_match(&node.name, &mut buffer))
            {
                let grown = self.with_page(&page);
                if matches(&grown) {
                    return Ok(PageResult::Found(Box::new(grown)));
                }
            }
            if is_last {
                return Ok(PageResult::Searched);
            }
            first += ELEMENTS_PER_PAGE;
        }
        Ok(PageResult::Stopped(Gap::new(first, None, started)))
    }

    /// Returns the deadline of the next page; `None` if there is no time for one.
    fn next_deadline(&self) -> Result<Option<Deadline>> {
        self.scope.cx.cancel.check()?;
        let left = self.scope.cx.deadline.remaining();
        let left = left.saturating_sub(timing::LIST_SEARCH_RESERVE);
        Ok((!left.is_zero()).then(|| self.scope.cx.deadline.at_most(left)))
    }

    fn with_page(&self, page: &Snapshot) -> Snapshot {
        self.scope.snapshot.with_more_children(self.at, page)
    }

    fn page_of(&self, children: impl Iterator<Item = Node>) -> Snapshot {
        let list = self.scope.snapshot.node(self.at).clone();
        let nodes: Vec<Node> = std::iter::once(list).chain(children).collect();
        let mut below = vec![Vec::new(); nodes.len()];
        below[0] = (1..nodes.len()).map(|child| child as u32).collect();
        Snapshot::assemble(self.scope.app.clone(), nodes, &below)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_unfinished_search_says_how_long_the_whole_list_takes() {
        let started =
            Instant::now().checked_sub(Duration::from_secs(2)).unwrap_or_else(Instant::now);
        let Gap(text) = Gap::new(500, Some(2_500), started);
        assert_eq!(text, "500 of 2500 children searched; all of them take about 10 s");
        let Gap(text) = Gap::new(0, Some(2_500), started);
        assert_eq!(text, "0 of 2500 children searched");
        let Gap(text) = Gap::new(500, None, started);
        assert_eq!(text, "500 children searched");
    }
}
