//! The strategy for interpreting the text of a query.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, text::clip};

/// The strategy for interpreting the text of a query.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Detect the syntax, then try every match method, most exact first.
    #[default]
    Auto,
    /// The whole title.
    Exact,
    /// A part of the title, in any letter case.
    Contains,
    /// A regular expression.
    Regex,
    /// A role, or `role:title`.
    Role,
    /// The developer's identifier.
    Identifier,
    /// An XPath expression.
    Xpath,
}

impl Strategy {
    /// All strategies.
    pub const ALL: &[Strategy] = &[
        Self::Auto,
        Self::Exact,
        Self::Contains,
        Self::Regex,
        Self::Role,
        Self::Identifier,
        Self::Xpath,
    ];

    /// Returns the name callers use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Exact => "exact",
            Self::Contains => "contains",
            Self::Regex => "regex",
            Self::Role => "role",
            Self::Identifier => "identifier",
            Self::Xpath => "xpath",
        }
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        let known = Self::ALL.iter().copied().find(|one| one.word() == word);
        known.ok_or_else(|| Error::UnknownStrategy { word: clip(word, 40) })
    }
}
