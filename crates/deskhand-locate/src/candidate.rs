//! The description of an element in an error message.

use std::fmt;

use deskhand_model::{Index, Role, Snapshot};
use serde::Serialize;

use crate::{
    Ref, RefTable,
    text::{clip, quoted},
};

const MAX_NAME_CHARS: usize = 60;

/// An element the query may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The ref to pass instead of the query.
    pub reference: Ref,
    /// The role of the element.
    #[serde(serialize_with = "role_word")]
    pub role: Role,
    /// The name, shortened if it is long.
    pub name: String,
    /// The nearest named container and the window; empty for top-level elements.
    pub place: String,
}

fn role_word<S: serde::Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(role.ax())
}

impl Candidate {
    /// Describes an element and assigns it a ref.
    pub(crate) fn of(snapshot: &Snapshot, at: Index, table: &mut RefTable) -> Self {
        let node = snapshot.node(at);
        Self {
            reference: table.assign(snapshot, at),
            role: node.role,
            name: clip(&node.name, MAX_NAME_CHARS),
            place: context(snapshot, at),
        }
    }
}

/// Describes the nearest named container of an element, and its window.
pub(crate) fn context(snapshot: &Snapshot, at: Index) -> String {
    let describe = |at: Index| {
        let node = snapshot.node(at);
        format!("{} {}", node.role, quoted(&node.name, 40))
    };
    let named = |at: &Index| !snapshot.node(*at).name.is_empty();
    let around: Vec<_> = snapshot.ancestors(at).filter(|up| *up != Index::ROOT).collect();
    let nearest = around.iter().copied().find(named);
    let window = around.iter().copied().find(|up| snapshot.node(*up).role.is_window());
    match (nearest, window.filter(named)) {
        (Some(near), Some(window)) if near != window => {
            format!("{}, {}", describe(near), describe(window))
        }
        (Some(near), _) => describe(near),
        (None, _) => String::new(),
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.reference, self.role)?;
        if !self.name.is_empty() {
            write!(f, " {:?}", self.name)?;
        }
        if !self.place.is_empty() {
            write!(f, " in {}", self.place)?;
        }
        Ok(())
    }
}
