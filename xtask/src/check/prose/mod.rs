//! prose: no phrase of a table, and no doc comment that opens with a question word or with the bare name of a
//! type, in documents, comments and string literals.

mod table;
mod text;

use std::collections::{HashMap, HashSet};

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::check::type_names;
use crate::error::Result;

use table::{QUESTION_WORDS, ROWS, Row};
use text::Passage;

/// The gate itself, which contains the phrases.
const SELF: &str = "xtask/src/check/prose/";

/// The folders whose Rust sources are checked.
const SOURCES: [&str; 3] = ["crates/", "xtask/", "tests/"];

/// Only the first section of the changelog is checked: past releases are history.
const CHANGELOG: &str = "CHANGELOG.md";

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let phrases = Phrases::new(ROWS);
    let documents = files.read(&["md", "rs"])?;
    let types = compound_type_names(&documents);
    let mut faults = Vec::new();
    let mut count = 0;
    for (path, text) in &documents {
        if path.starts_with(SELF) {
            continue;
        }
        count += 1;
        faults.extend(check(path, text, &phrases, &types));
    }
    Ok(Verdict::new(faults, format!("{count} documents and source files")))
}

/// Returns the names of types that consist of several words, such as `StyledLine`.
fn compound_type_names<'a>(documents: &'a [(&str, String)]) -> HashSet<&'a str> {
    let is_compound = |name: &str| name.chars().filter(char::is_ascii_uppercase).count() > 1;
    documents
        .iter()
        .filter(|(path, _)| path.starts_with("crates/") && path.ends_with(".rs"))
        .flat_map(|(_, text)| type_names::defined(text))
        .filter(|name| is_compound(name))
        .collect()
}

fn check(path: &str, text: &str, phrases: &Phrases, types: &HashSet<&str>) -> Vec<Fault> {
    let passages = if path.ends_with(".md") {
        text::of_markdown(unreleased(path, text))
    } else if SOURCES.iter().any(|folder| path.starts_with(folder)) {
        text::of_rust(text)
    } else {
        Vec::new()
    };
    let mut faults = Vec::new();
    for passage in &passages {
        if let Some(word) = question_word(passage) {
            let line = passage.line_at(0);
            let advice =
                format!("a doc comment opens with \"{word}\"; say what the item is or does");
            faults.push(Fault::line(path, line, advice));
        }
        if let Some(name) = first_word(passage).filter(|word| types.contains(word)) {
            let advice = format!(
                "a doc comment opens with the type `{name}`; open with a plain word, or put the name in backticks"
            );
            faults.push(Fault::line(path, passage.line_at(0), advice));
        }
        for (row, at) in phrases.find(passage) {
            let advice = format!("\"{}\": write {}", row.phrase, row.instead);
            faults.push(Fault::line(path, passage.line_at(at), advice));
        }
    }
    faults
}

/// Returns the part of a document to check. A generated page is checked where its text comes from.
fn unreleased<'a>(path: &str, text: &'a str) -> &'a str {
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("<!--") && first.contains("`cargo xtask ") {
        return "";
    }
    if path == CHANGELOG {
        let second = text.match_indices("\n## ").nth(1);
        return second.map_or(text, |(end, _)| &text[..end]);
    }
    text
}

/// Returns the question word that a doc comment opens with.
fn question_word(passage: &Passage) -> Option<&'static str> {
    let first = first_word(passage)?;
    QUESTION_WORDS.into_iter().find(|word| first == *word)
}

/// Returns the word that a doc comment opens with. A word in code, such as `Which`, is the name of an item.
fn first_word(passage: &Passage) -> Option<&str> {
    let (start, end) = passage.is_doc.then(|| words(&passage.text).next())??;
    (start == 0).then(|| &passage.text[start..end])
}

/// The phrases of a table, by their first words.
struct Phrases {
    by_first_word: HashMap<&'static str, Vec<(&'static Row, Vec<&'static str>)>>,
}

impl Phrases {
    fn new(rows: &'static [Row]) -> Self {
        let mut by_first_word: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows {
            let mut words = row.phrase.trim_end_matches(':').split(' ');
            let Some(first) = words.next() else { continue };
            by_first_word.entry(first).or_default().push((row, words.collect()));
        }
        Self { by_first_word }
    }

    /// Returns every phrase in a passage with its offset.
    fn find(&self, passage: &Passage) -> Vec<(&'static Row, usize)> {
        let text = passage.text.as_str();
        let words: Vec<(usize, usize)> = words(text).collect();
        let word = |at: usize| words.get(at).map(|(start, end)| &text[*start..*end]);
        let mut found = Vec::new();
        for (at, (start, _)) in words.iter().enumerate() {
            let lower = word(at).unwrap_or_default().to_ascii_lowercase();
            for (row, rest) in self.by_first_word.get(lower.as_str()).into_iter().flatten() {
                let last = at + rest.len();
                let follows = |next: usize| {
                    words.get(next).is_some_and(|(start, _)| {
                        text[words[next - 1].1..*start].chars().all(char::is_whitespace)
                    })
                };
                let is_phrase = rest.iter().zip(at + 1..).all(|(expected, next)| {
                    follows(next) && word(next).is_some_and(|it| it.eq_ignore_ascii_case(expected))
                });
                if !is_phrase {
                    continue;
                }
                let has_colon =
                    !row.phrase.ends_with(':') || text[words[last].1..].starts_with(':');
                let is_excepted = follows(last + 1)
                    && word(last + 1).is_some_and(|it| {
                        row.not_before.iter().any(|no| it.eq_ignore_ascii_case(no))
                    });
                if has_colon && !is_excepted {
                    found.push((*row, *start));
                }
            }
        }
        found
    }
}

