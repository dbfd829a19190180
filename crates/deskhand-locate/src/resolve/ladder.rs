//! The order in which a text is tried, and what counts at each step.

use deskhand_model::{Index, Node, Role, Snapshot, State, Value};
use regex::Regex;

use super::{By, Match};
use crate::{
    label::{self, is_label},
    query::{
        Way,
        terms::{Field, Spelling, Step, Terms, step_holds},
    },
    words::{fold, fold_label},
};

/// Every step of spelling.
pub(super) const ANY: Spelling = Spelling::Any;

type Tier = (By, Vec<Index>);
type Part = fn(&Node) -> &str;

/// A text, tried in every way; the first way that finds anything decides.
pub(super) fn text(snapshot: &Snapshot, text: &str) -> Tier {
    let folded = fold(text);
    let mut buffer = String::new();
    let mut pick = |step, part: Part| {
        keep(snapshot, |node| step_holds(step, part(node), text, &folded, &mut buffer))
    };
    let steps: [(By, Step, Part); 9] = [
        (By::TitleExact, Step::Exact, title),
        (By::TitleInsensitive, Step::Insensitive, title),
        (By::Label, Step::Insensitive, title),
        (By::Contains, Step::Contains, title),
        (By::Value, Step::Insensitive, value),
        (By::Value, Step::Contains, value),
        (By::Description, Step::Contains, |node| &node.description),
        (By::Identifier, Step::Exact, |node| &node.identifier),
        (By::Identifier, Step::Insensitive, |node| &node.identifier),
    ];
    for (by, step, part) in steps {
        let found = if by == By::Label { labelled(snapshot, text) } else { pick(step, part) };
        if !found.is_empty() {
            return instead_of_labels(snapshot, text, by, found);
        }
    }
    let roles = Role::named(text);
    (By::Role, keep(snapshot, |node| roles.contains(&node.role)))
}

/// The elements with this very title.
pub(super) fn title_exact(snapshot: &Snapshot, text: &str) -> Tier {
    (By::TitleExact, keep(snapshot, |node| node.name == text))
}

/// A text, taken in one way.
pub(super) fn literal(snapshot: &Snapshot, text: &str, way: Way) -> Tier {
    let folded = fold(text);
    let mut buffer = String::new();
    match way {
        Way::Exact => {
            let (by, found) = title_exact(snapshot, text);
            if found.is_empty() {
                return (By::Label, labelled(snapshot, text));
            }
            instead_of_labels(snapshot, text, by, found)
        }
        Way::Contains => {
            let mut pick = |part: Part| {
                let step = Step::Contains;
                keep(snapshot, |node| step_holds(step, part(node), text, &folded, &mut buffer))
            };
            let parts: [(By, Part); 3] = [
                (By::Contains, title),
                (By::Value, value),
                (By::Description, |node| &node.description),
            ];
            let mut tiers = parts.into_iter().map(|(by, part)| (by, pick(part)));
            tiers.find(|(_, found)| !found.is_empty()).unwrap_or((By::Contains, Vec::new()))
        }
        Way::Identifier => (By::Identifier, keep(snapshot, |node| node.identifier == text)),
    }
}

/// Terms, by the first step of spelling that finds anything.
pub(super) fn terms(snapshot: &Snapshot, terms: &Terms, spelling: Spelling) -> Tier {
    let mut buffer = String::new();
    for step in spelling.steps() {
        let found = keep(snapshot, |node| terms.hold(node, *step, &mut buffer));
        if !found.is_empty() {
            return (named(terms, *step), found);
        }
    }
    (named(terms, Step::Exact), Vec::new())
}

fn named(terms: &Terms, step: Step) -> By {
    match (terms.leading(), step) {
        (None, _) => By::Role,
        (Some(Field::Identifier), _) => By::Identifier,
        (Some(Field::Value), _) => By::Value,
        (Some(Field::Description), _) => By::Description,
        (Some(Field::TextContains), _) => By::Contains,
        (Some(Field::Title | Field::Text), Step::Contains) => By::Contains,
        (Some(Field::Title | Field::Text), Step::Insensitive) => By::TitleInsensitive,
        (Some(Field::Title | Field::Text), Step::Exact) if terms.roles().is_some() => By::RoleTitle,
        (Some(Field::Title | Field::Text), Step::Exact) => By::TitleExact,
    }
}

/// A regular expression over titles; over values and descriptions when no title matches.
pub(super) fn pattern(snapshot: &Snapshot, pattern: &Regex) -> Tier {
    let mut found = keep(snapshot, |node| pattern.is_match(&node.name));
    if found.is_empty() {
        found = keep(snapshot, |node| {
            pattern.is_match(value(node)) || pattern.is_match(&node.description)
        });
    }
    (By::Regex, found)
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

/// A label gives way to the control it names: people say the one and mean the other.
fn instead_of_labels(snapshot: &Snapshot, text: &str, by: By, found: Vec<Index>) -> Tier {
    let titles = matches!(by, By::TitleExact | By::TitleInsensitive);
    if titles && found.iter().all(|at| is_label(snapshot.node(*at).role)) {
        let controls = labelled(snapshot, text);
        if !controls.is_empty() {
            return (By::Label, controls);
        }
    }
    (by, found)
}

/// Whether the app tells what is on the screen.
pub(super) struct Sight {
    told: bool,
}

impl Sight {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        // GTK 4.8 sets SHOWING on windows only: where no control shows, nothing can be told.
        let told = snapshot.iter().any(|(_, node)| {
            node.states.has(State::Showing)
                && !node.role.is_window()
                && node.role != Role::Application
        });
        Self { told }
    }

    pub(super) fn is_hidden(&self, snapshot: &Snapshot, at: Index) -> bool {
        let node = snapshot.node(at);
        self.told
            && !node.states.has(State::Showing)
            && !node.role.is_window()
            && node.role != Role::Application
    }
}

/// The matches in order of rank: what is on the screen, or else what is not; doubles left out.
pub(super) fn ranked(snapshot: &Snapshot, by: By, mut found: Vec<Index>) -> Vec<Match> {
    if found.len() > 1 && !matches!(by, By::Xpath | By::Path) {
        let all = found.clone();
        found.retain(|at| !is_double(snapshot, *at, &all));
    }
    let sight = Sight::of(snapshot);
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
