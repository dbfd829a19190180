//! Shortens names and values and makes them safe to print.

use std::{borrow::Cow, fmt::Write};

use crate::{
    Value,
    clean::{clean, is_invisible},
};

/// The maximum length of a name on a line, in characters.
pub(crate) const NAME_LIMIT: usize = 72;
/// The maximum length of a text value on a line, in characters.
pub(crate) const VALUE_LIMIT: usize = 96;

/// Returns the text in quotes, escaped, and shortened if it is longer than `limit` characters.
pub fn quote(text: &str, limit: usize) -> String {
    quote_part(text, None, limit)
}

/// Quotes the beginning of a text whose full length may be known.
pub(crate) fn quote_part(text: &str, length: Option<usize>, limit: usize) -> String {
    // The note about the full length takes about 16 characters, so cutting off fewer saves nothing.
    let slack = limit + 16;
    let head = beginning(text, slack * 4);
    let cleaned = clean(head, &mut |_| {});
    let removed = match &cleaned {
        Cow::Borrowed(_) => 0,
        Cow::Owned(cleaned) => head.chars().count() - cleaned.chars().count(),
    };
    let fits = head.len() == text.len() && cleaned.chars().nth(slack).is_none();
    let read = if fits { removed + cleaned.chars().count() } else { 0 };
    let is_complete = fits && length.is_none_or(|length| length <= read);
    let mut out = String::with_capacity(limit + 32);
    out.push('"');
    for c in cleaned.chars().take(if is_complete { slack } else { limit }) {
        escape(c, &mut out);
    }
    out.push('"');
    if !is_complete {
        let total = length.unwrap_or_else(|| text.chars().count());
        let _ = write!(out, "…({} chars)", count(total)); // Writing to a string cannot fail.
    }
    out
}

/// Makes a message safe to print. It may contain text from apps. Quotes and backslashes stay
/// unescaped.
pub fn printable(text: &str) -> String {
    const LIMIT: usize = 400;
    let mut out = String::new();
    for c in clean(beginning(text, LIMIT), &mut |_| {}).chars() {
        match c {
            '"' | '\\' => out.push(c),
            c => escape(c, &mut out),
        }
    }
    if text.chars().nth(LIMIT).is_some() {
        out.push('…');
    }
    out
}

/// Returns the first `max` characters of a text.
fn beginning(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

fn escape(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // The placeholder of an embedded element, which has its own line, and marks for the text
        // direction, which are not visible.
        '\u{fffc}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {}
        c if needs_escape(c) => {
            let _ = write!(out, "\\u{{{:x}}}", c as u32); // Writing to a string cannot fail.
        }
        c => out.push(c),
    }
}

/// Returns `true` for characters that are invisible, control the terminal or change the reading
/// direction. Variation selectors are allowed.
fn needs_escape(c: char) -> bool {
    let is_variation_selector = matches!(c, '\u{fe00}'..='\u{fe0f}');
    c.is_control()
        || (is_invisible(c) && !is_variation_selector)
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'
        )
}

/// Formats a count with commas between thousands.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with its noun, in the plural if needed.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats a number with at most three decimals.
pub(crate) fn number(n: f64) -> String {
    if n == n.trunc() && n.abs() < 1e15 {
        return format!("{}", n as i64);
    }
    if !n.is_finite() || n.abs() >= 1e15 || n.abs() < 1e-3 {
        return format!("{n:e}");
    }
    let text = format!("{n:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a value for a line.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Text { text, length } => quote_part(text, Some(*length), VALUE_LIMIT),
        Value::Number { now, min, max, .. } if min < max => {
            format!("{} ({}..{})", number(*now), number(*min), number(*max))
        }
        Value::Number { now, .. } => number(*now),
        Value::Secret => "(secret)".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_characters_are_removed_or_escaped() {
        let nasty = "a\u{1b}[31m\"b\\\n\u{202e}c\u{200b}\u{7f}";
        assert_eq!(quote(nasty, 72), r#""a\"b\\\nc""#);
    }

    #[test]
    fn a_long_text_is_shortened_and_its_length_shown() {
        let long = "ä".repeat(1 << 20);
        let short = quote(&long, 10);
        assert_eq!(short, format!("\"{}\"…(1,048,576 chars)", "ä".repeat(10)));
    }

    #[test]
    fn a_partial_text_shows_its_full_length() {
        assert_eq!(quote_part("Dear", Some(4000), 72), "\"Dear\"…(4,000 chars)");
        assert_eq!(quote_part("Dear", Some(4), 72), "\"Dear\"");
    }

    #[test]
    fn numbers_are_formatted_for_readers() {
        let written = [0.0, -3.0, 0.5, 1.0 / 3.0, 1e300, f64::NAN, -0.0].map(number);
        assert_eq!(written, ["0", "-3", "0.5", "0.333", "1e300", "NaN", "0"]);
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "row"), "1 row");
    }
}
