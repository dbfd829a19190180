//! The selector object that some tools take: `{"role": "button", "text": "OK"}`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    role,
    terms::{TermField, Terms},
};
use crate::{Error, Result, text::clip};

/// Conditions on an element. All conditions that are given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// The role, in any spelling: `button`, `AXButton`, `push button`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The whole text: title, value or description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A part of the text, in any letter case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_contains: Option<String>,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Selector {
    /// Parses a selector from JSON text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|e| {
            // serde_json counts columns in bytes, from 1.
            let line: usize =
                text.split_inclusive('\n').take(e.line().saturating_sub(1)).map(str::len).sum();
            let byte = (line + e.column().saturating_sub(1)).min(text.len());
            let at = text.char_indices().take_while(|(start, _)| *start < byte).count();
            let message = e.to_string();
            let why = message.split(" at line ").next().unwrap_or_default().to_owned();
            Error::BadQuery {
                query: clip(text, 120),
                form: "selector",
                why,
                at: Some(at),
                fix: "write JSON with role, text, text_contains or title, such as \
                      {\"role\": \"button\", \"text\": \"OK\"}"
                    .into(),
            }
        })
    }

    pub(super) fn terms(&self) -> Result<Terms> {
        let mut terms = Terms::default();
        if let Some(word) = &self.role {
            terms.and_roles(role::roles(word)?);
        }
        let fields = [
            (TermField::Text, &self.text),
            (TermField::TextContains, &self.text_contains),
            (TermField::Title, &self.title),
        ];
        for (field, text) in fields {
            if let Some(text) = text {
                terms.and(field, text.clone());
            }
        }
        if terms.is_empty() {
            return Err(Error::EmptyQuery);
        }
        Ok(terms)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}
