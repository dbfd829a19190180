//! Reading the tree of an app and finding elements in it.

pub mod assertions;
pub mod element;
pub mod explain;
pub mod focus;
pub(crate) mod hidden_text;
pub mod page;
pub mod sanitize;
pub mod view;

use std::collections::HashSet;

use deskhand_locate::{
    LocatedElement, Query, Ref, RefTable, Strategy, find_all, find_one, is_conclusive,
};
use deskhand_model::{App, Index, NodeId, Snapshot, hidden};
use deskhand_platform::{NodeFields, WalkOptions};

use self::sanitize::HiddenTextPolicy;
use crate::{Context, Result};

/// A snapshot of an app with the refs of its elements.
pub struct TreeRead {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The refs of the app.
    pub refs: RefTable,
    /// The facets that were read of each element.
    pub facets: NodeFields,
    /// The elements whose text was changed because users cannot see it.
    pub sanitized: HashSet<NodeId>,
}

impl TreeRead {
    /// Reads the tree of an app.
    pub fn of_app(cx: &Context<'_>, app: &App, within: &WalkOptions) -> Result<Self> {
        Self::of_subtree(cx, app, &app.root, within)
    }

    /// Reads the tree below an element.
    pub fn of_subtree(
        cx: &Context<'_>,
        app: &App,
        from: &NodeId,
        within: &WalkOptions,
    ) -> Result<Self> {
        let snapshot = cx.desktop.tree.walk(app, from, within, cx.deadline)?;
        let refs = RefTable::open(cx.state_dir, app)?;
        Ok(Self { snapshot, refs, facets: within.fields, sanitized: HashSet::new() })
    }

    /// Returns the ref of an element and assigns one if necessary.
    pub fn assign_ref(&mut self, at: Index) -> Ref {
        self.refs.assign(&self.snapshot, at)
    }

    /// Saves the assigned refs for later calls.
    pub fn save_refs(&mut self) -> Result<()> {
        Ok(self.refs.save()?)
    }
}

/// The result of a search and the snapshot in which it was found.
pub struct SearchResult<T> {
    /// The snapshot.
    pub tree: TreeRead,
    /// The result.
    pub found: T,
}

/// Finds the only visible element that matches a query.
pub fn find_element(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
) -> Result<SearchResult<LocatedElement>> {
    find_element_with(cx, app, query, HiddenTextPolicy::Omit)
}

/// Like [`find_element`], with a choice of how to treat hidden text.
pub fn find_element_with(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    policy: HiddenTextPolicy,
) -> Result<SearchResult<LocatedElement>> {
    let (mut tree, mut found) = search(cx, app, query, NodeFields::MINIMAL)?;
    // Names alone do not show if they are visible. An element that is addressed by its ref has been
    // shown before.
    let may_be_hidden = match &found {
        Ok(_) if query.reference().is_some() => false,
        Ok(found) => sanitize::may_be_hidden(cx, app, &tree.snapshot, found.index),
        Err(_) => hidden::may_have_hidden_text(&tree.snapshot),
    };
    if may_be_hidden {
        tree = read_sanitized(cx, app, query.required_fields(), policy)?;
        found = find_one(&tree.snapshot, query, &mut tree.refs);
    }
    // Errors list candidates by their refs, so the refs are saved in any case.
    tree.save_refs()?;
    Ok(SearchResult { found: found?, tree })
}

/// Reads at least these facets and removes or marks hidden text.
fn read_sanitized(
    cx: &Context<'_>,
    app: &App,
    facets: NodeFields,
    policy: HiddenTextPolicy,
) -> Result<TreeRead> {
    let mut tree =
        TreeRead::of_app(cx, app, &WalkOptions::with_fields(facets.union(NodeFields::STANDARD)))?;
    tree.sanitize(cx, app, policy);
    Ok(tree)
}

/// Finds the only element that matches a query for an action, and reads at least these facets. If
/// one control and other elements match, the control is chosen.
pub(crate) fn find_action_target(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: NodeFields,
) -> Result<SearchResult<LocatedElement>> {
    let (tree, found) = search(cx, app, query, facets)?;
    prefer_control(tree, query, found)
}

/// Like [`find_action_target`] in an existing snapshot; `None` if the snapshot lacks facets that
/// could change the result.
pub(crate) fn find_in_snapshot(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    snapshot: Snapshot,
    facets: NodeFields,
) -> Result<Option<SearchResult<LocatedElement>>> {
    let refs = RefTable::open(cx.state_dir, app)?;
    let mut tree = TreeRead { snapshot, refs, facets, sanitized: HashSet::new() };
    let all = find_all(&tree.snapshot, query, &mut tree.refs)?;
    if !facets.contains(query.required_fields()) && !is_conclusive(&tree.snapshot, &all) {
        return Ok(None);
    }
    let found = find_one(&tree.snapshot, query, &mut tree.refs);
    prefer_control(tree, query, found).map(Some)
}

/// Chooses the only control among several matches.
fn prefer_control(
    mut tree: TreeRead,
    query: &Query,
    found: std::result::Result<LocatedElement, deskhand_locate::Error>,
) -> Result<SearchResult<LocatedElement>> {
    let found = match found {
        Err(error @ deskhand_locate::Error::Ambiguous { .. }) => {
            let all = find_all(&tree.snapshot, query, &mut tree.refs)?;
            let is_control = |hit: &&deskhand_locate::Match| {
                let role = tree.snapshot.node(hit.index).role;
                role.is_control() && !hit.hidden
            };
            let mut controls = all.iter().filter(is_control);
            match (controls.next(), controls.next()) {
                (Some(only), None) => Ok(LocatedElement {
                    index: only.index,
                    reference: tree.refs.assign(&tree.snapshot, only.index),
                    by: only.by,
                    confidence: only.confidence,
                    hidden: only.hidden,
                    healed: None,
                }),
                (Some(_), Some(_)) | (None, _) => Err(error),
            }
        }
        other => other,
    };
    tree.save_refs()?;
    Ok(SearchResult { found: found?, tree })
}

fn search(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: NodeFields,
) -> Result<(TreeRead, std::result::Result<LocatedElement, deskhand_locate::Error>)> {
    // Names are sufficient for most queries and cost least. More is read only if necessary.
    let (first, needs) =
        (query.initial_fields().union(facets), query.required_fields().union(facets));
    let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(first))?;
    let enough = match find_all(&tree.snapshot, query, &mut tree.refs) {
        Ok(quick) => is_conclusive(&tree.snapshot, &quick),
        Err(deskhand_locate::Error::Stale { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    if !enough && needs != first {
        tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(needs))?;
    }
    let found = find_one(&tree.snapshot, query, &mut tree.refs);
    Ok((tree, found))
}

/// Finds all elements that match a query, the best first.
pub fn find_elements(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    policy: HiddenTextPolicy,
) -> Result<SearchResult<Vec<deskhand_locate::Match>>> {
    let mut tree = TreeRead::of_app(cx, app, &WalkOptions::with_fields(query.required_fields()))?;
    if hidden::may_have_hidden_text(&tree.snapshot) {
        tree = read_sanitized(cx, app, query.required_fields(), policy)?;
    }
    let found = find_all(&tree.snapshot, query, &mut tree.refs)?;
    Ok(SearchResult { tree, found })
}

/// Returns the element at which a read should start.
pub fn find_start(cx: &Context<'_>, app: &App, wanted: &str) -> Result<NodeId> {
    let query = Query::parse(wanted, Strategy::Auto)?;
    let result = find_element(cx, app, &query)?;
    Ok(result.tree.snapshot.node(result.found.index).id.clone())
}
