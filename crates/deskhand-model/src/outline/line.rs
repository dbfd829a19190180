//! The lines of an outline, split into parts so that a terminal can colour them.

use std::fmt;

use crate::Index;

/// The kind of a line part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinePartKind {
    /// The name of the app.
    App,
    /// The `+`, `-` or `~` before a change.
    Mark,
    /// The role of the element.
    Role,
    /// The name, in quotes.
    Name,
    /// The ref of the element.
    Reference,
    /// The value, with the equals sign before it.
    Value,
    /// One state.
    State,
    /// A note in parentheses, or a line about omitted elements.
    Note,
    /// A warning.
    Warning,
}

/// One part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePart {
    /// The kind of the part.
    pub kind: LinePartKind,
    /// The text, safe to print: control characters are escaped.
    pub text: String,
}

/// One line of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutlineLine {
    /// The indentation level.
    pub depth: u32,
    /// The element on this line, if there is one.
    pub index: Option<Index>,
    /// The parts, in order. They are printed with a space between them.
    pub parts: Vec<LinePart>,
}

impl OutlineLine {
    /// Creates a line with one part and no element.
    pub(crate) fn alone(depth: u32, kind: LinePartKind, text: impl Into<String>) -> Self {
        Self { depth, index: None, parts: vec![LinePart { kind, text: text.into() }] }
    }

    pub(crate) fn push(&mut self, kind: LinePartKind, text: impl Into<String>) {
        self.parts.push(LinePart { kind, text: text.into() });
    }

    /// Returns the text of the first part of this kind.
    pub fn part(&self, kind: LinePartKind) -> Option<&str> {
        self.parts.iter().find(|part| part.kind == kind).map(|part| part.text.as_str())
    }
}

impl fmt::Display for OutlineLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.depth {
            f.write_str(super::INDENT)?;
        }
        for (nth, part) in self.parts.iter().enumerate() {
            if nth > 0 {
                f.write_str(" ")?;
            }
            f.write_str(&part.text)?;
        }
        Ok(())
    }
}
