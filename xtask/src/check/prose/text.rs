//! Extracts prose: the paragraphs of a document, and the comments and string literals of a source file.

use crate::check::source::{self, Kind};

/// A piece of prose on one or more lines, joined to one line. Code in backticks is left out.
#[derive(Debug, Default)]
pub(super) struct Passage {
    pub(super) text: String,
    /// `true` for a doc comment.
    pub(super) is_doc: bool,
    /// Offsets in `text` at which new lines of the file start, with their numbers from 1.
    lines: Vec<(usize, usize)>,
}

impl Passage {
    /// Returns the line of the file at an offset of the text.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        let before = self.lines.iter().take_while(|(start, _)| *start <= offset);
        before.last().map_or(1, |(_, line)| *line)
    }

    fn push_line(&mut self, number: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(text);
    }

    /// Replaces code in backticks, which is no prose.
    fn without_code(mut self) -> Self {
        let mut in_code = false;
        let blank = |c: char| {
            if c == '`' {
                in_code = !in_code;
                return "`".to_owned();
            }
            // Offsets stay: one byte for each byte.
            if in_code { "`".repeat(c.len_utf8()) } else { c.to_string() }
        };
        self.text = self.text.chars().map(blank).collect();
        self
    }
}

/// Returns the paragraphs of a Markdown document.
pub(super) fn of_markdown(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut current = Passage::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        // Transcripts in fences quote messages, so they are checked; the fence ends a paragraph.
        if line.is_empty() || line.starts_with("```") {
            passages.push(std::mem::take(&mut current));
        } else {
            current.push_line(number, line);
        }
    }
    passages.push(current);
    passages.into_iter().map(Passage::without_code).collect()
}

/// Returns the comments and string literals of a Rust source. Comments on consecutive lines are one passage.
pub(super) fn of_rust(text: &str) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut line = 1;
    // The kind of the comment that the next comment may continue.
    let mut open = None;
    for (kind, range) in source::pieces(text) {
        let piece = &text[range];
        match kind {
            Kind::Code | Kind::Char => {
                let newlines = piece.matches('\n').count();
                if kind == Kind::Char || newlines > 1 || !piece.trim().is_empty() {
                    open = None;
                }
            }
            Kind::DocComment | Kind::Comment => {
                let continued = passages.last_mut().filter(|_| open == Some(kind));
                match continued {
                    Some(passage) => add_comment(passage, piece, line),
                    None => {
                        let is_doc = kind == Kind::DocComment;
                        let mut passage = Passage { is_doc, ..Passage::default() };
                        add_comment(&mut passage, piece, line);
                        passages.push(passage);
                    }
                }
                open = Some(kind);
            }
            Kind::String => {
                let passage = string(piece, line);
                // A string of one word is data: a key, a code, a name.
                if passage.text.contains(' ') && !is_shell_command(&passage.text) {
                    passages.push(passage);
                }
                open = None;
            }
        }
        line += piece.matches('\n').count();
    }
    passages.into_iter().map(Passage::without_code).collect()
}

/// Returns `true` for the literal of a command line: a program followed by a short option, as in `sh -c true`.
fn is_shell_command(literal: &str) -> bool {
    let mut words = literal.trim_start_matches(['r', '#', '"']).split_whitespace();
    let is_program =
        |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || "/_-.".contains(c));
    let is_option = |word: &str| {
        word.strip_prefix('-').is_some_and(|name| {
            name.len() <= 2 && name.starts_with(|c: char| c.is_ascii_lowercase())
        })
    };
    words.next().is_some_and(is_program) && words.next().is_some_and(is_option)
}

fn add_comment(passage: &mut Passage, comment: &str, line: usize) {
    for (number, text) in (line..).zip(comment.lines()) {
        let text = text.trim().trim_start_matches(['/', '!', '*']).trim_end_matches(['/', '*']);
        // An empty line ends a paragraph, and no phrase crosses it.
        let text = text.trim();
        passage.push_line(number, if text.is_empty() { "|" } else { text });
    }
}

fn string(literal: &str, line: usize) -> Passage {
    let mut passage = Passage::default();
    let (mut number, mut current) = (line, String::new());
    let mut chars = literal.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            // A continued line: the literal has no line break here.
            ('\\', Some('\n')) => {}
            ('\\', Some(escaped)) => {
                // No phrase crosses a line break in the message.
                if matches!(escaped, 'n' | 't' | 'r') {
                    current.push('|');
                } else {
                    current.push(*escaped);
                }
                chars.next();
            }
            ('\n', _) => {
                passage.push_line(number, current.trim());
                current.clear();
                number += 1;
            }
            _ => current.push(c),
        }
    }
    passage.push_line(number, current.trim());
    passage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passages: &[Passage]) -> Vec<&str> {
        passages.iter().map(|passage| passage.text.as_str()).collect()
    }

    #[test]
    fn comments_on_consecutive_lines_are_one_passage() {
        let source = "/// One\n/// two.\nfn a() {} // three\n\n// four\n";
        let passages = of_rust(source);
        assert_eq!(texts(&passages), ["One two.", "three", "four"]);
        assert_eq!((passages[0].line_at(0), passages[0].line_at(4)), (1, 2));
        assert_eq!(passages[2].line_at(0), 5);
    }

    #[test]
    fn continued_strings_are_one_passage_and_escapes_separate() {
        let passages = of_rust("f(\"one \\\n    two\\nthree \\\"four\\\"\");");
        assert_eq!(texts(&passages), ["\"one two|three \"four\"\""]);
        assert_eq!(passages[0].line_at(6), 2);
    }

    #[test]
    fn code_in_backticks_is_left_out() {
        let passages = of_markdown("Run `a b` or\n`ü`.\n\nNext.");
        assert_eq!(texts(&passages), ["Run ````` or ````.", "Next."]);
        assert_eq!(passages[1].line_at(0), 4);
    }
}
