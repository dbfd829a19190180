//! Which known word somebody may have meant.

/// How alike two words must be, from 0 to 1. `bool` and `boolean` are 0.57 alike, `force_synchronous`
/// and `synchronous` 0.65, words that have nothing to do with each other less than 0.4.
const ALIKE: f64 = 0.55;

/// The known word that is most like the given one, when one is.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer ones than any name are not compared: it would take time without end.
    if word.len() > 128 {
        return None;
    }
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|one| (strsim::normalized_damerau_levenshtein(&word, &one.to_lowercase()), one))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, one)| one)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_word() {
        let known = ["description", "command", "synchronous", "boolean"];
        assert_eq!(nearest("discription", known), Some("description"));
        assert_eq!(nearest("Command", known), Some("command"));
        assert_eq!(nearest("force_synchronous", known), Some("synchronous"));
        assert_eq!(nearest("bool", known), Some("boolean"));
    }

    #[test]
    fn a_word_of_its_own_finds_none() {
        assert_eq!(nearest("livelog", ["description", "command"]), None);
        assert_eq!(nearest(&"d".repeat(10_000), ["description"]), None);
    }
}
