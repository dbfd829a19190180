//! Compares names by their appearance. Ignores case, width, accents, invisible characters and
//! look-alike letters of other alphabets.

use deskhand_model::clean;
use unicode_normalization::UnicodeNormalization;
use unicode_security::{GeneralSecurityProfile, confusable_detection::skeleton};

/// The normalized forms of a name. Two names look alike if one form is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NameForms {
    pub(super) folded: String,
    pub(super) skeleton: String,
    /// The skeleton of the name before case folding: a capital I looks like a small l.
    pub(super) cased_skeleton: String,
}

impl NameForms {
    pub(super) fn new(name: &str) -> Self {
        let folded = fold(name);
        let plain = plain(name);
        Self {
            skeleton: fold(&to_skeleton(&folded)),
            cased_skeleton: fold(&to_skeleton(&plain)),
            folded,
        }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.folded == other.folded
            || self.skeleton == other.skeleton
            || self.cased_skeleton == other.cased_skeleton
    }

    /// Returns all forms.
    pub(super) fn all(&self) -> [&str; 3] {
        [&self.folded, &self.skeleton, &self.cased_skeleton]
    }
}

/// Folds case, width and white space, and removes invisible characters.
pub(super) fn fold(name: &str) -> String {
    let folded = if name.is_ascii() {
        plain(name).to_ascii_lowercase()
    } else {
        let whole: String = name.nfkc().collect();
        // Some letters, such as `ß`, fold correctly only through their upper case.
        plain(&whole.to_uppercase().to_lowercase())
    };
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes the letters of a name to NFKC and removes invisible characters.
fn plain(name: &str) -> String {
    // Fast path: almost every name is ASCII.
    if name.is_ascii() {
        return name.chars().filter(|c| !c.is_control()).collect();
    }
    name.nfkc().filter(|c| is_visible(*c)).collect()
}

/// Returns the confusable skeleton (UTS #39) of a name, without accents.
fn to_skeleton(name: &str) -> String {
    let skeleton: String = skeleton(name).collect();
    if skeleton.is_ascii() {
        return skeleton;
    }
    skeleton.nfd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect()
}

fn is_visible(c: char) -> bool {
    let hidden = c.is_control() || clean::is_invisible(c);
    !hidden || c == ' ' || c.identifier_allowed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> bool {
        NameForms::new(one).is_like(&NameForms::new(other))
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
    fn names_that_look_different_are_different() {
        for (name, other) in
            [("kcalc", "kcalk"), ("mousepad", "featherpad"), ("st", "sit"), ("a", ""), ("", "x")]
        {
            assert!(!alike(name, other), "{name} {other}");
        }
    }
}
