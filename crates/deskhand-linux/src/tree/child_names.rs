//! Reads the names of some children of an element, and nothing else of them.

use std::collections::VecDeque;

use deskhand_model::{NodeId, Role};
use deskhand_platform::{ChildNames, Deadline, Result};
use zbus::Message;

use super::{
    app_connection::AppConnection,
    atspi,
    bus::platform_error,
    dbus::{CallError, Peer, body},
    facts::{self, Fact},
    quirks::Quirks,
};

/// The stages of the request for one child.
#[derive(Clone, Copy)]
enum Stage {
    Child(usize),
    Name(usize),
}

/// Reads the names of at most `count` children of an element, beginning with the index `first`.
pub(super) fn read_child_names(
    connection: &mut AppConnection,
    quirks: Quirks,
    parent: &NodeId,
    (first, count): (usize, usize),
    deadline: Deadline,
) -> Result<ChildNames> {
    let (bus, path) = atspi::split_node_id(parent);
    let failed = |error: CallError| platform_error("the app", error);
    let peer =
        if bus == connection.name() { connection.peer() } else { Peer::Named(bus.to_owned()) };
    let call = Fact::ChildCount.request(&peer, path).map_err(failed)?;
    let reply = connection.client().call(call, deadline).map_err(failed)?;
    let total = usize::try_from(facts::integer(&reply).unwrap_or(0)).unwrap_or(0);
    let range = first..total.min(first.saturating_add(count));
    let mut found: Vec<Option<(NodeId, String)>> = vec![None; range.len()];
    let mut queue: VecDeque<(Stage, Message)> = VecDeque::with_capacity(range.len());
    for (at, child) in range.enumerate() {
        let index = i32::try_from(child).unwrap_or(i32::MAX);
        queue.push_back((
            Stage::Child(at),
            Fact::Child(index).request(&peer, path).map_err(failed)?,
        ));
    }
    let mut incomplete = false;
    connection.client().call_streaming(queue, deadline, |stage, result, queue| {
        let message = match result {
            Ok(message) => message,
            // A child that is gone by now has no name.
            Err(CallError::Refused(_)) => return,
            Err(CallError::TimedOut | CallError::Disconnected(_)) => {
                incomplete = true;
                return;
            }
        };
        match stage {
            Stage::Child(at) => {
                let Ok((bus, path)) = body::<atspi::ObjectRef>(&message) else { return };
                if path.as_str() == atspi::NULL_PATH || bus.is_empty() {
                    return;
                }
                found[at] = Some((atspi::node_id(&bus, path.as_str()), String::new()));
                // A call that cannot be built counts as unanswered.
                if let Ok(call) = Fact::Name.request(&peer, path.as_str()) {
                    queue.push_back((Stage::Name(at), call));
                }
            }
            Stage::Name(at) => {
                if let Some((_, name)) = &mut found[at] {
                    // The children of long lists are items; their role is not read.
                    let reported = facts::text(&message).unwrap_or_default();
                    *name = quirks.name(reported, Role::ListItem);
                }
            }
        }
    });
    Ok(ChildNames { children: found.into_iter().flatten().collect(), total, incomplete })
}
