//! A look at an app, with the refs its elements go by.

use std::collections::HashSet;

use deskhand_locate::{Found, Query, Ref, Strategy, Table, find_all, find_one, settled};
use deskhand_model::{App, Index, NodeId, Snapshot, hidden};
use deskhand_platform::{Extent, Facets};

use super::sift::{self, Sift};
use crate::{Context, Result};

/// What was seen of an app, and the refs given out for it.
pub struct Look {
    pub snapshot: Snapshot,
    pub refs: Table,
    /// What was read of each element.
    pub facets: Facets,
    /// The elements with other words than the app's, because nobody could see these.
    pub reworded: HashSet<NodeId>,
}

impl Look {
    /// Looks at a whole app.
    pub fn at(cx: &Context<'_>, app: &App, within: &Extent) -> Result<Self> {
        Self::below(cx, app, &app.root, within)
    }

    /// Looks at a part of an app.
    pub fn below(cx: &Context<'_>, app: &App, from: &NodeId, within: &Extent) -> Result<Self> {
        let snapshot = cx.desktop.tree.walk(app, from, within, cx.by)?;
        let refs = Table::open(cx.refs, app)?;
        Ok(Self { snapshot, refs, facets: within.facets, reworded: HashSet::new() })
    }

    /// The ref of an element.
    pub fn reference(&mut self, at: Index) -> Ref {
        self.refs.assign(&self.snapshot, at)
    }

    /// Keeps the refs given out, so that a later call knows them.
    pub fn keep(&mut self) -> Result<()> {
        Ok(self.refs.save()?)
    }
}

/// A look in which a query was answered, and its answer.
pub struct Sought<T> {
    pub look: Look,
    pub found: T,
}

/// Finds the one element a query means among what a person could see.
pub fn one(cx: &Context<'_>, app: &App, query: &Query) -> Result<Sought<Found>> {
    one_of(cx, app, query, Sift::LeaveOut)
}

/// The same, also among what nobody could see where that is asked for.
pub fn one_of(cx: &Context<'_>, app: &App, query: &Query, sift: Sift) -> Result<Sought<Found>> {
    let (mut look, mut found) = search(cx, app, query, Facets::NAMES)?;
    // Names alone do not tell whether anybody could see them; whoever has a ref has seen it.
    let doubted = match &found {
        Ok(_) if query.reference().is_some() => false,
        Ok(found) => sift::is_doubtful(cx, app, &look.snapshot, found.index),
        Err(_) => hidden::has_doubtful(&look.snapshot),
    };
    if doubted {
        look = sifted(cx, app, query.needs(), sift)?;
        found = find_one(&look.snapshot, query, &mut look.refs);
    }
    // An error names candidates by their refs, so they are kept either way.
    look.keep()?;
    Ok(Sought { found: found?, look })
}

/// A look that takes in at least this, without words nobody could see or with these marked.
fn sifted(cx: &Context<'_>, app: &App, facets: Facets, sift: Sift) -> Result<Look> {
    let mut look = Look::at(cx, app, &Extent::of(facets.and(Facets::LOOK)))?;
    look.sift(cx, app, sift);
    Ok(look)
}

/// Finds the one element a query means for an action, in a look that takes in at least this. Where
/// a window or a text goes by the same name as one control, the control is meant.
pub fn to_act_on(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: Facets,
) -> Result<Sought<Found>> {
    let (look, found) = search(cx, app, query, facets)?;
    chosen(look, query, found)
}

/// The same in a look that is known already; `None` when it does not hold enough to be sure.
pub fn known(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    snapshot: Snapshot,
    facets: Facets,
) -> Result<Option<Sought<Found>>> {
    let refs = Table::open(cx.refs, app)?;
    let mut look = Look { snapshot, refs, facets, reworded: HashSet::new() };
    let all = find_all(&look.snapshot, query, &mut look.refs)?;
    if !facets.covers(query.needs()) && !settled(&look.snapshot, &all) {
        return Ok(None);
    }
    let found = find_one(&look.snapshot, query, &mut look.refs);
    chosen(look, query, found).map(Some)
}

/// The control, where several go by the same name and only one of them is one.
fn chosen(
    mut look: Look,
    query: &Query,
    found: std::result::Result<Found, deskhand_locate::Error>,
) -> Result<Sought<Found>> {
    let found = match found {
        Err(error @ deskhand_locate::Error::Ambiguous { .. }) => {
            let all = find_all(&look.snapshot, query, &mut look.refs)?;
            let is_control = |hit: &&deskhand_locate::Match| {
                let role = look.snapshot.node(hit.index).role;
                role.is_control() && !hit.hidden
            };
            let mut controls = all.iter().filter(is_control);
            match (controls.next(), controls.next()) {
                (Some(only), None) => Ok(Found {
                    index: only.index,
                    reference: look.refs.assign(&look.snapshot, only.index),
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
    look.keep()?;
    Ok(Sought { found: found?, look })
}

fn search(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    facets: Facets,
) -> Result<(Look, std::result::Result<Found, deskhand_locate::Error>)> {
    // Names alone answer most questions and cost least; the rest is read only when they do not.
    let (first, needs) = (query.first().and(facets), query.needs().and(facets));
    let mut look = Look::at(cx, app, &Extent::of(first))?;
    let enough = match find_all(&look.snapshot, query, &mut look.refs) {
        Ok(quick) => settled(&look.snapshot, &quick),
        Err(deskhand_locate::Error::Stale { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    if !enough && needs != first {
        look = Look::at(cx, app, &Extent::of(needs))?;
    }
    let found = find_one(&look.snapshot, query, &mut look.refs);
    Ok((look, found))
}

/// Finds every element a query means, best first.
pub fn every(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    sift: Sift,
) -> Result<Sought<Vec<deskhand_locate::Match>>> {
    let mut look = Look::at(cx, app, &Extent::of(query.needs()))?;
    if hidden::has_doubtful(&look.snapshot) {
        look = sifted(cx, app, query.needs(), sift)?;
    }
    let found = find_all(&look.snapshot, query, &mut look.refs)?;
    Ok(Sought { look, found })
}

/// The element a look should begin at: a ref needs no look of its own, a query does.
pub fn start(cx: &Context<'_>, app: &App, wanted: &str) -> Result<NodeId> {
    let query = Query::parse(wanted, Strategy::Auto)?;
    let sought = one(cx, app, &query)?;
    Ok(sought.look.snapshot.node(sought.found.index).id.clone())
}
