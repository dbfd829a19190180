//! Line and column positions in a text.

use std::fmt;

/// A position in a text, counted from 1 as editors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// The line number.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl TextPosition {
    /// Returns the position of a byte offset. An offset that is out of range, or inside a
    /// character, gives the end of the text.
    pub fn from_byte_offset(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Self { line, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let text = "a\n\u{e4}\u{f6}x\n";
        assert_eq!(TextPosition::from_byte_offset(text, 0), TextPosition { line: 1, column: 1 });
        assert_eq!(TextPosition::from_byte_offset(text, 2), TextPosition { line: 2, column: 1 });
        assert_eq!(TextPosition::from_byte_offset(text, 6).to_string(), "2:3");
        assert_eq!(TextPosition::from_byte_offset(text, 999), TextPosition { line: 3, column: 1 });
        assert_eq!(TextPosition::from_byte_offset(text, 3), TextPosition { line: 3, column: 1 });
    }
}
