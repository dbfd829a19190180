//! The match methods and the order in which they are tried.

use deskhand_model::{Index, Node, Role, Snapshot, Value};
use regex::Regex;

use super::{MatchMethod, nested::Scope, ranking::Ranking};
use crate::{
    Purpose,
    label::{self, is_label},
    query::{
        LiteralMatch, role_words,
        terms::{TermField, Terms, TextMatch, TextMatchMode, WantedText},
    },
    text::fold_label,
};

type MatchSet = (MatchMethod, Vec<Index>);
type FieldReader = fn(&Node) -> &str;

/// Matches a text by every method, within a scope.
///
/// The first method that finds an element the caller can use wins; if none does, the first that
/// finds anything. Methods that compare whole names come before methods that compare parts: an
/// element that cannot be used now still hides one with another name.
pub(super) fn text(
    snapshot: &Snapshot,
    text: &str,
    purpose: Purpose,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> MatchSet {
    let named = named(snapshot, text, ranking, scope, &|_| true);
    // A label or a menu item does not hide the field that a value is for.
    let needs_field = matches!(purpose, Purpose::TypeText | Purpose::SetValue);
    if let Some(set) = &named
        && (!needs_field || ranking.has_suitable(&set.1))
    {
        return set.clone();
    }
    if let Some(set) = with_role_words(snapshot, text, ranking, scope) {
        return set;
    }
    let parts = parts(snapshot, text, ranking, scope);
    match (named, parts) {
        (Some(named), Some(parts)) if !ranking.has_usable(&parts.1) => named,
        (Some(_), Some(parts)) | (None, Some(parts)) => parts,
        (Some(named), None) => named,
        (None, None) => {
            let roles = Role::named(text);
            let found = filter(snapshot, |node| roles.contains(&node.role));
            (MatchMethod::Role, scope.within(snapshot, found))
        }
    }
}

/// Matches whole names and labels; `None` if nothing matches.
fn named(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
    accept: &dyn Fn(&Node) -> bool,
) -> Option<MatchSet> {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    let steps = [
        (MatchMethod::TitleExact, TextMatch::Exact),
        (MatchMethod::TitleInsensitive, TextMatch::Insensitive),
        (MatchMethod::TitleInsensitive, TextMatch::Loose),
        (MatchMethod::Label, TextMatch::Loose),
    ];
    let sets = steps.into_iter().map(|(by, step)| {
        let found = if by == MatchMethod::Label {
            labelled_with(snapshot, text)
        } else {
            filter(snapshot, |node| wanted.matches(step, &node.name, &mut buffer))
        };
        let (by, mut found) = replace_labels(snapshot, text, by, found);
        found.retain(|at| accept(snapshot.node(*at)));
        (by, scope.within(snapshot, found))
    });
    first_usable(sets, ranking)
}

/// Matches a text with a role word, such as `the OK button`: elements with the role, else controls
/// with the name.
fn with_role_words(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let role_words::RoleAndName { name, roles } = role_words::split(text)?;
    let has_role = |node: &Node| roles.contains(&node.role);
    let with_role = named(snapshot, &name, ranking, scope, &has_role);
    let with_role = with_role.map(|(_, found)| (MatchMethod::RoleTitle, found));
    with_role
        .or_else(|| named(snapshot, &name, ranking, scope, &|node: &Node| node.role.is_control()))
}

/// Matches parts of names, and values, descriptions and identifiers; `None` if nothing matches.
fn parts(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    let steps: [(MatchMethod, TextMatch, FieldReader); 7] = [
        (MatchMethod::Contains, TextMatch::Contains, title),
        (MatchMethod::Label, TextMatch::Contains, title),
        (MatchMethod::Value, TextMatch::Insensitive, value),
        (MatchMethod::Value, TextMatch::Contains, value),
        (MatchMethod::Description, TextMatch::Contains, |node| &node.description),
        (MatchMethod::Identifier, TextMatch::Exact, |node| &node.identifier),
        (MatchMethod::Identifier, TextMatch::Insensitive, |node| &node.identifier),
    ];
    let sets = steps.into_iter().map(|(by, step, field)| {
        let mut is_match = |node: &Node| wanted.matches(step, field(node), &mut buffer);
        let found = if by == MatchMethod::Label {
            labelled(snapshot, is_match)
        } else {
            filter(snapshot, &mut is_match)
        };
        (by, scope.within(snapshot, found))
    });
    first_usable(sets, ranking)
}

/// Returns the first set with an element that the caller can use, or else the first set that is not
/// empty. Mousepad pads its menu items with spaces, and the buttons of its hidden toolbar have the
/// exact names.
fn first_usable(sets: impl Iterator<Item = MatchSet>, ranking: &Ranking<'_>) -> Option<MatchSet> {
    let mut first = None;
    for set in sets.filter(|(_, found)| !found.is_empty()) {
        if ranking.has_usable(&set.1) {
            return Some(set);
        }
        first.get_or_insert(set);
    }
    first
}

/// Returns the elements with exactly this title.
pub(super) fn title_exact(snapshot: &Snapshot, text: &str) -> MatchSet {
    (MatchMethod::TitleExact, filter(snapshot, |node| node.name == text))
}

/// Matches a text by one method.
pub(super) fn literal(snapshot: &Snapshot, text: &str, kind: LiteralMatch) -> MatchSet {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    match kind {
        LiteralMatch::Exact => {
            let (by, found) = title_exact(snapshot, text);
            if found.is_empty() {
                return (MatchMethod::Label, labelled_with(snapshot, text));
            }
            replace_labels(snapshot, text, by, found)
        }
        LiteralMatch::Contains => {
            let mut filter_by = |field: FieldReader| {
                let step = TextMatch::Contains;
                filter(snapshot, |node| wanted.matches(step, field(node), &mut buffer))
            };
            let parts: [(MatchMethod, FieldReader); 3] = [
                (MatchMethod::Contains, title),
                (MatchMethod::Value, value),
                (MatchMethod::Description, |node| &node.description),
            ];
            let mut tiers = parts.into_iter().map(|(by, field)| (by, filter_by(field)));
            tiers
                .find(|(_, found)| !found.is_empty())
                .unwrap_or((MatchMethod::Contains, Vec::new()))
        }
        LiteralMatch::Identifier => {
            (MatchMethod::Identifier, filter(snapshot, |node| node.identifier == text))
        }
    }
}

/// Matches terms by the first text comparison that finds an element the caller can use, or else the
/// first that finds anything. A part of a text counts only if nothing else matches.
pub(super) fn terms(
    snapshot: &Snapshot,
    terms: &Terms,
    mode: TextMatchMode,
    ranking: &Ranking<'_>,
) -> MatchSet {
    let mut buffer = String::new();
    let mut find = |step: &TextMatch| {
        let found = filter(snapshot, |node| terms.matches(node, *step, &mut buffer));
        (method_of(terms, *step), found)
    };
    let (whole, parts): (Vec<_>, Vec<_>) =
        mode.steps().iter().partition(|step| **step != TextMatch::Contains);
    first_usable(whole.into_iter().map(&mut find), ranking)
        .or_else(|| first_usable(parts.into_iter().map(&mut find), ranking))
        .unwrap_or((method_of(terms, TextMatch::Exact), Vec::new()))
}

fn method_of(terms: &Terms, step: TextMatch) -> MatchMethod {
    match (terms.leading_field(), step) {
        (None, _) => MatchMethod::Role,
        (Some(TermField::Identifier), _) => MatchMethod::Identifier,
        (Some(TermField::Value), _) => MatchMethod::Value,
        (Some(TermField::Description), _) => MatchMethod::Description,
        (Some(TermField::TextContains), _) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Contains) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Insensitive | TextMatch::Loose) => {
            MatchMethod::TitleInsensitive
        }
        (Some(TermField::Title | TermField::Text), TextMatch::Exact) if terms.roles().is_some() => {
            MatchMethod::RoleTitle
        }
        (Some(TermField::Title | TermField::Text), TextMatch::Exact) => MatchMethod::TitleExact,
    }
}

