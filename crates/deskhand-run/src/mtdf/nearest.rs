//! Finds the known word that a caller may have meant.

use deskhand_model::suggest;

/// Minimum similarity of two words, from 0 to 1. `bool` and `boolean` have 0.57, `force_synchronous` and
/// `synchronous` 0.65, unrelated words less than 0.4.
const ALIKE: f64 = 0.55;

/// Returns the most similar known word.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let score = |one: &&str| suggest::edit_similarity(&word, &one.to_lowercase());
    suggest::nearest_by(known, ALIKE, 1, score).into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typos_are_corrected() {
        let known = ["description", "command", "synchronous", "boolean"];
        assert_eq!(nearest("discription", known), Some("description"));
        assert_eq!(nearest("Command", known), Some("command"));
        assert_eq!(nearest("force_synchronous", known), Some("synchronous"));
        assert_eq!(nearest("bool", known), Some("boolean"));
    }

    #[test]
    fn unrelated_words_have_no_match() {
        assert_eq!(nearest("livelog", ["description", "command"]), None);
        assert_eq!(nearest(&"d".repeat(10_000), ["description"]), None);
    }
}
