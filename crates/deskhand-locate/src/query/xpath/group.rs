//! Support for groups such as `(//button)[1]`, which the XPath library does not parse.
//!
//! If every element that E selects carries an attribute `mark`, then `(E)[P]` equals
//! `/descendant::*[@mark][P]`. So each group is evaluated first and replaced by that expression.

use uppsala::XmlResult;

/// Replaces each group outside of predicates. `marked` evaluates the inner expression, marks the
/// selected elements and returns the name of the mark.
pub(super) fn resolve(
    text: &str,
    marked: &mut dyn FnMut(&str) -> XmlResult<String>,
) -> XmlResult<String> {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, inner, after)) = next(rest, &written) {
        let mark = marked(inner)?;
        written.push_str(before);
        written.push_str(&format!("/descendant::*[@{mark}]"));
        rest = after;
    }
    written.push_str(rest);
    Ok(written)
}

/// Finds the first group. Returns the text before, inside and after it.
fn next<'a>(text: &'a str, written: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let mut quote = None;
    let mut predicates = 0_usize;
    let mut before = written.trim_end().chars().next_back();
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, c) in text.char_indices() {
        if let Some(mark) = quote {
            if mark == c {
                quote = None;
                before = Some(c);
            }
            continue;
        }
        match c {
            '\'' | '"' => quote = Some(c),
            '[' => predicates += 1,
            ']' => predicates = predicates.saturating_sub(1),
            // After a name, it starts the arguments of a function. A group follows the start,
            // another group or a union operator.
            '(' => open.push((at, predicates == 0 && matches!(before, None | Some('|' | '(')))),
            ')' => {
                let (start, is_group) = open.pop()?;
                let after = &text[at + 1..];
                if is_group
                    && predicates == 0
                    && open.is_empty()
                    && after.trim_start().starts_with(['[', '/'])
                {
                    return Some((&text[..start], &text[start + 1..at], after));
                }
            }
            c if c.is_whitespace() => continue,
            _ => {}
        }
        before = Some(c);
    }
    None
}
