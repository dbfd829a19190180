//! Checks if creating an app's cache is safe.
//!
//! A direct connection or an event listener makes the app's bridge fill a cache of the whole tree.
//! Chromium finds the index of each element among its siblings by counting, so a list of 20,000
//! rows freezes it for 12 s and one of 100,000 for more than ten minutes. Therefore its tree is
//! counted first, unless the cache already exists.

use std::collections::VecDeque;

use deskhand_platform::Deadline;
use zbus::Message;

use super::{
    atspi,
    dbus::{CallError, DbusClient, Peer, body, method_call},
    facts::{self, Fact},
    timing::PROBE_TIMEOUT,
};

/// Maximum number of siblings in a safe tree: with 1,500 the cache takes about 0.1 s.
const MAX_SIBLINGS: i64 = 1_500;
/// Maximum number of elements to count; a larger tree counts as unsafe.
const MAX_ELEMENTS: usize = 12_000;

/// Returns `true` if the app's cache already exists or is safe to create.
pub(crate) fn is_cache_safe(bus: &mut DbusClient, name: &str, deadline: Deadline) -> bool {
    let peer = Peer::Named(name.to_owned());
    has_cache(bus, name, deadline) || is_tree_small(bus, &peer, deadline.at_most(PROBE_TIMEOUT))
}

/// Returns `true` if the app's cache already exists.
pub(crate) fn has_cache(bus: &mut DbusClient, name: &str, deadline: Deadline) -> bool {
    let peer = Peer::Named(name.to_owned());
    method_call(&peer, atspi::CACHE_PATH, atspi::PROPERTIES, "GetAll", &atspi::CACHE)
        .and_then(|call| bus.call(call, deadline))
        .is_ok()
}

fn is_tree_small(bus: &mut DbusClient, peer: &Peer, deadline: Deadline) -> bool {
    let request = |path: &str, fact: Fact, queue: &mut VecDeque<((String, Fact), Message)>| {
        // An element with an invalid path has no children to count.
        if let Ok(message) = fact.request(peer, path) {
            queue.push_back(((path.to_owned(), fact), message));
        }
    };
    let (mut counted, mut small) = (0_usize, true);
    let mut queue = VecDeque::new();
    request(atspi::ROOT_PATH, Fact::ChildCount, &mut queue);
    bus.call_streaming(queue, deadline, |(path, fact), result, queue| {
        let Ok(message) = result else {
            // An element that no longer exists is ignored; a timeout or lost connection counts as
            // unsafe.
            small &= matches!(result, Err(CallError::Refused(_)));
            return;
        };
        if !small {
            queue.clear();
            return;
        }
        if fact == Fact::ChildCount {
            let count = facts::integer(&message).unwrap_or(0);
            counted += 1;
            small &= count <= MAX_SIBLINGS && counted <= MAX_ELEMENTS;
            if small && count > 0 {
                request(&path, Fact::Children, queue);
            }
        } else {
            let children: Vec<atspi::ObjectRef> = body(&message).unwrap_or_default();
            for (_, child) in children {
                request(child.as_str(), Fact::ChildCount, queue);
            }
        }
    });
    small
}
