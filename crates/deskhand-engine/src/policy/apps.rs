//! Which apps may be read and changed: `security.toml` and the settings of the same meaning.

use deskhand_platform::Identities;
use toml_edit::{Document, Item, Value};

use super::{
    defaults,
    error::RulesError,
    pattern::{Pattern, Subject},
};
use crate::Spot;

/// How much may be done with an app; the later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Access {
    /// Everything.
    Full,
    /// It may be read, not changed.
    Read,
    /// Nothing.
    None,
}

/// Whether the list of what is never written to by itself holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Defaults {
    #[default]
    Hold,
    Off,
}

/// Which apps may be read and changed.
#[derive(Debug, Clone, Default)]
pub struct AppRules {
    allowed: Vec<Pattern>,
    denied: Vec<Pattern>,
    write_blocked: Vec<Pattern>,
    defaults: Defaults,
}

const LISTS: [&str; 3] = ["allowed", "denied", "write_blocked"];
const DEFAULTS: &str = "default_write_blocked";
const KEYS: [&str; 4] = [LISTS[0], LISTS[1], LISTS[2], DEFAULTS];

impl AppRules {
    /// Reads the text of `security.toml`; errors say where in the file.
    ///
    /// # Errors
    ///
    /// When it is no TOML, or says something that has no meaning.
    pub fn read(text: &str, file: &str) -> Result<Self, RulesError> {
        let document = Document::parse(text).map_err(|error| RulesError::Syntax {
            file: file.to_owned(),
            spot: Spot::of(text, error.span().map_or(0, |span| span.start)),
            why: error.message().trim().replace('\n', "; "),
        })?;
        let mut rules = Self::default();
        let source = Source { text, file };
        let all = document.as_table();
        for (key, item) in all.iter() {
            let at = all.get_key_value(key).and_then(|(key, _)| key.span());
            let Some(table) = item.as_table_like().filter(|_| key == "apps") else {
                return Err(if key == "apps" {
                    source.kind(at, key, "table")
                } else {
                    source.unknown(at, key, &["[apps]"])
                });
            };
            for (key, item) in table.iter() {
                let at = table.get_key_value(key).and_then(|(key, _)| key.span());
                let list = match key {
                    "allowed" => &mut rules.allowed,
                    "denied" => &mut rules.denied,
                    "write_blocked" => &mut rules.write_blocked,
                    DEFAULTS => {
                        let wanted = "true or false";
                        let holds = item.as_bool().ok_or_else(|| source.kind(at, key, wanted))?;
                        rules.defaults = if holds { Defaults::Hold } else { Defaults::Off };
                        continue;
                    }
                    other => return Err(source.unknown(at, other, &KEYS)),
                };
                source.list(key, item, at, list)?;
            }
        }
        Ok(rules)
    }

    /// The same with more entries in each list, as settings and variables name them.
    ///
    /// # Errors
    ///
    /// When one of them means no app.
    pub fn with(
        mut self,
        allowed: Vec<String>,
        denied: Vec<String>,
        write_blocked: Vec<String>,
    ) -> Result<Self, RulesError> {
        let lists = [&mut self.allowed, &mut self.denied, &mut self.write_blocked];
        let given = [allowed, denied, write_blocked];
        for ((list, entries), name) in lists.into_iter().zip(given).zip(LISTS) {
            for entry in entries {
                let place = format!("the setting for {name} apps");
                list.push(parse(entry, || place.clone())?);
            }
        }
        Ok(self)
    }

    /// The same with the files that entries lead to on this machine.
    pub(super) fn resolved(&self, identities: &dyn Identities) -> Self {
        let each = |list: &[Pattern]| list.iter().map(|one| one.resolved(identities)).collect();
        Self {
            allowed: each(&self.allowed),
            denied: each(&self.denied),
            write_blocked: each(&self.write_blocked),
            defaults: self.defaults,
        }
    }

    /// Whether there is any app that must not be read.
    pub(super) fn hides_some(&self) -> bool {
        !self.denied.is_empty() || !self.allowed.is_empty()
    }

    /// Whether what nobody owns, such as the desktop itself, may be used: not where only some apps
    /// may.
    pub(super) fn lets_nobodys(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Whether the programs this one was started by are left alone.
    pub(super) fn spares_ancestors(&self) -> bool {
        self.defaults == Defaults::Hold
    }

    /// How much may be done with something.
    pub(super) fn access(&self, subject: Subject<'_>) -> Access {
        let surely = |identity| self.allowed.iter().any(|one| one.means(identity));
        if self.allowed.is_empty() || subject.identity.is_some_and(surely) {
            self.against(subject)
        } else {
            Access::None
        }
    }

    /// What speaks against something, whatever is allowed.
    pub(super) fn against(&self, subject: Subject<'_>) -> Access {
        let is_in = |list: &[Pattern]| list.iter().any(|one| one.may_mean(subject));
        if is_in(&self.denied) {
            return Access::None;
        }
        let by_default = self.defaults == Defaults::Hold && defaults::name(subject);
        if by_default || is_in(&self.write_blocked) { Access::Read } else { Access::Full }
    }
}

fn parse(entry: String, place: impl FnOnce() -> String) -> Result<Pattern, RulesError> {
    Pattern::parse(&entry).map_err(|why| RulesError::Entry { place: place(), entry, why })
}

type Span = Option<std::ops::Range<usize>>;

/// A file of rules, to say where something stands.
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

impl Source<'_> {
    fn spot(&self, span: Span) -> Spot {
        Spot::of(self.text, span.map_or(0, |span| span.start))
    }

    fn unknown(&self, at: Span, key: &str, known: &[&'static str]) -> RulesError {
        let (file, spot) = (self.file.to_owned(), self.spot(at));
        RulesError::Unknown { file, spot, key: key.to_owned(), known: known.to_vec() }
    }

    fn kind(&self, at: Span, key: &str, wanted: &'static str) -> RulesError {
        let (file, spot) = (self.file.to_owned(), self.spot(at));
        RulesError::Kind { file, spot, key: key.to_owned(), wanted }
    }

    fn list(
        &self,
        key: &str,
        item: &Item,
        at: Span,
        into: &mut Vec<Pattern>,
    ) -> Result<(), RulesError> {
        let wanted = "list of names";
        let all = item.as_array().ok_or_else(|| self.kind(item.span().or(at), key, wanted))?;
        for value in all {
            let span = value.span();
            let Value::String(entry) = value else { return Err(self.kind(span, key, wanted)) };
            let place = || format!("{}:{}", self.file, self.spot(span.clone()));
            into.push(parse(entry.value().clone(), place)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
