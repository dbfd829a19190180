//! How texts are compared when their exact spelling does not matter, and how they are shown short.

/// Lower case, with every run of white space as one space and none at the ends.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// The same, into a buffer that is used again.
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

/// A label's text as people say it: folded, without the colon forms put behind it.
pub(crate) fn fold_label(text: &str) -> String {
    let mut folded = fold(text);
    let kept = folded.trim_end_matches([':', '：', '*', ' ']).len();
    if kept > 0 {
        folded.truncate(kept);
    }
    folded
}

/// At most so many characters of a text, with a mark when some were left out.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// A text as it stands in a one-line message: short, quoted, control characters escaped.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    format!("{:?}", clip(text, most))
}

/// How alike two folded texts are, from 0 to 1.
pub(crate) fn similarity(a: &str, b: &str) -> f32 {
    // Names longer than this are documents: their beginnings decide, and the cost stays bounded.
    let (a, b) = (head(a), head(b));
    strsim::jaro_winkler(a, b) as f32
}

fn head(text: &str) -> &str {
    text.char_indices().nth(64).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_and_white_space_do_not_matter() {
        assert_eq!(fold("  Save\n AS  "), "save as");
        assert_eq!(fold("ÄRGER"), "ärger");
        assert_eq!(fold_label("Name: "), "name");
        assert_eq!(fold_label(":"), ":");
    }

    #[test]
    fn a_clipped_text_says_so() {
        assert_eq!(clip("añb", 2), "añ…");
        assert_eq!(clip("añb", 3), "añb");
        assert_eq!(quoted("a\u{1}b", 9), "\"a\\u{1}b\"");
    }
}
