//! Regular expressions: `/save|open/i`, or any text with the strategy `regex`.

use regex::{Regex, RegexBuilder};

use crate::{Error, Result, text::clip};

/// The maximum size of a compiled expression. Matching takes linear time in any case.
const MAX_COMPILED_BYTES: usize = 2 << 20;
const FLAGS: &str = "imsxug";

/// Returns `true` if a text is enclosed in slashes, followed by nothing but flags.
pub(super) fn looks_like(text: &str) -> bool {
    // `//button/i` counts as XPath, because an empty expression followed by flags is useless.
    !text.starts_with("//") && split(text).is_some()
}

fn split(text: &str) -> Option<(&str, &str)> {
    let (body, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let known = flags.chars().all(|flag| FLAGS.contains(flag));
    (known && !body.is_empty()).then_some((body, flags))
}

/// Compiles an expression, with or without slashes.
pub(super) fn parse(text: &str) -> Result<Regex> {
    let (body, flags) = split(text).unwrap_or((text, ""));
    let offset = if body.len() < text.len() { 1 } else { 0 };
    let bad = |why: String, at: Option<usize>| Error::BadQuery {
        query: clip(text, 120),
        form: "regular expression",
        why,
        at: at.map(|at| at + offset),
        fix: "fix the expression, or put double quotes around it to search for it as text".into(),
    };
    if body.len() > 16 * 1024 {
        return Err(bad("it is longer than 16 KiB".into(), None));
    }
    RegexBuilder::new(body)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .ignore_whitespace(flags.contains('x'))
        .size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|e| match syntax_error(body, flags.contains('x')) {
            Some((why, at)) => bad(why, Some(at)),
            None => bad(e.to_string(), None),
        })
}

/// Returns the syntax error of an expression and its position in characters.
fn syntax_error(body: &str, spaced: bool) -> Option<(String, usize)> {
    let mut parser = regex_syntax::ParserBuilder::new().ignore_whitespace(spaced).build();
    let (why, byte) = match parser.parse(body).err()? {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), e.span().start.offset),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), e.span().start.offset),
        other => (other.to_string(), 0),
    };
    Some((why, body.char_indices().take_while(|(start, _)| *start < byte).count()))
}
