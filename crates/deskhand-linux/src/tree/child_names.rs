//! Reads the names of some children of an element, and nothing else of them.

use std::collections::{HashMap, VecDeque};

use deskhand_model::{NodeId, Role};
use deskhand_platform::{ChildNames, ChildPart, Deadline, NamedChild, Result};
use zbus::{Message, OwnedVariant};

use super::{
    app_connection::AppConnection,
    atspi,
    bus::platform_error,
    dbus::{CallError, CallResult, Peer, body},
    facts::{self, Fact},
    quirks::Quirks,
    sheet::{self, UsedArea},
};

/// Limits inside one child. A longer list inside a child is a gap; deeper trees contain a cycle.
const MAX_INNER_CHILDREN: i64 = 1_000;
const MAX_DEPTH: u8 = 30;

/// The subject of a request.
enum Tag {
    /// The child at this position of the part.
    Child(usize),
    /// The name of an element in the child at this position.
    Name(usize),
    /// The name and the number of children of an element.
    Summary(Inner),
    /// The number of children of an element whose name is requested separately.
    Count(Inner),
    /// The children of an element.
    Children(Inner),
}

/// An element inside a child.
#[derive(Clone)]
struct Inner {
    child: usize,
    depth: u8,
    path: String,
}

type Queue = VecDeque<(Tag, Message)>;

/// The names of one child that have arrived.
#[derive(Default)]
struct Progress {
    id: Option<NodeId>,
    names: Vec<String>,
    /// The number of requests without a reply.
    pending: usize,
}

/// A read of names in progress.
struct NameReader<'a> {
    peer: &'a Peer,
    /// The bus name of the list. Other processes cannot be reached through its connection.
    bus: &'a str,
    quirks: Quirks,
    inside: bool,
    sheet: Option<UsedArea>,
    found: Vec<Progress>,
    has_gaps: bool,
}

/// Reads the names of a part of the children of an element.
pub(super) fn read_child_names(
    connection: &mut AppConnection,
    quirks: Quirks,
    parent: &NodeId,
    part: ChildPart,
    deadline: Deadline,
) -> Result<ChildNames> {
    let (bus, path) = atspi::split_node_id(parent);
    let failed = |error: CallError| platform_error("the app", error);
    let peer =
        if bus == connection.name() { connection.peer() } else { Peer::Named(bus.to_owned()) };
    let call = Fact::ChildCount.request(&peer, path).map_err(failed)?;
    let reply = connection.client().call(call, deadline).map_err(failed)?;
    let mut total = usize::try_from(facts::integer(&reply).unwrap_or(0)).unwrap_or(0);
    let mut sheet = None;
    if quirks.libre_office && sheet::is_sheet(total) {
        sheet = sheet::used_area(connection.client(), &peer, path, deadline).map_err(failed)?;
        total = sheet.map_or(total, UsedArea::len);
    }
    let range = part.first..total.min(part.first.saturating_add(part.count));
    let mut queue = Queue::with_capacity(range.len());
    for (at, child) in range.clone().enumerate() {
        let call = match sheet {
            Some(area) => sheet::cell_call(&peer, path, area.cell(child)),
            None => Fact::Child(i32::try_from(child).unwrap_or(i32::MAX)).request(&peer, path),
        };
        queue.push_back((Tag::Child(at), call.map_err(failed)?));
    }
    let mut reader = NameReader {
        peer: &peer,
        bus,
        quirks,
        inside: part.inside && sheet.is_none(),
        sheet,
        found: range.map(|_| Progress { pending: 1, ..Progress::default() }).collect(),
        has_gaps: false,
    };
    connection
        .client()
        .call_streaming(queue, deadline, |tag, result, queue| reader.store(tag, result, queue));
    let complete = reader.found.iter().take_while(|child| child.pending == 0).count();
    let children = reader.found.into_iter().enumerate().filter_map(|(at, child)| {
        Some(NamedChild { index: part.first + at, id: child.id?, names: child.names })
    });
    Ok(ChildNames { children: children.collect(), total, complete, has_gaps: reader.has_gaps })
}

