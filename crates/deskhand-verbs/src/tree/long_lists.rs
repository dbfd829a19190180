//! Searches the parts of an app that a read of the whole app leaves out: lists with thousands of
//! elements.

use deskhand_locate::{NameFilter, Query};
use deskhand_model::{App, Cut, Index, Node, NodeId, Snapshot, State};
use deskhand_platform::{Deadline, Error as PlatformError, NodeFields, WalkOptions};

use crate::{Context, Result, act::target::label, timing};

/// The number of children per request. The deadline is checked between two requests.
const NAMES_PER_PAGE: usize = 2_000;

/// The same for children that have children themselves. It is below the limit of one read.
const ELEMENTS_PER_PAGE: usize = 500;

/// A list with more children is a sheet that computes them, such as Calc's with 2³¹ cells.
const MAX_CHILDREN: usize = 2_000_000;

/// The result of a search in long lists.
pub(super) struct ListSearch {
    /// The snapshot with the children that may match; `None` if none does.
    pub grown: Option<Snapshot>,
    /// The lists that were not searched completely, in words.
    pub unsearched: Vec<String>,
}

/// Searches the long lists of a snapshot until `matches` accepts the snapshot with the children whose
/// names may match. Visible lists come first.
pub(super) fn search(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    query: &Query,
    fields: NodeFields,
    matches: &mut dyn FnMut(&Snapshot) -> bool,
) -> Result<ListSearch> {
    let mut lists: Vec<Index> = snapshot
        .cuts()
        .filter(|(_, cut)| matches!(cut, Cut::Many | Cut::Budget))
        .map(|(at, _)| at)
        .collect();
    let names = query.name_filter();
    if names.is_nothing() {
        lists.clear();
    }
    lists.sort_by_key(|at| !snapshot.node(*at).states.has(State::Showing));
    let mut unsearched = Vec::new();
    for at in lists {
        let list = LongList { cx, app, snapshot, at, names: &names, fields };
        match list.search(matches)? {
            PageResult::Found(grown) => {
                return Ok(ListSearch { grown: Some(*grown), unsearched });
            }
            PageResult::Searched => {}
            PageResult::Stopped { searched, total } => {
                let name = label(snapshot.node(at));
                let total = total.map_or_else(String::new, |total| format!(" of {total}"));
                unsearched.push(format!("{name} ({searched}{total} children searched)"));
            }
        }
    }
    Ok(ListSearch { grown: None, unsearched })
}

/// A list of which only the first children were read.
struct LongList<'a> {
    cx: &'a Context<'a>,
    app: &'a App,
    snapshot: &'a Snapshot,
    at: Index,
    names: &'a NameFilter<'a>,
    fields: NodeFields,
}

enum PageResult {
    /// The snapshot with a child that matches.
    Found(Box<Snapshot>),
    /// No child matches.
    Searched,
    /// The search stopped early.
    Stopped { searched: usize, total: Option<usize> },
}

impl LongList<'_> {
    fn search(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        // Names are inside the children if the first ones have children themselves.
        let mut known = self.snapshot.children(self.at).peekable();
        let is_nested = known.peek().is_none()
            || known.any(|child| self.snapshot.children(child).next().is_some());
        if is_nested { self.search_elements(matches) } else { self.search_names(matches) }
    }

    /// Reads the names of the children, and then only the children whose names may match.
    fn search_names(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        let id = &self.snapshot.node(self.at).id;
        let tree = &self.cx.desktop.tree;
        let mut first = 0;
        let mut total = None;
        let mut buffer = String::new();
        while let Some(deadline) = self.next_deadline()? {
            let names = match tree.child_names(self.app, id, first, NAMES_PER_PAGE, deadline) {
                Ok(names) => names,
                Err(PlatformError::Unsupported { .. }) => return self.search_elements(matches),
                Err(PlatformError::Timeout { .. }) => break,
                Err(error) => return Err(error.into()),
            };
            total = Some(names.total);
            let ids: Vec<NodeId> = names
                .children
                .into_iter()
                .filter(|(_, name)| self.names.may_match(name, &mut buffer))
                .map(|(id, _)| id)
                .collect();
            if !ids.is_empty() {
                let nodes = tree.read(self.app, &ids, self.fields, self.cx.deadline)?;
                let grown = self.with_page(&self.page_of(nodes.into_iter().flatten()));
                if matches(&grown) {
                    return Ok(PageResult::Found(Box::new(grown)));
                }
            }
            if names.total > MAX_CHILDREN || names.incomplete {
                break;
            }
            first += NAMES_PER_PAGE;
            if first >= names.total {
                return Ok(PageResult::Searched);
            }
        }
        Ok(PageResult::Stopped { searched: first, total })
    }

    /// Reads the children with everything inside them, page by page.
    fn search_elements(&self, matches: &mut dyn FnMut(&Snapshot) -> bool) -> Result<PageResult> {
        let id = &self.snapshot.node(self.at).id;
        let mut first = 0;
        let mut buffer = String::new();
        while let Some(deadline) = self.next_deadline()? {
            let page = WalkOptions {
                first_child: first,
                page_size: Some(ELEMENTS_PER_PAGE),
                ..WalkOptions::with_fields(self.fields)
            };
            let page = match self.cx.desktop.tree.walk(self.app, id, &page, deadline) {
                Ok(page) => page,
                Err(PlatformError::Timeout { .. }) => break,
                Err(error) => return Err(error.into()),
            };
            let is_last = page.children(Index::ROOT).next().is_none();
            if page.iter().skip(1).any(|(_, node)| self.names.may_match(&node.name, &mut buffer)) {
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
        Ok(PageResult::Stopped { searched: first, total: None })
    }

    /// Returns the deadline of the next page; `None` if there is no time for one.
    fn next_deadline(&self) -> Result<Option<Deadline>> {
        self.cx.cancel.check()?;
        let left = self.cx.deadline.remaining();
        let left = left.saturating_sub(timing::LIST_SEARCH_RESERVE);
        Ok((!left.is_zero()).then(|| self.cx.deadline.at_most(left)))
    }

    fn with_page(&self, page: &Snapshot) -> Snapshot {
        self.snapshot.with_more_children(self.at, page)
    }

    fn page_of(&self, children: impl Iterator<Item = Node>) -> Snapshot {
        let list = self.snapshot.node(self.at).clone();
        let nodes: Vec<Node> = std::iter::once(list).chain(children).collect();
        let mut below = vec![Vec::new(); nodes.len()];
        below[0] = (1..nodes.len()).map(|child| child as u32).collect();
        Snapshot::assemble(self.app.clone(), nodes, &below)
    }
}
