//! The match methods and the order in which they are tried.

use deskhand_model::{AccessibleName, Index, NameSource, Node, Role, Snapshot, Value};
use regex::Regex;

use super::{MatchMethod, belonging, nested::Scope, ranking::Ranking};
use crate::{
    label::{self, is_label},
    query::{
        LiteralMatch, role_words,
        terms::{TermField, Terms, TextMatch, TextMatchMode, WantedText},
    },
};

pub(super) type MatchSet = (MatchMethod, Vec<Index>);
type FieldReader = fn(&Node) -> &str;

/// Matches a text by every method, within a scope.
///
/// The first method that finds an element the caller can use wins; if none does, the first that
/// finds anything. Methods that compare whole names come before methods that compare parts: an
/// element that cannot be used now still hides one with another name.
pub(super) fn text(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> MatchSet {
    // A label or a menu item does not hide the field that a value is for.
    let is_enough =
        |set: &MatchSet| !ranking.purpose().needs_field() || ranking.has_suitable(&set.1);
    let named = named(snapshot, text, ranking, scope, &|_| true);
    if let Some(set) = named.as_ref().filter(|set| is_enough(set)) {
        return set.clone();
    }
    let with_role = with_role_words(snapshot, text, ranking, scope);
    if let Some(set) = with_role.as_ref().filter(|set| is_enough(set)) {
        return set.clone();
    }
    let has_name = named.as_ref().or(with_role.as_ref());
    if has_name.is_some_and(|set| !ranking.may_serve(&set.1))
        && let Some(set) = belonging::field(snapshot, text, ranking, scope)
    {
        return set;
    }
    if let Some(set) = with_role {
        return set;
    }
    let parts = parts(snapshot, text, ranking, scope);
    match (named, parts) {
        (Some(named), Some(parts))
            if !ranking.has_usable(&parts.1) || ranking.holds_value(&named.1) =>
        {
            named
        }
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
    let with_role = with_role.map(|(by, found)| {
        // A label may be a guess.
        let is_label = by == MatchMethod::Label;
        (if is_label { by } else { MatchMethod::RoleTitle }, found)
    });
    with_role
        .or_else(|| named(snapshot, &name, ranking, scope, &|node: &Node| node.role.is_control()))
}

/// Matches parts of names, and values, descriptions and identifiers; `None` if nothing matches that
/// the caller may mean.
fn parts(
    snapshot: &Snapshot,
    text: &str,
    ranking: &Ranking<'_>,
    scope: &Scope,
) -> Option<MatchSet> {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    let steps: [(MatchMethod, TextMatch, FieldReader); 8] = [
        (MatchMethod::Contains, TextMatch::Part, title),
        (MatchMethod::Label, TextMatch::Part, title),
        (MatchMethod::Value, TextMatch::Insensitive, value),
        (MatchMethod::Value, TextMatch::Part, value),
        (MatchMethod::Description, TextMatch::Part, |node| &node.description),
        (MatchMethod::Inside, TextMatch::Part, |node| &node.description),
        (MatchMethod::Identifier, TextMatch::Exact, |node| &node.identifier),
        (MatchMethod::Identifier, TextMatch::Insensitive, |node| &node.identifier),
    ];
    let sets = steps.into_iter().map(|(by, step, field)| {
        let mut is_match = |node: &Node| wanted.matches(step, field(node), &mut buffer);
        let found = if by == MatchMethod::Label {
            let mut buffer = String::new();
            label::elements_called(snapshot, |name| {
                is_beside(name) && wanted.matches(step, name.text, &mut buffer)
            })
        } else if by == MatchMethod::Inside {
            belonging::inside(snapshot, filter(snapshot, is_match), ranking)
        } else {
            filter(snapshot, &mut is_match)
        };
        let mut found = scope.within(snapshot, found);
        found.retain(|at| ranking.accepts_part(*at));
        (by, found)
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
            let step = TextMatch::Contains;
            let tiers: [(MatchMethod, FieldReader); 4] = [
                (MatchMethod::Contains, title),
                (MatchMethod::Label, title),
                (MatchMethod::Value, value),
                (MatchMethod::Description, |node| &node.description),
            ];
            let mut tiers = tiers.into_iter().map(|(by, field)| {
                let mut is = |text: &str| wanted.matches(step, text, &mut buffer);
                let found = if by == MatchMethod::Label {
                    label::elements_called(snapshot, |name| is(name.text))
                } else {
                    filter(snapshot, |node| is(field(node)))
                };
                (by, found)
            });
            tiers
                .find(|(_, found)| !found.is_empty())
                .unwrap_or((MatchMethod::Contains, Vec::new()))
        }
        LiteralMatch::Identifier => {
            (MatchMethod::Identifier, filter(snapshot, |node| node.identifier == text))
        }
    }
}

/// Matches terms by the first comparison that finds an element the caller can use, or else the first
/// that finds anything: own names, then labels and computed names, and parts of these only if
/// nothing else matches.
pub(super) fn terms(
    snapshot: &Snapshot,
    terms: &Terms,
    mode: TextMatchMode,
    ranking: &Ranking<'_>,
) -> MatchSet {
    let mut buffer = String::new();
    let mut by_own_name = |step: TextMatch| {
        let found = filter(snapshot, |node| terms.matches(node, &[], step, &mut buffer));
        (method_of(terms, step), found)
    };
    let mut buffer = String::new();
    let mut by_other_name = |step: TextMatch| {
        let all = snapshot.iter().filter(|_| terms.has_name());
        let found = all.filter(|(at, node)| {
            let names: Vec<_> = label::other_names(snapshot, *at).collect();
            !names.is_empty() && terms.matches(node, &names, step, &mut buffer)
        });
        (MatchMethod::Label, found.map(|(at, _)| at).collect())
    };
    let mut sets: Vec<MatchSet> = mode.whole().iter().map(|step| by_own_name(*step)).collect();
    if !sets.is_empty() {
        // Labels end with colons and contain mnemonics.
        sets.push(by_other_name(TextMatch::Loose));
    }
    first_usable(sets.into_iter(), ranking)
        .or_else(|| {
            let part = mode.part()?;
            let mut sets = [by_own_name(part), by_other_name(part)];
            if mode == TextMatchMode::Any {
                for (_, found) in &mut sets {
                    found.retain(|at| ranking.accepts_part(*at));
                }
            }
            first_usable(sets.into_iter(), ranking)
        })
        .unwrap_or((method_of(terms, TextMatch::Exact), Vec::new()))
}

fn method_of(terms: &Terms, step: TextMatch) -> MatchMethod {
    match (terms.leading_field(), step) {
        (None, _) => MatchMethod::Role,
        (Some(TermField::Identifier), _) => MatchMethod::Identifier,
        (Some(TermField::Value), _) => MatchMethod::Value,
        (Some(TermField::Description), _) => MatchMethod::Description,
        (Some(TermField::TextContains), _) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Part | TextMatch::Contains) => {
            MatchMethod::Contains
        }
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
/// matches, or else against labels and computed names.
pub(super) fn pattern(snapshot: &Snapshot, pattern: &Regex) -> MatchSet {
    let mut found = filter(snapshot, |node| pattern.is_match(&node.name));
    if found.is_empty() {
        found = filter(snapshot, |node| {
            pattern.is_match(value(node)) || pattern.is_match(&node.description)
        });
    }
    if found.is_empty() {
        found = label::elements_called(snapshot, |name| pattern.is_match(name.text));
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

/// Returns the elements whose label or computed name is this text.
fn labelled_with(snapshot: &Snapshot, text: &str) -> Vec<Index> {
    let wanted = WantedText::new(text);
    let mut buffer = String::new();
    label::elements_called(snapshot, |name| {
        is_beside(name) && wanted.matches(TextMatch::Loose, name.text, &mut buffer)
    })
}

/// Returns `true` for a name that does not stand inside its element. A text inside an element matches
/// by itself.
fn is_beside(name: AccessibleName<'_>) -> bool {
    name.source != NameSource::Content
}

/// Replaces matching labels by the controls they name, because users call a control by its label.
fn replace_labels(snapshot: &Snapshot, text: &str, by: MatchMethod, found: Vec<Index>) -> MatchSet {
    let titles = matches!(by, MatchMethod::TitleExact | MatchMethod::TitleInsensitive);
    let is_label = |at: &Index| is_label(snapshot.node(*at).role);
    if titles && !found.is_empty() && found.iter().all(is_label) {
        let controls = labelled_with(snapshot, text);
        if !controls.is_empty() {
            return (MatchMethod::Label, controls);
        }
    }
    (by, found)
}
