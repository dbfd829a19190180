//! Texts: read whole, with their caret and what is selected.

use std::collections::HashMap;

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{Deadline, Result, Text};

use super::{
    Value,
    room::{MESSAGE, Room, lost},
    system::{Answer, Ax},
    utf16,
};

/// A longer text than this is not read whole; the largest documents of a word processor are smaller.
const MOST: i64 = 5_000_000;

impl<G: Ax> Room<G> {
    /// The whole text of an element, `None` when it has none; of a secret only its length.
    pub(crate) fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
        let element = self.element(app, id, by)?;
        self.text_of(&element, id, by).map_err(|fault| lost(fault, app))
    }

    fn text_of(&self, of: &G::Element, id: &NodeId, by: Deadline) -> Answer<Option<Text>> {
        let facts = self.basics(of, by)?;
        let role = facts.role(Role::Unknown);
        let secret = self.is_secret(role, id, &facts, &self.called(&facts, by))
            || self.sight(of, &mut HashMap::new(), by)?.0.secret;
        let counted = self.facts(of, &["AXNumberOfCharacters", "AXSelectedTextRange"], by)?;
        #[allow(clippy::cast_possible_truncation)] // A count of units.
        let units = counted.number("AXNumberOfCharacters").map(|count| count as i64);
        if secret {
            let length = usize::try_from(units.unwrap_or(0)).unwrap_or(0);
            return Ok(Some(Text {
                text: String::new(),
                caret: None,
                selected: None,
                length,
                secret,
            }));
        }
        let Some(text) = self.whole(of, units, by)? else { return Ok(None) };
        let range = counted.get("AXSelectedTextRange").and_then(Value::range);
        let at = |units: usize| utf16::characters(&text, units);
        let selected = range.map(|(start, length)| (at(start), at(start.saturating_add(length))));
        Ok(Some(Text {
            caret: selected.map(|(_, end)| end),
            selected: selected.filter(|(start, end)| start != end),
            length: text.chars().count(),
            text,
            secret,
        }))
    }

    /// The text in one piece, or its first part when it is longer than any document.
    fn whole(&self, of: &G::Element, units: Option<i64>, by: Deadline) -> Answer<Option<String>> {
        let value = if units.is_some_and(|units| units > MOST) {
            self.ax.ask(of, "AXStringForRange", &Value::Range(0, MOST), by)
        } else {
            self.ax.get(of, "AXValue", by.or_after(MESSAGE * 5))
        };
        match value {
            Ok(value) => Ok(value.text().map(str::to_owned)),
            Err(fault) if fault.is_absence() => Ok(units.map(|_| String::new())),
            Err(fault) => Err(fault),
        }
    }
}
