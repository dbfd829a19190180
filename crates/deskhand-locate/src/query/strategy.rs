//! How the text of a query is to be taken.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, text::clip};

/// How the text of a query is to be taken.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// MatchMethod its looks, then in every way, the most exact first.
    #[default]
    Auto,
    /// As the whole title.
    Exact,
    /// As a part of the title, in any case.
    Contains,
    /// As a regular expression.
    Regex,
    /// As a role, or as `role:title`.
    Role,
    /// As the identifier the programmer gave.
    Identifier,
    /// As an XPath expression.
    Xpath,
}

impl Strategy {
    /// Every strategy there is.
    pub const ALL: &[Strategy] = &[
        Self::Auto,
        Self::Exact,
        Self::Contains,
        Self::Regex,
        Self::Role,
        Self::Identifier,
        Self::Xpath,
    ];

    /// The word callers write.
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
