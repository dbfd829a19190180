//! The match methods and the order in which they are tried.

use deskhand_model::{Index, Node, Role, Snapshot, Value};
use regex::Regex;

use super::{Match, MatchMethod};
use crate::{
    label::{self, is_label},
    query::{
        LiteralMatch,
        terms::{TermField, Terms, TextMatch, TextMatchMode, text_matches},
    },
    text::{fold, fold_label},
    visibility::VisibilityReport,
};

type MatchSet = (MatchMethod, Vec<Index>);
type FieldReader = fn(&Node) -> &str;

/// Matches a text by every method. The first method that finds anything wins.
pub(super) fn text(snapshot: &Snapshot, text: &str) -> MatchSet {
    let folded = fold(text);
    let mut buffer = String::new();
    let mut filter_by = |step, field: FieldReader| {
        filter(snapshot, |node| text_matches(step, field(node), text, &folded, &mut buffer))
    };
    let steps: [(MatchMethod, TextMatch, FieldReader); 9] = [
        (MatchMethod::TitleExact, TextMatch::Exact, title),
        (MatchMethod::TitleInsensitive, TextMatch::Insensitive, title),
        (MatchMethod::Label, TextMatch::Insensitive, title),
        (MatchMethod::Contains, TextMatch::Contains, title),
        (MatchMethod::Value, TextMatch::Insensitive, value),
        (MatchMethod::Value, TextMatch::Contains, value),
        (MatchMethod::Description, TextMatch::Contains, |node| &node.description),
        (MatchMethod::Identifier, TextMatch::Exact, |node| &node.identifier),
        (MatchMethod::Identifier, TextMatch::Insensitive, |node| &node.identifier),
    ];
    for (by, step, field) in steps {
        let found = if by == MatchMethod::Label {
            labelled(snapshot, text)
        } else {
            filter_by(step, field)
        };
        if by == MatchMethod::TitleExact && !found.is_empty() && is_out_of_reach(snapshot, &found) {
            let similar = filter_by(TextMatch::Insensitive, title);
            if !is_out_of_reach(snapshot, &similar) {
                return replace_labels(snapshot, text, MatchMethod::TitleInsensitive, similar);
            }
        }
        if !found.is_empty() {
            return replace_labels(snapshot, text, by, found);
        }
    }
    let roles = Role::named(text);
    (MatchMethod::Role, filter(snapshot, |node| roles.contains(&node.role)))
}

/// Returns `true` if no action reaches any of these elements. Then an element whose title differs
/// only in letter case or whitespace is preferred: Mousepad pads its menu items with spaces, and the
/// buttons of its hidden toolbar have the exact names.
fn is_out_of_reach(snapshot: &Snapshot, all: &[Index]) -> bool {
    !VisibilityReport::of(snapshot).reaches_any(all)
}

/// Returns the elements with exactly this title.
pub(super) fn title_exact(snapshot: &Snapshot, text: &str) -> MatchSet {
    (MatchMethod::TitleExact, filter(snapshot, |node| node.name == text))
}

