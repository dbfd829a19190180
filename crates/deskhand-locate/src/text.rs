//! Compares texts regardless of spelling details, and shortens them for messages.

use std::borrow::Cow;

use deskhand_model::{clean, suggest};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Converts to lower case, collapses whitespace to single spaces, and trims both ends.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Does the same as [`fold`], but reuses a buffer.
pub(crate) fn fold_into(text: &str, folded: &mut String) {
    folded.clear();
    for word in composed(text).split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            word.chars().for_each(|c| push_lowercase(c, folded));
        }
    }
}

/// Combines letters with their accents. Apps write `é` as one character or as two.
fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Appends a character in lower case. All kinds of `i` become equal, because the case of a Turkish
/// `i` depends on the language.
fn push_lowercase(c: char, folded: &mut String) {
    for lower in c.to_lowercase() {
        match lower {
            'ı' => folded.push('i'),
            // `İ` in lower case is an `i` with a separate dot.
            '\u{307}' if folded.ends_with('i') => {}
            lower => folded.push(lower),
        }
    }
}

/// Folds the text of a label: without mnemonics, colons and other details of spelling.
pub(crate) fn fold_label(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_loose_into(text, &mut folded);
    folded
}

/// Folds like [`fold`] and removes the details of spelling that readers do not notice: mnemonic
/// markers, a shortcut after a tab, quotes, the kind of dashes, invisible characters, and symbols
/// at both ends such as colons, ellipses and emoji. A text that consists of such details only is
/// folded like [`fold`].
pub(crate) fn fold_loose_into(text: &str, folded: &mut String) {
    folded.clear();
    // Menu items of Qt and wxWidgets have their shortcut after a tab.
    let text = text.trim();
    let text = composed(text.split('\t').next().unwrap_or(text));
    let mut chars = text.chars().peekable();
    let mut space = false;
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if is_ignored(c) {
            continue;
        }
        // `_Save` and `&Save` mark a mnemonic; a doubled marker stands for itself.
        if matches!(c, '_' | '&') {
            match chars.peek() {
                Some(next) if next.is_alphanumeric() => continue,
                Some(next) if *next == c => _ = chars.next(),
                Some(_) | None => {}
            }
            if c == '&' && space && chars.peek().is_some_and(|next| next.is_whitespace()) {
                folded.push_str(" and");
                continue;
            }
        }
        if std::mem::take(&mut space) && !folded.is_empty() {
            folded.push(' ');
        }
        match c {
            '…' => folded.push_str("..."),
            '‐'..='―' | '−' => folded.push('-'),
            c => push_lowercase(c, folded),
        }
    }
    trim_symbols(folded);
    if folded.is_empty() {
        fold_into(&text, folded);
    }
}

/// Returns `true` for quotes and invisible characters.
fn is_ignored(c: char) -> bool {
    is_apostrophe(c)
        || matches!(c, '"' | '“'..='‟' | '″' | '«' | '»' | '‚')
        || clean::is_invisible(c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '`' | '´' | 'ʼ' | '‘' | '’' | '‛' | '′')
}

/// Separates the words that markers or apostrophes join, as in `my_report` and `d'affichage`. Returns
/// `None` if there are none.
pub(crate) fn separate_words(text: &str) -> Option<String> {
    let is_joint = |c: char| matches!(c, '_' | '&') || is_apostrophe(c);
    let mut separated = String::new();
    let mut before = None;
    let mut chars = text.chars().peekable();
    let mut is_joined = false;
    while let Some(c) = chars.next() {
        let is_between = before.is_some_and(char::is_alphanumeric)
            && chars.peek().is_some_and(|after| after.is_alphanumeric());
        let is_inner = is_joint(c) && is_between;
        is_joined |= is_inner;
        separated.push(if is_inner { ' ' } else { c });
        before = Some(c);
    }
    is_joined.then_some(separated)
}

/// Removes symbols at both ends of a folded text, and a mnemonic in parentheses at the end, as in
/// `保存(S)`.
fn trim_symbols(folded: &mut String) {
    let is_symbol = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let is_trailing =
        |c: char| matches!(c, ':' | '*' | '.' | ',' | ';' | '!' | '?' | '>' | ' ') || is_symbol(c);
    let is_leading = |c: char| matches!(c, '*' | ' ') || is_symbol(c);
    folded.truncate(folded.trim_end_matches(is_trailing).len());
    let letters: Vec<char> = folded.chars().rev().take(4).collect();
    if let [')', letter, '(', before] = letters[..]
        && letter.is_ascii_alphanumeric()
        && !before.is_ascii()
    {
        folded.truncate(folded.len() - 3);
    }
    let start = folded.len() - folded.trim_start_matches(is_leading).len();
    folded.drain(..start);
}

/// Parts with fewer characters must be whole words.
pub(crate) const MIN_BEGINNING: usize = 3;

