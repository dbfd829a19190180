//! The remembered traits of an element, to recognize it and to find it again.

use std::hash::{DefaultHasher, Hash, Hasher};

use deskhand_model::{Index, NodeId, Rect, Role, Snapshot};
use serde::{Deserialize, Serialize};

use super::cell::CellIdentity;

use crate::{
    heal::{
        MAX_TEXT_CHARS, NamedAncestor, RouteStep, TargetTraits, label_trait, named_above,
        neighbours, window_id,
    },
    label,
    text::{clip, quoted},
};

/// The maximum depth of an element whose route is stored. Longer routes cost more than they help.
const MAX_ROUTE_LENGTH: usize = 40;
const MAX_ANCESTORS: usize = 3;

/// The traits of an element when it was last read. The short serde names keep the file small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    #[serde(rename = "r", with = "role_word")]
    role: Role,
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(rename = "i", default, skip_serializing_if = "String::is_empty")]
    identifier: String,
    #[serde(rename = "l", default, skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    window: Option<NodeId>,
    #[serde(rename = "u", default, skip_serializing_if = "Vec::is_empty")]
    above: Vec<AncestorRecord>,
    #[serde(rename = "p", default, skip_serializing_if = "Vec::is_empty")]
    route: Vec<u32>,
    #[serde(rename = "b", default, skip_serializing_if = "String::is_empty")]
    before: String,
    #[serde(rename = "a", default, skip_serializing_if = "String::is_empty")]
    after: String,
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    bounds: Option<[i32; 4]>,
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    cell: Option<CellIdentity>,
}

/// The traits that decide whether an element with a known id is still the same.
pub(super) struct ElementIdentity {
    role: Role,
    name: String,
    row: RowContent,
    cell: Option<CellIdentity>,
}

impl ElementIdentity {
    pub(super) fn of(snapshot: &Snapshot, at: Index) -> Self {
        let node = snapshot.node(at);
        Self {
            role: node.role,
            name: clip(&node.name, MAX_TEXT_CHARS),
            row: row(snapshot, at),
            cell: CellIdentity::of(snapshot, at),
        }
    }

