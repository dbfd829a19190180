//! The text of a file, and the positions of its values.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use jsonc_parser::{
    CollectOptions, ParseOptions, ast,
    common::Ranged,
    errors::{ParseError, ParseErrorKind},
    parse_to_ast,
};

use super::diagnostic::Diagnostic;

/// Maximum number of findings that are reported for one file.
const MAX_FINDINGS: usize = 20;

/// The text of a file, with the positions of its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceFile {
    file: PathBuf,
    text: String,
    positions: HashMap<String, Position>,
}

/// The offsets of a value and of its name.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Position {
    name: Option<usize>,
    value: usize,
}

/// The part of a field to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Name,
    Value,
}

/// A finding at a JSON pointer, before its line is known.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) at: String,
    pub(crate) anchor: Anchor,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
}

impl Finding {
    pub(crate) fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at: at.into(), anchor: Anchor::Value, message: message.into(), suggestion: None }
    }

    pub(crate) fn at_name(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { anchor: Anchor::Name, ..Self::new(at, message) }
    }

    pub(crate) fn with_suggestion(self, suggestion: Option<String>) -> Self {
        Self { suggestion, ..self }
    }
}

/// Parses a text strictly, records the positions of its values, and passes its syntax tree to `visit`.
pub(crate) fn read<T>(
    file: &Path,
    text: &str,
    visit: impl FnOnce(&ast::Value<'_>) -> T,
) -> Result<(SourceFile, T), Vec<Diagnostic>> {
    if text.starts_with('\u{feff}') {
        let message = "the file begins with a byte order mark";
        let hint = Some("save it as UTF-8 without one");
        return Err(vec![Diagnostic::for_file(file, message, hint)]);
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict_options())
        .map_err(|error| vec![syntax_error(file, text, &error)])?;
    let Some(root) = parsed.value else {
        let hint = "start with { \"name\": …, \"description\": …, \"command\": … }";
        return Err(vec![Diagnostic::for_file(file, "the file is empty", Some(hint))]);
    };
    let mut source =
        SourceFile { file: file.to_owned(), text: text.to_owned(), positions: HashMap::new() };
    let mut duplicates = Vec::new();
    source.record_positions(&root, None, String::new(), &mut duplicates);
    if !duplicates.is_empty() {
        duplicates.truncate(MAX_FINDINGS);
        return Err(duplicates);
    }
    let result = visit(&root);
    Ok((source, result))
}

impl SourceFile {
    /// The path of the file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Converts findings to diagnostics with line and column, in the order of the file.
    pub(crate) fn diagnostics(&self, findings: Vec<Finding>) -> Vec<Diagnostic> {
        let mut all: Vec<(usize, Diagnostic)> = findings
            .into_iter()
            .map(|finding| {
                let offset = self.offset(&finding.at, finding.anchor);
                (offset, self.diagnostic(offset, finding.message, finding.suggestion))
            })
            .collect();
        all.sort_by_key(|(offset, _)| *offset);
        all.truncate(MAX_FINDINGS);
        all.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }

    /// Returns the offset of a pointer, or of the nearest enclosing value.
    fn offset(&self, pointer: &str, anchor: Anchor) -> usize {
        let mut at = pointer;
        loop {
            if let Some(position) = self.positions.get(at) {
                return match anchor {
                    Anchor::Name => position.name.unwrap_or(position.value),
                    Anchor::Value => position.value,
                };
            }
            match at.rfind('/') {
                Some(cut) => at = &at[..cut],
                None => return 0,
            }
        }
    }

    fn diagnostic(&self, offset: usize, message: String, suggestion: Option<String>) -> Diagnostic {
        let (line, column) = line_and_column(&self.text, offset);
        Diagnostic {
            file: self.file.clone(),
            line: Some(line),
            column: Some(column),
            message,
            suggestion,
        }
    }

    fn record_positions(
        &mut self,
        value: &ast::Value<'_>,
        name: Option<usize>,
        at: String,
        duplicates: &mut Vec<Diagnostic>,
    ) {
        match value {
            ast::Value::Object(object) => {
                let mut names = HashSet::new();
                for field in &object.properties {
                    let word = field.name.as_str();
                    let start = field.name.start();
                    if !names.insert(word) && duplicates.len() < MAX_FINDINGS {
                        let message = format!("duplicate field `{}`", shorten(word));
                        let hint = Some("keep one of them".to_owned());
                        duplicates.push(self.diagnostic(start, message, hint));
                    }
                    self.record_positions(
                        &field.value,
                        Some(start),
                        child_pointer(&at, word),
                        duplicates,
                    );
                }
            }
            ast::Value::Array(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    self.record_positions(element, None, format!("{at}/{index}"), duplicates);
                }
            }
            ast::Value::StringLit(_)
            | ast::Value::NumberLit(_)
            | ast::Value::BooleanLit(_)
            | ast::Value::NullKeyword(_) => {}
        }
        self.positions.insert(at, Position { name, value: value.start() });
    }
}

/// Returns the JSON pointer of a field.
pub(crate) fn child_pointer(at: &str, field: &str) -> String {
    format!("{at}/{}", field.replace('/', "~1"))
}

/// Shortens a word for a message, and replaces control characters.
pub(crate) fn shorten(word: &str) -> String {
    const MAX_LENGTH: usize = 60;
    let clean: String =
        word.chars().take(MAX_LENGTH).map(|c| if c.is_control() { '?' } else { c }).collect();
    if word.chars().nth(MAX_LENGTH).is_some() { format!("{clean}…") } else { clean }
}

fn strict_options() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[begin..].chars().count() + 1)
}

fn syntax_error(file: &Path, text: &str, error: &ParseError) -> Diagnostic {
    let (line, column) = line_and_column(text, error.range().start);
    let (message, suggestion) = describe_syntax_error(error.kind());
    Diagnostic {
        file: file.to_owned(),
        line: Some(line),
        column: Some(column),
        message: format!("invalid JSON: {message}"),
        suggestion: suggestion.map(str::to_owned),
    }
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the parser's own messages cover the rest, and it may add new ones"
)]
fn describe_syntax_error(kind: &ParseErrorKind) -> (String, Option<&'static str>) {
    match kind {
        ParseErrorKind::CommentsNotAllowed => {
            ("comments are not allowed".to_owned(), Some("move the text into a description"))
        }
        ParseErrorKind::TrailingCommasNotAllowed => {
            ("nothing follows this comma".to_owned(), Some("remove the comma"))
        }
        ParseErrorKind::ExpectedComma => {
            ("a comma is missing before this".to_owned(), Some("insert a comma"))
        }
        ParseErrorKind::UnterminatedObject => {
            ("this object is not closed".to_owned(), Some("close it with `}`"))
        }
        ParseErrorKind::UnterminatedArray => {
            ("this array is not closed".to_owned(), Some("close it with `]`"))
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            ("strings need double quotes".to_owned(), Some("use double quotes"))
        }
        ParseErrorKind::ExpectedStringObjectProperty => {
            ("a field name has no quotes".to_owned(), Some("put it in double quotes"))
        }
        ParseErrorKind::NestingDepthExceeded => (
            "the nesting is too deep".to_owned(),
            Some("reduce the nesting: a tool needs only a few levels"),
        ),
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            (format!("{first}{}", letters.as_str()), None)
        }
    }
}
