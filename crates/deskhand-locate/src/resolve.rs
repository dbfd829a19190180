//! Finds the elements that match a query in a snapshot.
//!
//! [`find_one`] is strict: it returns one element, or an error that lists the candidates or the
//! near misses.

mod belonging;
mod matching;
mod near_misses;
mod nested;
mod ranking;
#[cfg(test)]
mod tests;

use deskhand_model::{Index, Names, Snapshot};

use self::{matching::MatchSet, nested::Scope, ranking::Ranking};
use crate::{
    Candidate, Error, Guess, OtherMatches, Preferences, Query, Ref, RefTable, Result,
    heal::{self, HealMethod, HealedMatch, MIN_CONFIDENCE},
    label::is_label,
    query::{
        Interpretation, QueryForm, is_rather_text, may_be_text, path::Path, terms::TextMatchMode,
        xpath,
    },
    refs::is_partial,
    visibility::VisibilityReport,
};

/// The maximum number of candidates in an error.
const MAX_CANDIDATES: usize = 8;

/// The way an element matched a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMethod {
    /// The query is its ref.
    Ref,
    /// Its title equals the text.
    TitleExact,
    /// Its role and title equal those of the query.
    RoleTitle,
    /// Its title equals the text except for letter case, whitespace, mnemonics and similar details.
    TitleInsensitive,
    /// It has a label with this text.
    Label,
    /// Its title or its label contains the text.
    Contains,
    /// Its value contains the text.
    Value,
    /// Its description contains the text.
    Description,
    /// Its identifier equals the text.
    Identifier,
    /// It has the role.
    Role,
    /// It matches the regular expression.
    Regex,
    /// The XPath expression selects it.
    Xpath,
    /// The element path leads to it.
    Path,
    /// It stands beside the element with this text. This is a guess.
    Beside,
    /// It is the only element of use inside the one with this text. This is a guess.
    Inside,
}

impl MatchMethod {
    /// Returns the stable name.
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
            Self::Beside => "beside",
            Self::Inside => "inside",
        }
    }

    /// Returns `true` if the query is a text that a person reads on the screen.
    pub(crate) fn is_by_text(self) -> bool {
        matches!(
            self,
            Self::TitleExact
                | Self::TitleInsensitive
                | Self::Label
                | Self::Contains
                | Self::Value
                | Self::Description
                | Self::Beside
                | Self::Inside
        )
    }

    /// Returns the confidence of such a match, from 0 to 1.
    pub fn confidence(self) -> f32 {
        match self {
            Self::Ref | Self::TitleExact | Self::RoleTitle | Self::Xpath | Self::Path => 1.0,
            Self::Identifier => 0.98,
            Self::TitleInsensitive => 0.95,
            Self::Label | Self::Regex => 0.9,
            Self::Contains => 0.8,
            Self::Value => 0.75,
            Self::Description => 0.7,
            Self::Role | Self::Beside | Self::Inside => 0.6,
        }
    }
}

/// An element that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The position in the snapshot.
    pub index: Index,
    /// The way it matched.
    pub by: MatchMethod,
    /// The confidence from 0 to 1.
    pub confidence: f32,
    /// `true` if the element is not on the screen. In that case no element on the screen matches as
    /// well.
    pub hidden: bool,
    /// The reason why the element is only a guess, if it is one.
    pub guess: Option<Guess>,
}

/// The one element that a query identifies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocatedElement {
    /// The position in the snapshot.
    pub index: Index,
    /// The ref of the element.
    pub reference: Ref,
    /// The way it matched.
    pub by: MatchMethod,
    /// The confidence from 0 to 1.
    pub confidence: f32,
    /// `true` if the element is not on the screen.
    pub hidden: bool,
    /// The way it was recovered by healing; `None` if the query matched literally.
    pub healed: Option<HealedMatch>,
    /// The matches that were not chosen.
    pub others: OtherMatches,
    /// The reason why the element is only a guess, if it is one.
    pub guess: Option<Guess>,
}

/// Returns all elements that match by the first method that finds any, best first.
pub fn find_all(snapshot: &Snapshot, query: &Query, table: &mut RefTable) -> Result<Vec<Match>> {
    find_all_for(snapshot, query, table, &Preferences::default())
}

/// Like [`find_all`], for a caller with preferences.
pub fn find_all_for(
    snapshot: &Snapshot,
    query: &Query,
    table: &mut RefTable,
    preferences: &Preferences<'_>,
) -> Result<Vec<Match>> {
    Ok(search(snapshot, query, table, preferences)?.0)
}