    /// Returns the identity within a table, if the element's own id is not permanent.
    pub(super) fn cell(&self) -> Option<&CellIdentity> {
        self.cell.as_ref()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AncestorRecord(#[serde(with = "role_word")] Role, String);

mod role_word {
    use deskhand_model::Role;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(role: &Role, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(role.short())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Role, D::Error> {
        let word = std::borrow::Cow::<str>::deserialize(from)?;
        word.parse().map_err(|_| D::Error::custom("unknown role"))
    }
}

impl Fingerprint {
    /// Takes the fingerprint of an element.
    pub(super) fn of(snapshot: &Snapshot, at: Index, identity: ElementIdentity) -> Self {
        let node = snapshot.node(at);
        let (before, after) = neighbours(snapshot, at);
        let above = named_above(snapshot, at).take(MAX_ANCESTORS).map(|up| {
            let node = snapshot.node(up);
            AncestorRecord(node.role, clip(&node.name, MAX_TEXT_CHARS))
        });
        Self {
            role: node.role,
            name: identity.name,
            identifier: clip(&node.identifier, MAX_TEXT_CHARS),
            label: label::of(snapshot, at).map(label_trait).unwrap_or_default(),
            window: window_id(snapshot, at).cloned(),
            above: above.collect(),
            route: route(snapshot, at).unwrap_or_default(),
            before,
            after,
            bounds: node.bounds.map(|b| [b.x, b.y, b.width, b.height]),
            row: match identity.row {
                RowContent::Shows(identity) => Some(identity),
                RowContent::Own | RowContent::Unread => None,
            },
            cell: identity.cell,
        }
    }

    /// Returns the identity within a table, if the element's own id is not permanent.
    pub(super) fn cell(&self) -> Option<&CellIdentity> {
        self.cell.as_ref()
    }

    /// Returns `true` if an element with the same id is still the remembered element.
    pub(super) fn is_still(&self, now: &ElementIdentity) -> bool {
        if let (Some(was), Some(is)) = (&self.cell, &now.cell) {
            return self.role == now.role && was.is_same_row(is);
        }
        self.role == now.role
            && match (self.row, &now.row) {
                (_, RowContent::Own) => true,
                (Some(was), RowContent::Shows(shows)) => was == *shows,
                (None, RowContent::Shows(_)) | (_, RowContent::Unread) => self.name == now.name,
            }
    }

    /// Updates the fingerprint, but keeps traits that the new read did not include.
    pub(super) fn refreshed(mut self, by: Fingerprint) -> Self {
        let keep = |old: String, new: String| if new.is_empty() { old } else { new };
        // Without positions, another label may seem to be the nearest.
        let label = if by.bounds.is_none() && !self.label.is_empty() {
            self.label
        } else {
            keep(self.label, by.label)
        };
        self = Self {
            identifier: keep(self.identifier, by.identifier),
            label,
            bounds: by.bounds.or(self.bounds),
            ..by
        };
        self
    }

    /// Describes the element in a message after it is gone.
    pub(super) fn describe(&self) -> String {
        let mut text = self.role.short().to_owned();
        if !self.name.is_empty() {
            text = format!("{text} {}", quoted(&self.name, 60));
        }
        match self.above.first() {
            Some(AncestorRecord(role, name)) => format!("{text} in {role} {}", quoted(name, 40)),
            None => text,
        }
    }

    /// Returns the traits for healing.
    pub(super) fn traits(&self) -> TargetTraits {
        let above = self.above.iter();
        let route = self.route.iter();
        TargetTraits {
            roles: vec![self.role],
            name: self.name.clone(),
            identifier: self.identifier.clone(),
            label: self.label.clone(),
            window: self.window.clone(),
            above: above
                .map(|AncestorRecord(role, name)| NamedAncestor {
                    roles: vec![*role],
                    name: name.clone(),
                })
                .collect(),
            route: route
                .map(|number| RouteStep { roles: None, number: *number as usize })
                .collect(),
            before: self.before.clone(),
            after: self.after.clone(),
            bounds: self.bounds.map(|[x, y, width, height]| Rect::new(x, y, width, height)),
        }
    }
}

fn route(snapshot: &Snapshot, at: Index) -> Option<Vec<u32>> {
    let mut route = Vec::new();
    let mut current = at;
    while let Some(parent) = snapshot.parent(current) {
        if route.len() == MAX_ROUTE_LENGTH {
            return None;
        }
        route.push(snapshot.children(parent).take_while(|child| *child != current).count() as u32);
        current = parent;
    }
    route.reverse();
    Some(route)
}

/// The content of the row around an element.
enum RowContent {
    /// It is not in a row, or the toolkit does not reuse row widgets.
    Own,
    /// The row was not read completely.
    Unread,
    /// A hash of all names in the row.
    Shows(u64),
}

/// Returns the content of the row around an element.
///
/// GTK 4 list views reuse widgets, with the same ids, for other items while scrolling. There, a row
/// is the same only while its content is the same.
fn row(snapshot: &Snapshot, at: Index) -> RowContent {
    let toolkit = &snapshot.app().toolkit;
    let reuses = toolkit.name.to_ascii_lowercase().starts_with("gtk")
        && (toolkit.version.starts_with("4.") || toolkit.version == "4");
    if !reuses {
        return RowContent::Own;
    }
    let is_row = |at: &Index| {
        matches!(
            snapshot.node(*at).role,
            Role::ListItem | Role::TableRow | Role::Cell | Role::TreeItem
        )
    };
    let is_list = |at: Index| {
        matches!(
            snapshot.node(at).role,
            Role::List
                | Role::ListBox
                | Role::Table
                | Role::Tree
                | Role::TreeTable
                | Role::Spreadsheet
        )
    };
    // The outermost row below the nearest list, because a list view binds all cells of a row
    // together.
    let within = std::iter::once(at).chain(snapshot.ancestors(at)).take_while(|up| !is_list(*up));
    let Some(row) = within.filter(is_row).last() else { return RowContent::Own };
    if !snapshot.ancestors(row).any(is_list) {
        return RowContent::Own;
    }
    let mut identity = DefaultHasher::new();
    for part in snapshot.subtree(row).take(64) {
        let node = snapshot.node(part);
        if node.cut.is_some() {
            return RowContent::Unread;
        }
        node.name.hash(&mut identity);
    }
    RowContent::Shows(identity.finish())
}
