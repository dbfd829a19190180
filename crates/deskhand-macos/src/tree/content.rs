//! The content of an element: text, number or date.

use deskhand_model::{Role, Value as Content};
use deskhand_platform::Deadline;

use super::{
    Value,
    attribute_set::AttributeSet,
    ax_api::{AxApi, AxResult},
    session::AxSession,
    utf16,
};
use crate::timing::MESSAGE_TIMEOUT;

/// Upper limit of UTF-16 units of a text in a snapshot. The node still has the full length.
pub(crate) const MAX_SNAPSHOT_TEXT: usize = 2_000;

impl<A: AxApi> AxSession<A> {
    /// The content of an element that is not secret.
    pub(crate) fn content(
        &self,
        of: &A::Element,
        role: Role,
        details: &AttributeSet<A::Element>,
        deadline: Deadline,
    ) -> AxResult<Option<Content>> {
        if role == Role::Text {
            return self.long_text(of, details, deadline).map(Some);
        }
        let Some(value) = details.get("AXValue") else { return Ok(None) };
        if role.is_ranged() || role == Role::Timer {
            return Ok(value.number().map(|now| number(now, details)));
        }
        let has_text = matches!(
            role,
            Role::Entry | Role::ComboBox | Role::DateEditor | Role::ColorChooser | Role::Cell
        );
        Ok(has_text.then(|| text_content(&value.to_display_string())))
    }

    /// The beginning of a text area's content.
    fn long_text(
        &self,
        of: &A::Element,
        details: &AttributeSet<A::Element>,
        deadline: Deadline,
    ) -> AxResult<Content> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A count of units.
        let units = details.number("AXNumberOfCharacters").map(|count| count as usize);
        let Some(units) = units.filter(|units| *units > MAX_SNAPSHOT_TEXT) else {
            return Ok(text_content(&self.string(of, "AXValue", deadline)?));
        };
        let range = Value::Range(0, MAX_SNAPSHOT_TEXT as i64);
        match self.ax.parameterized_attribute(
            of,
            "AXStringForRange",
            &range,
            deadline.at_most(MESSAGE_TIMEOUT),
        ) {
            Ok(value) => {
                let text = value.text().unwrap_or_default().to_owned();
                // The length of the rest is counted in units, since counting characters would need the
                // whole text.
                let length = text.chars().count() + units.saturating_sub(utf16::length(&text));
                Ok(Content::Text { text, length })
            }
            Err(error) if error.is_absent() => {
                let whole = self.string(of, "AXValue", deadline)?;
                let text = whole.chars().take(MAX_SNAPSHOT_TEXT).collect();
                Ok(Content::Text { text, length: whole.chars().count() })
            }
            Err(error) => Err(error),
        }
    }

    /// The text of an attribute, empty if it has no value.
    pub(crate) fn string(
        &self,
        of: &A::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<String> {
        match self.ax.attribute(of, name, deadline.at_most(MESSAGE_TIMEOUT)) {
            Ok(value) => Ok(value.text().unwrap_or_default().to_owned()),
            Err(error) if error.is_absent() => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}

fn text_content(text: &str) -> Content {
    let length = text.chars().count();
    Content::Text { text: text.chars().take(MAX_SNAPSHOT_TEXT).collect(), length }
}

fn number<E: Clone>(now: f64, details: &AttributeSet<E>) -> Content {
    // An indicator without a range reports a fraction of 1.
    let default_max = if (0.0..=1.0).contains(&now) { 1.0 } else { f64::NAN };
    Content::Number {
        now,
        min: details.number("AXMinValue").unwrap_or(0.0),
        max: details.number("AXMaxValue").unwrap_or(default_max),
        step: details.number("AXValueIncrement").unwrap_or(0.0),
    }
}
