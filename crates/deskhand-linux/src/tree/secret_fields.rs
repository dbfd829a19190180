//! Fields whose text is a secret. Most have the role `Password`; some are recognized only by their
//! name or because they draw dots. A field that was secret once stays secret: a "show password"
//! button turns it into a plain field.

use std::collections::{HashMap, HashSet};

use deskhand_model::{NodeId, Role, State, States, secret};
use parking_lot::Mutex;
use zbus::Message;

use super::{atspi, dbus::body};

/// Maximum number of fields to remember; a page with more password fields is not a real form.
const MAX_FIELDS: usize = 10_000;

/// The elements known to hold secrets. Entries stay valid while their apps run, because object
/// names on a bus are not reused.
#[derive(Debug, Default)]
pub(crate) struct SecretFields(Mutex<HashSet<NodeId>>);

impl SecretFields {
    /// Remembers an element as secret.
    pub(crate) fn insert(&self, id: &NodeId) {
        let mut known = self.0.lock();
        if known.len() < MAX_FIELDS {
            known.insert(id.clone());
        }
    }

    /// Drops the elements whose bus name fails the condition. The bus does not reuse names.
    pub(crate) fn retain(&self, is_running: impl Fn(&str) -> bool) {
        self.0.lock().retain(|id| is_running(atspi::split_node_id(id).0));
    }

    /// Returns `true` if the element is known to be secret.
    pub(crate) fn contains(&self, id: &NodeId) -> bool {
        self.0.lock().contains(id)
    }
}

/// Returns `true` if the element is a single-line field; secrets are typed only into these.
pub(crate) fn is_single_line_field(role: Role, states: States) -> bool {
    matches!(role, Role::Entry | Role::Text | Role::Autocomplete) && !states.has(State::MultiLine)
}

/// Returns `true` if a field's attributes name a secret.
pub(crate) fn attributes_name_secret(attributes: &Message) -> bool {
    const NAMING_ATTRIBUTES: [&str; 6] =
        ["placeholder-text", "placeholder", "id", "html-input-name", "name", "text-input-type"];
    let all: HashMap<String, String> = body(attributes).unwrap_or_default();
    NAMING_ATTRIBUTES
        .iter()
        .filter_map(|name| all.get(*name))
        .any(|text| secret::is_secret_name(text))
}

/// Returns `true` if a field draws a mask instead of the character it stores. GTK 4 gives a text
/// field with visibility off no separate role, and `GetText` and `GetCharacterAtOffset` return its
/// content. `GetStringAtOffset`, however, returns the drawn text, which is dots.
///
/// The two replies may come from different moments: while a user types, an ordinary field draws
/// nothing or an earlier character. Only the character of a mask shows that the field hides its text.
pub(crate) fn is_masked(drawn: &Message, stored: &Message) -> bool {
    let drawn = body::<(String, i32, i32)>(drawn).ok().and_then(|(text, ..)| text.chars().next());
    let stored = body::<i32>(stored).ok().and_then(|code| char::from_u32(code.unsigned_abs()));
    match (drawn, stored) {
        (Some(drawn), Some(stored)) => hides(drawn, stored),
        (Some(_) | None, _) => false,
    }
}

fn hides(drawn: char, stored: char) -> bool {
    drawn != stored && is_mask_character(drawn)
}

/// Returns `true` for characters that toolkits draw in place of a secret: dots, stars and other
/// symbols. GTK 4 takes the first of ●, •, ✱, ✺ and * that the font has.
fn is_mask_character(one: char) -> bool {
    one == '*'
        || !(one.is_ascii() || one.is_alphanumeric() || one.is_whitespace() || one.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_field_stays_secret() {
        let fields = SecretFields::default();
        let (field, other) = (NodeId::new(":1.7/field"), NodeId::new(":1.7/other"));
        fields.insert(&field);
        assert!(fields.contains(&field) && !fields.contains(&other));
    }

    #[test]
    fn only_the_character_of_a_mask_hides_a_text() {
        for mask in ['●', '•', '✱', '✺', '*', '∗', '■'] {
            assert!(hides(mask, 'b'), "{mask}");
        }
        // The text has changed between the two requests.
        for (drawn, stored) in [('a', 'b'), ('A', 'a'), ('-', 'x'), ('é', 'e'), (' ', 'b')] {
            assert!(!hides(drawn, stored), "{drawn}");
        }
        assert!(!hides('*', '*'), "the text itself starts with a star");
    }

    #[test]
    fn the_fields_of_ended_apps_are_dropped() {
        let fields = SecretFields::default();
        let of = |bus: &str| atspi::node_id(bus, "/field");
        fields.insert(&of(":1.7"));
        fields.insert(&of(":1.70"));
        fields.retain(|bus| bus == ":1.70");
        assert!(fields.contains(&of(":1.70")) && !fields.contains(&of(":1.7")));
    }

    #[test]
    fn only_single_line_fields_hold_secrets() {
        assert!(is_single_line_field(Role::Entry, States::NONE));
        assert!(!is_single_line_field(Role::Text, States::NONE.with(State::MultiLine)));
        assert!(!is_single_line_field(Role::Label, States::NONE));
    }
}
