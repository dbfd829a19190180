//! What an element holds: texts, numbers, dates, secrets.

use deskhand_model::{Role, Value as Content};
use deskhand_platform::Deadline;

use super::{
    Value,
    facts::Facts,
    room::{MESSAGE, Room},
    system::{Answer, Ax},
    utf16,
};

/// How many units of a text are read in a look; its length is always told.
pub(crate) const TEXT_READ: usize = 2_000;

impl<G: Ax> Room<G> {
    /// What an element that is no secret holds.
    pub(crate) fn content(
        &self,
        of: &G::Element,
        role: Role,
        details: &Facts<G::Element>,
        by: Deadline,
    ) -> Answer<Option<Content>> {
        if role == Role::Text {
            return self.long_text(of, details, by).map(Some);
        }
        let Some(value) = details.get("AXValue") else { return Ok(None) };
        if role.is_ranged() || role == Role::Timer {
            return Ok(value.number().map(|now| number(now, details)));
        }
        let held = matches!(
            role,
            Role::Entry | Role::ComboBox | Role::DateEditor | Role::ColorChooser | Role::Cell
        );
        Ok(held.then(|| short(&value.printed())))
    }

    /// The beginning of a text that may be long.
    fn long_text(
        &self,
        of: &G::Element,
        details: &Facts<G::Element>,
        by: Deadline,
    ) -> Answer<Content> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A count of units.
        let units = details.number("AXNumberOfCharacters").map(|count| count as usize);
        let Some(units) = units.filter(|units| *units > TEXT_READ) else {
            return Ok(short(&self.string(of, "AXValue", by)?));
        };
        let range = Value::Range(0, TEXT_READ as i64);
        match self.ax.ask(of, "AXStringForRange", &range, by.or_after(MESSAGE)) {
            Ok(value) => {
                let text = value.text().unwrap_or_default().to_owned();
                // Units beyond the beginning may be halves of characters; nobody counts them without
                // reading them all.
                let length = text.chars().count() + units.saturating_sub(utf16::length(&text));
                Ok(Content::Text { text, length })
            }
            Err(fault) if fault.is_absence() => {
                let whole = self.string(of, "AXValue", by)?;
                let text = whole.chars().take(TEXT_READ).collect();
                Ok(Content::Text { text, length: whole.chars().count() })
            }
            Err(fault) => Err(fault),
        }
    }

    /// The text of an attribute; empty when it has none.
    pub(crate) fn string(&self, of: &G::Element, name: &str, by: Deadline) -> Answer<String> {
        match self.ax.get(of, name, by.or_after(MESSAGE)) {
            Ok(value) => Ok(value.text().unwrap_or_default().to_owned()),
            Err(fault) if fault.is_absence() => Ok(String::new()),
            Err(fault) => Err(fault),
        }
    }
}

fn short(text: &str) -> Content {
    let length = text.chars().count();
    Content::Text { text: text.chars().take(TEXT_READ).collect(), length }
}

fn number<E: Clone>(now: f64, details: &Facts<E>) -> Content {
    // Indicators without a range tell a share of the whole.
    let whole = if (0.0..=1.0).contains(&now) { 1.0 } else { f64::NAN };
    Content::Number {
        now,
        min: details.number("AXMinValue").unwrap_or(0.0),
        max: details.number("AXMaxValue").unwrap_or(whole),
        step: details.number("AXValueIncrement").unwrap_or(0.0),
    }
}