/// Returns the start and end of each word of a text. An apostrophe is part of a word, a hyphen is not.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '_');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_letter)?;
        let length = text[start..].find(|c: char| !is_letter(c));
        rest = length.map_or(text.len(), |length| start + length);
        Some((start, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        let types = HashSet::from(["StyledLine"]);
        check(path, text, &Phrases::new(ROWS), &types).iter().map(ToString::to_string).collect()
    }

    fn count(text: &str) -> usize {
        faults("crates/a/src/b.rs", text).len()
    }

    #[test]
    fn phrases_are_found_in_comments_and_strings() {
        for bad in [
            "/// Errors are told of.",
            "// It is told\n// of here.",
            "let a = \"Nobody answers\";",
            "let a = \"is told \\\n          of\";",
            "/* By lot. */",
            "//! A window of its own.",
            "let a = r#\"sound: 7 records\"#;",
            "let a = \"use --all - nobody answers\";",
        ] {
            assert_eq!(count(bad), 1, "{bad}");
        }
    }

    #[test]
    fn plain_prose_passes() {
        for good in [
            "/// Returns `true` if the window is minimized.",
            "// Retold often.",
            "fn nobody() {}",
            "/// Runs as the user `nobody`.",
            "let a = \"the sound of rain: loud\";",
            "// It goes on to the next file.",
            "// told\n\n// of",
            "let a = \"told\\nof\";",
            "// Once, more or less.",
            "let a = \"su -s /bin/sh nobody -c true\";",
        ] {
            let found = faults("crates/a/src/b.rs", good);
            assert!(found.is_empty(), "{good}: {found:?}");
        }
    }

    #[test]
    fn a_fault_names_the_line_and_the_replacement() {
        let text =
            "fn a() {}\n\n    // Starts it and\n    // goes on, though the app\n    // hangs.\n";
        let found = faults("crates/a/src/b.rs", text);
        assert_eq!(found, ["crates/a/src/b.rs:4: \"goes on\": write \"continues\""]);
    }

    #[test]
    fn a_doc_comment_must_not_open_with_a_question_word() {
        for bad in ["/// What it does.", "//! Whether a file\n//! exists.", "/** How many. */"] {
            assert_eq!(count(bad), 1, "{bad}");
        }
        for good in [
            "/// Returns what it does.",
            "// What follows is plain.",
            "/// [`Which`] item.",
            "/// `How` is a type.",
            "/// First.\n///\n/// What follows is the second paragraph.",
            "/// Whatever the caller passes is checked.",
        ] {
            assert_eq!(count(good), 0, "{good}");
        }
        assert_eq!(count("/// First.\n#[derive(Debug)]\n/// What it does."), 1);
    }

    #[test]
    fn a_doc_comment_must_not_open_with_the_bare_name_of_a_type() {
        assert_eq!(count("/// StyledLine to start at."), 1);
        for good in [
            "/// `StyledLine` to start at.",
            "/// [`StyledLine`] to start at.",
            "/// LibreOffice counts from 0.",
            "// StyledLine to start at.",
        ] {
            assert_eq!(count(good), 0, "{good}");
        }
        let documents =
            [("crates/a/src/b.rs", "pub struct StyledLine;\nstruct Line;\n".to_owned())];
        assert_eq!(compound_type_names(&documents), HashSet::from(["StyledLine"]));
    }

    #[test]
    fn documents_are_checked_but_generated_pages_and_past_releases_are_not() {
        assert_eq!(faults("docs/a.md", "Ports are chosen by\nlot.").len(), 1);
        assert_eq!(
            faults("docs/a.md", "<!-- Generated by `cargo xtask bless`. -->\nBy lot.").len(),
            0
        );
        let log = "# Changelog\n\n## Unreleased\n\n- By lot.\n\n## 0.1.0\n\n- By lot.\n";
        assert_eq!(faults(CHANGELOG, log).len(), 1);
    }

    #[test]
    fn every_row_has_a_replacement_and_is_lower_case() {
        for row in ROWS {
            assert!(!row.instead.is_empty() && !row.phrase.is_empty());
            assert_eq!(row.phrase, row.phrase.to_lowercase());
        }
        let mut phrases: Vec<&str> = ROWS.iter().map(|row| row.phrase).collect();
        phrases.sort_unstable();
        phrases.dedup();
        assert_eq!(phrases.len(), ROWS.len());
    }
}
