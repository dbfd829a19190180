//! Reads elements of a tree. Every reply triggers the next requests at once, so the app always has
//! work and no level of the tree waits for another to finish.

use std::collections::VecDeque;

use deskhand_model::{Cut, Role, Value, name::takes_label, secret};
use deskhand_platform::{Deadline, WalkOptions};
use zbus::Message;

use super::{
    atspi,
    cache::{self, CachedChildren, CachedNodes},
    dbus::{CallError, CallResult, DbusClient, Peer, body},
    embedded,
    facts::{self, Fact},
    partial_node::PartialTree,
    quirks::Quirks,
    secret_fields::{self, SecretFields},
};

/// Number of rows and columns to read of a list that is too long to read completely.
const SAMPLE_ROWS: usize = 10;
const SAMPLE_COLUMNS: usize = 6;

/// The element and the fact that a request is about.
pub(crate) type RequestTag = (u32, Fact);

/// Requests to send.
pub(crate) type RequestQueue = VecDeque<(RequestTag, Message)>;

/// A read in progress.
pub(crate) struct TreeReader<'a> {
    pub(crate) tree: PartialTree,
    extent: &'a WalkOptions,
    quirks: Quirks,
    secret_fields: &'a SecretFields,
    /// The bus name of the app, and the peer for calls to it.
    name: String,
    peer: Peer,
    /// The number of basic facts of each element that have not arrived yet.
    pending_basics: Vec<u8>,
    /// The elements visited so far.
    visited: Vec<bool>,
    /// The elements that the app's cache contained.
    cached: CachedNodes,
    /// Requests to objects of other processes, which only the bus can reach.
    other_processes: RequestQueue,
    /// The number of elements visited so far.
    count: usize,
    /// The error that ended the read early, if any.
    pub(crate) failure: Option<CallError>,
}

impl<'a> TreeReader<'a> {
    pub(crate) fn new(
        name: &str,
        peer: Peer,
        quirks: Quirks,
        extent: &'a WalkOptions,
        secret_fields: &'a SecretFields,
    ) -> Self {
        Self {
            tree: PartialTree::default(),
            extent,
            quirks,
            secret_fields,
            name: name.to_owned(),
            peer,
            pending_basics: Vec::new(),
            visited: Vec::new(),
            cached: CachedNodes::default(),
            other_processes: RequestQueue::new(),
            count: 0,
            failure: None,
        }
    }

    /// Sends all queued requests and all that follow from their replies.
    pub(crate) fn run(&mut self, client: &mut DbusClient, queue: RequestQueue, deadline: Deadline) {
        client.call_streaming(queue, deadline, |tag, result, queue| {
            self.handle_reply(tag, result, queue)
        });
    }

    /// Returns `true` if requests to other processes are waiting to be sent over the bus.
    pub(crate) fn has_other_processes(&self) -> bool {
        !self.other_processes.is_empty()
    }

    /// Reads the objects of other processes over the bus.
    pub(crate) fn read_other_processes(&mut self, bus: &mut DbusClient, deadline: Deadline) {
        // On the bus every object is addressed by name, including the app's own.
        self.peer = Peer::Named(self.name.clone());
        let queue = std::mem::take(&mut self.other_processes);
        bus.call_streaming(queue, deadline, |tag, result, queue| {
            self.handle_reply(tag, result, queue)
        });
    }

    /// Stores the elements of the app's cache.
    pub(crate) fn load_cache(&mut self, result: &Message) {
        self.cached = cache::store(result, &mut self.tree, self.quirks);
    }

