//! Queries and their syntax. Parsing needs no app; `resolve` matches queries against snapshots.

mod nesting;
pub mod path;
mod pattern;
mod role;
pub(crate) mod role_words;
mod selector;
mod strategy;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod xpath;

use deskhand_model::Role;
use deskhand_platform::NodeFields;
use regex::Regex;
pub use selector::Selector;
pub use strategy::Strategy;

use crate::{Error, Ref, Result, text::clip};
use path::Path;
use terms::{Terms, TextMatch, TextMatchMode, WantedText};

/// A parsed query.
#[derive(Debug, Clone)]
pub struct Query {
    text: String,
    pub(crate) form: QueryForm,
}

/// The parsed form of a query.
#[derive(Debug, Clone)]
pub(crate) enum QueryForm {
    /// Plain text that is tried by every match method, after the interpretation that its syntax
    /// suggests.
    Auto { text: String, interpretation: Interpretation },
    /// A text with one match method.
    Literal { text: String, kind: LiteralMatch },
    /// Terms that must all match.
    Terms { terms: Terms, mode: TextMatchMode },
    /// A regular expression.
    Pattern(Regex),
    /// An XPath expression.
    Xpath(String),
    /// An element path.
    Path(Path),
}

/// The second interpretation of a text, judged by its syntax.
#[derive(Debug, Clone)]
pub(crate) enum Interpretation {
    /// None: plain text.
    Text,
    /// A ref.
    Ref(Ref),
    /// A role and a title, as in `button:Save`.
    RoleTitle(Terms),
    /// A regular expression between slashes.
    Pattern(Regex),
    /// An XPath expression.
    Xpath(String),
    /// Names that lie inside each other, outermost first, as in `File > Save As`.
    Nested(Vec<String>),
}

/// The match method for a literal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiteralMatch {
    Exact,
    Contains,
    Identifier,
}

/// A test for names that a query may match. A long list is searched with it before its elements are
/// read.
#[derive(Debug)]
pub enum NameFilter<'a> {
    /// No name decides, such as for an identifier.
    Nothing,
    /// Names that equal one of these texts except for details of spelling.
    Texts(Vec<WantedText>),
    /// Names that match an expression.
    Pattern(&'a Regex),
}

