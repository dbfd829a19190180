//! Reading the tree of an app and finding elements in it.

pub(crate) mod activity;
pub mod assertions;
pub mod element;
pub mod explain;
pub mod focus;
pub(crate) mod hidden_text;
mod long_lists;
pub mod page;
pub mod sanitize;
pub mod view;

use std::collections::HashSet;

use deskhand_locate::{
    LocatedElement, MatchMethod, NameFilter, Preferences, Purpose, Query, Ref, RefTable, Strategy,
    find_all, find_all_for, find_one, find_one_for, is_conclusive,
};
use deskhand_model::{App, Index, Node, NodeId, Snapshot, Value, hidden};
use deskhand_platform::{NodeFields, WalkOptions};

use self::{long_lists::ListScope, sanitize::HiddenTextPolicy};
use crate::{
    Context, Result,
    act::{modality::Modality, target},
};

/// The number of candidates of an ambiguous query that are read again.
const MAX_REREAD_CANDIDATES: usize = 16;

/// The number of containers of each such candidate that are read again.
const MAX_REREAD_CONTAINERS: usize = 12;

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
    let for_reading = &mut |_: &TreeRead| (Purpose::Read, Vec::new());
    let (mut tree, mut found) = search(cx, app, query, NodeFields::MINIMAL, for_reading)?;
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

/// An element that matches a query for an action.
pub(crate) struct ActionMatch {
    /// The element.
    pub located: LocatedElement,
    /// The modal windows of the app.
    pub modality: Modality,
}

/// Finds the only element that matches a query for an action, and reads at least these facets. Of
/// several matches, the one is chosen that the action can use: it is visible, not blocked by a
/// dialog, enabled, and suits the purpose.
pub(crate) fn find_action_target(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: NodeFields,
    purpose: Purpose,
) -> Result<SearchResult<ActionMatch>> {
    let mut modality = None;
    let (tree, found) = search(cx, app, query, facets, &mut |tree| {
        let known = modality.get_or_insert_with(|| Modality::read(cx, app, &tree.snapshot));
        (purpose, known.blocked(&tree.snapshot))
    })?;
    let modality = modality.unwrap_or_default();
    resolve_ambiguity(cx, app, tree, query, found, purpose, modality)
}

/// Like [`find_action_target`] in an existing snapshot; `None` if the snapshot lacks facets that
/// could change the result.
pub(crate) fn find_in_snapshot(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    snapshot: Snapshot,
    facets: NodeFields,
    purpose: Purpose,
) -> Result<Option<SearchResult<ActionMatch>>> {
    let refs = RefTable::open(cx.state_dir, app)?;
    let mut tree = TreeRead { snapshot, refs, facets, sanitized: HashSet::new() };
    let modality = Modality::read(cx, app, &tree.snapshot);
    let blocked = modality.blocked(&tree.snapshot);
    let preferences = Preferences { purpose, blocked_windows: &blocked };
    let all = find_all_for(&tree.snapshot, query, &mut tree.refs, &preferences)?;
    if !facets.contains(query.required_fields())
        && !is_conclusive(&tree.snapshot, &all, &preferences)
    {
        return Ok(None);
    }
    let found = find_one_for(&tree.snapshot, query, &mut tree.refs, &preferences);
    resolve_ambiguity(cx, app, tree, query, found, purpose, modality).map(Some)
}

/// Reads the candidates of an ambiguous query and their containers as a whole and chooses again. An
/// element with actions is preferred to one with the same name around it or inside it. A container
/// without a size hides its content.
fn resolve_ambiguity(
    cx: &Context<'_>,
    app: &App,
    mut tree: TreeRead,
    query: &Query,
    found: LocateResult,
    purpose: Purpose,
    modality: Modality,
) -> Result<SearchResult<ActionMatch>> {
    let found = match found {
        Err(deskhand_locate::Error::Ambiguous { .. }) => {
            let blocked = modality.blocked(&tree.snapshot);
            let preferences = Preferences { purpose, blocked_windows: &blocked };
            let all = find_all_for(&tree.snapshot, query, &mut tree.refs, &preferences)?;
            let candidates = all.iter().take(MAX_REREAD_CANDIDATES).map(|found| found.index);
            let with_containers = |at| {
                let containers = tree.snapshot.ancestors(at).filter(|up| *up != Index::ROOT);
                std::iter::once(at).chain(containers.take(MAX_REREAD_CONTAINERS))
            };
            let mut read: Vec<Index> = candidates.flat_map(with_containers).collect();
            read.sort_unstable();
            read.dedup();
            let ids: Vec<NodeId> =
                read.into_iter().map(|at| tree.snapshot.node(at).id.clone()).collect();
            let nodes = cx.desktop.tree.read(app, &ids, target::ELEMENT_FACETS, cx.deadline)?;
            tree.snapshot = tree.snapshot.with_updated_nodes(nodes.into_iter().flatten());
            find_one_for(&tree.snapshot, query, &mut tree.refs, &preferences)
        }
        other => other,
    };
    tree.save_refs()?;
    Ok(SearchResult { found: ActionMatch { located: found?, modality }, tree })
}