    /// Visits an element and all cached elements below it, and queues requests for what is missing.
    pub(crate) fn visit(&mut self, index: u32, queue: &mut RequestQueue) {
        self.visited.resize(self.tree.nodes.len(), false);
        self.pending_basics.resize(self.tree.nodes.len(), 0);
        let mut stack = vec![index];
        while let Some(index) = stack.pop() {
            if std::mem::replace(&mut self.visited[index as usize], true) {
                continue;
            }
            let cached = self.cached.children_of(index);
            if cached.is_none() || !self.extent.keep_cached {
                self.count += 1;
            }
            let Some(children) = cached else {
                let basics = if self.quirks.supports_get_all {
                    facts::COMBINED_BASICS
                } else {
                    facts::BASICS
                };
                self.pending_basics[index as usize] = basics.len() as u8;
                for fact in basics {
                    self.request(index, *fact, queue);
                }
                continue;
            };
            self.request_details(index, queue);
            match children {
                CachedChildren::All => {}
                CachedChildren::Partial => {
                    self.request_children(index, queue);
                    continue;
                }
                CachedChildren::Unknown => {
                    self.request_uncounted_children(index, queue);
                    continue;
                }
            }
            let (depth, is_secret) =
                (self.tree.node_mut(index).depth, self.tree.node_mut(index).is_secret);
            let count = self.tree.nodes[index as usize].children.len();
            let cut = self.cut_reason(index, count);
            let cut = cut.filter(|cut| !self.extent.keep_cached || *cut == Cut::Depth);
            if let Some(cut) = cut {
                let node = self.tree.node_mut(index);
                node.children.clear();
                node.cut = Some(cut);
                continue;
            }
            if count > self.extent.max_children && !self.extent.keep_cached {
                // The rest of a long list is not returned, so its details are not requested.
                let node = self.tree.node_mut(index);
                node.children.truncate(self.extent.max_children);
                node.cut = Some(Cut::Many);
            }
            let children = self.tree.node_mut(index).children.clone();
            for child in children.into_iter().rev() {
                if !self.visited[child as usize] {
                    let child_node = self.tree.node_mut(child);
                    child_node.depth = depth + 1;
                    child_node.is_secret = is_secret;
                    stack.push(child);
                }
            }
        }
    }

    /// Returns the reason why the children of an element may not be read, if there is one.
    fn cut_reason(&self, index: u32, children: usize) -> Option<Cut> {
        let depth = self.tree.nodes[index as usize].depth;
        if children > 0 && self.extent.max_depth.is_some_and(|limit| depth >= limit) {
            Some(Cut::Depth)
        } else if self.count.saturating_add(children) > self.extent.max_nodes {
            Some(Cut::Budget)
        } else {
            None
        }
    }

    fn request(&mut self, index: u32, fact: Fact, queue: &mut RequestQueue) {
        let (bus, path) = atspi::split_node_id(&self.tree.nodes[index as usize].id);
        let own = bus == self.name;
        let peer = if own { self.peer.clone() } else { Peer::Named(bus.to_owned()) };
        let needs_bus = !own && matches!(self.peer, Peer::Direct);
        // A call that cannot be built, because of an invalid path, counts as unanswered.
        if let Ok(message) = fact.request(&peer, path) {
            let target = if needs_bus { &mut self.other_processes } else { queue };
            target.push_back(((index, fact), message));
        }
    }

    /// Requests the details of an element that the caller wants beside the basic facts.
    fn request_details(&mut self, index: u32, queue: &mut RequestQueue) {
        let wanted = self.extent.fields;
        let is_embedded = atspi::split_node_id(&self.tree.nodes[index as usize].id).0 != self.name;
        let node = self.tree.node_mut(index);
        let role = node.role();
        let is_single_line = secret_fields::is_single_line_field(role, node.states);
        if role == Role::Password {
            node.is_secret = true;
            self.secret_fields.insert(&node.id);
        } else if is_single_line && !node.is_secret {
            let is_secret =
                self.secret_fields.contains(&node.id) || secret::is_secret_name(&node.name);
            node.is_unmarked_secret = is_secret;
            node.is_secret = is_secret;
        }
        if node.is_secret && wanted.values {
            node.value = Some(Value::Secret);
        }
        let (is_secret, unnamed) = (node.is_secret, node.name.is_empty());
        let is_leaf = node.child_count == 0;
        let is_toplevel = node.depth == 1 && role.is_window();
        let (is_showing, undescribed) =
            (node.is_showing() || wanted.hidden, node.description.is_empty());
        // GTK 4 does not report which elements are showing; their size tells. Windows without a name
        // are matched with those on the screen by their bounds.
        let needs_bounds = wanted.bounds || self.quirks.gtk4 || unnamed && is_toplevel;
        if needs_bounds && is_showing {
            self.request(index, self.quirks.extents(), queue);
        }
        if wanted.values && is_showing && !is_secret {
            // A spreadsheet cell is named by its position, such as "A1"; its content is its text.
            let sheet_cell = self.quirks.libre_office && role == Role::Cell;
            if sheet_cell || facts::may_contain_text(role, unnamed && is_leaf) {
                self.request(index, Fact::TextLength, queue);
            }
            if role.is_ranged() {
                for fact in facts::NUMBER_FACTS {
                    self.request(index, *fact, queue);
                }
            }
        }
        if wanted.identifiers {
            self.request(index, Fact::Identifier, queue);
            self.request(index, Fact::Attributes, queue);
        }
        // The cache and `GetAll` include the description; otherwise it needs a request.
        let has_description =
            self.quirks.supports_get_all || self.cached.children_of(index).is_some();
        if !has_description
            && undescribed
            && (wanted.identifiers || (is_showing && unnamed && role.is_control()))
        {
            self.request(index, Fact::Description, queue);
        }
        if wanted.actions {
            // WebKit never replies to a request for all actions. Its elements have one at most.
            let fact = if is_embedded { Fact::ActionName(0) } else { Fact::Actions };
            self.request(index, fact, queue);
        }
        // Only the label beside it names a field without a name.
        let needs_label = wanted.values && is_showing && unnamed && takes_label(role);
        if wanted.relations || needs_label {
            self.request(index, Fact::Relations, queue);
        }
        if needs_label && is_single_line {
            self.request(index, Fact::Placeholder, queue);
        }
    }

