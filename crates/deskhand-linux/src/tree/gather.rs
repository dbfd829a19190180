//! Reads elements one by one, with every answer leading straight to the next questions, so that the
//! app always has work and nobody waits for a level of the tree to be complete.

use std::collections::VecDeque;

use deskhand_model::{Cut, Role, Value, secret};
use deskhand_platform::{Deadline, Extent};
use zbus::Message;

use super::{
    draft::Drafts,
    facts::{self, Fact},
    items::{self, Below, Known},
    pipe::{Answer, Peer, Pipe, Silence, body},
    quirks::Quirks,
    spi,
    veil::{self, Veil},
};

/// Of a list too long to read whole, this many rows and columns are read.
const SAMPLE_ROWS: usize = 10;
const SAMPLE_COLUMNS: usize = 6;

/// A question about one element: which element, and what was asked.
pub(crate) type Tag = (u32, Fact);

/// Calls that wait to be made.
pub(crate) type Queue = VecDeque<(Tag, Message)>;

/// A look in progress.
pub(crate) struct Gather<'a> {
    pub(crate) drafts: Drafts,
    within: &'a Extent,
    quirks: Quirks,
    veil: &'a Veil,
    /// The bus name of the app and how it is reached.
    name: String,
    peer: Peer,
    /// How many of an element's basic facts are still on their way.
    basics: Vec<u8>,
    /// Which elements were reached from the root.
    reached: Vec<bool>,
    /// What the app's own cache told.
    known: Known,
    /// Questions to objects of other processes, which only the bus can carry.
    elsewhere: Queue,
    /// How many elements were reached.
    count: usize,
    /// What stopped the look, if something did.
    pub(crate) stopped: Option<Silence>,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(
        name: &str,
        peer: Peer,
        quirks: Quirks,
        within: &'a Extent,
        veil: &'a Veil,
    ) -> Self {
        Self {
            drafts: Drafts::default(),
            within,
            quirks,
            veil,
            name: name.to_owned(),
            peer,
            basics: Vec::new(),
            reached: Vec::new(),
            known: Known::default(),
            elsewhere: Queue::new(),
            count: 0,
            stopped: None,
        }
    }

    /// Asks everything that was queued and all that follows from it.
    pub(crate) fn run(&mut self, pipe: &mut Pipe, queue: Queue, by: Deadline) {
        pipe.flow(queue, by, |tag, answer, queue| self.take(tag, answer, queue));
    }

    /// Whether objects of other processes wait to be read over the bus.
    pub(crate) fn has_more_elsewhere(&self) -> bool {
        !self.elsewhere.is_empty()
    }

    /// Reads the objects of other processes.
    pub(crate) fn run_elsewhere(&mut self, bus: &mut Pipe, by: Deadline) {
        // On the bus every object is reached by name, the app's own included.
        self.peer = Peer::Named(self.name.clone());
        let queue = std::mem::take(&mut self.elsewhere);
        bus.flow(queue, by, |tag, answer, queue| self.take(tag, answer, queue));
    }

    /// Takes in what the app's own cache tells.
    pub(crate) fn learn_items(&mut self, answer: &Message) {
        self.known = items::note(answer, &mut self.drafts, self.quirks);
    }

    /// Reaches an element and, as far as they are known, all below it.
    pub(crate) fn reach(&mut self, place: u32, queue: &mut Queue) {
        self.reached.resize(self.drafts.list.len(), false);
        self.basics.resize(self.drafts.list.len(), 0);
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if std::mem::replace(&mut self.reached[place as usize], true) {
                continue;
            }
            self.count += 1;
            let Some(below) = self.known.below(place) else {
                let basics =
                    if self.quirks.summary { facts::BASICS_AT_ONCE } else { facts::BASICS };
                self.basics[place as usize] = basics.len() as u8;
                for fact in basics {
                    self.ask(place, *fact, queue);
                }
                continue;
            };
            self.ask_details(place, queue);
            match below {
                Below::All => {}
                Below::Some => {
                    self.ask_children(place, queue);
                    continue;
                }
                Below::Unknown => {
                    self.ask_unknown(place, queue);
                    continue;
                }
            }
            let (depth, secret) = (self.drafts.at(place).depth, self.drafts.at(place).secret);
            if let Some(cut) = self.limit(place, self.drafts.list[place as usize].children.len()) {
                let draft = self.drafts.at(place);
                draft.children.clear();
                draft.cut = Some(cut);
                continue;
            }
            let children = self.drafts.at(place).children.clone();
            for child in children.into_iter().rev() {
                if !self.reached[child as usize] {
                    let child_draft = self.drafts.at(child);
                    child_draft.depth = depth + 1;
                    child_draft.secret = secret;
                    open.push(child);
                }
            }
        }
    }

    /// Why no more children may be read below an element, if they may not.
    fn limit(&self, place: u32, children: usize) -> Option<Cut> {
        let depth = self.drafts.list[place as usize].depth;
        if children > 0 && self.within.depth.is_some_and(|most| depth >= most) {
            Some(Cut::Depth)
        } else if self.count.saturating_add(children) > self.within.nodes {
            Some(Cut::Budget)
        } else {
            None
        }
    }

    fn ask(&mut self, place: u32, fact: Fact, queue: &mut Queue) {
        let (bus, path) = spi::parts(&self.drafts.list[place as usize].id);
        let own = bus == self.name;
        let peer = if own { self.peer.clone() } else { Peer::Named(bus.to_owned()) };
        let only_by_bus = !own && matches!(self.peer, Peer::Direct);
        // A call that cannot even be written (an impossible path) tells as much as no answer.
        if let Ok(message) = fact.question(&peer, path) {
            let onto = if only_by_bus { &mut self.elsewhere } else { queue };
            onto.push_back(((place, fact), message));
        }
    }

    /// Asks what the look wants to know of an element beside its basic facts.
    fn ask_details(&mut self, place: u32, queue: &mut Queue) {
        let wanted = self.within.facets;
        let draft = self.drafts.at(place);
        let kind = draft.kind();
        if kind == Role::Password {
            draft.secret = true;
            self.veil.draw(&draft.id);
        } else if veil::is_line(kind, draft.states) && !draft.secret {
            draft.veiled = self.veil.covers(&draft.id) || secret::is_called_secret(&draft.name);
            draft.secret = draft.veiled;
        }
        if draft.secret && wanted.values {
            draft.value = Some(Value::Secret);
        }
        let (secret, unnamed) = (draft.secret, draft.name.is_empty());
        let leaf = draft.child_count == 0;
        let (showing, bare) = (draft.showing() || wanted.hidden, draft.description.is_empty());
        if wanted.bounds && showing {
            self.ask(place, self.quirks.extents(), queue);
        }
        if wanted.values && showing && !secret {
            // A cell of a sheet is named by its place, "A1"; what is in it is its text.
            let sheet_cell = self.quirks.libre_office && kind == Role::Cell;
            if sheet_cell || facts::holds_text(kind, unnamed && leaf) {
                self.ask(place, Fact::TextLength, queue);
            }
            if kind.is_ranged() {
                for fact in facts::NUMBERS {
                    self.ask(place, *fact, queue);
                }
            }
        }
        if wanted.identifiers {
            self.ask(place, Fact::Identifier, queue);
            self.ask(place, Fact::Attributes, queue);
        }
        // Cache and summary bring the description along; only a plain walk must ask for it.
        let told = self.quirks.summary || self.known.below(place).is_some();
        if !told && bare && (wanted.identifiers || (showing && unnamed && kind.is_control())) {
            self.ask(place, Fact::Description, queue);
        }
        if wanted.actions {
            self.ask(place, Fact::Actions, queue);
        }
        if wanted.relations {
            self.ask(place, Fact::Relations, queue);
        }
    }

    /// Asks for the children of an element, as many as the look may hold.
    fn ask_children(&mut self, place: u32, queue: &mut Queue) {
        let first = if place == 0 { self.within.first_child } else { 0 };
        let count = usize::try_from(self.drafts.at(place).child_count).unwrap_or(0);
        if count == 0 {
            return;
        }
        // Calc says 2³¹−1 and a GTK 3 list of 100,000 rows takes 5 s to list its children, so a
        // long list is only ever asked for single children.
        let long = count > self.within.children;
        let sample = SAMPLE_ROWS * SAMPLE_COLUMNS;
        let cut = self.limit(place, if long { sample } else { count });
        self.drafts.at(place).cut = cut.or(long.then_some(Cut::Many));
        if cut.is_some() {
            return;
        }
        if first > 0 {
            for index in first..count.min(first.saturating_add(self.within.children.min(sample))) {
                self.ask(place, Fact::Child(index as i32), queue);
            }
        } else if long {
            self.ask(place, Fact::Columns, queue);
        } else {
            self.ask(place, Fact::Children, queue);
        }
    }

    /// Asks for the children of an element whose number the cache does not tell.
    fn ask_unknown(&mut self, place: u32, queue: &mut Queue) {
        // No menu is long, so its items can be asked for without counting them.
        let kind = self.drafts.at(place).kind();
        if !matches!(kind, Role::Menu | Role::MenuBar | Role::PopupMenu) {
            self.ask(place, Fact::ChildCount, queue);
        } else if let Some(cut) = self.limit(place, 1) {
            self.drafts.at(place).cut = Some(cut);
        } else {
            self.ask(place, Fact::Children, queue);
        }
    }

    /// Asks for the top left corner of a list or table that is too long to read whole.
    fn ask_sample(&mut self, place: u32, columns: usize, queue: &mut Queue) {
        let count = usize::try_from(self.drafts.at(place).child_count).unwrap_or(0);
        let rows = if columns > 1 { SAMPLE_ROWS } else { SAMPLE_ROWS * 2 };
        for row in 0..rows {
            for column in 0..columns.min(SAMPLE_COLUMNS) {
                let index = row * columns + column;
                if index < count {
                    self.ask(place, Fact::Child(index as i32), queue);
                }
            }
        }
    }

    fn take(&mut self, (place, fact): Tag, answer: Answer, queue: &mut Queue) {
        match answer {
            Ok(message) => self.learn(place, fact, &message, queue),
            Err(silence) => self.miss(place, fact, silence, queue),
        }
        if !fact.is_basic() || self.drafts.at(place).cut.is_some() {
            return;
        }
        if self.known.below(place).is_some() {
            self.ask_children(place, queue);
            return;
        }
        let left = &mut self.basics[place as usize];
        *left = left.saturating_sub(1);
        if *left == 0 {
            let draft = self.drafts.at(place);
            draft.states = self.quirks.states(draft.states);
            draft.name = self.quirks.name(std::mem::take(&mut draft.name));
            self.ask_details(place, queue);
            self.ask_children(place, queue);
        }
    }

    fn learn(&mut self, place: u32, fact: Fact, message: &Message, queue: &mut Queue) {
        if fact == Fact::Children {
            let children: Vec<spi::Reference> = body(message).unwrap_or_default();
            self.drafts.at(place).child_count = children.len() as i32;
            for (bus, path) in children {
                self.adopt(place, &bus, path.as_str(), queue);
            }
        } else if let Fact::Child(_) = fact {
            if let Ok((bus, path)) = body::<spi::Reference>(message) {
                self.adopt(place, &bus, path.as_str(), queue);
            }
        } else if fact == Fact::Columns {
            let columns = facts::integer(message).unwrap_or(1).max(1);
            self.ask_sample(place, columns as usize, queue);
        } else if fact == Fact::TextLength {
            let length = facts::integer(message).unwrap_or(0).max(0);
            let draft = self.drafts.at(place);
            draft.value = Some(Value::Text { text: String::new(), length: length as usize });
            let line = veil::is_line(draft.kind(), draft.states);
            let unnamed = draft.name.is_empty();
            if length > 0 {
                // No secret is read to find out whether it is one.
                let next = match (line && self.quirks.gtk4, line && unnamed) {
                    (true, _) => Fact::Drawn,
                    (false, true) => Fact::Clue,
                    (false, false) => Fact::of_text(length),
                };
                self.ask(place, next, queue);
            }
        } else if fact == Fact::Drawn {
            self.drafts.at(place).drawn = Some(message.clone());
            self.ask(place, Fact::Held, queue);
        } else if fact == Fact::Held {
            let drawn = self.drafts.at(place).drawn.take();
            if drawn.is_some_and(|drawn| veil::is_dotted(&drawn, message)) {
                self.cover(place);
            } else {
                self.ask(place, Fact::Clue, queue);
            }
        } else if fact == Fact::Clue {
            if veil::is_told(message) {
                self.cover(place);
            } else {
                self.ask_text(place, queue);
            }
        } else {
            facts::note(self.drafts.at(place), fact, message);
            if fact == Fact::Actions {
                // The list is translated, and empty words in browsers; the names one by one are not.
                for index in 0..self.drafts.at(place).actions.len() {
                    self.ask(place, Fact::ActionName(index as i32), queue);
                }
            }
        }
    }

    /// Notes that an element is a password field, though it does not say so.
    fn cover(&mut self, place: u32) {
        let draft = self.drafts.at(place);
        (draft.veiled, draft.secret) = (true, true);
        draft.value = Some(Value::Secret);
        self.veil.draw(&draft.id);
    }

    /// Asks for a text whose length is known.
    fn ask_text(&mut self, place: u32, queue: &mut Queue) {
        if let Some(Value::Text { length, .. }) = self.drafts.at(place).value {
            self.ask(place, Fact::of_text(length as i64), queue);
        }
    }

    fn miss(&mut self, place: u32, fact: Fact, silence: Silence, queue: &mut Queue) {
        let draft = self.drafts.at(place);
        match silence {
            Silence::Late => {
                if fact.is_basic() || fact.is_about_children() {
                    draft.cut = Some(Cut::Deadline);
                }
                self.stopped.get_or_insert(silence);
            }
            Silence::Broken(_) => {
                draft.cut = Some(Cut::Gone);
                self.stopped.get_or_insert(silence);
            }
            // An element without a table, a text or a number says so by an error, which is an
            // answer; one that cannot even tell its role is no more.
            Silence::Refused(_) => {
                if fact == Fact::Columns {
                    self.ask_sample(place, 1, queue);
                } else if matches!(fact, Fact::Drawn | Fact::Held | Fact::Clue) {
                    self.ask_text(place, queue);
                } else if fact == Fact::Role {
                    draft.cut = Some(Cut::Gone);
                } else if fact == Fact::Children {
                    draft.cut.get_or_insert(Cut::Silent);
                }
            }
        }
    }

    fn adopt(&mut self, parent: u32, bus: &str, path: &str, queue: &mut Queue) {
        if path == spi::NULL_PATH || bus.is_empty() {
            return;
        }
        let (place, _) = self.drafts.place(spi::node_id(bus, path));
        self.reached.resize(self.drafts.list.len(), false);
        if place == parent || self.drafts.at(parent).children.contains(&place) {
            return;
        }
        let (depth, secret) = {
            let parent = self.drafts.at(parent);
            parent.children.push(place);
            (parent.depth + 1, parent.secret)
        };
        if !self.reached[place as usize] {
            let child = self.drafts.at(place);
            child.depth = depth;
            child.secret = secret;
            self.reach(place, queue);
        }
    }
}