/// Matches a text by one method.
pub(super) fn literal(snapshot: &Snapshot, text: &str, kind: LiteralMatch) -> MatchSet {
    let folded = fold(text);
    let mut buffer = String::new();
    match kind {
        LiteralMatch::Exact => {
            let (by, found) = title_exact(snapshot, text);
            if found.is_empty() {
                return (MatchMethod::Label, labelled(snapshot, text));
            }
            replace_labels(snapshot, text, by, found)
        }
        LiteralMatch::Contains => {
            let mut filter_by = |field: FieldReader| {
                let step = TextMatch::Contains;
                filter(snapshot, |node| text_matches(step, field(node), text, &folded, &mut buffer))
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

/// Matches terms by the first text comparison that finds anything.
pub(super) fn terms(snapshot: &Snapshot, terms: &Terms, mode: TextMatchMode) -> MatchSet {
    let mut buffer = String::new();
    let steps = mode.steps();
    for step in steps {
        let mut matches_by = |step| filter(snapshot, |node| terms.matches(node, step, &mut buffer));
        let found = matches_by(*step);
        if !found.is_empty() {
            if *step == TextMatch::Exact
                && steps.contains(&TextMatch::Insensitive)
                && is_out_of_reach(snapshot, &found)
            {
                let similar = matches_by(TextMatch::Insensitive);
                if !is_out_of_reach(snapshot, &similar) {
                    return (method_of(terms, TextMatch::Insensitive), similar);
                }
            }
            return (method_of(terms, *step), found);
        }
    }
    (method_of(terms, TextMatch::Exact), Vec::new())
}

fn method_of(terms: &Terms, step: TextMatch) -> MatchMethod {
    match (terms.leading_field(), step) {
        (None, _) => MatchMethod::Role,
        (Some(TermField::Identifier), _) => MatchMethod::Identifier,
        (Some(TermField::Value), _) => MatchMethod::Value,
        (Some(TermField::Description), _) => MatchMethod::Description,
        (Some(TermField::TextContains), _) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Contains) => MatchMethod::Contains,
        (Some(TermField::Title | TermField::Text), TextMatch::Insensitive) => {
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
fn labelled(snapshot: &Snapshot, text: &str) -> Vec<Index> {
    let wanted = fold_label(text);
    let mut found: Vec<_> = label::pairs(snapshot)
        .into_iter()
        .filter(|(label, _)| fold_label(&snapshot.node(*label).name) == wanted)
        .map(|(_, control)| control)
        .collect();
    found.dedup();
    found
}

/// Replaces matching labels by the controls they name, because users call a control by its label.
fn replace_labels(snapshot: &Snapshot, text: &str, by: MatchMethod, found: Vec<Index>) -> MatchSet {
    let titles = matches!(by, MatchMethod::TitleExact | MatchMethod::TitleInsensitive);
    if titles && found.iter().all(|at| is_label(snapshot.node(*at).role)) {
        let controls = labelled(snapshot, text);
        if !controls.is_empty() {
            return (MatchMethod::Label, controls);
        }
    }
    (by, found)
}

/// Returns the matches without duplicates, and of those only the ones that are best to reach: on
/// the screen, else reachable by an action, else hidden. A hidden element is never chosen before one
/// that can act.
pub(super) fn ranked(snapshot: &Snapshot, by: MatchMethod, mut found: Vec<Index>) -> Vec<Match> {
    if found.len() > 1 && !matches!(by, MatchMethod::Xpath | MatchMethod::Path) {
        let all = found.clone();
        found.retain(|at| !is_duplicate(snapshot, *at, &all));
    }
    let report = VisibilityReport::of(snapshot);
    if found.len() > 1 {
        let each: Vec<_> = found.iter().map(|at| (report.reachability(*at), *at)).collect();
        let best = each.iter().map(|(one, _)| *one).min();
        found = each.into_iter().filter(|(one, _)| Some(*one) == best).map(|(_, at)| at).collect();
    }
    let confidence = by.confidence();
    let matched = |index| Match { index, by, confidence, hidden: report.is_hidden(index) };
    found.into_iter().map(matched).collect()
}

/// Returns `true` if a match repeats another one: the app's root beside any other element, or the
/// text inside a control with the same name.
fn is_duplicate(snapshot: &Snapshot, at: Index, all: &[Index]) -> bool {
    if at == Index::ROOT {
        return true;
    }
    let node = snapshot.node(at);
    // Chromium and GTK 4 put a label inside each button, and Qt puts a menu inside each menu title.
    let repeats = is_label(node.role)
        || node.role.is_layout()
        || matches!(node.role, Role::Menu | Role::PopupMenu | Role::Image | Role::Icon);
    repeats
        && snapshot.ancestors(at).take(3).any(|up| {
            up != Index::ROOT
                && snapshot.node(up).name == node.name
                && all.binary_search(&up).is_ok()
        })
}
