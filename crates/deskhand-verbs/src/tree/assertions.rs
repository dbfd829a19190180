//! Waiting until an element has the expected properties.

use deskhand_locate::{Error as LocateError, Query};
use deskhand_model::{App, Role};
use deskhand_platform::Error as PlatformError;

use super::{
    activity::{self, Activity},
    element::{self, ElementInfo},
};
use crate::{Context, Error, Result, timing, tree};

/// The expected properties of an element. `None` means any value.
#[derive(Debug, Default)]
pub struct ElementAssertions {
    /// The element exists.
    pub exists: Option<bool>,
    /// The element is enabled.
    pub enabled: Option<bool>,
    /// The element has the keyboard focus.
    pub focused: Option<bool>,
    /// The element is visible.
    pub visible: Option<bool>,
    /// The value, compared as a number if possible.
    pub value: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The role in any notation: `button`, `AXButton`, `push button`.
    pub role: Option<String>,
    /// A text that the title, value or description contains.
    pub contains_text: Option<String>,
}

/// A property with an unexpected value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAssertion {
    /// The name of the property.
    pub property: &'static str,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub actual: String,
}

/// The current element with its complete text.
struct Actual {
    element: ElementInfo,
    value: Option<String>,
}

/// Evaluates the assertions repeatedly until all pass, the deadline is over, or the app is idle, and
/// returns the failed ones. A non-existing element must be absent in two reads in a row.
pub fn check(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    assertions: &ElementAssertions,
) -> Result<Vec<FailedAssertion>> {
    let mut passes = 0;
    let mut last: Option<Vec<FailedAssertion>> = None;
    let mut is_idle = false;
    let required_passes = if assertions.exists == Some(false) { 2 } else { 1 };
    loop {
        let failed = match (find(cx, app, query), last) {
            (Ok(actual), _) => assertions.evaluate(actual.as_ref()),
            // The last evaluation says more than a timeout.
            (Err(Error::Platform(PlatformError::Timeout { .. })), Some(previous))
                if !previous.is_empty() =>
            {
                return Ok(previous);
            }
            (Err(error), _) => return Err(error),
        };
        passes = if failed.is_empty() { passes + 1 } else { 0 };
        let is_final = is_idle && !failed.is_empty();
        if passes >= required_passes
            || is_final
            || cx.deadline.remaining() < timing::ASSERTION_POLL_INTERVAL * 4
        {
            return Ok(failed);
        }
        is_idle = match passes {
            0 => {
                let period = timing::MISSING_QUIET_PERIOD.min(cx.deadline.remaining());
                activity::wait_for_activity(cx, app, period)? == Activity::Idle
            }
            _ => false,
        };
        last = Some(failed);
        cx.cancel.sleep(timing::ASSERTION_POLL_INTERVAL)?;
    }
}

