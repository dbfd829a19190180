//! Splits Rust source into code, comments and literals.

use std::ops::Range;

/// The kind of a piece of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    /// `///`, `//!`, `/** */` or `/*! */`.
    DocComment,
    /// Any other comment.
    Comment,
    /// A string literal with its quotes.
    String,
    /// A character literal with its quotes.
    Char,
}

/// Splits a source text into pieces that cover all of it, in order.
pub(super) fn pieces(text: &str) -> Vec<(Kind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let (mut at, mut code_start) = (0, 0);
    while at < bytes.len() {
        let literal = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => Some((comment_kind(&text[at..]), line_end(bytes, at))),
            (b'/', Some(b'*')) => Some((comment_kind(&text[at..]), block_comment_end(bytes, at))),
            (b'"', _) => Some((Kind::String, string_end(bytes, at))),
            (b'r', Some(b'"' | b'#')) if starts_raw(bytes, at) => {
                raw_string_end(bytes, at).map(|end| (Kind::String, end))
            }
            (b'\'', _) => char_end(text, at).map(|end| (Kind::Char, end)),
            _ => None,
        };
        match literal {
            Some((kind, end)) => {
                if code_start < at {
                    pieces.push((Kind::Code, code_start..at));
                }
                pieces.push((kind, at..end));
                at = end;
                code_start = end;
            }
            None => at += 1,
        }
    }
    if code_start < bytes.len() {
        pieces.push((Kind::Code, code_start..bytes.len()));
    }
    pieces
}

/// Returns the text with every character outside of code replaced by a space. Lines and columns stay.
pub(crate) fn mask(text: &str) -> String {
    mask_kinds(text, &[Kind::DocComment, Kind::Comment, Kind::String, Kind::Char])
}

/// Returns the text with every character of these kinds replaced by a space. Lines and columns stay.
pub(crate) fn mask_kinds(text: &str, kinds: &[Kind]) -> String {
    let mut masked = String::with_capacity(text.len());
    for (kind, range) in pieces(text) {
        if kinds.contains(&kind) {
            masked.extend(text[range].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            masked.push_str(&text[range]);
        }
    }
    masked
}

fn comment_kind(text: &str) -> Kind {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
    // Four slashes and `/**/` are plain comments.
    if starts(&["///", "//!", "/**", "/*!"]) && !starts(&["////", "/***", "/**/"]) {
        Kind::DocComment
    } else {
        Kind::Comment
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0;
    let mut here = at;
    while here < bytes.len() {
        match (bytes[here], bytes.get(here + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                here += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                here += 2;
                if depth == 0 {
                    return here;
                }
            }
            _ => here += 1,
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut here = at + 1;
    while here < bytes.len() {
        match bytes[here] {
            b'\\' => here += 2,
            b'"' => return here + 1,
            _ => here += 1,
        }
    }
    bytes.len()
}

/// Returns `true` if the `r` starts a token, or follows the `b` or `c` of a byte or C string.
fn starts_raw(bytes: &[u8], at: usize) -> bool {
    let in_word = |at: usize| at > 0 && is_word(bytes[at - 1]);
    !in_word(at) || matches!(bytes[at - 1], b'b' | b'c') && !in_word(at - 1)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns the end of `r"…"` or `r#"…"#`, or `None` for a raw identifier such as `r#type`.
fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let start = at + 2 + hashes;
    let is_end = |here: &usize| {
        bytes[*here] == b'"'
            && bytes[here + 1..].iter().take(hashes).filter(|byte| **byte == b'#').count() == hashes
    };
    Some((start..bytes.len()).find(is_end).map_or(bytes.len(), |here| here + 1 + hashes))
}

/// Returns the end of a character literal, or `None` for a lifetime.
fn char_end(text: &str, at: usize) -> Option<usize> {
    let mut rest = text[at + 1..].chars();
    let first = rest.next()?;
    if first == '\\' {
        // The escaped character itself may be a quote.
        let escaped = at + 2 + rest.next()?.len_utf8();
        return text[escaped..].find('\'').map(|length| escaped + length + 1);
    }
    (rest.next() == Some('\'')).then(|| at + 1 + first.len_utf8() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masking_leaves_only_code() {
        let source = "a /* unsafe /* x */ */ b // unsafe\n\"unsafe \\\" {\" r#\"un\"safe\"# '{' '\\n' '\\'' 'é' 'a c";
        let left: String = mask(source).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(left, "a b 'a c");
        assert_eq!(mask(source).chars().count(), source.chars().count());
    }

    #[test]
    fn raw_identifiers_are_code() {
        assert_eq!(mask("packed.r#type()"), "packed.r#type()");
    }

    #[test]
    fn pieces_have_their_kinds() {
        let source = "//! doc\n// note\nlet a = br\"\\\"; /** doc */ x /* note */";
        let found: Vec<(Kind, &str)> =
            pieces(source).into_iter().map(|(kind, range)| (kind, &source[range])).collect();
        assert_eq!(
            found,
            [
                (Kind::DocComment, "//! doc"),
                (Kind::Code, "\n"),
                (Kind::Comment, "// note"),
                (Kind::Code, "\nlet a = b"),
                (Kind::String, "r\"\\\""),
                (Kind::Code, "; "),
                (Kind::DocComment, "/** doc */"),
                (Kind::Code, " x "),
                (Kind::Comment, "/* note */"),
            ]
        );
    }
}