    /// Requests the children of an element, as many as the limits allow.
    fn request_children(&mut self, index: u32, queue: &mut RequestQueue) {
        let first = if index == 0 { self.extent.first_child } else { 0 };
        let count = usize::try_from(self.tree.node_mut(index).child_count).unwrap_or(0);
        if count == 0 {
            return;
        }
        // Calc reports 2³¹−1 children, and a GTK 3 list of 100,000 rows takes 5 s to list them, so
        // the children of a long list are requested one by one.
        let long = count > self.extent.max_children;
        let sample = SAMPLE_ROWS * SAMPLE_COLUMNS;
        let cut = self.cut_reason(index, if long { sample } else { count });
        self.tree.node_mut(index).cut = cut.or(long.then_some(Cut::Many));
        if cut.is_some() {
            return;
        }
        let page = self.extent.page_size.filter(|_| index == 0);
        // The bridge lists no children of a socket, but returns them by number.
        let is_socket = embedded::may_be_socket(self.tree.node_mut(index).states);
        if is_socket && !long {
            for child in 0..count {
                self.request(index, Fact::Child(child as i32), queue);
            }
        } else if first > 0 || page.is_some() {
            let page = page.unwrap_or(self.extent.max_children.min(sample));
            for child in first..count.min(first.saturating_add(page)) {
                self.request(index, Fact::Child(child as i32), queue);
            }
        } else if long {
            self.request(index, Fact::Columns, queue);
        } else {
            self.request(index, Fact::Children, queue);
        }
    }

    /// Requests the children of an element whose number the cache does not contain.
    fn request_uncounted_children(&mut self, index: u32, queue: &mut RequestQueue) {
        // Menus are always short, so their items can be requested without counting them.
        let role = self.tree.node_mut(index).role();
        if !matches!(role, Role::Menu | Role::MenuBar | Role::PopupMenu) {
            self.request(index, Fact::ChildCount, queue);
        } else if let Some(cut) = self.cut_reason(index, 1) {
            self.tree.node_mut(index).cut = Some(cut);
        } else {
            self.request(index, Fact::Children, queue);
        }
    }

    /// Requests the top left cells of a list or table that is too long to read completely.
    fn request_sample(&mut self, index: u32, columns: usize, queue: &mut RequestQueue) {
        let count = usize::try_from(self.tree.node_mut(index).child_count).unwrap_or(0);
        let rows = if columns > 1 { SAMPLE_ROWS } else { SAMPLE_ROWS * 2 };
        for row in 0..rows {
            for column in 0..columns.min(SAMPLE_COLUMNS) {
                let child = row * columns + column;
                if child < count {
                    self.request(index, Fact::Child(child as i32), queue);
                }
            }
        }
    }

    fn handle_reply(
        &mut self,
        (index, fact): RequestTag,
        result: CallResult,
        queue: &mut RequestQueue,
    ) {
        match result {
            Ok(message) => self.store_reply(index, fact, &message, queue),
            Err(error) => self.handle_error(index, fact, error, queue),
        }
        if !fact.is_basic() || self.tree.node_mut(index).cut.is_some() {
            return;
        }
        if self.cached.children_of(index).is_some() {
            self.request_children(index, queue);
            return;
        }
        let left = &mut self.pending_basics[index as usize];
        *left = left.saturating_sub(1);
        if *left == 0 {
            let node = self.tree.node_mut(index);
            node.states = self.quirks.states(node.states);
            node.name = self.quirks.name(std::mem::take(&mut node.name), node.role());
            self.request_details(index, queue);
            self.request_children(index, queue);
        }
    }

