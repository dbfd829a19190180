//! The lines of an outline, in parts, so that a terminal can colour them.

use std::fmt;

use crate::Index;

/// LineContent a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinePartKind {
    /// The app the outline is of.
    App,
    /// `+`, `-` or `~` before a change.
    Mark,
    /// The kind of the element.
    Role,
    /// The name, in quotes.
    Name,
    /// The ref to call the element by.
    Reference,
    /// LineContent it holds, with the sign before it.
    Value,
    /// One informative state.
    State,
    /// A remark in brackets, or a line that says what was left out.
    Note,
    /// A sentence the reader must not miss.
    Warning,
}

/// One part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinePart {
    /// LineContent it is.
    pub kind: LinePartKind,
    /// Its text, safe to print: control characters are escaped.
    pub text: String,
}

/// One line of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutlineLine {
    /// How far it is indented.
    pub depth: u32,
    /// The element it shows, when it shows one.
    pub index: Option<Index>,
    /// LineContent it says, in order, with a space between two parts.
    pub parts: Vec<LinePart>,
}

impl OutlineLine {
    /// A line of one part about no element.
    pub(crate) fn alone(depth: u32, kind: LinePartKind, text: impl Into<String>) -> Self {
        Self { depth, index: None, parts: vec![LinePart { kind, text: text.into() }] }
    }

    pub(crate) fn push(&mut self, kind: LinePartKind, text: impl Into<String>) {
        self.parts.push(LinePart { kind, text: text.into() });
    }

    /// The text of the first part of a kind.
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
