//! Source without its comments and texts, so that words in them are not taken for code.

/// The text with every character of comments, strings and letters in quotes blanked; lines stay where they are.
pub(super) fn masked(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let end = match (letters[at], letters.get(at + 1)) {
            ('/', Some('/')) => line_end(&letters, at),
            ('/', Some('*')) => comment_end(&letters, at),
            ('"', _) => string_end(&letters, at),
            ('r', Some('"' | '#')) if !in_word(&letters, at) => raw_end(&letters, at),
            ('\'', _) => quote_end(&letters, at),
            _ => at,
        };
        if end == at {
            out.push(letters[at]);
            at += 1;
        }
        while at < end {
            out.push(if letters[at] == '\n' { '\n' } else { ' ' });
            at += 1;
        }
    }
    out
}

fn in_word(letters: &[char], at: usize) -> bool {
    at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_')
}

fn line_end(letters: &[char], at: usize) -> usize {
    letters[at..].iter().position(|it| *it == '\n').map_or(letters.len(), |far| at + far)
}

fn comment_end(letters: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut here = at;
    while here < letters.len() {
        match (letters[here], letters.get(here + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                here += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                here += 2;
                if depth == 0 {
                    return here;
                }
            }
            _ => here += 1,
        }
    }
    letters.len()
}

fn string_end(letters: &[char], at: usize) -> usize {
    let mut here = at + 1;
    while here < letters.len() {
        match letters[here] {
            '\\' => here += 2,
            '"' => return here + 1,
            _ => here += 1,
        }
    }
    letters.len()
}

/// The end of `r"…"` or `r#"…"#`; a raw name such as `r#type` is none.
fn raw_end(letters: &[char], at: usize) -> usize {
    let hashes = letters[at + 1..].iter().take_while(|it| **it == '#').count();
    if letters.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    let mut here = at + 2 + hashes;
    while here < letters.len() {
        let closed = letters[here] == '"'
            && letters[here + 1..].iter().take(hashes).filter(|it| **it == '#').count() == hashes;
        if closed {
            return here + 1 + hashes;
        }
        here += 1;
    }
    letters.len()
}

/// The end of a letter in quotes; a lifetime has no second quote.
fn quote_end(letters: &[char], at: usize) -> usize {
    match (letters.get(at + 1), letters.get(at + 2)) {
        (Some('\\'), _) => {
            let close = letters[at + 3..].iter().position(|it| *it == '\'');
            close.map_or(at, |far| at + 3 + far + 1)
        }
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_left() {
        let source =
            "a /* unsafe /* x */ */ b // unsafe\n\"unsafe \\\" {\" r#\"un\"safe\"# '{' '\\n' 'a c";
        let left: String = masked(source).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(left, "a b 'a c");
        assert_eq!(masked(source).chars().count(), source.chars().count());
    }

    #[test]
    fn raw_names_are_code() {
        assert_eq!(masked("packed.r#type()"), "packed.r#type()");
    }
}