type LocateResult = std::result::Result<LocatedElement, deskhand_locate::Error>;

/// Reads an app and finds the only element that matches a query. `preferences` returns the purpose
/// and the blocked windows of a snapshot.
fn search(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: NodeFields,
    preferences: &mut dyn FnMut(&TreeRead) -> (Purpose, Vec<Index>),
) -> Result<(TreeRead, LocateResult)> {
    // Names are sufficient for most queries and cost least. More is read only if necessary.
    let (first, needs) =
        (query.initial_fields().union(facets), query.required_fields().union(facets));
    let keep_cached = first == NodeFields::MINIMAL;
    let options = WalkOptions { keep_cached, ..WalkOptions::with_fields(first) };
    let mut tree = TreeRead::of_app(cx, app, &options)?;
    let (purpose, mut blocked) = preferences(&tree);
    let known = Preferences { purpose, blocked_windows: &blocked };
    let enough = match find_all_for(&tree.snapshot, query, &mut tree.refs, &known) {
        Ok(quick) => is_conclusive(&tree.snapshot, &quick, &known),
        Err(deskhand_locate::Error::Stale { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    let mut known_names = None;
    if !enough && needs != first {
        let with_fields = TreeRead::of_app(cx, app, &WalkOptions::with_fields(needs))?;
        known_names = Some(std::mem::replace(&mut tree, with_fields).snapshot);
        (_, blocked) = preferences(&tree);
    }
    let known = Preferences { purpose, blocked_windows: &blocked };
    let mut found = find_one_for(&tree.snapshot, query, &mut tree.refs, &known);
    // A whole name in the rest of a long list says more than a part of a name, a value or a
    // description elsewhere.
    let is_whole_name = |by: MatchMethod| {
        !matches!(by, MatchMethod::Contains | MatchMethod::Value | MatchMethod::Description)
    };
    let may_continue = match &found {
        Ok(found) => !is_whole_name(found.by),
        Err(error) => matches!(error, deskhand_locate::Error::NoMatch { .. }),
    };
    if may_continue {
        let TreeRead { snapshot, refs, facets, .. } = &mut tree;
        let names = query.name_filter();
        let scope = ListScope {
            cx,
            app,
            snapshot,
            known_names: known_names.as_ref(),
            names: &names,
            fields: *facets,
        };
        let searched = long_lists::search(scope, &mut |grown| {
            // An error is reported below.
            find_all(grown, query, refs).map_or(true, |all| {
                all.first().is_some_and(|first| {
                    is_whole_name(first.by)
                        || has_whole_value(grown.node(first.index), first.by, &names)
                })
            })
        })?;
        if let Some(grown) = searched.grown {
            tree.snapshot = grown;
            (_, blocked) = preferences(&tree);
            let known = Preferences { purpose, blocked_windows: &blocked };
            found = find_one_for(&tree.snapshot, query, &mut tree.refs, &known);
        }
        if let Err(deskhand_locate::Error::NoMatch { unsearched, .. }) = &mut found {
            *unsearched = searched.unsearched.into();
        }
    }
    Ok((tree, found))
}

/// Returns `true` if an element matches by its whole value, as cells of spreadsheets do.
fn has_whole_value(node: &Node, by: MatchMethod, names: &NameFilter<'_>) -> bool {
    match &node.value {
        Some(Value::Text { text, .. }) if by == MatchMethod::Value => {
            names.may_match(text, &mut String::new())
        }
        Some(_) | None => false,
    }
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
