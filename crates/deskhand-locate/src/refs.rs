//! Short names for elements. A ref stays valid as long as its element exists, and never refers to
//! another element.

mod cell;
mod fingerprint;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod timing;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
pub use table::RefTable;
pub(crate) use table::is_partial;

/// The short name of an element, such as `e12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Ref(u32);

impl Ref {
    /// Creates a ref from its number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// The error for a text that is not a ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a ref: a ref looks like e12")]
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
