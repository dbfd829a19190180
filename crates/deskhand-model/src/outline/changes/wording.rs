//! How one change reads.

use super::{
    super::{Line, PartKind, condition, digest, kinds, labels::Labels, render::Refs, text},
    gather::{Entry, Kind},
};
use crate::{Index, Snapshot, Value, diff::Field};

/// The most characters of an old or new text a change shows.
const LIMIT: usize = 48;

/// The line that says what happened.
pub(crate) fn head(
    entry: &Entry,
    before: &Snapshot,
    after: &Snapshot,
    labels: &(Labels<'_>, Labels<'_>),
    refs: &mut Refs<'_>,
) -> Line {
    let mut line = Line::default();
    match entry.kind {
        Kind::Appeared => {
            line.push(PartKind::Mark, "+");
            whole(entry.at, after, &labels.1, &mut line, refs);
        }
        Kind::Gone => {
            line.push(PartKind::Mark, "-");
            title(entry.at, before, &labels.0, &mut line, refs);
        }
        Kind::Moved => {
            line.push(PartKind::Mark, "~");
            if entry.at != Index::ROOT {
                title(entry.at, after, &labels.1, &mut line, refs);
            }
        }
        Kind::Changed => {
            line.push(PartKind::Mark, "~");
            title(entry.at, after, &labels.1, &mut line, refs);
            for field in &entry.fields {
                difference(field, &mut line);
            }
        }
    }
    if entry.weight > 1 && entry.note.is_none() {
        line.push(PartKind::Note, format!("({} elements)", text::count(entry.weight)));
    }
    if let Some(note) = &entry.note {
        line.push(PartKind::Note, note.clone());
    }
    line
}

/// The line of something inside what appeared.
pub(crate) fn inner(at: Index, after: &Snapshot, labels: &Labels<'_>, refs: &mut Refs<'_>) -> Line {
    let mut line = Line { depth: 1, ..Line::default() };
    whole(at, after, labels, &mut line, refs);
    line
}

fn title(
    at: Index,
    snapshot: &Snapshot,
    labels: &Labels<'_>,
    line: &mut Line,
    refs: &mut Refs<'_>,
) {
    line.index = Some(at);
    line.push(PartKind::Role, snapshot.node(at).role.short());
    let name = shown_name(at, snapshot, labels);
    if !name.is_empty() {
        line.push(PartKind::Name, text::quote(&name, LIMIT));
    }
    line.push(PartKind::Reference, refs(snapshot, at));
}

fn whole(
    at: Index,
    snapshot: &Snapshot,
    labels: &Labels<'_>,
    line: &mut Line,
    refs: &mut Refs<'_>,
) {
    title(at, snapshot, labels, line, refs);
    let node = snapshot.node(at);
    let name = shown_name(at, snapshot, labels);
    if let Some(value) = kinds::telling_value(snapshot, at, &name) {
        line.push(PartKind::Value, format!("= {}", short(value)));
    }
    for word in condition::words(node) {
        line.push(PartKind::State, word);
    }
}

fn shown_name(at: Index, snapshot: &Snapshot, labels: &Labels<'_>) -> String {
    let own = labels.name(snapshot, at).trim();
    if !own.is_empty() {
        return own.to_owned();
    }
    let words = digest::words_inside(snapshot, at);
    let words: Vec<&str> =
        words.iter().map(|at| super::super::labels::words(snapshot, *at)).collect();
    words.join(" ")
}

fn difference(field: &Field, line: &mut Line) {
    match field {
        Field::Name(pair) => {
            line.push(PartKind::Note, format!("(was {})", text::quote(&pair.before, LIMIT)))
        }
        Field::Role(pair) => line.push(PartKind::Note, format!("(was {})", pair.before.short())),
        Field::Value(pair) => {
            let (was, is) = values(pair.before.as_ref(), pair.after.as_ref());
            line.push(PartKind::Value, format!("= {is}"));
            line.push(PartKind::Note, format!("(was {was})"));
        }
        Field::States(pair) => {
            let (lost, won) = condition::difference(pair.before, pair.after);
            for word in won {
                line.push(PartKind::State, word);
            }
            for word in lost.into_iter().filter(|word| !matches!(*word, "focused" | "active")) {
                line.push(PartKind::State, format!("not {word}"));
            }
        }
        Field::Description(_)
        | Field::Identifier(_)
        | Field::Bounds(_)
        | Field::Actions(_)
        | Field::Relations(_)
        | Field::ChildCount(_)
        | Field::Cut(_) => {}
    }
}

fn values(was: Option<&Value>, is: Option<&Value>) -> (String, String) {
    if let (
        Some(Value::Text { text: old, length: o }),
        Some(Value::Text { text: new, length: n }),
    ) = (was, is)
    {
        let (skip, is_long) = (same_start(old, new), *o.max(n) > LIMIT);
        // In a long text only the place that differs is worth reading.
        let skip = if is_long { skip.saturating_sub(12) } else { 0 };
        return (from(old, *o, skip), from(new, *n, skip));
    }
    let none = || "nothing".to_owned();
    (was.map_or_else(none, short), is.map_or_else(none, short))
}

fn same_start(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count()
}

fn from(whole: &str, length: usize, skip: usize) -> String {
    let start = whole.char_indices().nth(skip).map_or(whole.len(), |(at, _)| at);
    let rest = text::quote_part(&whole[start..], Some(length.saturating_sub(skip)), LIMIT);
    if skip > 0 { format!("…{rest}") } else { rest }
}

fn short(value: &Value) -> String {
    match value {
        Value::Text { text, length } => text::quote_part(text, Some(*length), LIMIT),
        Value::Number { now, .. } => text::number(*now),
        Value::Secret => text::value(value),
    }
}
