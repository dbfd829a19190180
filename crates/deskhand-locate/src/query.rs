//! What a caller writes to name an element, and the forms it can take. Nothing here looks at an
//! app: `resolve` does.

pub mod path;
mod pattern;
mod role;
mod selector;
mod strategy;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod xpath;

use deskhand_platform::Facets;
use regex::Regex;
pub use selector::Selector;
pub use strategy::Strategy;

use crate::{Error, Ref, Result, words::clip};
use path::Path;
use terms::{Spelling, Terms};

/// A query that was understood.
#[derive(Debug, Clone)]
pub struct Query {
    text: String,
    pub(crate) form: Form,
}

/// The forms a query can take.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// A text that is tried in every way, and what else it may be by its looks.
    Auto { text: String, looks: Looks },
    /// One text in one way.
    Literal { text: String, way: Way },
    /// Fields that must all match.
    Terms { terms: Terms, spelling: Spelling },
    /// A regular expression.
    Pattern(Regex),
    /// An XPath expression.
    Xpath(String),
    /// An element path.
    Path(Path),
}

/// What a text looks like, beside a text.
#[derive(Debug, Clone)]
pub(crate) enum Looks {
    /// Nothing else.
    Text,
    /// A ref.
    Ref(Ref),
    /// A role and a title, as in `button:Save`.
    RoleTitle(Terms),
    /// A regular expression between slashes.
    Pattern(Regex),
    /// An XPath expression.
    Xpath(String),
}

/// The ways to take a text literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Exact,
    Contains,
    Identifier,
}

impl Query {
    /// Understands a text by the rules of a strategy.
    pub fn parse(text: &str, strategy: Strategy) -> Result<Self> {
        if text.trim().is_empty() {
            return Err(Error::EmptyQuery);
        }
        let form = match strategy {
            Strategy::Auto => auto(text)?,
            Strategy::Exact => {
                fields(text, Spelling::Exact)?.unwrap_or_else(|| literal(text, Way::Exact))
            }
            Strategy::Contains => {
                fields(text, Spelling::Contains)?.unwrap_or_else(|| literal(text, Way::Contains))
            }
            Strategy::Identifier => literal(text, Way::Identifier),
            Strategy::Regex => Form::Pattern(pattern::parse(text)?),
            Strategy::Role => {
                Form::Terms { terms: terms::role_first(text)?, spelling: Spelling::Any }
            }
            Strategy::Xpath => Form::Xpath(xpath::check(text.trim())?),
        };
        Ok(Self { text: text.to_owned(), form })
    }

    /// Understands a selector object.
    pub fn select(selector: &Selector) -> Result<Self> {
        let terms = selector.terms()?;
        Ok(Self {
            text: selector.to_string(),
            form: Form::Terms { terms, spelling: Spelling::Any },
        })
    }

    /// The query as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The query, cut to what a message can hold.
    pub(crate) fn shown(&self) -> String {
        clip(&self.text, 120)
    }

    /// The ref the query looks like.
    pub fn reference(&self) -> Option<Ref> {
        match self.form {
            Form::Auto { looks: Looks::Ref(reference), .. } => Some(reference),
            Form::Auto { .. }
            | Form::Literal { .. }
            | Form::Terms { .. }
            | Form::Pattern(_)
            | Form::Xpath(_)
            | Form::Path(_) => None,
        }
    }

    /// Everything the query may have to look at, so that no look has to be taken twice.
    pub fn needs(&self) -> Facets {
        let values = Facets { values: true, ..Facets::NAMES };
        let labels = Facets { relations: true, ..Facets::NAMES };
        let identifiers = Facets { identifiers: true, ..Facets::NAMES };
        let needs = match &self.form {
            Form::Auto { looks: Looks::Ref(_), .. } => {
                return Facets::LOOK.and(labels).and(identifiers);
            }
            Form::Auto { looks: Looks::Pattern(_), .. } | Form::Pattern(_) => values,
            Form::Auto { looks: Looks::Xpath(text), .. } | Form::Xpath(text) => xpath::needs(text),
            Form::Auto { looks: Looks::Text | Looks::RoleTitle(_), .. } => {
                values.and(labels).and(identifiers)
            }
            Form::Literal { way: Way::Exact, .. } => labels,
            Form::Literal { way: Way::Contains, .. } => values.and(labels),
            Form::Literal { way: Way::Identifier, .. } => identifiers,
            Form::Terms { terms, .. } => terms.needs(),
            Form::Path(path) => path.needs(),
        };
        // What is hidden matches too, when nothing shown does.
        Facets { hidden: needs != Facets::NAMES, ..needs }
    }

    /// What the first strategies need: a look this cheap answers most queries for a title.
    ///
    /// Look with these, and again with [`Query::needs`] when [`crate::settled`] says no.
    pub fn first(&self) -> Facets {
        match &self.form {
            // A ref is known by identity, role and name; to offer another element in its place takes
            // everything.
            Form::Auto { looks: Looks::Text | Looks::RoleTitle(_) | Looks::Ref(_), .. }
            | Form::Literal { way: Way::Exact | Way::Contains, .. } => Facets::NAMES,
            Form::Auto { looks: Looks::Pattern(_) | Looks::Xpath(_), .. }
            | Form::Literal { way: Way::Identifier, .. }
            | Form::Terms { .. }
            | Form::Pattern(_)
            | Form::Xpath(_)
            | Form::Path(_) => self.needs(),
        }
    }
}

fn literal(text: &str, way: Way) -> Form {
    Form::Literal { text: terms::unquoted(text).unwrap_or_else(|| text.to_owned()), way }
}

/// Field terms or a selector object, when the text is one.
fn fields(text: &str, spelling: Spelling) -> Result<Option<Form>> {
    if text.trim_start().starts_with('{') && text.trim_end().ends_with('}') {
        let terms = Selector::parse(text.trim())?.terms()?;
        return Ok(Some(Form::Terms { terms, spelling }));
    }
    Ok(terms::parse(text)?.map(|terms| Form::Terms { terms, spelling }))
}

fn auto(text: &str) -> Result<Form> {
    let trimmed = text.trim();
    if let Some(inner) = terms::unquoted(trimmed) {
        return Ok(Form::Auto { text: inner, looks: Looks::Text });
    }
    if let Ok(reference) = trimmed.parse::<Ref>() {
        return Ok(Form::Auto { text: trimmed.to_owned(), looks: Looks::Ref(reference) });
    }
    if path::looks_like(trimmed) {
        return Ok(Form::Path(Path::parse(trimmed)?));
    }
    let looks = if pattern::looks_like(trimmed) {
        Looks::Pattern(pattern::parse(trimmed)?)
    } else if xpath::looks_like(trimmed) {
        Looks::Xpath(xpath::check(trimmed)?)
    } else if let Some(form) = fields(text, Spelling::Any)? {
        return Ok(form);
    } else if let Some(terms) = terms::role_title(trimmed) {
        Looks::RoleTitle(terms)
    } else {
        Looks::Text
    };
    Ok(Form::Auto { text: text.to_owned(), looks })
}
