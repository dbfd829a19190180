//! Short names for elements that hold for the life of an app: an unrelated change renumbers
//! nothing, and a ref never comes to mean another element.

mod fingerprint;
mod store;
mod table;
#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
pub use table::RefTable;
pub(crate) use table::is_partial;

/// The short name of an element: `e12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Ref(u32);

impl Ref {
    /// The ref with a number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// The text is no ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a ref is written e12")]
pub struct InvalidRef;

impl FromStr for Ref {
    type Err = InvalidRef;

    fn from_str(text: &str) -> Result<Self, InvalidRef> {
        let digits = text.strip_prefix('e').ok_or(InvalidRef)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        if !plain {
            return Err(InvalidRef);
        }
        digits.parse().map(Self).map_err(|_| InvalidRef)
    }
}

impl From<Ref> for String {
    fn from(reference: Ref) -> Self {
        reference.to_string()
    }
}

impl TryFrom<String> for Ref {
    type Error = InvalidRef;

    fn try_from(text: String) -> Result<Self, InvalidRef> {
        text.parse()
    }
}
