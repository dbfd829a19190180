//! Suggestions for misspelled names: "did you mean …?".

/// Texts are compared by this many characters at most, which bounds the cost.
const MAX_COMPARED_CHARS: usize = 64;

/// Returns the Jaro-Winkler similarity of two texts, from 0 to 1.
///
/// A common prefix counts more than a common ending. Only the first 64 characters count.
pub fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(head(a), head(b))
}

/// Returns the similarity of two texts by the number of edits between them, from 0 to 1.
///
/// Swapping two neighbouring letters counts as one edit. Only the first 64 characters count.
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(head(a), head(b))
}

/// Returns up to `limit` known names that are similar to `word`, most similar first.
///
/// Names are compared by [`similarity`], regardless of letter case. Names below `min_similarity`
/// are left out.
pub fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    min_similarity: f64,
    limit: usize,
) -> Vec<&'a str> {
    let word = head(word).to_lowercase();
    nearest_by(known, min_similarity, limit, |name| similarity(&word, &head(name).to_lowercase()))
}

/// Returns up to `limit` of the known items by their score, highest first.
///
/// Items with a score below `min_score` are left out. Items with equal scores stay in order.
pub fn nearest_by<T>(
    known: impl IntoIterator<Item = T>,
    min_score: f64,
    limit: usize,
    mut score: impl FnMut(&T) -> f64,
) -> Vec<T> {
    let scored = known.into_iter().map(|item| (score(&item), item));
    let mut near: Vec<(f64, T)> = scored.filter(|(score, _)| *score >= min_score).collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.truncate(limit);
    near.into_iter().map(|(_, item)| item).collect()
}

fn head(text: &str) -> &str {
    text.char_indices().nth(MAX_COMPARED_CHARS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["description", "command", "synchronous", "boolean"];

    #[test]
    fn a_misspelled_name_finds_the_known_one() {
        for (word, name) in [
            ("discription", "description"),
            ("Command", "command"),
            ("bool", "boolean"),
            ("synchronuos", "synchronous"),
        ] {
            assert_eq!(nearest(word, KNOWN, 0.75, 1), [name], "{word}");
        }
    }

    #[test]
    fn an_unrelated_word_finds_nothing() {
        assert!(nearest("livelog", KNOWN, 0.75, 3).is_empty());
        assert!(nearest("", KNOWN, 0.75, 3).is_empty());
    }

    #[test]
    fn the_most_similar_name_comes_first_and_the_limit_holds() {
        let names = ["button-bar", "button", "buttons", "slider"];
        assert_eq!(nearest("button", names, 0.8, 2), ["button", "buttons"]);
    }

    #[test]
    fn items_with_equal_scores_stay_in_order() {
        assert_eq!(nearest_by([3, 1, 2], 0.5, 2, |_| 0.5), [3, 1]);
        assert!(nearest_by([1], 0.5, 2, |_| 0.4).is_empty());
    }

    #[test]
    fn swapped_letters_are_one_edit() {
        assert!(edit_similarity("biuld", "build") >= 0.8);
        assert!(edit_similarity("livelog", "command") < 0.4);
    }

    #[test]
    fn a_text_of_a_megabyte_is_compared_by_its_beginning() {
        let long = "ä".repeat(1 << 20);
        assert_eq!(similarity(&long, &"ä".repeat(64)), 1.0);
        assert!(nearest(&long, KNOWN, 0.75, 3).is_empty());
    }
}