impl NameReader<'_> {
    fn store(&mut self, tag: Tag, result: CallResult, queue: &mut Queue) {
        let child = match &tag {
            Tag::Child(child) | Tag::Name(child) => *child,
            Tag::Summary(of) | Tag::Count(of) | Tag::Children(of) => of.child,
        };
        match result {
            Ok(message) => {
                self.found[child].pending -= 1;
                self.store_reply(tag, &message, queue);
            }
            // An element that is gone by now has no name.
            Err(CallError::Refused(_)) => self.found[child].pending -= 1,
            // The child stays incomplete.
            Err(CallError::TimedOut | CallError::Disconnected(_)) => {}
        }
    }

    fn store_reply(&mut self, tag: Tag, message: &Message, queue: &mut Queue) {
        match tag {
            Tag::Child(child) => {
                let Ok((bus, path)) = body::<atspi::ObjectRef>(message) else { return };
                if path.as_str() == atspi::NULL_PATH || bus.is_empty() {
                    return;
                }
                self.found[child].id = Some(atspi::node_id(&bus, path.as_str()));
                let path = path.as_str().to_owned();
                self.request_element(&bus, Inner { child, depth: 0, path }, queue);
            }
            Tag::Name(child) if self.sheet.is_some() => {
                self.add_name(child, body(message).unwrap_or_default());
            }
            Tag::Name(child) => self.add_name(child, facts::text(message).unwrap_or_default()),
            Tag::Summary(of) => {
                let mut all: HashMap<String, OwnedVariant> = body(message).unwrap_or_default();
                let name = all.remove("Name").and_then(|name| String::try_from(name).ok());
                self.add_name(of.child, name.unwrap_or_default());
                let count = all.get("ChildCount").and_then(|count| i32::try_from(&**count).ok());
                self.request_children(of, count.unwrap_or(0).into(), queue);
            }
            Tag::Count(of) => {
                let count = facts::integer(message).unwrap_or(0);
                self.request_children(of, count, queue);
            }
            Tag::Children(of) => {
                let children: Vec<atspi::ObjectRef> = body(message).unwrap_or_default();
                for (bus, path) in children {
                    let depth = of.depth + 1;
                    let path = path.as_str().to_owned();
                    if path != atspi::NULL_PATH && !bus.is_empty() {
                        self.request_element(&bus, Inner { child: of.child, depth, path }, queue);
                    }
                }
            }
        }
    }

    /// Requests the name of an element, and what leads to the names inside it.
    fn request_element(&mut self, bus: &str, element: Inner, queue: &mut Queue) {
        if bus != self.bus {
            self.has_gaps = true;
            return;
        }
        if self.sheet.is_some() {
            let call = sheet::text_call(self.peer, &element.path);
            self.request(Tag::Name(element.child), element.child, call, queue);
        } else if !self.inside {
            let call = Fact::Name.request(self.peer, &element.path);
            self.request(Tag::Name(element.child), element.child, call, queue);
        } else if self.quirks.supports_get_all {
            let call = Fact::Summary.request(self.peer, &element.path);
            self.request(Tag::Summary(element.clone()), element.child, call, queue);
        } else {
            let name = Fact::Name.request(self.peer, &element.path);
            let count = Fact::ChildCount.request(self.peer, &element.path);
            self.request(Tag::Name(element.child), element.child, name, queue);
            self.request(Tag::Count(element.clone()), element.child, count, queue);
        }
    }

    fn request_children(&mut self, of: Inner, count: i64, queue: &mut Queue) {
        if count <= 0 {
            return;
        }
        if count > MAX_INNER_CHILDREN || of.depth >= MAX_DEPTH {
            self.has_gaps = true;
            return;
        }
        let call = Fact::Children.request(self.peer, &of.path);
        let child = of.child;
        self.request(Tag::Children(of), child, call, queue);
    }

    fn request(
        &mut self,
        tag: Tag,
        child: usize,
        call: std::result::Result<Message, CallError>,
        queue: &mut Queue,
    ) {
        // A call that cannot be built counts as answered without a name.
        if let Ok(call) = call {
            self.found[child].pending += 1;
            // What is inside a child comes before the next child, so that the first ones are complete.
            queue.push_front((tag, call));
        }
    }

    fn add_name(&mut self, child: usize, reported: String) {
        // Roles are not read; the children of long lists are mostly items.
        let name = self.quirks.name(reported, Role::ListItem);
        if !name.is_empty() {
            self.found[child].names.push(name);
        }
    }
}
