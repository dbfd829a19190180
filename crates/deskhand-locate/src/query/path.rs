//! Element paths such as `app(1234)/window[0]/button[@title='OK']`.
//!
//! A path starts at the root of the snapshot. Numbers count from 0, among siblings with the same
//! role name.

use std::{collections::HashMap, fmt::Write as _};

use deskhand_model::{Index, Role, Snapshot};
use deskhand_platform::NodeFields;

use super::role;
use crate::{Error, Result, heal, text::clip};

/// A step with a longer title is written by its number instead.
const MAX_TITLE_BYTES: usize = 120;

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    app: String,
    steps: Vec<PathStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PathStep {
    roles: Vec<Role>,
    filters: Vec<StepFilter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum StepFilter {
    Nth(usize),
    Title(String),
    Identifier(String),
}

/// Returns the path of an element. In the same snapshot it leads back to that element.
pub fn element_path(snapshot: &Snapshot, at: Index) -> String {
    let mut chain: Vec<_> = std::iter::once(at).chain(snapshot.ancestors(at)).collect();
    chain.pop();
    let mut path = format!("app({})", snapshot.app().pid);
    for step in chain.into_iter().rev() {
        let node = snapshot.node(step);
        let word = node.role.path_word();
        let siblings = snapshot.parent(step).into_iter().flat_map(|up| snapshot.children(up));
        let (mut number, mut alike) = (0, 0);
        for sibling in siblings.filter(|s| snapshot.node(*s).role.ax() == node.role.ax()) {
            number += usize::from(sibling < step);
            alike += usize::from(snapshot.node(sibling).name == node.name);
        }
        // Writing to a String cannot fail.
        let _ = if alike == 1 && is_plain(&node.name) {
            write!(path, "/{word}[@title='{}']", node.name.replace('\'', "''"))
        } else {
            write!(path, "/{word}[{number}]")
        };
    }
    path
}

fn is_plain(title: &str) -> bool {
    !title.is_empty() && title.len() <= MAX_TITLE_BYTES && !title.chars().any(char::is_control)
}

/// Returns `true` if a text looks like a path.
pub(super) fn looks_like(text: &str) -> bool {
    text.starts_with("app(") && text.contains(')')
}

impl Path {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut parser = PathParser { all: text, rest: text, words: HashMap::new() };
        parser.expect("app(")?;
        let app = parser.until(')')?.trim().to_owned();
        let mut steps = Vec::new();
        while !parser.rest.is_empty() {
            parser.expect("/")?;
            steps.push(parser.step()?);
        }
        Ok(Self { app, steps })
    }

    pub(super) fn required_fields(&self) -> NodeFields {
        let identifiers = self
            .steps
            .iter()
            .flat_map(|step| &step.filters)
            .any(|filter| matches!(filter, StepFilter::Identifier(_)));
        NodeFields { identifiers, relations: true, ..NodeFields::MINIMAL }
    }

    /// Returns the elements the path leads to. The app must match, too.
    pub(crate) fn follow(&self, snapshot: &Snapshot) -> Vec<Index> {
        let app = snapshot.app();
        let is_this_app =
            self.app == app.pid.to_string() || self.app.eq_ignore_ascii_case(&app.name);
        if is_this_app { self.follow_in_restarted_app(snapshot) } else { Vec::new() }
    }

    /// Returns the elements the path leads to, without checking the app: a restarted app has
    /// another pid.
    pub(crate) fn follow_in_restarted_app(&self, snapshot: &Snapshot) -> Vec<Index> {
        if snapshot.is_empty() {
            return Vec::new();
        }
        self.steps.iter().fold(vec![Index::ROOT], |parents, step| {
            parents.into_iter().flat_map(|parent| step.below(snapshot, parent)).collect()
        })
    }

    /// Returns the title of the target element, if the path gives one.
    pub(crate) fn title(&self) -> Option<&str> {
        self.steps.last().and_then(PathStep::title)
    }

    /// Returns the traits of the target element, for healing.
    pub(crate) fn traits(&self) -> Option<heal::TargetTraits> {
        let (last, above) = self.steps.split_last()?;
        let above = above.iter().rev().filter_map(|step| {
            Some(heal::NamedAncestor { roles: step.roles.clone(), name: step.title()?.to_owned() })
        });
        let route = self.steps.iter().map(|step| {
            Some(heal::RouteStep { roles: Some(step.roles.clone()), number: step.number()? })
        });
        Some(heal::TargetTraits {
            roles: last.roles.clone(),
            name: last.title().unwrap_or_default().to_owned(),
            // Users take the label of a field for its title.
            label: last.title().map(heal::label_trait).unwrap_or_default(),
            identifier: last.identifier().unwrap_or_default().to_owned(),
            above: above.collect(),
            route: route.collect::<Option<_>>().unwrap_or_default(),
            ..heal::TargetTraits::default()
        })
    }
}

