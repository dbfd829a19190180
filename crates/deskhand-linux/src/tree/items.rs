//! The app's own cache: its whole tree in one answer, where the toolkit keeps one.

use std::collections::{HashMap, HashSet};

use deskhand_platform::Deadline;
use zbus::{Message, ObjectPath};

use super::{
    draft::Drafts,
    pipe::{Peer, Pipe, Silence, call},
    quirks::Quirks,
    spi,
};

type Item<'a> = (
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

/// How much the cache told of an element's children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Below {
    /// All of them, in order.
    All,
    /// How many there are, but not all of them.
    Some,
    /// Not even how many.
    Unknown,
}

/// Which elements the cache told of.
#[derive(Debug, Default)]
pub(crate) struct Known(HashMap<u32, Below>);

impl Known {
    /// What is known below an element; `None` when the cache did not tell of it.
    pub(crate) fn below(&self, place: u32) -> Option<Below> {
        self.0.get(&place).copied()
    }
}

/// Asks for the cache; an app without one answers with nothing.
pub(crate) fn fetch(
    pipe: &mut Pipe,
    peer: &Peer,
    by: Deadline,
) -> Result<Option<Message>, Silence> {
    let ask = call(peer, spi::CACHE_PATH, spi::CACHE, "GetItems", &())?;
    match pipe.ask(ask, by) {
        Ok(answer) => Ok(Some(answer)),
        // Qt has no cache, and a bridge nobody listens to has not made one yet.
        Err(Silence::Refused(_)) => Ok(None),
        Err(silence @ (Silence::Late | Silence::Broken(_))) => Err(silence),
    }
}

/// Writes down what the cache tells.
///
/// An answer of another shape (the one before AT-SPI 2.18) counts as no cache.
pub(crate) fn note(answer: &Message, drafts: &mut Drafts, quirks: Quirks) -> Known {
    let body = answer.body();
    let items: Vec<Item<'_>> = body.deserialize().unwrap_or_default();
    let mut kids: HashMap<u32, Vec<(i32, u32)>> = HashMap::with_capacity(items.len() / 2);
    let mut known = Known::default();
    let mut bodiless = HashSet::new();
    for ((bus, path), _, (parent_bus, parent_path), index, count, can, name, role, about, states) in
        items
    {
        let (place, _) = drafts.place(spi::node_id(bus, &path));
        let draft = drafts.at(place);
        draft.role = role;
        draft.name = quirks.name(name.to_owned());
        draft.description = about.to_owned();
        draft.child_count = count;
        draft.set_states(&states);
        draft.states = quirks.states(draft.states);
        known.0.insert(place, Below::Unknown);
        if !can.contains(&spi::COMPONENT) {
            bodiless.insert(place);
        }
        if !parent_bus.is_empty() && parent_path.as_str() != spi::NULL_PATH {
            let (parent, _) = drafts.place(spi::node_id(parent_bus, &parent_path));
            if parent != place {
                kids.entry(parent).or_default().push((index, place));
            }
        }
    }
    for (place, below) in &mut known.0 {
        let draft = drafts.at(*place);
        let mut children = kids.remove(place).unwrap_or_default();
        children.sort_unstable();
        // The bridge says -1 for menus and for lists that make their items on demand; GTK 4 says 0
        // for an app with windows. Some toolkits tell wrong positions, so only a list without holes
        // is believed.
        let whole = children.iter().enumerate().all(|(at, (index, _))| at as i32 == *index);
        *below = match usize::try_from(draft.child_count) {
            Err(_) => Below::Unknown,
            Ok(0) if !children.is_empty() => Below::Unknown,
            // GTK 4 puts page objects, which have no place, between a stack and its children here
            // and nowhere else.
            Ok(1..) if quirks.gtk4 && children.iter().any(|(_, kid)| bodiless.contains(kid)) => {
                Below::Some
            }
            Ok(count) if children.len() == count && whole => Below::All,
            Ok(_) => Below::Some,
        };
        if *below == Below::All {
            draft.children = children.into_iter().map(|(_, child)| child).collect();
        }
    }
    known
}
