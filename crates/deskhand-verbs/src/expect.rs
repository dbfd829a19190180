//! Whether an element is as expected, as soon as it is.

use std::time::Duration;

use deskhand_locate::{Error as Unfound, Query};
use deskhand_model::{App, Role};
use deskhand_platform::Error as Below;

use super::{
    element::{self, Element},
    look,
};
use crate::{Context, Error, Result};

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// What an element should be; nothing is expected of what is absent.
#[derive(Debug, Default)]
pub struct Expected {
    pub exists: Option<bool>,
    pub enabled: Option<bool>,
    pub focused: Option<bool>,
    pub visible: Option<bool>,
    pub value: Option<String>,
    pub title: Option<String>,
    /// In any spelling: `button`, `AXButton`, `push button`.
    pub role: Option<String>,
    pub contains_text: Option<String>,
}

/// Something that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    pub property: &'static str,
    pub expected: String,
    pub actual: String,
}

/// An element as it is, with all its text.
struct Actual {
    element: Element,
    value: Option<String>,
}

/// Looks until everything is as expected, or time is over; what is not, in the end. An element that
/// should not be there must be absent twice in a row.
pub fn check(
    cx: &Context<'_>,
    app: &App,
    query: &Query,
    expected: &Expected,
) -> Result<Vec<Unmet>> {
    let mut met = 0;
    let mut last: Option<Vec<Unmet>> = None;
    let looks = if expected.exists == Some(false) { 2 } else { 1 };
    loop {
        let unmet = match (find(cx, app, query), last) {
            (Ok(actual), _) => expected.against(actual.as_ref()),
            // What was seen says more than that time ran out while looking again.
            (Err(Error::Platform(Below::Timeout { .. })), Some(seen)) if !seen.is_empty() => {
                return Ok(seen);
            }
            (Err(error), _) => return Err(error),
        };
        met = if unmet.is_empty() { met + 1 } else { 0 };
        if met >= looks || cx.by.left() < PAUSE * 4 {
            return Ok(unmet);
        }
        last = Some(unmet);
        cx.stop.sleep(PAUSE)?;
    }
}

fn find(cx: &Context<'_>, app: &App, query: &Query) -> Result<Option<Actual>> {
    let mut sought = match look::one(cx, app, query) {
        Ok(sought) => sought,
        Err(Error::Locate(Unfound::NoMatch { .. } | Unfound::Stale { .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    let at = sought.found.index;
    let element = element::describe(cx, app, &mut sought.look, &[at])?.remove(0);
    let id = &sought.look.snapshot.node(at).id;
    let whole = element::whole_text(cx, app, id, &element)?;
    let value = whole.or_else(|| element.text());
    Ok(Some(Actual { element, value }))
}

impl Expected {
    /// Whether anything is expected.
    pub fn is_empty(&self) -> bool {
        let flags = [self.exists, self.enabled, self.focused, self.visible];
        let texts = [&self.value, &self.title, &self.role, &self.contains_text];
        flags.iter().all(Option::is_none) && texts.iter().all(|text| text.is_none())
    }

    fn against(&self, actual: Option<&Actual>) -> Vec<Unmet> {
        let mut unmet = Vec::new();
        let flag = |property, expected: Option<bool>, is: Option<bool>| {
            let expected = expected.filter(|expected| is != Some(*expected))?;
            let actual = is.map_or_else(|| "absent".to_owned(), |is| is.to_string());
            Some(Unmet { property, expected: expected.to_string(), actual })
        };
        let seen = actual.map(|actual| &actual.element);
        unmet.extend(flag("exists", self.exists, Some(actual.is_some())));
        unmet.extend(flag("enabled", self.enabled, seen.map(|e| e.enabled)));
        unmet.extend(flag("focused", self.focused, seen.map(|e| e.focused)));
        unmet.extend(flag("visible", self.visible, seen.map(|e| e.visible)));
        let text = |property, expected: &Option<String>, is: Option<&str>, same: bool| {
            let expected = expected.clone().filter(|_| !same)?;
            Some(Unmet { property, expected, actual: is.unwrap_or("absent").to_owned() })
        };
        let value = actual.and_then(|actual| actual.value.as_deref());
        let secret = seen.is_some_and(|e| e.secret).then_some("a secret, which is never read");
        let same = self.value.as_deref().is_some_and(|wanted| is_value(wanted, value));
        unmet.extend(text("value", &self.value, secret.or(value), same && secret.is_none()));
        let title = seen.map(|e| e.title.as_str());
        unmet.extend(text("title", &self.title, title, self.title.as_deref() == title));
        let role = self.role.as_deref().zip(seen).is_some_and(|(word, e)| is_role(word, e.role));
        unmet.extend(text("role", &self.role, seen.map(|e| e.role), role));
        let all = [title, value, seen.map(|e| e.description.as_str())];
        let part = self.contains_text.as_deref();
        let holds = part.is_some_and(|part| all.iter().flatten().any(|text| text.contains(part)));
        let shown = value.filter(|value| !value.is_empty()).or(title);
        unmet.extend(text("contains_text", &self.contains_text, shown, holds));
        unmet
    }
}

/// Numbers are compared as numbers, however they are written.
fn is_value(wanted: &str, is: Option<&str>) -> bool {
    let Some(is) = is else { return wanted.is_empty() };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    wanted == is || number(wanted).zip(number(is)).is_some_and(|(a, b)| a == b)
}

fn is_role(word: &str, ax: &str) -> bool {
    word == ax || Role::named(word).iter().any(|role| role.ax() == ax)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actual(value: Option<&str>) -> Actual {
        Actual {
            element: Element {
                element_ref: "e1".to_owned(),
                role: Role::Button.ax(),
                kind: Role::Button.short(),
                title: "Save".to_owned(),
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

    fn unmet(expected: &Expected, actual: Option<&Actual>) -> Vec<(&'static str, String)> {
        let all = expected.against(actual).into_iter();
        all.map(|one| (one.property, one.actual)).collect()
    }

    #[test]
    fn each_expectation_is_judged_on_its_own() {
        let text = |text: &str| Some(text.to_owned());
        let expected = Expected {
            exists: Some(true),
            enabled: Some(false),
            role: text("push button"),
            title: text("Open"),
            value: text("7.0"),
            contains_text: text("file"),
            ..Expected::default()
        };
        assert_eq!(
            unmet(&expected, Some(&actual(Some("7")))),
            [("enabled", "true".to_owned()), ("title", "Save".to_owned())]
        );
        let short = Expected { role: text("button"), ..Expected::default() };
        assert_eq!(unmet(&short, Some(&actual(None))), []);
        assert_eq!(unmet(&short, None), [("role", "absent".to_owned())]);
    }

    #[test]
    fn what_should_be_gone_is_met_by_its_absence() {
        let gone = Expected { exists: Some(false), ..Expected::default() };
        assert_eq!(unmet(&gone, None), []);
        assert_eq!(unmet(&gone, Some(&actual(None))), [("exists", "true".to_owned())]);
        assert!(Expected::default().is_empty() && !gone.is_empty());
    }
}