/// Matches a regular expression against titles, or against values and descriptions if no title
/// matches.
pub(super) fn pattern(snapshot: &Snapshot, pattern: &Regex) -> MatchSet {
    let mut found = filter(snapshot, |node| pattern.is_match(&node.name));
    if found.is_empty() {
        found = filter(snapshot, |node| {
            pattern.is_match(value(node)) || pattern.is_match(&node.description)
        });
    }
    (MatchMethod::Regex, found)
}

fn title(node: &Node) -> &str {
    &node.name
}

fn value(node: &Node) -> &str {
    match &node.value {
        Some(Value::Text { text, .. }) => text,
        Some(Value::Number { .. } | Value::Secret) | None => "",
    }
}

fn filter(snapshot: &Snapshot, mut is: impl FnMut(&Node) -> bool) -> Vec<Index> {
    snapshot.iter().filter(|(_, node)| is(node)).map(|(at, _)| at).collect()
}

/// Returns the controls that have a label with this text.
fn labelled_with(snapshot: &Snapshot, text: &str) -> Vec<Index> {
    let wanted = fold_label(text);
    labelled(snapshot, |label| fold_label(&label.name) == wanted)
}

/// Returns the controls whose label meets a condition.
fn labelled(snapshot: &Snapshot, mut is_match: impl FnMut(&Node) -> bool) -> Vec<Index> {
    let mut found: Vec<_> = label::pairs(snapshot)
        .into_iter()
        .filter(|(label, _)| is_match(snapshot.node(*label)))
        .map(|(_, control)| control)
        .collect();
    found.dedup();
    found
}

/// Replaces matching labels by the controls they name, because users call a control by its label.
fn replace_labels(snapshot: &Snapshot, text: &str, by: MatchMethod, found: Vec<Index>) -> MatchSet {
    let titles = matches!(by, MatchMethod::TitleExact | MatchMethod::TitleInsensitive);
    if titles && found.iter().all(|at| is_label(snapshot.node(*at).role)) {
        let controls = labelled_with(snapshot, text);
        if !controls.is_empty() {
            return (MatchMethod::Label, controls);
        }
    }
    (by, found)
}
