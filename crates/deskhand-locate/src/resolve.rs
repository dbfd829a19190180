//! From a query and a snapshot to the elements meant. Strict: one element, or an error that lists
//! the candidates, or the near misses.

mod ladder;
mod near;
#[cfg(test)]
mod tests;

use deskhand_model::{Index, Snapshot};

use crate::{
    Candidate, Error, Query, Ref, Result, Table,
    heal::{self, Healed, THRESHOLD},
    label::is_label,
    query::{Form, Looks, path::Path, xpath},
    refs::is_partial,
};

/// How many candidates an error lists.
const LISTED: usize = 8;

/// How an element was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// It was named by its ref.
    Ref,
    /// Its title is the text.
    TitleExact,
    /// Its role and title are those asked for.
    RoleTitle,
    /// Its title is the text but for case and white space.
    TitleInsensitive,
    /// A label with that text names it.
    Label,
    /// The text is a part of its title.
    Contains,
    /// The text is in its value.
    Value,
    /// The text is in its description.
    Description,
    /// The text is its identifier.
    Identifier,
    /// Its role is the one asked for.
    Role,
    /// It matches the regular expression.
    Regex,
    /// The XPath selects it.
    Xpath,
    /// The element path leads to it.
    Path,
}

impl By {
    /// The stable word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ref => "ref",
            Self::TitleExact => "title_exact",
            Self::RoleTitle => "role_title",
            Self::TitleInsensitive => "title_insensitive",
            Self::Label => "label",
            Self::Contains => "contains",
            Self::Value => "value",
            Self::Description => "description",
            Self::Identifier => "identifier",
            Self::Role => "role",
            Self::Regex => "regex",
            Self::Xpath => "xpath",
            Self::Path => "path",
        }
    }

    /// How sure a match found this way is what was meant.
    pub fn confidence(self) -> f32 {
        match self {
            Self::Ref | Self::TitleExact | Self::RoleTitle | Self::Xpath | Self::Path => 1.0,
            Self::Identifier => 0.98,
            Self::TitleInsensitive => 0.95,
            Self::Label | Self::Regex => 0.9,
            Self::Contains => 0.8,
            Self::Value => 0.75,
            Self::Description => 0.7,
            Self::Role => 0.6,
        }
    }
}

/// One element that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Where it stands.
    pub index: Index,
    /// How it was found.
    pub by: By,
    /// How sure it is what was meant, from 0 to 1.
    pub confidence: f32,
    /// Whether it is not on the screen; then nothing that is on the screen matches as well.
    pub hidden: bool,
}

/// The one element that was meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Where it stands.
    pub index: Index,
    /// Its ref.
    pub reference: Ref,
    /// How it was found.
    pub by: By,
    /// How sure it is what was meant, from 0 to 1.
    pub confidence: f32,
    /// Whether it is not on the screen.
    pub hidden: bool,
    /// How it was found again, when what was written no longer matches literally.
    pub healed: Option<Healed>,
}

/// Every element that matches by the first strategy that finds any, the best first.
pub fn find_all(snapshot: &Snapshot, query: &Query, table: &mut Table) -> Result<Vec<Match>> {
    if snapshot.is_empty() {
        return Ok(Vec::new());
    }
    let (by, found) = match &query.form {
        Form::Auto { text, looks } => return auto(snapshot, text, looks, table),
        Form::Literal { text, way } => ladder::literal(snapshot, text, *way),
        Form::Terms { terms, spelling } => ladder::terms(snapshot, terms, *spelling),
        Form::Pattern(pattern) => ladder::pattern(snapshot, pattern),
        Form::Xpath(text) => (By::Xpath, xpath::select(text, snapshot, table)?),
        Form::Path(path) => (By::Path, path.follow(snapshot)),
    };
    Ok(ladder::ranked(snapshot, by, found))
}

