//! Fields whose text is a secret. Most say so by their role; some only by what they are called or by
//! what they draw; and what was one once stays one, whatever it says later: a button that shows the
//! password makes a plain field of it.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use deskhand_model::{NodeId, Role, State, States, secret};
use zbus::Message;

use super::pipe::body;

/// More than this are not remembered; a page with so many password fields is no form.
const MOST: usize = 10_000;

/// The elements known to hold secrets, for as long as their apps live: no element of a bus gets the
/// name of another.
#[derive(Debug, Default)]
pub(crate) struct Veil(Mutex<HashSet<NodeId>>);

impl Veil {
    /// Remembers an element.
    pub(crate) fn draw(&self, over: &NodeId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST {
            known.insert(over.clone());
        }
    }

    /// Whether an element is remembered.
    pub(crate) fn covers(&self, id: &NodeId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }
}

/// Whether an element is a field of one line: secrets are typed into these.
pub(crate) fn is_line(kind: Role, states: States) -> bool {
    matches!(kind, Role::Entry | Role::Text | Role::Autocomplete) && !states.has(State::MultiLine)
}

/// Whether attributes of a field tell that it takes a secret.
pub(crate) fn is_told(attributes: &Message) -> bool {
    const NAMES: [&str; 6] =
        ["placeholder-text", "placeholder", "id", "html-input-name", "name", "text-input-type"];
    let all: HashMap<String, String> = body(attributes).unwrap_or_default();
    NAMES.iter().filter_map(|name| all.get(*name)).any(|text| secret::is_called_secret(text))
}

/// Whether a field draws something else than it holds. GTK 4 gives out what a field with its
/// visibility off holds, by `GetText` and `GetCharacterAtOffset`, and gives it no role of its own; but
/// `GetStringAtOffset` answers with what is drawn, which are dots then.
pub(crate) fn is_dotted(drawn: &Message, held: &Message) -> bool {
    let drawn = body::<(String, i32, i32)>(drawn).ok().map(|(text, ..)| text);
    let held = body::<i32>(held).ok().and_then(|code| char::from_u32(code.unsigned_abs()));
    match (drawn, held) {
        (Some(drawn), Some(held)) => !drawn.starts_with(held),
        (Some(_) | None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_a_password_field_stays_one() {
        let veil = Veil::default();
        let (field, other) = (NodeId::new(":1.7/field"), NodeId::new(":1.7/other"));
        veil.draw(&field);
        assert!(veil.covers(&field) && !veil.covers(&other));
    }

    #[test]
    fn only_lines_take_secrets() {
        assert!(is_line(Role::Entry, States::NONE));
        assert!(!is_line(Role::Text, States::NONE.with(State::MultiLine)));
        assert!(!is_line(Role::Label, States::NONE));
    }
}