    fn store_reply(&mut self, index: u32, fact: Fact, message: &Message, queue: &mut RequestQueue) {
        if fact == Fact::Children {
            let children: Vec<atspi::ObjectRef> = body(message).unwrap_or_default();
            self.tree.node_mut(index).child_count = children.len() as i32;
            for (bus, path) in children {
                self.add_child(index, &bus, path.as_str(), queue);
            }
        } else if let Fact::Child(_) = fact {
            if let Ok((bus, path)) = body::<atspi::ObjectRef>(message) {
                self.add_child(index, &bus, path.as_str(), queue);
            }
        } else if fact == Fact::Columns {
            let columns = facts::integer(message).unwrap_or(1).max(1);
            self.request_sample(index, columns as usize, queue);
        } else if fact == Fact::TextLength {
            let length = facts::integer(message).unwrap_or(0).max(0);
            let node = self.tree.node_mut(index);
            node.value = Some(Value::Text { text: String::new(), length: length as usize });
            let is_single_line = secret_fields::is_single_line_field(node.role(), node.states);
            let unnamed = node.name.is_empty();
            if length > 0 {
                // The check for a secret must not read the secret itself.
                let next = match (is_single_line && self.quirks.gtk4, is_single_line && unnamed) {
                    (true, _) => Fact::DrawnCharacter,
                    (false, true) => Fact::SecretHint,
                    (false, false) => Fact::text_up_to(length),
                };
                self.request(index, next, queue);
            }
        } else if fact == Fact::DrawnCharacter {
            self.tree.node_mut(index).drawn_character = Some(message.clone());
            self.request(index, Fact::StoredCharacter, queue);
        } else if fact == Fact::StoredCharacter {
            let drawn_character = self.tree.node_mut(index).drawn_character.take();
            if drawn_character
                .is_some_and(|drawn_character| secret_fields::is_masked(&drawn_character, message))
            {
                self.mark_secret(index);
            } else {
                self.request(index, Fact::SecretHint, queue);
            }
        } else if fact == Fact::SecretHint {
            if secret_fields::attributes_name_secret(message) {
                self.mark_secret(index);
            } else {
                self.request_text(index, queue);
            }
        } else {
            facts::store(self.tree.node_mut(index), fact, message);
            if fact == Fact::Actions {
                // Toolkits translate the names in the list, and browsers leave them empty;
                // `GetName` returns the untranslated name.
                for action in 0..self.tree.node_mut(index).actions.len() {
                    self.request(index, Fact::ActionName(action as i32), queue);
                }
            }
        }
    }

    /// Marks an element as a secret field although its role does not say so.
    fn mark_secret(&mut self, index: u32) {
        let node = self.tree.node_mut(index);
        (node.is_unmarked_secret, node.is_secret) = (true, true);
        node.value = Some(Value::Secret);
        self.secret_fields.insert(&node.id);
    }

    /// Requests a text whose length is known.
    fn request_text(&mut self, index: u32, queue: &mut RequestQueue) {
        if let Some(Value::Text { length, .. }) = self.tree.node_mut(index).value {
            self.request(index, Fact::text_up_to(length as i64), queue);
        }
    }

    fn handle_error(&mut self, index: u32, fact: Fact, error: CallError, queue: &mut RequestQueue) {
        let node = self.tree.node_mut(index);
        match error {
            CallError::TimedOut => {
                if fact.is_basic() || fact.leads_to_children() {
                    node.cut = Some(Cut::Deadline);
                }
                self.failure.get_or_insert(error);
            }
            CallError::Disconnected(_) => {
                node.cut = Some(Cut::Gone);
                self.failure.get_or_insert(error);
            }
            // An element without a table, a text or a number replies with an error. An element that
            // cannot report its role no longer exists.
            CallError::Refused(_) => {
                if fact == Fact::Columns {
                    self.request_sample(index, 1, queue);
                } else if matches!(
                    fact,
                    Fact::DrawnCharacter | Fact::StoredCharacter | Fact::SecretHint
                ) {
                    self.request_text(index, queue);
                } else if fact == Fact::Role {
                    node.cut = Some(Cut::Gone);
                } else if fact == Fact::Children {
                    node.cut.get_or_insert(Cut::Silent);
                }
            }
        }
    }

    fn add_child(&mut self, parent: u32, bus: &str, path: &str, queue: &mut RequestQueue) {
        if path == atspi::NULL_PATH || bus.is_empty() {
            return;
        }
        let (index, _) = self.tree.get_or_insert(atspi::node_id(bus, path));
        self.visited.resize(self.tree.nodes.len(), false);
        if index == parent || self.tree.node_mut(parent).children.contains(&index) {
            return;
        }
        let (depth, is_secret) = {
            let parent = self.tree.node_mut(parent);
            parent.children.push(index);
            (parent.depth + 1, parent.is_secret)
        };
        if !self.visited[index as usize] {
            let child = self.tree.node_mut(index);
            child.depth = depth;
            child.is_secret = is_secret;
            self.visit(index, queue);
        }
    }
}
