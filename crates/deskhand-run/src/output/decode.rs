//! Decodes bytes as UTF-8, without splitting a character whose rest is still to come.

/// Decoded text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text. Invalid UTF-8 is replaced with U+FFFD.
    pub(crate) text: String,
    /// The number of bytes it was decoded from.
    pub(crate) used: usize,
    /// The number of bytes that are not valid UTF-8.
    pub(crate) invalid: usize,
}

/// Tells whether more bytes may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remaining {
    /// More may follow, so an incomplete character at the end is left for the next call.
    More,
    /// The bytes are complete.
    Nothing,
}

/// Decodes bytes.
pub(crate) fn decode(bytes: &[u8], remaining: Remaining) -> Decoded {
    let mut text = String::with_capacity(bytes.len());
    let (mut used, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        used += chunk.valid().len();
        let rest = chunk.invalid();
        if rest.is_empty() {
            continue;
        }
        if remaining == Remaining::More
            && used + rest.len() == bytes.len()
            && is_incomplete_character(rest)
        {
            break;
        }
        text.push(char::REPLACEMENT_CHARACTER);
        used += rest.len();
        invalid += rest.len();
    }
    Decoded { text, used, invalid }
}

/// Returns `true` if the bytes are the beginning of a character.
fn is_incomplete_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_in_parts(bytes: &[u8], size: usize) -> String {
        let (mut text, mut from, mut to) = (String::new(), 0, size.min(bytes.len()));
        loop {
            let remaining = if to == bytes.len() { Remaining::Nothing } else { Remaining::More };
            let part = decode(&bytes[from..to], remaining);
            text.push_str(&part.text);
            from += part.used;
            if to == bytes.len() {
                return text;
            }
            to = (to + size).min(bytes.len());
        }
    }

    #[test]
    fn incomplete_character_is_left_for_the_next_part() {
        let bytes = "aß€🦀".as_bytes();
        let part = decode(&bytes[..8], Remaining::More);
        assert_eq!((part.text.as_str(), part.used, part.invalid), ("aß€", 6, 0));
        assert_eq!(decode(&bytes[..8], Remaining::Nothing).text, "aß€\u{fffd}");
    }

    #[test]
    fn invalid_bytes_are_counted() {
        let read = decode(b"ok \xff\xfe\0 \xe2\x82 end", Remaining::Nothing);
        assert_eq!(read.text, "ok \u{fffd}\u{fffd}\0 \u{fffd} end");
        assert_eq!((read.used, read.invalid), (13, 4));
    }

    proptest! {
        #[test]
        fn parts_of_any_size_decode_to_the_same_text(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xac)], 0..200),
            size in 4..40_usize,
        ) {
            prop_assert_eq!(read_in_parts(&bytes, size), String::from_utf8_lossy(&bytes));
        }
    }
}
