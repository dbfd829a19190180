//! Text output: lines of styled text that a terminal can color.

use std::fmt;

/// The meaning of a piece of text, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// A heading, or the name of a listed thing.
    Strong,
    /// A kind of thing, such as a role or a column title.
    Kind,
    /// A handle that can be passed to another call.
    Handle,
    /// A value.
    Value,
    /// Less important text.
    Faint,
    /// A warning.
    Warning,
}

/// A piece of text with a style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledSpan {
    /// The style.
    pub style: Style,
    /// The text.
    pub text: String,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine {
    /// The indentation level.
    pub indent: usize,
    /// The pieces, separated by spaces.
    pub spans: Vec<StyledSpan>,
}

impl StyledLine {
    /// Creates an empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a piece. Empty text is skipped.
    #[must_use]
    pub fn with(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push(StyledSpan { style, text });
        }
        self
    }
}

/// A part of a text: a line or a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextBlock {
    /// A line.
    Line(StyledLine),
    /// Rows of cells below titles. The terminal aligns them.
    Table {
        /// The titles of the columns.
        titles: Vec<&'static str>,
        /// The rows, each with one cell per title.
        rows: Vec<Vec<StyledSpan>>,
    },
}

/// The text output of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledText {
    /// The parts, from top to bottom.
    pub blocks: Vec<TextBlock>,
}

impl StyledText {
    /// Appends a line.
    #[must_use]
    pub fn line(mut self, line: StyledLine) -> Self {
        self.blocks.push(TextBlock::Line(line));
        self
    }

    /// Appends a table.
    #[must_use]
    pub fn table(mut self, titles: Vec<&'static str>, rows: Vec<Vec<StyledSpan>>) -> Self {
        self.blocks.push(TextBlock::Table { titles, rows });
        self
    }
}

/// A result that can be shown as text as well as data.
pub trait Render {
    /// Returns the result as text.
    fn render(&self) -> StyledText;

    /// Takes the image out of the result, if it has one.
    fn take_image(&mut self) -> Option<Image> {
        None
    }

    /// Returns `false` if the requested change certainly did not happen. The command line turns
    /// this into an exit code.
    fn succeeded(&self) -> bool {
        true
    }
}

/// An image in a result. Each origin shows it in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// The media type, such as `image/png`.
    pub mime: &'static str,
    /// The file name extension.
    pub extension: &'static str,
}

/// Creates a piece of text.
pub fn span(style: Style, text: impl Into<String>) -> StyledSpan {
    StyledSpan { style, text: text.into() }
}

impl fmt::Display for StyledText {
    /// Writes the text without styles, as programs receive it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for block in &self.blocks {
            match block {
                TextBlock::Line(line) => {
                    let words: Vec<&str> = line.spans.iter().map(|s| s.text.as_str()).collect();
                    writeln!(f, "{:indent$}{}", "", words.join(" "), indent = line.indent)?;
                }
                TextBlock::Table { titles, rows } => {
                    writeln!(f, "{}", titles.join("\t"))?;
                    for row in rows {
                        let cells: Vec<&str> = row.iter().map(|s| s.text.as_str()).collect();
                        writeln!(f, "{}", cells.join("\t"))?;
                    }
                }
            }
        }
        Ok(())
    }
}
