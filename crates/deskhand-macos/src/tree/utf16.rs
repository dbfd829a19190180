//! Characters and the UTF-16 units the system counts in.

/// How many characters stand in the first units of a text; half a character counts as whole.
pub(crate) fn characters(text: &str, units: usize) -> usize {
    let mut passed = 0;
    for (count, character) in text.chars().enumerate() {
        if passed >= units {
            return count;
        }
        passed += character.len_utf16();
    }
    text.chars().count()
}

/// How many units the first characters of a text take.
pub(crate) fn units(text: &str, characters: usize) -> usize {
    text.chars().take(characters).map(char::len_utf16).sum()
}

/// How many units a text takes.
pub(crate) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a😀é𝄞z";

    #[test]
    fn an_emoji_is_one_character_and_two_units() {
        let expected = [(0, 0), (1, 1), (3, 2), (4, 3), (6, 4), (7, 5)];
        for (units_before, characters_before) in expected {
            assert_eq!(characters(TEXT, units_before), characters_before);
            assert_eq!(units(TEXT, characters_before), units_before);
        }
        assert_eq!(length(TEXT), 7);
    }

    #[test]
    fn a_place_within_a_character_is_behind_it_and_one_past_the_end_is_the_end() {
        assert_eq!(characters(TEXT, 2), 2);
        assert_eq!(characters(TEXT, 99), 5);
        assert_eq!(units(TEXT, 99), 7);
    }
}