fn find(cx: &Context<'_>, app: &App, query: &Query) -> Result<Option<Actual>> {
    let mut result = match tree::find_element(cx, app, query) {
        Ok(result) => result,
        Err(Error::Locate(LocateError::NoMatch { .. } | LocateError::Stale { .. })) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let at = result.found.index;
    let element = element::describe(cx, app, &mut result.tree, &[at])?.remove(0);
    let id = &result.tree.snapshot.node(at).id;
    let full_text = element::read_full_text(cx, app, id, &element)?;
    let value = full_text.or_else(|| element.value_text());
    Ok(Some(Actual { element, value }))
}

impl ElementAssertions {
    /// Returns `true` if nothing is asserted.
    pub fn is_empty(&self) -> bool {
        let flags = [self.exists, self.enabled, self.focused, self.visible];
        let texts = [&self.value, &self.title, &self.role, &self.contains_text];
        flags.iter().all(Option::is_none) && texts.iter().all(|text| text.is_none())
    }

    fn evaluate(&self, actual: Option<&Actual>) -> Vec<FailedAssertion> {
        let mut failed = Vec::new();
        let flag = |property, expected: Option<bool>, is: Option<bool>| {
            let expected = expected.filter(|expected| is != Some(*expected))?;
            let actual = is.map_or_else(|| "absent".to_owned(), |is| is.to_string());
            Some(FailedAssertion { property, expected: expected.to_string(), actual })
        };
        let element = actual.map(|actual| &actual.element);
        failed.extend(flag("exists", self.exists, Some(actual.is_some())));
        failed.extend(flag("enabled", self.enabled, element.map(|e| e.enabled)));
        failed.extend(flag("focused", self.focused, element.map(|e| e.focused)));
        failed.extend(flag("visible", self.visible, element.map(|e| e.visible)));
        let text = |property, expected: &Option<String>, is: Option<&str>, same: bool| {
            let expected = expected.clone().filter(|_| !same)?;
            Some(FailedAssertion { property, expected, actual: is.unwrap_or("absent").to_owned() })
        };
        let value = actual.and_then(|actual| actual.value.as_deref());
        let secret = element.is_some_and(|e| e.secret).then_some("a secret, which is never read");
        let same = self.value.as_deref().is_some_and(|wanted| is_same_value(wanted, value));
        failed.extend(text("value", &self.value, secret.or(value), same && secret.is_none()));
        let title = element.map(|e| e.title.as_str());
        failed.extend(text("title", &self.title, title, self.title.as_deref() == title));
        let role =
            self.role.as_deref().zip(element).is_some_and(|(word, e)| is_same_role(word, e.role));
        failed.extend(text("role", &self.role, element.map(|e| e.role), role));
        let all = [title, value, element.map(|e| e.description.as_str())];
        let part = self.contains_text.as_deref();
        let contains =
            part.is_some_and(|part| all.iter().flatten().any(|text| text.contains(part)));
        let shown = value.filter(|value| !value.is_empty()).or(title);
        failed.extend(text("contains_text", &self.contains_text, shown, contains));
        failed
    }
}

/// Compares numbers by value, regardless of their notation.
fn is_same_value(wanted: &str, is: Option<&str>) -> bool {
    let Some(is) = is else { return wanted.is_empty() };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    wanted == is || number(wanted).zip(number(is)).is_some_and(|(a, b)| a == b)
}

fn is_same_role(word: &str, ax: &str) -> bool {
    word == ax || Role::named(word).iter().any(|role| role.ax() == ax)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actual(value: Option<&str>) -> Actual {
        Actual {
            element: ElementInfo {
                element_ref: "e1".to_owned(),
                role: Role::Button.ax(),
                kind: Role::Button.short(),
                title: "Save".to_owned(),
                name: String::new(),
                name_source: None,
                value: None,
                secret: false,
                description: "Writes the file".to_owned(),
                identifier: String::new(),
                position: None,
                size: None,
                enabled: true,
                focused: false,
                visible: true,
                states: Vec::new(),
                actions: Vec::new(),
                path: String::new(),
                window: None,
            },
            value: value.map(str::to_owned),
        }
    }

    fn failures(
        assertions: &ElementAssertions,
        actual: Option<&Actual>,
    ) -> Vec<(&'static str, String)> {
        let all = assertions.evaluate(actual).into_iter();
        all.map(|one| (one.property, one.actual)).collect()
    }

    #[test]
    fn each_assertion_is_evaluated_on_its_own() {
        let text = |text: &str| Some(text.to_owned());
        let expected = ElementAssertions {
            exists: Some(true),
            enabled: Some(false),
            role: text("push button"),
            title: text("Open"),
            value: text("7.0"),
            contains_text: text("file"),
            ..ElementAssertions::default()
        };
        assert_eq!(
            failures(&expected, Some(&actual(Some("7")))),
            [("enabled", "true".to_owned()), ("title", "Save".to_owned())]
        );
        let short = ElementAssertions { role: text("button"), ..ElementAssertions::default() };
        assert_eq!(failures(&short, Some(&actual(None))), []);
        assert_eq!(failures(&short, None), [("role", "absent".to_owned())]);
    }

    #[test]
    fn an_absent_element_passes_the_assertion_that_it_does_not_exist() {
        let gone = ElementAssertions { exists: Some(false), ..ElementAssertions::default() };
        assert_eq!(failures(&gone, None), []);
        assert_eq!(failures(&gone, Some(&actual(None))), [("exists", "true".to_owned())]);
        assert!(ElementAssertions::default().is_empty() && !gone.is_empty());
    }
}
