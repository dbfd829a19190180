//! Finds the top-level window of an element.

use deskhand_model::{NodeId, Rect};
use deskhand_platform::Deadline;
use zbus::{Message, OwnedVariant};

use super::{
    atspi,
    dbus::{DbusClient, Peer, body},
    facts::{self, Fact},
    position::TopLevel,
    quirks::Quirks,
};

/// Maximum number of ancestors; a tree that seems deeper contains a cycle.
const MAX_DEPTH: usize = 512;

const ROOT_PANE: u32 = 46;

/// Returns the top-level window of an element as its app reports it.
pub(crate) fn find_toplevel(
    client: &mut DbusClient,
    peer: &Peer,
    id: &NodeId,
    quirks: Quirks,
    deadline: Deadline,
) -> Option<TopLevel> {
    let (bus, path) = atspi::split_node_id(id);
    let mut path = path.to_owned();
    let mut pane = None;
    for _ in 0..MAX_DEPTH {
        let call = atspi::property_call(peer, &path, atspi::ACCESSIBLE, "Parent").ok()?;
        let parent: OwnedVariant = body(&client.call(call, deadline).ok()?).ok()?;
        let (parent_bus, parent_path) = atspi::ObjectRef::try_from(parent).ok()?;
        if parent_path.as_str() == atspi::ROOT_PATH || parent_bus != bus {
            return Some(TopLevel {
                pane,
                ..describe_toplevel(client, peer, &path, quirks, deadline)
            });
        }
        let uses_root_pane = quirks.libre_office || quirks.swing;
        if uses_root_pane && role(client, peer, &path, deadline) == Some(ROOT_PANE) {
            pane = extents(client, peer, &path, quirks, deadline);
        }
        path = parent_path.as_str().to_owned();
    }
    None
}

fn request(
    client: &mut DbusClient,
    peer: &Peer,
    path: &str,
    fact: Fact,
    deadline: Deadline,
) -> Option<Message> {
    // A missing fact leaves the window without a position, which produces a notice.
    fact.request(peer, path).and_then(|call| client.call(call, deadline)).ok()
}

fn role(client: &mut DbusClient, peer: &Peer, path: &str, deadline: Deadline) -> Option<u32> {
    body(&request(client, peer, path, Fact::Role, deadline)?).ok()
}

fn extents(
    client: &mut DbusClient,
    peer: &Peer,
    path: &str,
    quirks: Quirks,
    deadline: Deadline,
) -> Option<Rect> {
    facts::extents(&request(client, peer, path, quirks.extents(), deadline)?)
}

fn describe_toplevel(
    client: &mut DbusClient,
    peer: &Peer,
    path: &str,
    quirks: Quirks,
    deadline: Deadline,
) -> TopLevel {
    let title = request(client, peer, path, Fact::Name, deadline).and_then(|m| facts::text(&m));
    let bounds = extents(client, peer, path, quirks, deadline);
    TopLevel { title: title.unwrap_or_default(), bounds, pane: None }
}
