//! Elements as they come in, before they are put in order.

use std::collections::{HashMap, VecDeque};

use deskhand_model::{Cut, NodeId, Rect, Relation, State, States, Value};

use deskhand_platform::Extent;
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

    /// Holds the elements to the bounds of a look: of several that were asked for at the same time, each
    /// alone had room.
    pub(crate) fn hold_to(&mut self, within: &Extent) {
        let mut left = within.nodes.saturating_sub(1);
        let mut seen = vec![false; self.list.len()];
        let mut open: VecDeque<usize> = [0].into();
        while let Some(place) = open.pop_front() {
            let Some(draft) = self.list.get_mut(place) else { continue };
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            for (most, cut) in [(within.children, Cut::Many), (left, Cut::Budget)] {
                if draft.children.len() > most {
                    draft.children.truncate(most);
                    draft.cut = Some(cut);
                }
            }
            left -= draft.children.len();
            open.extend(draft.children.iter().map(|child| *child as usize));
        }
    }
}

#[cfg(test)]
mod tests {
    use deskhand_platform::Facets;

    use super::*;

    #[test]
    fn a_look_holds_no_more_than_it_may() {
        let mut drafts = Drafts::default();
        for name in 0..9 {
            drafts.place(NodeId::new(name.to_string()));
        }
        drafts.at(0).children = vec![1, 2];
        drafts.at(1).children = vec![3, 4, 5];
        drafts.at(2).children = vec![6, 7, 8];
        drafts.hold_to(&Extent { nodes: 7, children: 2, ..Extent::of(Facets::NAMES) });
        assert_eq!(drafts.at(1).children, [3, 4]);
        assert_eq!(drafts.at(1).cut, Some(Cut::Many));
        assert_eq!((drafts.at(0).cut, drafts.at(2).cut), (None, Some(Cut::Many)));
        drafts.hold_to(&Extent { nodes: 4, ..Extent::of(Facets::NAMES) });
        assert_eq!(drafts.at(1).children, [3]);
        assert_eq!((drafts.at(1).cut, drafts.at(2).cut), (Some(Cut::Budget), Some(Cut::Budget)));
    }
}
