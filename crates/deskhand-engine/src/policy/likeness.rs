//! What a name looks like to a person: case, width, accents in two ways of writing, invisible
//! characters and letters borrowed from other alphabets make no difference.

use deskhand_model::clean;
use unicode_normalization::UnicodeNormalization;
use unicode_security::{GeneralSecurityProfile, confusable_detection::skeleton};

/// The ways a name is compared; two names look alike when one of them is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Likeness {
    pub(super) folded: String,
    pub(super) drawn: String,
    /// Drawn as it is written: a capital I looks like a small l.
    pub(super) drawn_first: String,
}

impl Likeness {
    pub(super) fn of(name: &str) -> Self {
        let folded = fold(name);
        let plain = plain(name);
        Self { drawn: fold(&draw(&folded)), drawn_first: fold(&draw(&plain)), folded }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.folded == other.folded
            || self.drawn == other.drawn
            || self.drawn_first == other.drawn_first
    }

    /// All of them.
    pub(super) fn ways(&self) -> [&str; 3] {
        [&self.folded, &self.drawn, &self.drawn_first]
    }
}

/// A name without what makes no difference to its letters.
pub(super) fn fold(name: &str) -> String {
    let seen = if name.is_ascii() {
        plain(name).to_ascii_lowercase()
    } else {
        let whole: String = name.nfkc().collect();
        // Some letters have no small form of their own until they were large.
        plain(&whole.to_uppercase().to_lowercase())
    };
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name in the usual form of its letters, without what is not seen.
fn plain(name: &str) -> String {
    // Almost every name is ASCII, and has one form only.
    if name.is_ascii() {
        return name.chars().filter(|c| !c.is_control()).collect();
    }
    name.nfkc().filter(|c| is_seen(*c)).collect()
}

fn draw(name: &str) -> String {
    let drawn: String = skeleton(name).collect();
    if drawn.is_ascii() {
        return drawn;
    }
    // Accents that were set on a letter one by one do not make it another to the eye.
    drawn.nfd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect()
}

fn is_seen(c: char) -> bool {
    let hidden = c.is_control() || clean::is_invisible(c);
    !hidden || c == ' ' || c.identifier_allowed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> bool {
        Likeness::of(one).is_like(&Likeness::of(other))
    }

    #[test]
    fn names_that_look_alike_are_alike() {
        for (name, same) in [
            ("KeePassXC", "keepassxc"),
            ("kcalc", "k\u{441}alc"),         // Cyrillic es
            ("kcalc", "kca\u{406}c"),         // Ukrainian I
            ("kcalc", "kcaIc"),               // a capital I
            ("kcalc", "kca1c"),               // a one
            ("kcalc", "\u{ff4b}\u{ff43}alc"), // full width
            ("kcalc", "k\u{200b}calc"),       // zero width space
            ("kcalc", "kcal\u{ad}c"),         // soft hyphen
            ("kcalc", "\u{202e}kcalc"),       // an override
            ("kcalc", "kcalc\u{e0041}"),      // a tag
            ("kcalc", "\u{1d424}calc"),       // mathematical bold
            ("kcalc", "k\u{107}alc"),         // an accent
            ("Caf\u{e9}", "Cafe\u{301}"),
            ("System Settings", "system  settings "),
            ("System Settings", "System\u{a0}Settings"),
            ("stra\u{df}e", "STRASSE"),
        ] {
            assert!(alike(name, same), "{name} {same:?}");
        }
    }

    #[test]
    fn names_a_person_tells_apart_are_not() {
        for (name, other) in
            [("kcalc", "kcalk"), ("mousepad", "featherpad"), ("st", "sit"), ("a", ""), ("", "x")]
        {
            assert!(!alike(name, other), "{name} {other}");
        }
    }
}
