//! Splits a text into batches of keys. Each batch borrows at most as many keys as there are spare
//! keys.

use std::collections::HashMap;

use super::layout::{Chord, keysym_of};

/// A run of key strokes, and the keys to borrow before it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeyBatch {
    /// The borrowed key codes and the keysyms they produce in this batch.
    pub(super) borrow: Vec<(u8, u32)>,
    /// The keys to press.
    pub(super) strokes: Vec<KeyStroke>,
}

/// One key press of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyStroke {
    /// The key and its modifiers.
    pub(super) chord: Chord,
    /// If `true`, the app must have processed all earlier keys before this one, and this one before
    /// later keys.
    pub(super) is_isolated: bool,
}

/// Returns `true` for characters that LibreOffice may reorder. It runs Return as a command after
/// the characters that follow if those have already arrived, and it inserts characters of two
/// UTF-16 units before characters it has not drawn yet.
fn needs_isolation(character: char) -> bool {
    matches!(character, '\n' | '\t') || character.len_utf16() > 1
}

/// The reason why a text cannot be typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UntypableText {
    /// No key produces this character, and no spare key is left.
    NoKey(char),
    /// The text contains this control character.
    Control(char),
}

/// Plans how to type a text on a keyboard that produces the `known` characters and has
/// `spare_keys`.
pub(super) fn plan_batches(
    text: &str,
    known: &HashMap<char, Chord>,
    spare_keys: &[u8],
) -> Result<Vec<KeyBatch>, UntypableText> {
    let mut batches: Vec<KeyBatch> = Vec::new();
    let mut batch = KeyBatch::default();
    for character in text.replace("\r\n", "\n").chars() {
        // The Return key also stands for a carriage return.
        let character = if character == '\r' { '\n' } else { character };
        if let Some(chord) = known.get(&character) {
            batch
                .strokes
                .push(KeyStroke { chord: chord.clone(), is_isolated: needs_isolation(character) });
            continue;
        }
        if character.is_control() {
            return Err(UntypableText::Control(character));
        }
        let keysym = keysym_of(character);
        let borrowed =
            batch.borrow.iter().find(|(_, borrowed)| *borrowed == keysym).map(|(code, _)| *code);
        let code = match borrowed {
            Some(code) => code,
            None => {
                if batch.borrow.len() == spare_keys.len() {
                    batches.push(std::mem::take(&mut batch));
                }
                let code = spare_keys.get(batch.borrow.len()).copied();
                let code = code.ok_or(UntypableText::NoKey(character))?;
                batch.borrow.push((code, keysym));
                code
            }
        };
        let chord = Chord { code, with: Vec::new() };
        batch.strokes.push(KeyStroke { chord, is_isolated: needs_isolation(character) });
    }
    batches.push(batch);
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: u8) -> Chord {
        Chord { code, with: Vec::new() }
    }

    fn known() -> HashMap<char, Chord> {
        HashMap::from([('a', key(10)), ('\n', key(36))])
    }

    fn codes(batch: &KeyBatch) -> Vec<u8> {
        batch.strokes.iter().map(|one| one.chord.code).collect()
    }

    #[test]
    fn known_characters_borrow_no_keys() {
        let batches = plan_batches("aa\na", &known(), &[]).unwrap();
        assert_eq!(batches.len(), 1);
        assert_eq!((codes(&batches[0]), batches[0].borrow.len()), (vec![10, 10, 36, 10], 0));
    }

    #[test]
    fn an_unknown_character_keeps_its_borrowed_key_for_the_whole_batch() {
        let batches = plan_batches("éaёé", &known(), &[200, 201]).unwrap();
        assert_eq!(batches.len(), 1);
        assert_eq!(batches[0].borrow, [(200, 0xe9), (201, 0x0100_0451)]);
        assert_eq!(codes(&batches[0]), [200, 10, 201, 200]);
    }

    #[test]
    fn more_characters_than_spare_keys_start_a_new_batch() {
        let batches = plan_batches("一二三一", &known(), &[200, 201]).unwrap();
        let borrowed: Vec<_> = batches.iter().map(|batch| batch.borrow.clone()).collect();
        let keysym = |c| keysym_of(c);
        assert_eq!(
            borrowed,
            [
                vec![(200, keysym('一')), (201, keysym('二'))],
                vec![(200, keysym('三')), (201, keysym('一'))]
            ]
        );
        assert_eq!(codes(&batches[1]), [200, 201]);
    }

    #[test]
    fn characters_that_apps_treat_as_commands_are_isolated() {
        let batches = plan_batches("aé\n😀", &known(), &[200, 201]).unwrap();
        let is_isolated: Vec<bool> = batches[0].strokes.iter().map(|one| one.is_isolated).collect();
        assert_eq!(is_isolated, [false, false, true, true]);
    }

    #[test]
    fn every_kind_of_line_end_is_one_return_key() {
        let batches = plan_batches("a\r\na\ra\n", &known(), &[]).unwrap();
        assert_eq!(codes(&batches[0]), [10, 36, 10, 36, 10, 36]);
    }

    #[test]
    fn untypable_characters_are_reported_before_anything_is_typed() {
        assert_eq!(plan_batches("aé", &known(), &[]), Err(UntypableText::NoKey('é')));
        assert_eq!(
            plan_batches("a\u{1b}", &known(), &[200]),
            Err(UntypableText::Control('\u{1b}'))
        );
    }
}
