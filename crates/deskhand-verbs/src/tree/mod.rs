//! A look at an app, with the refs its elements go by.

pub mod assertions;
pub mod element;
pub mod explain;
pub(crate) mod hidden_text;
pub mod sanitize;

use std::collections::HashSet;

use deskhand_locate::{Found, Query, Ref, Strategy, Table, find_all, find_one, settled};
use deskhand_model::{App, Index, NodeId, Snapshot, hidden};
use deskhand_platform::{Extent, Facets};

use self::sanitize::HiddenTextPolicy;
use crate::{Context, Result};

/// What was seen of an app, and the refs given out for it.
pub struct TreeRead {
    pub snapshot: Snapshot,
    pub refs: Table,
    /// What was read of each element.
    pub facets: Facets,
    /// The elements with other words than the app's, because nobody could see these.
    pub sanitized: HashSet<NodeId>,
}

impl TreeRead {
    /// Looks at a whole app.
    pub fn of_app(cx: &Context<'_>, app: &App, within: &Extent) -> Result<Self> {
        Self::of_subtree(cx, app, &app.root, within)
    }

    /// Looks at a part of an app.
    pub fn of_subtree(cx: &Context<'_>, app: &App, from: &NodeId, within: &Extent) -> Result<Self> {
        let snapshot = cx.desktop.tree.walk(app, from, within, cx.deadline)?;
        let refs = Table::open(cx.state_dir, app)?;
        Ok(Self { snapshot, refs, facets: within.facets, sanitized: HashSet::new() })
    }

    /// The ref of an element.
    pub fn assign_ref(&mut self, at: Index) -> Ref {
        self.refs.assign(&self.snapshot, at)
    }

    /// Keeps the refs given out, so that a later call knows them.
    pub fn save_refs(&mut self) -> Result<()> {
        Ok(self.refs.save()?)
    }
}

/// A look in which a query was answered, and its answer.
pub struct SearchResult<T> {
    pub tree: TreeRead,
    pub found: T,
}

/// Finds the one element a query means among what a person could see.
pub fn find_element(cx: &Context<'_>, app: &App, query: &Query) -> Result<SearchResult<Found>> {
    find_element_with(cx, app, query, HiddenTextPolicy::Omit)
}

/// The same, also among what nobody could see where that is asked for.
pub fn find_element_with(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    policy: HiddenTextPolicy,
) -> Result<SearchResult<Found>> {
    let (mut tree, mut found) = search(cx, app, query, Facets::NAMES)?;
    // Names alone do not tell whether anybody could see them; whoever has a ref has seen it.
    let may_be_hidden = match &found {
        Ok(_) if query.reference().is_some() => false,
        Ok(found) => sanitize::may_be_hidden(cx, app, &tree.snapshot, found.index),
        Err(_) => hidden::has_doubtful(&tree.snapshot),
    };
    if may_be_hidden {
        tree = read_sanitized(cx, app, query.needs(), policy)?;
        found = find_one(&tree.snapshot, query, &mut tree.refs);
    }
    // An error names candidates by their refs, so they are kept either way.
    tree.save_refs()?;
    Ok(SearchResult { found: found?, tree })
}

/// A look that takes in at least this, without words nobody could see or with these marked.
fn read_sanitized(
    cx: &Context<'_>,
    app: &App,
    facets: Facets,
    policy: HiddenTextPolicy,
) -> Result<TreeRead> {
    let mut tree = TreeRead::of_app(cx, app, &Extent::of(facets.and(Facets::LOOK)))?;
    tree.sanitize(cx, app, policy);
    Ok(tree)
}

/// Finds the one element a query means for an action, in a look that takes in at least this. Where
/// a window or a text goes by the same name as one control, the control is meant.
pub fn find_action_target(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: Facets,
) -> Result<SearchResult<Found>> {
    let (tree, found) = search(cx, app, query, facets)?;
    prefer_control(tree, query, found)
}

/// The same in a look that is known already; `None` when it does not hold enough to be sure.
pub fn find_in_snapshot(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    snapshot: Snapshot,
    facets: Facets,
) -> Result<Option<SearchResult<Found>>> {
    let refs = Table::open(cx.state_dir, app)?;
    let mut tree = TreeRead { snapshot, refs, facets, sanitized: HashSet::new() };
    let all = find_all(&tree.snapshot, query, &mut tree.refs)?;
    if !facets.covers(query.needs()) && !settled(&tree.snapshot, &all) {
        return Ok(None);
    }
    let found = find_one(&tree.snapshot, query, &mut tree.refs);
    prefer_control(tree, query, found).map(Some)
}

/// The control, where several go by the same name and only one of them is one.
fn prefer_control(
    mut tree: TreeRead,
    query: &Query,
    found: std::result::Result<Found, deskhand_locate::Error>,
) -> Result<SearchResult<Found>> {
    let found = match found {
        Err(error @ deskhand_locate::Error::Ambiguous { .. }) => {
            let all = find_all(&tree.snapshot, query, &mut tree.refs)?;
            let is_control = |hit: &&deskhand_locate::Match| {
                let role = tree.snapshot.node(hit.index).role;
                role.is_control() && !hit.hidden
            };
            let mut controls = all.iter().filter(is_control);
            match (controls.next(), controls.next()) {
                (Some(only), None) => Ok(Found {
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
    facets: Facets,
) -> Result<(TreeRead, std::result::Result<Found, deskhand_locate::Error>)> {
    // Names alone answer most questions and cost least; the rest is read only when they do not.
    let (first, needs) = (query.first().and(facets), query.needs().and(facets));
    let mut tree = TreeRead::of_app(cx, app, &Extent::of(first))?;
    let enough = match find_all(&tree.snapshot, query, &mut tree.refs) {
        Ok(quick) => settled(&tree.snapshot, &quick),
        Err(deskhand_locate::Error::Stale { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    if !enough && needs != first {
        tree = TreeRead::of_app(cx, app, &Extent::of(needs))?;
    }
    let found = find_one(&tree.snapshot, query, &mut tree.refs);
    Ok((tree, found))
}

/// Finds every element a query means, best first.
pub fn find_elements(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    policy: HiddenTextPolicy,
) -> Result<SearchResult<Vec<deskhand_locate::Match>>> {
    let mut tree = TreeRead::of_app(cx, app, &Extent::of(query.needs()))?;
    if hidden::has_doubtful(&tree.snapshot) {
        tree = read_sanitized(cx, app, query.needs(), policy)?;
    }
    let found = find_all(&tree.snapshot, query, &mut tree.refs)?;
    Ok(SearchResult { tree, found })
}

/// The element a look should begin at: a ref needs no look of its own, a query does.
pub fn find_start(cx: &Context<'_>, app: &App, wanted: &str) -> Result<NodeId> {
    let query = Query::parse(wanted, Strategy::Auto)?;
    let result = find_element(cx, app, &query)?;
    Ok(result.tree.snapshot.node(result.found.index).id.clone())
}
