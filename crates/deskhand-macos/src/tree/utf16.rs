//! Conversion between characters and the UTF-16 units that macOS counts in.

/// The number of characters in the first `units` units of a text. Half a character counts as one.
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

/// The number of units in the first `characters` characters of a text.
pub(crate) fn units(text: &str, characters: usize) -> usize {
    text.chars().take(characters).map(char::len_utf16).sum()
}

/// The number of units in a text.
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
    fn an_offset_inside_a_character_is_rounded_up_and_one_past_the_end_is_the_end() {
        assert_eq!(characters(TEXT, 2), 2);
        assert_eq!(characters(TEXT, 99), 5);
        assert_eq!(units(TEXT, 99), 7);
    }
}
