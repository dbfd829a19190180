//! Renders one change as a line.

use super::{
    super::{
        LinePartKind, OutlineLine, contents,
        labels::Labels,
        render::{GUESS_MARK, RefNamer},
        role_groups, state_words, text,
    },
    collect::{ChangeEntry, ChangeKind},
};
use crate::{Index, Snapshot, Value, diff::FieldChange};

/// The maximum length of an old or new text, in characters.
const LIMIT: usize = 48;

/// Renders the line for a change.
pub(crate) fn headline(
    entry: &ChangeEntry,
    before: &Snapshot,
    after: &Snapshot,
    labels: &(Labels<'_>, Labels<'_>),
    refs: &mut RefNamer<'_>,
) -> OutlineLine {
    let mut line = OutlineLine::default();
    match entry.kind {
        ChangeKind::Appeared => {
            line.push(LinePartKind::Mark, "+");
            push_element(entry.at, after, &labels.1, &mut line, refs);
        }
        ChangeKind::Gone => {
            line.push(LinePartKind::Mark, "-");
            push_title(entry.at, before, &labels.0, &mut line, refs);
        }
        ChangeKind::Moved => {
            line.push(LinePartKind::Mark, "~");
            if entry.at != Index::ROOT {
                push_title(entry.at, after, &labels.1, &mut line, refs);
            }
        }
        ChangeKind::Changed => {
            line.push(LinePartKind::Mark, "~");
            push_title(entry.at, after, &labels.1, &mut line, refs);
            for field in &entry.fields {
                push_difference(field, &mut line);
            }
        }
    }
    if entry.weight > 1 && entry.note.is_none() {
        line.push(LinePartKind::Note, format!("({} elements)", text::count(entry.weight)));
    }
    if let Some(note) = &entry.note {
        line.push(LinePartKind::Note, note.clone());
    }
    line
}

/// Renders the line of an element inside a new one.
pub(crate) fn inner(
    at: Index,
    after: &Snapshot,
    labels: &Labels<'_>,
    refs: &mut RefNamer<'_>,
) -> OutlineLine {
    let mut line = OutlineLine { depth: 1, ..OutlineLine::default() };
    push_element(at, after, labels, &mut line, refs);
    line
}

fn push_title(
    at: Index,
    snapshot: &Snapshot,
    labels: &Labels<'_>,
    line: &mut OutlineLine,
    refs: &mut RefNamer<'_>,
) {
    line.index = Some(at);
    line.push(LinePartKind::Role, snapshot.node(at).role.short());
    let name = shown_name(at, snapshot, labels);
    if !name.is_empty() {
        let mark = if labels.is_guess(snapshot, at) { GUESS_MARK } else { "" };
        line.push(LinePartKind::Name, format!("{mark}{}", text::quote(&name, LIMIT)));
    }
    line.push(LinePartKind::Reference, refs(snapshot, at));
}

fn push_element(
    at: Index,
    snapshot: &Snapshot,
    labels: &Labels<'_>,
    line: &mut OutlineLine,
    refs: &mut RefNamer<'_>,
) {
    push_title(at, snapshot, labels, line, refs);
    let node = snapshot.node(at);
    let name = shown_name(at, snapshot, labels);
    if let Some(value) = role_groups::shown_value(snapshot, at, &name) {
        line.push(LinePartKind::Value, format!("= {}", short_value(value)));
    }
    for word in state_words::words(node) {
        line.push(LinePartKind::State, word);
    }
}

fn shown_name(at: Index, snapshot: &Snapshot, labels: &Labels<'_>) -> String {
    let own = labels.name(snapshot, at).trim();
    if !own.is_empty() {
        return own.to_owned();
    }
    let words = contents::words_inside(snapshot, labels.visibility(), at);
    let words: Vec<&str> =
        words.iter().map(|at| super::super::labels::words(snapshot, *at)).collect();
    words.join(" ")
}

fn push_difference(field: &FieldChange, line: &mut OutlineLine) {
    match field {
        FieldChange::Name(pair) => {
            line.push(LinePartKind::Note, format!("(was {})", text::quote(&pair.before, LIMIT)))
        }
        FieldChange::Role(pair) => {
            line.push(LinePartKind::Note, format!("(was {})", pair.before.short()))
        }
        FieldChange::Value(pair) => {
            let (old, new) = quoted_values(pair.before.as_ref(), pair.after.as_ref());
            line.push(LinePartKind::Value, format!("= {new}"));
            line.push(LinePartKind::Note, format!("(was {old})"));
        }
        FieldChange::States(pair) => {
            let (lost, gained) = state_words::difference(pair.before, pair.after);
            for word in gained {
                line.push(LinePartKind::State, word);
            }
            for word in lost.into_iter().filter(|word| !matches!(*word, "focused" | "active")) {
                line.push(LinePartKind::State, format!("not {word}"));
            }
        }
        FieldChange::Description(_)
        | FieldChange::Placeholder(_)
        | FieldChange::Identifier(_)
        | FieldChange::Bounds(_)
        | FieldChange::Actions(_)
        | FieldChange::Relations(_)
        | FieldChange::ChildCount(_)
        | FieldChange::Cut(_) => {}
    }
}

fn quoted_values(before: Option<&Value>, after: Option<&Value>) -> (String, String) {
    if let (
        Some(Value::Text { text: old, length: o }),
        Some(Value::Text { text: new, length: n }),
    ) = (before, after)
    {
        let (skip, is_long) = (common_prefix_chars(old, new), *o.max(n) > LIMIT);
        // For a long text, show only the part that differs.
        let skip = if is_long { skip.saturating_sub(12) } else { 0 };
        return (quote_from(old, *o, skip), quote_from(new, *n, skip));
    }
    let none = || "nothing".to_owned();
    (before.map_or_else(none, short_value), after.map_or_else(none, short_value))
}

fn common_prefix_chars(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count()
}

fn quote_from(text: &str, length: usize, skip: usize) -> String {
    let start = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
    let rest = text::quote_part(&text[start..], Some(length.saturating_sub(skip)), LIMIT);
    if skip > 0 { format!("…{rest}") } else { rest }
}

fn short_value(value: &Value) -> String {
    match value {
        Value::Text { text, length } => text::quote_part(text, Some(*length), LIMIT),
        Value::Number { now, .. } => text::number(*now),
        Value::Secret => text::value(value),
    }
}