fn auto(snapshot: &Snapshot, text: &str, looks: &Looks, table: &mut Table) -> Result<Vec<Match>> {
    let exact = || ladder::title_exact(snapshot, text);
    let (by, found) = match looks {
        Looks::Text => ladder::text(snapshot, text),
        Looks::Ref(reference) => match table.resolve(snapshot, *reference) {
            Ok(at) => (By::Ref, vec![at]),
            // Never given out: then it may be a title that looks like a ref.
            Err(e @ Error::UnknownRef { .. }) => match exact() {
                (_, found) if found.is_empty() => return Err(e),
                found => found,
            },
            Err(e) => return Err(e),
        },
        Looks::RoleTitle(terms) => match ladder::terms(snapshot, terms, ladder::ANY) {
            (_, found) if found.is_empty() => ladder::text(snapshot, text),
            found => found,
        },
        Looks::Pattern(pattern) => match exact() {
            (_, found) if found.is_empty() => ladder::pattern(snapshot, pattern),
            found => found,
        },
        Looks::Xpath(xpath) => match exact() {
            (_, found) if found.is_empty() => (By::Xpath, xpath::select(xpath, snapshot, table)?),
            found => found,
        },
    };
    Ok(ladder::ranked(snapshot, by, found))
}

/// Whether an answer from a look with only [`Query::first`] would be the same with everything.
pub fn settled(snapshot: &Snapshot, found: &[Match]) -> bool {
    found.first().is_some_and(|first| match first.by {
        By::TitleExact | By::TitleInsensitive => {
            // A label that stands for a control gives way to it once relations are known.
            found.iter().any(|found| !is_label(snapshot.node(found.index).role))
        }
        By::Ref | By::RoleTitle | By::Path => true,
        By::Label
        | By::Contains
        | By::Value
        | By::Description
        | By::Identifier
        | By::Role
        | By::Regex
        | By::Xpath => false,
    })
}

/// The one element that matches; an error when there are several or none.
pub fn find_one(snapshot: &Snapshot, query: &Query, table: &mut Table) -> Result<Found> {
    let found = find_all(snapshot, query, table)?;
    match found[..] {
        [Match { index, by, confidence, hidden }] => {
            let reference = table.assign(snapshot, index);
            Ok(Found { index, reference, by, confidence, hidden, healed: None })
        }
        [] => match &query.form {
            Form::Path(path) => healed(snapshot, query, path, table),
            Form::Auto { .. }
            | Form::Literal { .. }
            | Form::Terms { .. }
            | Form::Pattern(_)
            | Form::Xpath(_) => Err(no_match(snapshot, query, table)),
        },
        [first, ..] => {
            let listed = found.iter().take(LISTED);
            Err(Error::Ambiguous {
                query: query.shown(),
                by: first.by,
                found: listed.map(|m| Candidate::of(snapshot, m.index, table)).collect(),
                total: found.len(),
            })
        }
    }
}

/// The element a path meant, when it no longer leads anywhere literally.
fn healed(snapshot: &Snapshot, query: &Query, path: &Path, table: &mut Table) -> Result<Found> {
    // An app that was started again has another number and, mostly, the same tree.
    let again = match path.follow_anew(snapshot)[..] {
        [index] => Some(Healed { index, by: heal::By::Structure, confidence: 0.9 }),
        [] | [_, _, ..] => None,
    };
    let healed = again.or_else(|| path.clues().and_then(|clues| heal::heal(&clues, snapshot)));
    let Some(healed) = healed else { return Err(no_match(snapshot, query, table)) };
    if !healed.is_sure() {
        return Err(Error::LowConfidence {
            query: query.shown(),
            best: Box::new(Candidate::of(snapshot, healed.index, table)),
            by: healed.by,
            confidence: healed.confidence,
            threshold: THRESHOLD,
        });
    }
    Ok(Found {
        index: healed.index,
        reference: table.assign(snapshot, healed.index),
        by: By::Path,
        confidence: healed.confidence,
        hidden: ladder::Sight::of(snapshot).is_hidden(snapshot, healed.index),
        healed: Some(healed),
    })
}

fn no_match(snapshot: &Snapshot, query: &Query, table: &mut Table) -> Error {
    let (near, same_role) = near::misses(snapshot, query);
    let mut tell = |all: Vec<Index>| -> Vec<_> {
        all.into_iter().map(|at| Candidate::of(snapshot, at, table)).collect()
    };
    Error::NoMatch {
        query: query.shown(),
        scope: snapshot.app().name.clone(),
        near: tell(near),
        same_role: tell(same_role),
        partial: is_partial(snapshot),
    }
}
