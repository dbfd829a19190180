//! The text of a file, its values, and where each of them stands.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use jsonc_parser::{
    CollectOptions, ParseOptions, ast,
    common::Ranged,
    errors::{ParseError, ParseErrorKind},
    parse_to_ast,
};

use super::refusal::Refusal;

/// How many faults of one file are told.
const MOST: usize = 20;

/// A file's text, and where its values stand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    file: PathBuf,
    text: String,
    spots: HashMap<String, Spot>,
}

/// Where a value begins, and where its name does.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spot {
    name: Option<usize>,
    value: usize,
}

/// Which end of a field is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Name,
    Value,
}

/// What is wrong at a place, before it is known which line that is.
#[derive(Debug, Clone)]
pub(crate) struct Remark {
    pub(crate) at: String,
    pub(crate) side: Side,
    pub(crate) why: String,
    pub(crate) suggestion: Option<String>,
}

impl Remark {
    pub(crate) fn new(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self { at: at.into(), side: Side::Value, why: why.into(), suggestion: None }
    }

    pub(crate) fn of_name(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self { side: Side::Name, ..Self::new(at, why) }
    }

    pub(crate) fn suggesting(self, suggestion: Option<String>) -> Self {
        Self { suggestion, ..self }
    }
}

/// Reads a text; gives its value and where everything stands, or what is wrong with it.
pub(crate) fn read<T>(
    file: &Path,
    text: &str,
    look: impl FnOnce(&ast::Value<'_>) -> T,
) -> Result<(Source, T), Vec<Refusal>> {
    if text.starts_with('\u{feff}') {
        let why = "the file begins with a byte order mark";
        let hint = Some("save it as UTF-8 without one");
        return Err(vec![Refusal::of_file(file, why, hint)]);
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict())
        .map_err(|error| vec![syntax(file, text, &error)])?;
    let Some(root) = parsed.value else {
        let hint = "begin with { \"name\": …, \"description\": …, \"command\": … }";
        return Err(vec![Refusal::of_file(file, "the file is empty", Some(hint))]);
    };
    let mut source = Source { file: file.to_owned(), text: text.to_owned(), spots: HashMap::new() };
    let mut twice = Vec::new();
    source.note(&root, None, String::new(), &mut twice);
    if !twice.is_empty() {
        twice.truncate(MOST);
        return Err(twice);
    }
    let seen = look(&root);
    Ok((source, seen))
}

impl Source {
    /// The file it came from.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Remarks as they are told: with line and column, in the order of the file.
    pub(crate) fn told(&self, remarks: Vec<Remark>) -> Vec<Refusal> {
        let mut all: Vec<(usize, Refusal)> = remarks
            .into_iter()
            .map(|remark| {
                let offset = self.offset(&remark.at, remark.side);
                (offset, self.refusal(offset, remark.why, remark.suggestion))
            })
            .collect();
        all.sort_by_key(|(offset, _)| *offset);
        all.truncate(MOST);
        all.into_iter().map(|(_, refusal)| refusal).collect()
    }

    /// Where a pointer stands; the nearest thing around it when it is not there.
    fn offset(&self, pointer: &str, side: Side) -> usize {
        let mut at = pointer;
        loop {
            if let Some(spot) = self.spots.get(at) {
                return match side {
                    Side::Name => spot.name.unwrap_or(spot.value),
                    Side::Value => spot.value,
                };
            }
            match at.rfind('/') {
                Some(cut) => at = &at[..cut],
                None => return 0,
            }
        }
    }

    fn refusal(&self, offset: usize, why: String, suggestion: Option<String>) -> Refusal {
        let (line, column) = line_and_column(&self.text, offset);
        Refusal { file: self.file.clone(), line: Some(line), column: Some(column), why, suggestion }
    }

    fn note(
        &mut self,
        value: &ast::Value<'_>,
        name: Option<usize>,
        at: String,
        twice: &mut Vec<Refusal>,
    ) {
        match value {
            ast::Value::Object(object) => {
                let mut seen = HashSet::new();
                for field in &object.properties {
                    let word = field.name.as_str();
                    let start = field.name.start();
                    if !seen.insert(word) && twice.len() < MOST {
                        let why = format!("`{}` stands here twice", short(word));
                        let hint = Some("keep one of them".to_owned());
                        twice.push(self.refusal(start, why, hint));
                    }
                    self.note(&field.value, Some(start), below(&at, word), twice);
                }
            }
            ast::Value::Array(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    self.note(element, None, format!("{at}/{index}"), twice);
                }
            }
            ast::Value::StringLit(_)
            | ast::Value::NumberLit(_)
            | ast::Value::BooleanLit(_)
            | ast::Value::NullKeyword(_) => {}
        }
        self.spots.insert(at, Spot { name, value: value.start() });
    }
}

/// The pointer of a field of what another pointer points at.
pub(crate) fn below(at: &str, field: &str) -> String {
    format!("{at}/{}", field.replace('/', "~1"))
}

/// A word as it is told: never longer than a line takes.
pub(crate) fn short(word: &str) -> String {
    const MOST: usize = 60;
    let clean: String =
        word.chars().take(MOST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if word.chars().nth(MOST).is_some() { format!("{clean}…") } else { clean }
}

fn strict() -> ParseOptions {
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

fn syntax(file: &Path, text: &str, error: &ParseError) -> Refusal {
    let (line, column) = line_and_column(text, error.range().start);
    let (why, suggestion) = words(error.kind());
    Refusal {
        file: file.to_owned(),
        line: Some(line),
        column: Some(column),
        why: format!("this is not JSON: {why}"),
        suggestion: suggestion.map(str::to_owned),
    }
}

#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "the parser's own words do for the rest, and it may learn new ones"
)]
fn words(kind: &ParseErrorKind) -> (String, Option<&'static str>) {
    match kind {
        ParseErrorKind::CommentsNotAllowed => {
            ("a comment stands here".to_owned(), Some("put what it says into a description"))
        }
        ParseErrorKind::TrailingCommasNotAllowed => {
            ("nothing follows this comma".to_owned(), Some("remove the comma"))
        }
        ParseErrorKind::ExpectedComma => {
            ("a comma is missing before this".to_owned(), Some("put a comma before it"))
        }
        ParseErrorKind::UnterminatedObject => {
            ("this object has no end".to_owned(), Some("close it with `}`"))
        }
        ParseErrorKind::UnterminatedArray => {
            ("this array has no end".to_owned(), Some("close it with `]`"))
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            ("text stands in single quotes".to_owned(), Some("use double quotes"))
        }
        ParseErrorKind::ExpectedStringObjectProperty => {
            ("a field's name has no quotes".to_owned(), Some("put it in double quotes"))
        }
        ParseErrorKind::NestingDepthExceeded => {
            ("it is nested too deep".to_owned(), Some("a tool needs a handful of levels"))
        }
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            (format!("{first}{}", letters.as_str()), None)
        }
    }
}