/// Returns the best matches and counts the others.
fn search(
    snapshot: &Snapshot,
    query: &Query,
    table: &mut RefTable,
    preferences: &Preferences<'_>,
) -> Result<(Vec<Match>, OtherMatches)> {
    if snapshot.is_empty() {
        return Ok((Vec::new(), OtherMatches::default()));
    }
    let ranking = Ranking::new(snapshot, preferences);
    let scope = query.scope_names().map(|names| Scope::inside(snapshot, names)).unwrap_or_default();
    let set = match &query.form {
        QueryForm::Auto { text, interpretation } => {
            auto(snapshot, text, interpretation, table, &ranking, &scope)?
        }
        QueryForm::Literal { text, kind } => matching::literal(snapshot, text, *kind, &ranking),
        QueryForm::Terms { terms, mode } => matching::terms(snapshot, terms, *mode, &ranking),
        QueryForm::Pattern(pattern) => matching::pattern(snapshot, pattern, &ranking),
        QueryForm::Xpath(text) => by_xpath(snapshot, text, table)?,
        QueryForm::Path(path) => MatchSet::new(MatchMethod::Path, path.follow(snapshot)),
    };
    Ok(ranking.choose(set, &scope))
}

fn auto(
    snapshot: &Snapshot,
    text: &str,
    interpretation: &Interpretation,
    table: &mut RefTable,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Result<MatchSet> {
    let exact = || matching::title_exact(snapshot, text);
    let as_text = || matching::text(snapshot, text, ranking, &Scope::default());
    // An interpretation that finds nothing was wrong.
    Ok(match interpretation {
        Interpretation::Text => as_text(),
        Interpretation::Ref(reference) => match table.resolve(snapshot, *reference) {
            Ok(at) => MatchSet::new(MatchMethod::Ref, vec![at]),
            // No such ref was ever assigned, so the text may be a title that looks like a ref.
            Err(e @ Error::UnknownRef { .. }) => match exact() {
                titled if titled.found.is_empty() => return Err(e),
                titled => titled,
            },
            Err(e) => match table.successor(snapshot, *reference) {
                Some(healed) => MatchSet::new(MatchMethod::Ref, vec![healed.index]),
                None => return Err(e),
            },
        },
        Interpretation::RoleTitle(terms) => {
            matching::terms(snapshot, terms, TextMatchMode::Any, ranking).or_else(as_text)
        }
        Interpretation::Pattern(pattern) => {
            let by_pattern = || matching::pattern(snapshot, pattern, ranking);
            if is_rather_text(text) {
                as_text().or_else(by_pattern)
            } else {
                exact().or_else(by_pattern).or_else(as_text)
            }
        }
        Interpretation::Xpath(xpath) => {
            let may_be_text = may_be_text(text);
            let is_text_first = may_be_text && is_rather_text(text);
            let first = if is_text_first { as_text() } else { exact() };
            if !first.found.is_empty() {
                return Ok(first);
            }
            let selected = by_xpath(snapshot, xpath, table)?;
            if may_be_text { selected.or_else(as_text) } else { selected }
        }
        Interpretation::Nested(parts) => {
            let nested = || match parts.last() {
                Some(name) => matching::text(snapshot, name, ranking, scope),
                None => MatchSet::new(MatchMethod::TitleExact, Vec::new()),
            };
            exact().or_else(nested).or_else(as_text)
        }
    })
}

fn by_xpath(snapshot: &Snapshot, text: &str, table: &RefTable) -> Result<MatchSet> {
    let found = xpath::select(text, snapshot, table)?;
    let mut guesses = Vec::new();
    if xpath::uses_computed_names(text) {
        let names = Names::of(snapshot);
        let is_guess = |at: &Index| names.name(*at).is_some_and(|name| name.source.is_guess());
        guesses.extend(found.iter().copied().filter(is_guess));
    }
    Ok(MatchSet { guesses, ..MatchSet::new(MatchMethod::Xpath, found) })
}

/// Returns `true` if reading more than [`Query::initial_fields`] would not change the result.
pub fn is_conclusive(snapshot: &Snapshot, found: &[Match], preferences: &Preferences<'_>) -> bool {
    let Some(first) = found.first() else { return false };
    match first.by {
        MatchMethod::TitleExact | MatchMethod::TitleInsensitive | MatchMethod::Regex => {
            // A label is replaced by the control it names once relations are known.
            let is_label = |found: &Match| is_label(snapshot.node(found.index).role);
            let positions: Vec<Index> = found.iter().map(|found| found.index).collect();
            !found.iter().all(is_label)
                && Ranking::new(snapshot, preferences).has_usable(&positions)
        }
        MatchMethod::Ref | MatchMethod::RoleTitle | MatchMethod::Path | MatchMethod::Xpath => true,
        MatchMethod::Label
        | MatchMethod::Contains
        | MatchMethod::Value
        | MatchMethod::Description
        | MatchMethod::Identifier
        | MatchMethod::Role
        | MatchMethod::Beside
        | MatchMethod::Inside => false,
    }
}

/// Returns the one element that matches. It is an error if several match or none.
pub fn find_one(
    snapshot: &Snapshot,
    query: &Query,
    table: &mut RefTable,
) -> Result<LocatedElement> {
    find_one_for(snapshot, query, table, &Preferences::default())
}

/// Like [`find_one`], for a caller with preferences.
pub fn find_one_for(
    snapshot: &Snapshot,
    query: &Query,
    table: &mut RefTable,
    preferences: &Preferences<'_>,
) -> Result<LocatedElement> {
    let (found, others) = search(snapshot, query, table, preferences)?;
    match found[..] {
        [Match { index, by, confidence, hidden, guess }] => {
            let healed =
                query.reference().and_then(|reference| table.successor(snapshot, reference));
            let confidence = healed.map_or(confidence, |healed| healed.confidence);
            let reference = table.assign(snapshot, index);
            Ok(LocatedElement { index, reference, by, confidence, hidden, healed, others, guess })
        }
        [] => match &query.form {
            QueryForm::Path(path) => healed(snapshot, query, path, table),
            QueryForm::Auto { .. }
            | QueryForm::Literal { .. }
            | QueryForm::Terms { .. }
            | QueryForm::Pattern(_)
            | QueryForm::Xpath(_) => Err(no_match(snapshot, query, table)),
        },
        [first, ..] => {
            let listed = found.iter().take(MAX_CANDIDATES);
            Err(Error::Ambiguous {
                query: query.excerpt(),
                by: first.by,
                found: listed.map(|m| Candidate::of(snapshot, m.index, table)).collect(),
                total: found.len(),
            })
        }
    }
}

/// Recovers the element of a path that no longer matches.
fn healed(
    snapshot: &Snapshot,
    query: &Query,
    path: &Path,
    table: &mut RefTable,
) -> Result<LocatedElement> {
    // A restarted app has another pid but usually the same tree.
    let again = match path.follow_in_restarted_app(snapshot)[..] {
        [index] => Some(HealedMatch { index, by: HealMethod::Structure, confidence: 0.9 }),
        [] | [_, _, ..] => None,
    };
    let healed = again.or_else(|| path.traits().and_then(|traits| heal::heal(&traits, snapshot)));
    let Some(healed) = healed else { return Err(no_match(snapshot, query, table)) };
    if !healed.is_reliable() {
        return Err(Error::LowConfidence {
            query: query.excerpt(),
            best: Box::new(Candidate::of(snapshot, healed.index, table)),
            by: healed.by,
            confidence: healed.confidence,
            threshold: MIN_CONFIDENCE,
        });
    }
    Ok(LocatedElement {
        index: healed.index,
        reference: table.assign(snapshot, healed.index),
        by: MatchMethod::Path,
        confidence: healed.confidence,
        hidden: VisibilityReport::of(snapshot).is_hidden(healed.index),
        healed: Some(healed),
        others: OtherMatches::default(),
        guess: None,
    })
}

fn no_match(snapshot: &Snapshot, query: &Query, table: &mut RefTable) -> Error {
    let (near, same_role) = near_misses::find(snapshot, query);
    let unopened = query
        .scope_names()
        .and_then(|names| Scope::inside(snapshot, names).unopened_menu(snapshot))
        .map(|menu| Box::new(Candidate::of(snapshot, menu, table)));
    let mut describe = |all: Vec<Index>| -> Vec<_> {
        all.into_iter().map(|at| Candidate::of(snapshot, at, table)).collect()
    };
    Error::NoMatch {
        query: query.excerpt(),
        scope: snapshot.app().name.clone(),
        near: describe(near),
        same_role: describe(same_role).into(),
        partial: is_partial(snapshot),
        unsearched: Box::default(),
        unopened,
    }
}
