//! The names that outlines show, and the labels that these names repeat.

use std::collections::HashSet;

use super::role_groups;
pub(crate) use crate::name::{bare, words};
use crate::{
    Index, ScreenVisibility, Snapshot,
    name::{NameSource, Names, has_borrowed_name, is_field},
};

/// The names of a snapshot's elements as outlines show them.
pub(crate) struct Labels<'a> {
    names: Names<'a>,
    beside: HashSet<(Option<Index>, &'a str)>,
}

impl<'a> Labels<'a> {
    /// Collects the names in one pass.
    pub(crate) fn of(snapshot: &'a Snapshot) -> Self {
        let names = Names::of(snapshot);
        let named_fields = snapshot.iter().filter(|(at, node)| {
            is_field(node.role) && !node.name.is_empty() && names.visibility().is_on_screen(*at)
        });
        let beside =
            named_fields.map(|(at, node)| (snapshot.parent(at), plain(&node.name))).collect();
        Self { names, beside }
    }

    /// Returns the name to show: the element's own name, the text of its label, or its placeholder.
    /// Texts inside an element and descriptions are shown in other ways.
    pub(crate) fn name(&self, snapshot: &'a Snapshot, at: Index) -> &'a str {
        self.shown(snapshot, at).map_or("", |(name, _)| name)
    }

    /// Returns `true` if the name to show is a guess.
    pub(crate) fn is_guess(&self, snapshot: &'a Snapshot, at: Index) -> bool {
        self.shown(snapshot, at).is_some_and(|(_, source)| source.is_guess())
    }

    fn shown(&self, snapshot: &'a Snapshot, at: Index) -> Option<(&'a str, NameSource)> {
        let node = snapshot.node(at);
        let own: (&str, _) = (&node.name, NameSource::Own);
        let has_own = !node.name.trim().is_empty();
        if role_groups::is_text(node.role) || has_own && !has_borrowed_name(snapshot, at) {
            return Some(own);
        }
        let name = self.names.name(at)?;
        let shown = match name.source {
            NameSource::Own | NameSource::Label | NameSource::Placeholder => {
                Some((name.text, name.source))
            }
            // A guess without positions is too often wrong.
            NameSource::NearbyLabel => node.bounds.map(|_| (name.text, name.source)),
            NameSource::Content | NameSource::Description => None,
        };
        shown.or_else(|| has_own.then_some(own))
    }

    /// Returns the visibility of the elements.
    pub(crate) fn visibility(&self) -> &ScreenVisibility {
        self.names.visibility()
    }

    /// Returns `true` if a field already shows the label's text as its name.
    pub(crate) fn repeats(&self, snapshot: &'a Snapshot, label: Index) -> bool {
        let text = plain(words(snapshot, label));
        let shows = |field: Index| {
            self.visibility().is_on_screen(field) && plain(self.name(snapshot, field)) == text
        };
        self.names.labelled(label).is_some_and(shows)
            || self.beside.contains(&(snapshot.parent(label), text))
    }
}

/// Trims whitespace and a trailing colon.
fn plain(name: &str) -> &str {
    name.trim().trim_end_matches([':', '：']).trim_end()
}
