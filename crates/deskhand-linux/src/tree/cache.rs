//! An app's own cache: the whole tree in one reply, if the toolkit has one.

use std::collections::{HashMap, HashSet};

use deskhand_platform::Deadline;
use zbus::{Message, ObjectPath};

use super::{
    atspi,
    dbus::{CallError, DbusClient, Peer, method_call},
    embedded,
    partial_node::PartialTree,
    quirks::Quirks,
};

/// One entry of the reply to `GetItems`: object, application, parent, index in parent, number of
/// children, interfaces, name, role, description and states.
type CacheItem<'a> = (
    (&'a str, ObjectPath<'a>),
    (&'a str, ObjectPath<'a>),
    (&'a str, ObjectPath<'a>),
    i32,
    i32,
    Vec<&'a str>,
    &'a str,
    u32,
    &'a str,
    Vec<u32>,
);

/// The completeness of an element's children in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CachedChildren {
    /// All children, in order.
    All,
    /// The number of children, but not all of them.
    Partial,
    /// Neither the children nor their number.
    Unknown,
}

/// The elements that the cache contained.
#[derive(Debug, Default)]
pub(crate) struct CachedNodes(HashMap<u32, CachedChildren>);

impl CachedNodes {
    /// Returns the completeness of an element's children, or `None` if the cache lacks the element.
    pub(crate) fn children_of(&self, index: u32) -> Option<CachedChildren> {
        self.0.get(&index).copied()
    }
}

/// Requests the cache. Returns `None` if the app has none.
pub(crate) fn fetch(
    client: &mut DbusClient,
    peer: &Peer,
    deadline: Deadline,
) -> Result<Option<Message>, CallError> {
    let message = method_call(peer, atspi::CACHE_PATH, atspi::CACHE, "GetItems", &())?;
    match client.call(message, deadline) {
        Ok(reply) => Ok(Some(reply)),
        // Qt has no cache, and other bridges create it only when there is a listener.
        Err(CallError::Refused(_)) => Ok(None),
        Err(error @ (CallError::TimedOut | CallError::Disconnected(_))) => Err(error),
    }
}

/// Stores the elements of the cache in the tree.
///
/// A reply of another shape, as before AT-SPI 2.18, counts as no cache.
pub(crate) fn store(reply: &Message, tree: &mut PartialTree, quirks: Quirks) -> CachedNodes {
    let body = reply.body();
    let items: Vec<CacheItem<'_>> = body.deserialize().unwrap_or_default();
    let mut children_by_parent: HashMap<u32, Vec<(i32, u32)>> =
        HashMap::with_capacity(items.len() / 2);
    let mut cached = CachedNodes::default();
    let mut without_component = HashSet::new();
    for (
        (bus, path),
        _,
        (parent_bus, parent_path),
        index_in_parent,
        count,
        interfaces,
        name,
        role_number,
        description,
        states,
    ) in items
    {
        let (index, _) = tree.get_or_insert(atspi::node_id(bus, &path));
        let node = tree.node_mut(index);
        node.role_number = role_number;
        node.description = description.to_owned();
        node.child_count = count;
        node.set_states(&states);
        node.states = quirks.states(node.states);
        node.name = quirks.name(name.to_owned(), node.role());
        cached.0.insert(index, CachedChildren::Unknown);
        if !interfaces.contains(&atspi::COMPONENT) {
            without_component.insert(index);
        }
        if !parent_bus.is_empty() && parent_path.as_str() != atspi::NULL_PATH {
            let (parent, _) = tree.get_or_insert(atspi::node_id(parent_bus, &parent_path));
            if parent != index {
                children_by_parent.entry(parent).or_default().push((index_in_parent, index));
            }
        }
    }
    for (index, completeness) in &mut cached.0 {
        let node = tree.node_mut(*index);
        let mut children = children_by_parent.remove(index).unwrap_or_default();
        children.sort_unstable();
        // The bridge reports -1 for menus and for lists that create items on demand; GTK 4 reports
        // 0 for an app with windows. Some toolkits report wrong indexes, so only a list without
        // gaps is used.
        let is_contiguous = children.iter().enumerate().all(|(at, (index, _))| at as i32 == *index);
        *completeness = match usize::try_from(node.child_count) {
            Err(_) => CachedChildren::Unknown,
            Ok(0) if !children.is_empty() || embedded::may_be_socket(node.states) => {
                CachedChildren::Unknown
            }
            // In its cache, and only there, GTK 4 puts page objects, which have no position,
            // between a stack and its children.
            Ok(1..)
                if quirks.gtk4
                    && children.iter().any(|(_, child)| without_component.contains(child)) =>
            {
                CachedChildren::Partial
            }
            Ok(count) if children.len() == count && is_contiguous => CachedChildren::All,
            Ok(_) => CachedChildren::Partial,
        };
        if *completeness == CachedChildren::All {
            node.children = children.into_iter().map(|(_, child)| child).collect();
        }
    }
    cached
}
