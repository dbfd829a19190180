//! Compares texts regardless of spelling details, and shortens them for messages.

use deskhand_model::suggest;

/// Converts to lower case, collapses whitespace to single spaces, and trims both ends.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Does the same as [`fold`], but reuses a buffer.
pub(crate) fn fold_into(text: &str, folded: &mut String) {
    folded.clear();
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if word.is_ascii() {
            folded.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            folded.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
}

/// Folds the text of a label and removes a trailing colon or asterisk.
pub(crate) fn fold_label(text: &str) -> String {
    let mut folded = fold(text);
    let kept = folded.trim_end_matches([':', '：', '*', ' ']).len();
    if kept > 0 {
        folded.truncate(kept);
    }
    folded
}

/// Returns at max `max` characters, with an ellipsis if the text is longer.
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
    fn a_clipped_text_ends_with_an_ellipsis() {
        assert_eq!(clip("añb", 2), "añ…");
        assert_eq!(clip("añb", 3), "añb");
        assert_eq!(quoted("a\u{1}b", 9), "\"a\\u{1}b\"");
    }
}