impl NameFilter<'_> {
    /// Returns `true` if no name can match.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// Returns `true` if an element with this name may match. The buffer saves allocations.
    pub fn may_match(&self, name: &str, buffer: &mut String) -> bool {
        match self {
            Self::Nothing => false,
            Self::Texts(texts) => {
                texts.iter().any(|text| text.matches(TextMatch::Loose, name, buffer))
            }
            Self::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

impl Query {
    /// Parses a text by a strategy.
    pub fn parse(text: &str, strategy: Strategy) -> Result<Self> {
        if text.trim().is_empty() {
            return Err(Error::EmptyQuery);
        }
        let form = match strategy {
            Strategy::Auto => auto(text)?,
            Strategy::Exact => fields(text, TextMatchMode::Exact)?
                .unwrap_or_else(|| literal(text, LiteralMatch::Exact)),
            Strategy::Contains => fields(text, TextMatchMode::Contains)?
                .unwrap_or_else(|| literal(text, LiteralMatch::Contains)),
            Strategy::Identifier => literal(text, LiteralMatch::Identifier),
            Strategy::Regex => QueryForm::Pattern(pattern::parse(text)?),
            Strategy::Role => {
                QueryForm::Terms { terms: terms::role_first(text)?, mode: TextMatchMode::Any }
            }
            Strategy::Xpath => QueryForm::Xpath(xpath::validate(text.trim())?),
        };
        Ok(Self { text: text.to_owned(), form })
    }

    /// Creates a query from a selector object.
    pub fn from_selector(selector: &Selector) -> Result<Self> {
        let terms = selector.terms()?;
        Ok(Self {
            text: selector.to_string(),
            form: QueryForm::Terms { terms, mode: TextMatchMode::Any },
        })
    }

    /// Returns the text of the query as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the query, shortened for a message.
    pub(crate) fn excerpt(&self) -> String {
        clip(&self.text, 120)
    }

    /// Returns the ref, if the query looks like one.
    pub fn reference(&self) -> Option<Ref> {
        match self.form {
            QueryForm::Auto { interpretation: Interpretation::Ref(reference), .. } => {
                Some(reference)
            }
            QueryForm::Auto { .. }
            | QueryForm::Literal { .. }
            | QueryForm::Terms { .. }
            | QueryForm::Pattern(_)
            | QueryForm::Xpath(_)
            | QueryForm::Path(_) => None,
        }
    }

    /// Returns the names of the containers that the element must lie in, outermost first.
    pub(crate) fn scope_names(&self) -> Option<&[String]> {
        let QueryForm::Auto { interpretation: Interpretation::Nested(parts), .. } = &self.form
        else {
            return None;
        };
        parts.split_last().map(|(_, around)| around)
    }

    /// Returns a test for names that may match as a whole: exactly, or with other spelling.
    pub fn name_filter(&self) -> NameFilter<'_> {
        let texts = |text: &str| {
            let split = role_words::split(text).map(|split| WantedText::new(&split.name));
            NameFilter::Texts(std::iter::once(WantedText::new(text)).chain(split).collect())
        };
        match &self.form {
            QueryForm::Auto { interpretation: Interpretation::Nested(parts), .. } => {
                parts.last().map_or(NameFilter::Nothing, |part| texts(part))
            }
            QueryForm::Auto { interpretation: Interpretation::Pattern(pattern), .. }
            | QueryForm::Pattern(pattern) => NameFilter::Pattern(pattern),
            QueryForm::Auto { interpretation: Interpretation::RoleTitle(terms), .. }
            | QueryForm::Terms { terms, .. } => terms.wanted().map_or(NameFilter::Nothing, texts),
            QueryForm::Auto { interpretation: Interpretation::Text, text }
            | QueryForm::Literal { text, kind: LiteralMatch::Exact | LiteralMatch::Contains } => {
                texts(text)
            }
            QueryForm::Auto { interpretation: Interpretation::Xpath(_), text }
                if may_be_text(text) =>
            {
                texts(text)
            }
            QueryForm::Auto {
                interpretation: Interpretation::Ref(_) | Interpretation::Xpath(_),
                ..
            }
            | QueryForm::Literal { kind: LiteralMatch::Identifier, .. }
            | QueryForm::Xpath(_)
            | QueryForm::Path(_) => NameFilter::Nothing,
        }
    }

    /// Returns all fields the query may need. A snapshot with these never has to be taken again.
    pub fn required_fields(&self) -> NodeFields {
        let values = NodeFields { values: true, ..NodeFields::MINIMAL };
        // A label beside a field is recognized by its position. Placeholders are among the
        // identifiers.
        let labels = NodeFields { relations: true, bounds: true, ..NodeFields::MINIMAL };
        let identifiers = NodeFields { identifiers: true, ..NodeFields::MINIMAL };
        let needs = match &self.form {
            QueryForm::Auto { interpretation: Interpretation::Ref(_), .. } => {
                return NodeFields::STANDARD.union(labels).union(identifiers);
            }
            QueryForm::Auto { interpretation: Interpretation::Xpath(xpath), text }
                if !may_be_text(text) =>
            {
                xpath::required_fields(xpath)
            }
            QueryForm::Xpath(text) => xpath::required_fields(text),
            QueryForm::Auto {
                interpretation:
                    Interpretation::Text
                    | Interpretation::RoleTitle(_)
                    | Interpretation::Nested(_)
                    | Interpretation::Pattern(_)
                    | Interpretation::Xpath(_),
                ..
            }
            | QueryForm::Pattern(_) => values.union(labels).union(identifiers),
            QueryForm::Literal { kind: LiteralMatch::Exact, .. } => labels.union(identifiers),
            QueryForm::Literal { kind: LiteralMatch::Contains, .. } => {
                values.union(labels).union(identifiers)
            }
            QueryForm::Literal { kind: LiteralMatch::Identifier, .. } => identifiers,
            QueryForm::Terms { terms, .. } if terms.has_name() => {
                terms.required_fields().union(labels).union(identifiers)
            }
            QueryForm::Terms { terms, .. } => terms.required_fields(),
            // A title may be a label, by which the element is found again.
            QueryForm::Path(path) if path.title().is_some() => {
                path.required_fields().union(labels).union(identifiers)
            }
            QueryForm::Path(path) => path.required_fields(),
        };
        with_hidden(needs)
    }

    /// Returns the fields the first match methods need. They are cheap to read and enough for most
    /// titles.
    ///
    /// Take a snapshot with these fields first, and another one with [`Query::required_fields`] if
    /// [`crate::is_conclusive`] returns `false`.
    pub fn initial_fields(&self) -> NodeFields {
        match &self.form {
            // A ref is checked by id, role and name. Suggesting a replacement needs all fields.
            QueryForm::Auto {
                interpretation:
                    Interpretation::Text
                    | Interpretation::RoleTitle(_)
                    | Interpretation::Nested(_)
                    | Interpretation::Ref(_),
                ..
            }
            | QueryForm::Literal { kind: LiteralMatch::Exact | LiteralMatch::Contains, .. } => {
                NodeFields::MINIMAL
            }
            QueryForm::Auto { interpretation: Interpretation::Pattern(_), .. }
            | QueryForm::Pattern(_) => NodeFields { values: true, ..NodeFields::MINIMAL },
            QueryForm::Terms { terms, .. } if terms.has_name() => terms.required_fields(),
            QueryForm::Auto { interpretation: Interpretation::Xpath(xpath), .. } => {
                with_hidden(xpath::required_fields(xpath))
            }
            QueryForm::Path(path) => with_hidden(path.required_fields()),
            QueryForm::Literal { kind: LiteralMatch::Identifier, .. }
            | QueryForm::Terms { .. }
            | QueryForm::Xpath(_) => self.required_fields(),
        }
    }
}

/// Adds hidden elements, which count if no visible one matches.
fn with_hidden(needs: NodeFields) -> NodeFields {
    NodeFields { hidden: needs != NodeFields::MINIMAL, ..needs }
}

/// Returns `true` if a text that looks like XPath may be meant literally: it has no attribute, and its
/// first step is no role.
pub(crate) fn may_be_text(text: &str) -> bool {
    let steps = text.trim().trim_start_matches('/');
    let first = steps.split(|c: char| !c.is_alphanumeric() && c != ' ').next().unwrap_or_default();
    !first.is_empty() && !text.contains('@') && Role::named(first).is_empty()
}

/// Returns `true` if a text that looks like an expression is more likely a path of a file, such as
/// `/tmp/` or `/dev/sda1`.
pub(crate) fn is_rather_text(text: &str) -> bool {
    let text = text.trim();
    let is_absolute = text.starts_with('/') && !text.starts_with("//");
    is_absolute && (text.ends_with('/') || !text.contains(['[', '@', '*', '(', '|', ':']))
}

fn literal(text: &str, kind: LiteralMatch) -> QueryForm {
    QueryForm::Literal { text: terms::unquoted(text).unwrap_or_else(|| text.to_owned()), kind }
}

/// Parses field terms or a selector object. Returns `None` for plain text.
fn fields(text: &str, mode: TextMatchMode) -> Result<Option<QueryForm>> {
    if text.trim_start().starts_with('{') && text.trim_end().ends_with('}') {
        let terms = Selector::parse(text.trim())?.terms()?;
        return Ok(Some(QueryForm::Terms { terms, mode }));
    }
    Ok(terms::parse(text)?.map(|terms| QueryForm::Terms { terms, mode }))
}

fn auto(text: &str) -> Result<QueryForm> {
    let trimmed = text.trim();
    if let Some(inner) = terms::unquoted(trimmed) {
        return Ok(QueryForm::Auto { text: inner, interpretation: Interpretation::Text });
    }
    if let Ok(reference) = trimmed.parse::<Ref>() {
        return Ok(QueryForm::Auto {
            text: trimmed.to_owned(),
            interpretation: Interpretation::Ref(reference),
        });
    }
    if path::looks_like(trimmed) {
        return Ok(QueryForm::Path(Path::parse(trimmed)?));
    }
    let interpretation = if pattern::looks_like(trimmed) {
        Interpretation::Pattern(pattern::parse(trimmed)?)
    } else if let Some(xpath) = xpath::parse(trimmed) {
        Interpretation::Xpath(xpath?)
    } else if let Some(form) = fields(text, TextMatchMode::Any)? {
        return Ok(form);
    } else if let Some(terms) = terms::role_title(trimmed) {
        Interpretation::RoleTitle(terms)
    } else if let Some(parts) = nesting::parse(trimmed) {
        Interpretation::Nested(parts)
    } else {
        Interpretation::Text
    };
    Ok(QueryForm::Auto { text: text.to_owned(), interpretation })
}
