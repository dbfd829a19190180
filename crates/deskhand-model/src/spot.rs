//! Where in a text something stands.

use std::fmt;

/// A place in a text, counted from 1 like editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Spot {
    /// The place of a byte of a text.
    pub fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let begun = before.rfind('\n').map_or(0, |end| end + 1);
        Self { line, column: before[begun..].chars().count() + 1 }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_from_one_in_lines_and_characters() {
        let text = "a\n\u{e4}\u{f6}x\n";
        assert_eq!(Spot::of(text, 0), Spot { line: 1, column: 1 });
        assert_eq!(Spot::of(text, 2), Spot { line: 2, column: 1 });
        assert_eq!(Spot::of(text, 6).to_string(), "2:3");
        assert_eq!(Spot::of(text, 999), Spot { line: 3, column: 1 });
        assert_eq!(Spot::of(text, 3), Spot { line: 3, column: 1 });
    }
}