impl PathStep {
    fn below(&self, snapshot: &Snapshot, parent: Index) -> Vec<Index> {
        let mut found: Vec<_> = snapshot
            .children(parent)
            .filter(|child| self.roles.contains(&snapshot.node(*child).role))
            .collect();
        for filter in &self.filters {
            match filter {
                StepFilter::Nth(number) => {
                    found = found.get(*number).copied().into_iter().collect()
                }
                StepFilter::Title(title) => found.retain(|at| snapshot.node(*at).name == *title),
                StepFilter::Identifier(id) => {
                    found.retain(|at| snapshot.node(*at).identifier == *id)
                }
            }
        }
        found
    }

    fn title(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            StepFilter::Title(title) => Some(title.as_str()),
            StepFilter::Nth(_) | StepFilter::Identifier(_) => None,
        })
    }

    fn identifier(&self) -> Option<&str> {
        self.filters.iter().find_map(|filter| match filter {
            StepFilter::Identifier(id) => Some(id.as_str()),
            StepFilter::Nth(_) | StepFilter::Title(_) => None,
        })
    }

    fn number(&self) -> Option<usize> {
        self.filters.iter().find_map(|filter| match filter {
            StepFilter::Nth(number) => Some(*number),
            StepFilter::Title(_) | StepFilter::Identifier(_) => None,
        })
    }
}

struct PathParser<'a> {
    all: &'a str,
    rest: &'a str,
    words: HashMap<&'a str, Vec<Role>>,
}

impl<'a> PathParser<'a> {
    fn bad(&self, why: impl Into<String>) -> Error {
        let read = self.all.len() - self.rest.len();
        Error::BadQuery {
            query: clip(self.all, 120),
            form: "element path",
            why: why.into(),
            at: Some(self.all[..read].chars().count()),
            fix:
                "write a path like app(1234)/window[0]/button[@title='OK']; write '' for a ' in a title"
                    .into(),
        }
    }

    fn expect(&mut self, mark: &str) -> Result<()> {
        self.rest =
            self.rest.strip_prefix(mark).ok_or_else(|| self.bad(format!("expected `{mark}`")))?;
        Ok(())
    }

    fn until(&mut self, end: char) -> Result<&'a str> {
        let (text, rest) =
            self.rest.split_once(end).ok_or_else(|| self.bad(format!("expected `{end}`")))?;
        self.rest = rest;
        Ok(text)
    }

    fn step(&mut self) -> Result<PathStep> {
        let end = self.rest.find(['/', '[']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.trim().is_empty() {
            return Err(self.bad("expected a role such as `button`"));
        }
        let roles = self.roles(word.trim())?;
        self.rest = rest;
        let mut filters = Vec::new();
        while self.rest.starts_with('[') {
            self.expect("[")?;
            filters.push(self.filter()?);
            self.expect("]")?;
        }
        Ok(PathStep { roles, filters })
    }

    /// Returns the roles with this name. A macOS name covers several roles, and numbers count among
    /// all of them.
    fn roles(&mut self, word: &'a str) -> Result<Vec<Role>> {
        if let Some(known) = self.words.get(word) {
            return Ok(known.clone());
        }
        let lower = word.to_lowercase();
        let mut roles: Vec<_> =
            Role::ALL.iter().copied().filter(|role| role.path_word() == lower).collect();
        if roles.is_empty() {
            roles = role::roles(word)?;
        }
        self.words.insert(word, roles.clone());
        Ok(roles)
    }

    fn filter(&mut self) -> Result<StepFilter> {
        if let Some(rest) = self.rest.strip_prefix('@') {
            let (key, value) =
                rest.split_once('=').ok_or_else(|| self.bad("expected @title='…'"))?;
            let make: fn(String) -> StepFilter = match key.trim() {
                "title" | "name" => StepFilter::Title,
                "identifier" | "id" => StepFilter::Identifier,
                _ => return Err(self.bad("expected @title or @identifier")),
            };
            self.rest = value.trim_start();
            return Ok(make(self.quoted()?));
        }
        let end = self.rest.find(']').unwrap_or(self.rest.len());
        let number = self.rest[..end].trim().parse();
        let number = number.map_err(|_| self.bad("expected a number from 0, or @title='…'"))?;
        self.rest = &self.rest[end..];
        Ok(StepFilter::Nth(number))
    }

    fn quoted(&mut self) -> Result<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let quote = quote.ok_or_else(|| self.bad("expected quoted text"))?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != quote {
                text.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                self.rest = &self.rest[at + 1..];
                return Ok(text);
            }
        }
        Err(self.bad(format!("the {quote} is not closed")))
    }
}
