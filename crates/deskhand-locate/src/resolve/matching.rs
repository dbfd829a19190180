//! The order in which a text is tried, and what counts at each step.

use deskhand_model::{Index, Node, Role, Snapshot, State, Value};
use regex::Regex;

use super::{Match, MatchMethod};
use crate::{
    label::{self, is_label},
    query::{
        LiteralMatch,
        terms::{TermField, Terms, TextMatch, TextMatchMode, text_matches},
    },
    text::{fold, fold_label},
};

type MatchSet = (MatchMethod, Vec<Index>);
type FieldReader = fn(&Node) -> &str;

/// A text, tried in every kind; the first kind that finds anything decides.
pub(super) fn text(snapshot: &Snapshot, text: &str) -> MatchSet {
    let folded = fold(text);
    let mut buffer = String::new();
    let mut pick = |step, part: FieldReader| {
        keep(snapshot, |node| text_matches(step, part(node), text, &folded, &mut buffer))
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
    for (by, step, part) in steps {
        let found =
            if by == MatchMethod::Label { labelled(snapshot, text) } else { pick(step, part) };
        if !found.is_empty() {
            return instead_of_labels(snapshot, text, by, found);
        }
    }
    let roles = Role::named(text);
    (MatchMethod::Role, keep(snapshot, |node| roles.contains(&node.role)))
}

/// The elements with this very title.
pub(super) fn title_exact(snapshot: &Snapshot, text: &str) -> MatchSet {
    (MatchMethod::TitleExact, keep(snapshot, |node| node.name == text))
}

/// A text, taken in one kind.
pub(super) fn literal(snapshot: &Snapshot, text: &str, kind: LiteralMatch) -> MatchSet {
    let folded = fold(text);
    let mut buffer = String::new();
    match kind {
        LiteralMatch::Exact => {
            let (by, found) = title_exact(snapshot, text);
            if found.is_empty() {
                return (MatchMethod::Label, labelled(snapshot, text));
            }
            instead_of_labels(snapshot, text, by, found)
        }
        LiteralMatch::Contains => {
            let mut pick = |part: FieldReader| {
                let step = TextMatch::Contains;
                keep(snapshot, |node| text_matches(step, part(node), text, &folded, &mut buffer))
            };
            let parts: [(MatchMethod, FieldReader); 3] = [
                (MatchMethod::Contains, title),
                (MatchMethod::Value, value),
                (MatchMethod::Description, |node| &node.description),
            ];
            let mut tiers = parts.into_iter().map(|(by, part)| (by, pick(part)));
            tiers
                .find(|(_, found)| !found.is_empty())
                .unwrap_or((MatchMethod::Contains, Vec::new()))
        }
        LiteralMatch::Identifier => {
            (MatchMethod::Identifier, keep(snapshot, |node| node.identifier == text))
        }
    }
}

/// Terms, by the first step of mode that finds anything.
pub(super) fn terms(snapshot: &Snapshot, terms: &Terms, mode: TextMatchMode) -> MatchSet {
    let mut buffer = String::new();
    for step in mode.steps() {
        let found = keep(snapshot, |node| terms.matches(node, *step, &mut buffer));
        if !found.is_empty() {
            return (named(terms, *step), found);
        }
    }
    (named(terms, TextMatch::Exact), Vec::new())
}

fn named(terms: &Terms, step: TextMatch) -> MatchMethod {
    match (terms.leading(), step) {
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

/// A regular expression over titles; over values and descriptions when no title matches.
pub(super) fn pattern(snapshot: &Snapshot, pattern: &Regex) -> MatchSet {
    let mut found = keep(snapshot, |node| pattern.is_match(&node.name));
    if found.is_empty() {
        found = keep(snapshot, |node| {
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

fn keep(snapshot: &Snapshot, mut is: impl FnMut(&Node) -> bool) -> Vec<Index> {
    snapshot.iter().filter(|(_, node)| is(node)).map(|(at, _)| at).collect()
}

/// The controls a label with this text names.
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

/// A label gives kind to the control it names: people say the one and mean the other.
fn instead_of_labels(
    snapshot: &Snapshot,
    text: &str,
    by: MatchMethod,
    found: Vec<Index>,
) -> MatchSet {
    let titles = matches!(by, MatchMethod::TitleExact | MatchMethod::TitleInsensitive);
    if titles && found.iter().all(|at| is_label(snapshot.node(*at).role)) {
        let controls = labelled(snapshot, text);
        if !controls.is_empty() {
            return (MatchMethod::Label, controls);
        }
    }
    (by, found)
}

/// Whether the app tells what is on the screen.
pub(super) struct VisibilityReport {
    reports_showing: bool,
}

impl VisibilityReport {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        // GTK 4.8 sets SHOWING on windows only: where no control shows, nothing can be reports_showing.
        let reports_showing = snapshot.iter().any(|(_, node)| {
            node.states.has(State::Showing)
                && !node.role.is_window()
                && node.role != Role::Application
        });
        Self { reports_showing }
    }

    pub(super) fn is_hidden(&self, snapshot: &Snapshot, at: Index) -> bool {
        let node = snapshot.node(at);
        self.reports_showing
            && !node.states.has(State::Showing)
            && !node.role.is_window()
            && node.role != Role::Application
    }
}

/// The matches in order of rank: what is on the screen, or else what is not; doubles left out.
pub(super) fn ranked(snapshot: &Snapshot, by: MatchMethod, mut found: Vec<Index>) -> Vec<Match> {
    if found.len() > 1 && !matches!(by, MatchMethod::Xpath | MatchMethod::Path) {
        let all = found.clone();
        found.retain(|at| !is_double(snapshot, *at, &all));
    }
    let sight = VisibilityReport::of(snapshot);
    let (shown, hidden): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|at| !sight.is_hidden(snapshot, *at));
    let is_hidden = shown.is_empty();
    let kept = if is_hidden { hidden } else { shown };
    let confidence = by.confidence();
    kept.into_iter().map(|index| Match { index, by, confidence, hidden: is_hidden }).collect()
}

/// Whether a match only repeats another: the root of the app beside anything else, or the text
/// inside a control that has the same name.
fn is_double(snapshot: &Snapshot, at: Index, all: &[Index]) -> bool {
    if at == Index::ROOT {
        return true;
    }
    let node = snapshot.node(at);
    // Chromium and GTK 4 put a label inside each button; Qt a menu inside each menu title.
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
