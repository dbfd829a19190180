//! Text made for eyes: lines of words that know what they are, so that a terminal can colour them.

use std::fmt;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ordinary words.
    Plain,
    /// A heading or a name of a thing listed.
    Strong,
    /// A kind of thing: a role, a column title.
    Kind,
    /// A handle that can be passed to another call.
    Handle,
    /// What something holds.
    Value,
    /// Less important words.
    Faint,
    /// Something the reader should know before acting.
    Warning,
}

/// A piece of text and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledSpan {
    /// What it is.
    pub style: Style,
    /// The words.
    pub text: String,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine {
    /// How far it stands in, in steps.
    pub indent: usize,
    /// Its pieces; a blank stands between two.
    pub spans: Vec<StyledSpan>,
}

impl StyledLine {
    /// A line with nothing in it yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The line with one more piece; an empty piece is left out.
    #[must_use]
    pub fn with(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.spans.push(StyledSpan { style, text });
        }
        self
    }
}

/// A piece of output: free lines, or a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextBlock {
    /// One line.
    Line(StyledLine),
    /// Rows of cells under titles, to be aligned by whoever knows the width of the screen.
    Table {
        /// The titles of the columns.
        titles: Vec<&'static str>,
        /// The rows; each has as many cells as there are titles.
        rows: Vec<Vec<StyledSpan>>,
    },
}

/// What a tool shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledText {
    /// Its pieces, from top to bottom.
    pub blocks: Vec<TextBlock>,
}

impl StyledText {
    /// The page with one more line.
    #[must_use]
    pub fn line(mut self, line: StyledLine) -> Self {
        self.blocks.push(TextBlock::Line(line));
        self
    }

    /// The page with a table.
    #[must_use]
    pub fn table(mut self, titles: Vec<&'static str>, rows: Vec<Vec<StyledSpan>>) -> Self {
        self.blocks.push(TextBlock::Table { titles, rows });
        self
    }
}

/// An answer that can be shown to a person as well as to a program.
pub trait Render {
    /// The answer as text.
    fn render(&self) -> StyledText;

    /// Gives away the picture that is the answer, where one is.
    fn take_image(&mut self) -> Option<Image> {
        None
    }

    /// Whether what was asked for came about, as far as can be told; a shell learns it by the exit
    /// code.
    fn succeeded(&self) -> bool {
        true
    }
}

/// A picture as part of an answer; each door shows it in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its media type, such as `image/png`.
    pub mime: &'static str,
    /// What its file name ends in.
    pub extension: &'static str,
}

/// Shorthand for a piece of text.
pub fn span(style: Style, text: impl Into<String>) -> StyledSpan {
    StyledSpan { style, text: text.into() }
}

impl fmt::Display for StyledText {
    /// The plain form, as programs without a screen get it.
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
