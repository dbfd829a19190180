//! Bytes as text, without breaking a character that goes on in bytes still to come.

/// Text made of bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text; bytes that are none stand in it as U+FFFD.
    pub(crate) text: String,
    /// How many bytes it was made of.
    pub(crate) used: usize,
    /// How many of them were no text.
    pub(crate) invalid: usize,
}

/// Whether more bytes follow those at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// They may, so a character that is begun is left for the next page.
    More,
    /// They do not.
    Nothing,
}

/// Makes text of bytes.
pub(crate) fn decoded(bytes: &[u8], after: After) -> Decoded {
    let mut text = String::with_capacity(bytes.len());
    let (mut used, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        used += chunk.valid().len();
        let rest = chunk.invalid();
        if rest.is_empty() {
            continue;
        }
        if after == After::More && used + rest.len() == bytes.len() && is_begun(rest) {
            break;
        }
        text.push(char::REPLACEMENT_CHARACTER);
        used += rest.len();
        invalid += rest.len();
    }
    Decoded { text, used, invalid }
}

/// Whether bytes are the beginning of a character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_in_parts(bytes: &[u8], size: usize) -> String {
        let (mut text, mut from, mut to) = (String::new(), 0, size.min(bytes.len()));
        loop {
            let after = if to == bytes.len() { After::Nothing } else { After::More };
            let part = decoded(&bytes[from..to], after);
            text.push_str(&part.text);
            from += part.used;
            if to == bytes.len() {
                return text;
            }
            to = (to + size).min(bytes.len());
        }
    }

    #[test]
    fn a_character_is_not_broken_where_a_part_ends() {
        let bytes = "aß€🦀".as_bytes();
        let part = decoded(&bytes[..8], After::More);
        assert_eq!((part.text.as_str(), part.used, part.invalid), ("aß€", 6, 0));
        assert_eq!(decoded(&bytes[..8], After::Nothing).text, "aß€\u{fffd}");
    }

    #[test]
    fn bytes_that_are_no_text_are_counted() {
        let read = decoded(b"ok \xff\xfe\0 \xe2\x82 end", After::Nothing);
        assert_eq!(read.text, "ok \u{fffd}\u{fffd}\0 \u{fffd} end");
        assert_eq!((read.used, read.invalid), (13, 4));
    }

    proptest! {
        #[test]
        fn parts_of_any_size_give_the_text_of_the_whole(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xac)], 0..200),
            size in 4..40_usize,
        ) {
            prop_assert_eq!(read_in_parts(&bytes, size), String::from_utf8_lossy(&bytes));
        }
    }
}
