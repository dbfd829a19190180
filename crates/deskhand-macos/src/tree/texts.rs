//! Full texts, with caret and selection.

use std::collections::HashMap;

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{Deadline, Result, TextContent};

use super::{
    Value,
    ax_api::{AxApi, AxResult},
    session::{AxSession, element_error},
    utf16,
};
use crate::timing::TEXT_TIMEOUT;

/// Upper limit of UTF-16 units of a text, larger than any document of a word processor.
const MAX_TEXT: i64 = 5_000_000;

impl<A: AxApi> AxSession<A> {
    /// The full text of an element, or `None` if it has no text. For a secret, only the length.
    pub(crate) fn text(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<TextContent>> {
        let element = self.resolve_element(app, id, deadline)?;
        self.text_of(&element, id, deadline).map_err(|error| element_error(error, app))
    }

    fn text_of(
        &self,
        of: &A::Element,
        id: &NodeId,
        deadline: Deadline,
    ) -> AxResult<Option<TextContent>> {
        let attributes = self.read_basics(of, deadline)?;
        let role = attributes.role(Role::Unknown);
        let secret =
            self.is_secret(role, id, &attributes, &self.accessible_name(&attributes, deadline))
                || self.visibility_of(of, &mut HashMap::new(), deadline)?.0.secret;
        let count_or_zero =
            self.read_attributes(of, &["AXNumberOfCharacters", "AXSelectedTextRange"], deadline)?;
        #[allow(clippy::cast_possible_truncation)] // A count of units.
        let units = count_or_zero.number("AXNumberOfCharacters").map(|count| count as i64);
        if secret {
            let length = usize::try_from(units.unwrap_or(0)).unwrap_or(0);
            return Ok(Some(TextContent {
                text: String::new(),
                caret: None,
                selected: None,
                length,
                secret,
            }));
        }
        let Some(text) = self.full_text(of, units, deadline)? else { return Ok(None) };
        let range = count_or_zero.get("AXSelectedTextRange").and_then(Value::range);
        let at = |units: usize| utf16::characters(&text, units);
        let selected = range.map(|(start, length)| (at(start), at(start.saturating_add(length))));
        Ok(Some(TextContent {
            caret: selected.map(|(_, end)| end),
            selected: selected.filter(|(start, end)| start != end),
            length: text.chars().count(),
            text,
            secret,
        }))
    }

    /// The text in one message, cut to `MAX_TEXT`.
    fn full_text(
        &self,
        of: &A::Element,
        units: Option<i64>,
        deadline: Deadline,
    ) -> AxResult<Option<String>> {
        let value = if units.is_some_and(|units| units > MAX_TEXT) {
            self.ax.parameterized_attribute(
                of,
                "AXStringForRange",
                &Value::Range(0, MAX_TEXT),
                deadline,
            )
        } else {
            self.ax.attribute(of, "AXValue", deadline.at_most(TEXT_TIMEOUT))
        };
        match value {
            Ok(value) => Ok(value.text().map(str::to_owned)),
            Err(error) if error.is_absent() => Ok(units.map(|_| String::new())),
            Err(error) => Err(error),
        }
    }
}
