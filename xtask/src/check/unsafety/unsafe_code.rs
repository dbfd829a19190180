//! Finds unsafe code with its function and its `SAFETY` comment.

use crate::check::source::mask;

/// An unsafe block or implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsafeCode {
    pub(super) file: String,
    /// The current line, for faults.
    pub(super) line: usize,
    /// The function or type it belongs to.
    pub(super) owner: String,
    /// The code on one line.
    pub(super) code: String,
    /// The text after `SAFETY:` in the comment above it.
    pub(super) reason: Option<String>,
}

/// Returns the unsafe code of a file. Declarations of foreign functions do not count.
pub(super) fn find(file: &str, text: &str) -> Vec<UnsafeCode> {
    let source = mask(text);
    let letters: Vec<char> = source.chars().collect();
    let original: Vec<char> = text.chars().collect();
    let lines: Vec<&str> = text.lines().collect();
    let bare: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    let mut scopes: Vec<Option<String>> = Vec::new();
    let mut header = String::new();
    let (mut nested, mut line) = (0_i32, 0);
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '(' | '[' => nested += 1,
            ')' | ']' => nested -= 1,
            '\n' => line += 1,
            _ => {}
        }
        if *letter == 'u' && is_word(&letters, at, "unsafe") {
            let rest: String = letters[at + 6..].iter().collect();
            if let Some(owner) = owner(&rest, &scopes) {
                let code = code(&original[at..], &letters[at..]);
                let reason = reason(&lines, &bare, line);
                found.push(UnsafeCode {
                    file: file.to_owned(),
                    line: line + 1,
                    owner,
                    code,
                    reason,
                });
            }
        }
        match letter {
            '{' => {
                scopes.push(scope_name(&header));
                header.clear();
            }
            '}' => {
                scopes.pop();
                header.clear();
            }
            ';' if nested <= 0 => header.clear(),
            _ => header.push(*letter),
        }
    }
    found
}

fn is_word(letters: &[char], at: usize, word: &str) -> bool {
    let part = |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric() || *it == '_');
    let length = word.len();
    letters[at..].iter().take(length).copied().eq(word.chars())
        && !part(at.checked_sub(1).and_then(|before| letters.get(before)))
        && !part(letters.get(at + length))
}

/// Returns the owner of unsafe code that needs a review.
fn owner(rest: &str, scopes: &[Option<String>]) -> Option<String> {
    let rest = rest.trim_start();
    if rest.starts_with('{') {
        let names: Vec<&str> = scopes.iter().flatten().map(String::as_str).collect();
        return Some(if names.is_empty() { "(file)".to_owned() } else { names.join("::") });
    }
    let head = rest.split(['{', ';']).next().unwrap_or_default();
    head.starts_with("impl").then(|| words(head))
}

/// Returns the name of the scope that a header opens; `None` for a block.
fn scope_name(header: &str) -> Option<String> {
    let words = words(header);
    let after = |mark: &str| {
        let tail = words.split_once(mark)?.1;
        let end = tail.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(tail.len());
        Some(tail[..end].to_owned()).filter(|name| !name.is_empty())
    };
    let is_impl = words.split(' ').any(|word| word == "impl" || word.starts_with("impl<"));
    if words.split(' ').any(|word| word == "fn") {
        return after("fn ");
    }
    if is_impl {
        let subject = words.rsplit_once(" for ").map(|(_, subject)| subject);
        let whole = subject.or_else(|| words.split_once("impl").map(|(_, rest)| rest))?;
        // In `impl<T> Type<T>`, the name is outside of the brackets.
        let whole = if subject.is_none() { past_brackets(whole) } else { whole };
        let end = whole.find(['<', ' ']).unwrap_or(whole.len());
        return Some(whole[..end].trim().to_owned()).filter(|name| !name.is_empty());
    }
    None
}

fn past_brackets(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            ' ' => {}
            _ if depth == 0 => return &text[at..],
            _ => {}
        }
    }
    text
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the code of a block or an implementation on one line, without comments.
fn code(original: &[char], letters: &[char]) -> String {
    let mut depth = 0;
    let mut end = letters.len();
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => {
                end = at + 1;
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    let text: String = original[..end].iter().collect();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    words(&lines.collect::<Vec<_>>().join(" "))
}

/// Returns the `SAFETY` comment above the statement that contains a line.
fn reason(lines: &[&str], bare: &[&str], line: usize) -> Option<String> {
    let mut above = line;
    while above > 0 {
        let here = lines[above - 1].trim();
        if here.starts_with("//") {
            return comment(lines, above - 1);
        }
        let code = bare.get(above - 1).map_or("", |it| it.trim());
        // An attribute, or an earlier line of the statement.
        let continues =
            code.starts_with("#[") || !code.is_empty() && !code.ends_with([';', '{', '}']);
        if !continues {
            return None;
        }
        above -= 1;
    }
    None
}

fn comment(lines: &[&str], last: usize) -> Option<String> {
    let is_comment = |at: &usize| lines[*at].trim_start().starts_with("//");
    let first = (0..=last).rev().take_while(is_comment).last()?;
    let text = lines[first..=last]
        .iter()
        .map(|line| line.trim().trim_start_matches('/').trim())
        .collect::<Vec<_>>()
        .join(" ");
    let (_, reason) = text.split_once("SAFETY:")?;
    Some(words(reason)).filter(|reason| !reason.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
//! unsafe { in_a_comment() }
unsafe extern "C" {
    fn foreign(at: [u8; 4]);
}

// SAFETY: a token
// of two lines.
unsafe impl Send for Element {}

impl<T: Into<u8>> Wrapper<T> {
    fn read(&self, by: [u8; 2]) -> u8 {
        let words = "unsafe {";
        // SAFETY: the pointer was
        // checked above.
        let value =
            unsafe { read(self.0, "text") };
        value
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        free(1);
        unsafe { free(2) };
    }
}

fn plain() -> bool {
    if ready() {
        // SAFETY: nothing is shared.
        match unsafe {
            // not a reason
            ask()
        } {
            0 => true,
        }
    }
}
"#;

    #[test]
    fn unsafe_code_is_found_with_its_owner_and_reason() {
        let found = find("a.rs", SOURCE);
        let seen: Vec<(&str, Option<&str>)> =
            found.iter().map(|it| (it.owner.as_str(), it.reason.as_deref())).collect();
        assert_eq!(
            seen,
            [
                ("impl Send for Element", Some("a token of two lines.")),
                ("Wrapper::read", Some("the pointer was checked above.")),
                ("Owner::drop", None),
                ("plain", Some("nothing is shared.")),
            ]
        );
    }

    #[test]
    fn code_is_on_one_line_without_comments() {
        let found = find("a.rs", SOURCE);
        assert_eq!(found[1].code, r#"unsafe { read(self.0, "text") }"#);
        assert_eq!(found[3].code, "unsafe { ask() }");
        assert_eq!(found[2].line, 25);
    }
}
