//! AT-SPI interface names and object references.

use std::sync::Arc;

use deskhand_model::NodeId;
use zbus::{Message, OwnedObjectPath};

use super::dbus::{CallError, Peer, method_call};

pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(crate) const ACTION: &str = "org.a11y.atspi.Action";
pub(crate) const APPLICATION: &str = "org.a11y.atspi.Application";
pub(crate) const CACHE: &str = "org.a11y.atspi.Cache";
pub(crate) const COMPONENT: &str = "org.a11y.atspi.Component";
pub(crate) const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";
pub(crate) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
pub(crate) const SELECTION: &str = "org.a11y.atspi.Selection";
pub(crate) const TABLE: &str = "org.a11y.atspi.Table";
pub(crate) const TEXT: &str = "org.a11y.atspi.Text";
pub(crate) const VALUE: &str = "org.a11y.atspi.Value";

pub(crate) const ROOT_PATH: &str = "/org/a11y/atspi/accessible/root";
pub(crate) const NULL_PATH: &str = "/org/a11y/atspi/null";
pub(crate) const CACHE_PATH: &str = "/org/a11y/atspi/cache";
pub(crate) const REGISTRY: &str = "org.a11y.atspi.Registry";

/// A reference to an object: the bus name of its app and its object path.
pub(crate) type ObjectRef = (String, OwnedObjectPath);

/// Returns the id of an object: bus name and path in one string. Paths start with `/`, so it can be
/// split again.
pub(crate) fn node_id(bus: &str, path: &str) -> NodeId {
    let mut name = String::with_capacity(bus.len() + path.len());
    name.push_str(bus);
    name.push_str(path);
    NodeId::new(Arc::<str>::from(name))
}

/// Splits an id into bus name and path.
pub(crate) fn split_node_id(id: &NodeId) -> (&str, &str) {
    let text = id.as_str();
    text.split_at(text.find('/').unwrap_or(text.len()))
}

/// Builds a call that reads one property.
pub(crate) fn property_call(
    peer: &Peer,
    path: &str,
    interface: &str,
    property: &str,
) -> Result<Message, CallError> {
    method_call(peer, path, PROPERTIES, "Get", &(interface, property))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_id_splits_into_its_parts() {
        let id = node_id(":1.42", "/org/a11y/atspi/accessible/7");
        assert_eq!(split_node_id(&id), (":1.42", "/org/a11y/atspi/accessible/7"));
    }

    #[test]
    fn a_node_id_of_another_backend_has_no_path() {
        assert_eq!(split_node_id(&NodeId::new("nonsense")), ("nonsense", ""));
    }
}
