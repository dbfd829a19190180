//! App rules: `security.toml` and the corresponding settings.

use deskhand_platform::Identities;
use toml_edit::{Document, Item, Value};

use super::{
    defaults,
    error::RulesError,
    pattern::{AppPattern, Subject},
};
use crate::TextPosition;

/// The access to an app, ordered from least to most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AppAccess {
    /// It may be read and changed.
    Full,
    /// It may only be read.
    Read,
    /// It may not be used.
    None,
}

/// Tells if the built-in list of write-blocked apps applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Defaults {
    #[default]
    On,
    Off,
}

/// The rules that decide which apps may be read and changed.
#[derive(Debug, Clone, Default)]
pub struct AppRules {
    allowed: Vec<AppPattern>,
    denied: Vec<AppPattern>,
    write_blocked: Vec<AppPattern>,
    defaults: Defaults,
}

const LISTS: [&str; 3] = ["allowed", "denied", "write_blocked"];
const DEFAULTS: &str = "default_write_blocked";
const KEYS: [&str; 4] = [LISTS[0], LISTS[1], LISTS[2], DEFAULTS];

impl AppRules {
    /// Parses the text of `security.toml`.
    ///
    /// # Errors
    ///
    /// If the text is not valid TOML, or contains an unknown key or an invalid value.
    pub fn parse(text: &str, file: &str) -> Result<Self, RulesError> {
        let document = Document::parse(text).map_err(|error| RulesError::Syntax {
            file: file.to_owned(),
            spot: TextPosition::from_byte_offset(text, error.span().map_or(0, |span| span.start)),
            why: error.message().trim().replace('\n', "; "),
        })?;
        let mut rules = Self::default();
        let source = RulesFile { text, file };
        let all = document.as_table();
        for (key, item) in all.iter() {
            let at = all.get_key_value(key).and_then(|(key, _)| key.span());
            let Some(table) = item.as_table_like().filter(|_| key == "apps") else {
                return Err(if key == "apps" {
                    source.wrong_type(at, key, "table")
                } else {
                    source.unknown_key(at, key, &["[apps]"])
                });
            };
            for (key, item) in table.iter() {
                let at = table.get_key_value(key).and_then(|(key, _)| key.span());
                let list = match key {
                    "allowed" => &mut rules.allowed,
                    "denied" => &mut rules.denied,
                    "write_blocked" => &mut rules.write_blocked,
                    DEFAULTS => {
                        let is_on = item.as_bool();
                        let is_on = is_on.ok_or_else(|| source.wrong_type(at, key, "boolean"))?;
                        rules.defaults = if is_on { Defaults::On } else { Defaults::Off };
                        continue;
                    }
                    other => return Err(source.unknown_key(at, other, &KEYS)),
                };
                source.list(key, item, at, list)?;
            }
        }
        Ok(rules)
    }

    /// Adds the entries of settings and environment variables.
    ///
    /// # Errors
    ///
    /// If an entry is not a valid app pattern.
    pub fn with_entries(
        mut self,
        allowed: Vec<String>,
        denied: Vec<String>,
        write_blocked: Vec<String>,
    ) -> Result<Self, RulesError> {
        let lists = [&mut self.allowed, &mut self.denied, &mut self.write_blocked];
        let added = [allowed, denied, write_blocked];
        for ((list, entries), name) in lists.into_iter().zip(added).zip(LISTS) {
            for entry in entries {
                let place = format!("the setting for {name} apps");
                list.push(parse(entry, || place.clone())?);
            }
        }
        Ok(self)
    }

    /// Resolves the program files of all entries on this machine.
    pub(super) fn resolved(&self, identities: &dyn Identities) -> Self {
        let each = |list: &[AppPattern]| list.iter().map(|one| one.resolved(identities)).collect();
        Self {
            allowed: each(&self.allowed),
            denied: each(&self.denied),
            write_blocked: each(&self.write_blocked),
            defaults: self.defaults,
        }
    }

    /// Returns `true` if some apps may not be read.
    pub(super) fn has_blocked_apps(&self) -> bool {
        !self.denied.is_empty() || !self.allowed.is_empty()
    }

    /// Returns `true` if things without an owner, such as the desktop itself, may be used. They may
    /// not if only listed apps are allowed.
    pub(super) fn allows_desktop_itself(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Returns `true` if the programs that started this one are write-blocked.
    pub(super) fn protects_ancestors(&self) -> bool {
        self.defaults == Defaults::On
    }

    /// Returns the access to a program.
    pub(super) fn access(&self, subject: Subject<'_>) -> AppAccess {
        let is_allowed = |identity| self.allowed.iter().any(|one| one.matches(identity));
        if self.allowed.is_empty() || subject.identity.is_some_and(is_allowed) {
            self.access_ignoring_allowed(subject)
        } else {
            AppAccess::None
        }
    }

    /// Returns the access to a program without regard to the `allowed` list.
    pub(super) fn access_ignoring_allowed(&self, subject: Subject<'_>) -> AppAccess {
        let is_in = |list: &[AppPattern]| list.iter().any(|one| one.may_match(subject));
        if is_in(&self.denied) {
            return AppAccess::None;
        }
        let by_default = self.defaults == Defaults::On && defaults::contains(subject);
        if by_default || is_in(&self.write_blocked) { AppAccess::Read } else { AppAccess::Full }
    }
}

fn parse(entry: String, place: impl FnOnce() -> String) -> Result<AppPattern, RulesError> {
    AppPattern::parse(&entry).map_err(|why| RulesError::InvalidEntry { place: place(), entry, why })
}

type Span = Option<std::ops::Range<usize>>;

/// The text of a rules file, to report positions.
struct RulesFile<'a> {
    text: &'a str,
    file: &'a str,
}

impl RulesFile<'_> {
    fn spot(&self, span: Span) -> TextPosition {
        TextPosition::from_byte_offset(self.text, span.map_or(0, |span| span.start))
    }

    fn unknown_key(&self, at: Span, key: &str, known: &[&'static str]) -> RulesError {
        let (file, spot) = (self.file.to_owned(), self.spot(at));
        RulesError::UnknownKey { file, spot, key: key.to_owned(), known: known.to_vec() }
    }

    fn wrong_type(&self, at: Span, key: &str, expected: &'static str) -> RulesError {
        let (file, spot) = (self.file.to_owned(), self.spot(at));
        RulesError::WrongType { file, spot, key: key.to_owned(), expected }
    }

    fn list(
        &self,
        key: &str,
        item: &Item,
        at: Span,
        into: &mut Vec<AppPattern>,
    ) -> Result<(), RulesError> {
        let expected = "list of names";
        let all =
            item.as_array().ok_or_else(|| self.wrong_type(item.span().or(at), key, expected))?;
        for value in all {
            let span = value.span();
            let Value::String(entry) = value else {
                return Err(self.wrong_type(span, key, expected));
            };
            let place = || format!("{}:{}", self.file, self.spot(span.clone()));
            into.push(parse(entry.value().clone(), place)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
