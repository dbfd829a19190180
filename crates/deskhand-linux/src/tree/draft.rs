//! Elements as they come in, before they are put in order.

use std::collections::HashMap;

use deskhand_model::{Cut, NodeId, Rect, Relation, State, States, Value};

use zbus::Message;

use super::{role, state};

/// An element of which some facts are still on their way.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) id: NodeId,
    /// AT-SPI's role number.
    pub(crate) role: u32,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) identifier: String,
    pub(crate) states: States,
    pub(crate) child_count: i32,
    pub(crate) children: Vec<u32>,
    pub(crate) depth: u32,
    pub(crate) bounds: Option<Rect>,
    pub(crate) value: Option<Value>,
    pub(crate) actions: Vec<String>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) cut: Option<Cut>,
    /// Whether it stands inside a password field, or is one.
    pub(crate) secret: bool,
    /// Whether it is one that does not say so by its role.
    pub(crate) veiled: bool,
    /// What it draws for its first character, while that is compared with what it holds.
    pub(crate) drawn: Option<Message>,
}

impl Draft {
    fn new(id: NodeId) -> Self {
        Self {
            id,
            role: 0,
            name: String::new(),
            description: String::new(),
            identifier: String::new(),
            states: States::NONE,
            child_count: 0,
            children: Vec::new(),
            depth: 0,
            bounds: None,
            value: None,
            actions: Vec::new(),
            relations: Vec::new(),
            cut: None,
            secret: false,
            veiled: false,
            drawn: None,
        }
    }

    /// The kind of element, as far as it is known.
    pub(crate) fn kind(&self) -> deskhand_model::Role {
        role::from_number(self.role, self.states)
    }

    /// Whether it can be seen now.
    pub(crate) fn showing(&self) -> bool {
        self.states.has(State::Showing)
    }

    /// Takes the states as AT-SPI writes them.
    pub(crate) fn set_states(&mut self, words: &[u32]) {
        self.states = state::from_words(words);
    }
}

/// All elements of a look so far; the first is the root of the look.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) list: Vec<Draft>,
    by_id: HashMap<NodeId, u32>,
}

impl Drafts {
    /// The place of an element, made if it is new; the flag tells whether it is.
    pub(crate) fn place(&mut self, id: NodeId) -> (u32, bool) {
        if let Some(at) = self.by_id.get(&id) {
            return (*at, false);
        }
        let at = self.list.len() as u32;
        self.by_id.insert(id.clone(), at);
        self.list.push(Draft::new(id));
        (at, true)
    }

    /// The element at a place.
    pub(crate) fn at(&mut self, place: u32) -> &mut Draft {
        &mut self.list[place as usize]
    }
}
