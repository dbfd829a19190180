//! Parentheses with a predicate or a path behind them, as in `(//button)[1]`, which the library
//! does not read. From the root of a document `(E)[P]` is `/descendant::*[@mark][P]`, once what E
//! selects carries the mark, so that is what is written for it.

use uppsala::XmlResult;

/// Replaces each such group outside of predicates; `marked` is to evaluate what is inside it, to
/// mark what that selects, and to tell the mark.
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

/// The first group: what stands before it, inside it and behind it.
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
            // Behind a name it is a call; a group stands at the start, in a group or in a union.
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