/// Returns `true` if a folded text contains another one, beginning at the start of a word: `ok` is
/// not a part of `formula book`. One or two letters must be a whole word.
pub(crate) fn contains_words(text: &str, part: &str) -> bool {
    // Scripts such as Chinese and Thai have no spaces between words.
    let is_letter = |c: char| c.is_alphanumeric() && !is_spaceless(c);
    let joins = |one: Option<char>, other: Option<char>| {
        one.is_some_and(is_letter) && other.is_some_and(is_letter)
    };
    // A Korean syllable has two or three letters, and endings follow a word without a space.
    let least = if part.chars().all(is_hangul) { MIN_BEGINNING - 1 } else { MIN_BEGINNING };
    let must_end = part.chars().nth(least - 1).is_none();
    text.match_indices(part).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + part.len()..]);
        let begins_inside = joins(before.chars().next_back(), part.chars().next());
        let ends_inside = joins(part.chars().next_back(), after.chars().next());
        !(begins_inside || must_end && ends_inside)
    })
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}')
}

/// Returns `true` for letters of scripts that do not separate words.
fn is_spaceless(c: char) -> bool {
    clean::is_ideograph(c)
        || matches!(
            c,
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
                | '\u{3040}'..='\u{30ff}'
        )
}

/// Returns at most `max` characters, with an ellipsis if the text is longer.
pub(crate) fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Formats a text for a one-line message: shortened, quoted, with control characters escaped.
pub(crate) fn quoted(text: &str, max: usize) -> String {
    format!("{:?}", clip(text, max))
}

/// Returns the similarity of two folded texts, from 0 to 1.
pub(crate) fn similarity(a: &str, b: &str) -> f32 {
    suggest::similarity(a, b) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_ignores_case_and_whitespace() {
        assert_eq!(fold("  Save\n AS  "), "save as");
        assert_eq!(fold("ÄRGER"), "ärger");
        assert_eq!(fold_label("Name: "), "name");
        assert_eq!(fold_label(":"), ":");
    }

    #[test]
    fn details_of_spelling_do_not_matter() {
        let alike = [
            ("Save As", "_Save As..."),
            ("Save As…", "Save &As..."),
            ("save as", " Save\u{a0}As\tCtrl+Shift+S"),
            ("Don't Save", "Don’t Save"),
            ("Dont save", "_Don‘t Save"),
            ("E-Mail", "E–mail"),
            ("12:05", "\u{200e}12:05\u{200e}"),
            ("Rocket", "🚀 Rocket 🚀️"),
            ("Name", "Name*:"),
            ("More", "More ▸"),
            ("Cut & Paste", "Cut && Paste"),
            ("Find & Replace...", "Find and Replace"),
            ("保存", "保存(_S)..."),
            ("-", "−"),
            ("Café", "Cafe\u{301}"),
            ("İstanbul", "istanbul"),
            ("ISPARTA", "ısparta"),
            ("שלום", "\u{61c}שלום"),
        ];
        for (a, b) in alike {
            assert_eq!(fold_label(a), fold_label(b), "{a} {b}");
        }
        for (a, b) in [("C++", "C#"), ("+", "-"), ("File", "File(s)"), ("...", ":"), ("R", "R&D")] {
            assert_ne!(fold_label(a), fold_label(b), "{a} {b}");
        }
    }

    #[test]
    fn a_part_begins_where_a_word_begins() {
        let parts = [
            ("remember me", "remem"),
            ("remember me", "me"),
            ("item 200-18", "200-18"),
            ("shut down (now)", "now"),
            ("book, ok", "ok"),
            ("文件保存", "保存"),
            ("另存为 pdf", "为 pdf"),
        ];
        for (text, part) in parts {
            assert!(contains_words(text, part), "{part} in {text}");
        }
        for (text, part) in
            [("formula book", "ok"), ("okular", "ok"), ("cancel", "c"), ("unsaved", "save")]
        {
            assert!(!contains_words(text, part), "{part} in {text}");
        }
    }

    #[test]
    fn accents_and_the_kind_of_i_do_not_matter() {
        for (a, b) in [("CAFE\u{301}", "café"), ("İZMİR", "izmir"), ("I\u{307}zmir", "ızmır")]
        {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
        assert_ne!(fold("cafe"), fold("café"));
    }

    #[test]
    fn a_korean_word_may_have_an_ending() {
        for (text, part) in [("저장하기", "저장"), ("파일 저장하기", "저장"), ("예", "예")]
        {
            assert!(contains_words(text, part), "{part} in {text}");
        }
        for (text, part) in [("미저장", "저장"), ("예약", "예")] {
            assert!(!contains_words(text, part), "{part} in {text}");
        }
    }

    #[test]
    fn markers_and_apostrophes_inside_words_are_separated() {
        assert_eq!(separate_words("my_report_final.ods").unwrap(), "my report final.ods");
        assert_eq!(separate_words("l’image d'affichage").unwrap(), "l image d affichage");
        for text in ["Save", "_Save", "'quoted'", "a & b", "a__b"] {
            assert_eq!(separate_words(text), None, "{text}");
        }
    }

    #[test]
    fn a_clipped_text_ends_with_an_ellipsis() {
        assert_eq!(clip("añb", 2), "añ…");
        assert_eq!(clip("añb", 3), "añb");
        assert_eq!(quoted("a\u{1}b", 9), "\"a\\u{1}b\"");
    }
}
