//! A text cut into rounds, each with no more characters to lend keys to than there are spare keys.

use std::collections::HashMap;

use super::layout::{Chord, symbol_of};

/// A run of keys, and the keys that are lent before it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Round {
    /// Which spare keys make which symbol in this round.
    pub(super) lend: Vec<(u8, u32)>,
    /// What is pressed.
    pub(super) strokes: Vec<Stroke>,
}

/// One key of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stroke {
    /// The key.
    pub(super) chord: Chord,
    /// Whether the app is to be done with everything else before and after it.
    pub(super) apart: bool,
}

/// LibreOffice runs Return as a command, after the characters that follow it if they are there
/// already; and it puts characters of two code units in before those it has not drawn yet.
fn stands_apart(character: char) -> bool {
    matches!(character, '\n' | '\t') || character.len_utf16() > 1
}

/// Why a text cannot be typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unable {
    /// No key makes this character, and none is free.
    NoKey(char),
    /// It is a control character.
    Control(char),
}

/// Plans a text on a keyboard that makes `known` characters and has `spares`.
pub(super) fn plan(
    text: &str,
    known: &HashMap<char, Chord>,
    spares: &[u8],
) -> Result<Vec<Round>, Unable> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut round = Round::default();
    for character in text.replace("\r\n", "\n").chars() {
        // A carriage return is what the Return key makes, too.
        let character = if character == '\r' { '\n' } else { character };
        if let Some(chord) = known.get(&character) {
            round.strokes.push(Stroke { chord: chord.clone(), apart: stands_apart(character) });
            continue;
        }
        if character.is_control() {
            return Err(Unable::Control(character));
        }
        let symbol = symbol_of(character);
        let lent = round.lend.iter().find(|(_, lent)| *lent == symbol).map(|(code, _)| *code);
        let code = match lent {
            Some(code) => code,
            None => {
                if round.lend.len() == spares.len() {
                    rounds.push(std::mem::take(&mut round));
                }
                let code = spares.get(round.lend.len()).copied();
                let code = code.ok_or(Unable::NoKey(character))?;
                round.lend.push((code, symbol));
                code
            }
        };
        let chord = Chord { code, with: Vec::new() };
        round.strokes.push(Stroke { chord, apart: stands_apart(character) });
    }
    rounds.push(round);
    Ok(rounds)
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

    fn codes(round: &Round) -> Vec<u8> {
        round.strokes.iter().map(|one| one.chord.code).collect()
    }

    #[test]
    fn known_characters_need_no_loan() {
        let rounds = plan("aa\na", &known(), &[]).unwrap();
        assert_eq!(rounds.len(), 1);
        assert_eq!((codes(&rounds[0]), rounds[0].lend.len()), (vec![10, 10, 36, 10], 0));
    }

    #[test]
    fn each_strange_character_keeps_its_key_for_a_round() {
        let rounds = plan("éaёé", &known(), &[200, 201]).unwrap();
        assert_eq!(rounds.len(), 1);
        assert_eq!(rounds[0].lend, [(200, 0xe9), (201, 0x0100_0451)]);
        assert_eq!(codes(&rounds[0]), [200, 10, 201, 200]);
    }

    #[test]
    fn more_characters_than_keys_begin_a_new_round() {
        let rounds = plan("一二三一", &known(), &[200, 201]).unwrap();
        let lent: Vec<_> = rounds.iter().map(|round| round.lend.clone()).collect();
        let symbol = |c| symbol_of(c);
        assert_eq!(
            lent,
            [
                vec![(200, symbol('一')), (201, symbol('二'))],
                vec![(200, symbol('三')), (201, symbol('一'))]
            ]
        );
        assert_eq!(codes(&rounds[1]), [200, 201]);
    }

    #[test]
    fn what_apps_treat_as_a_command_stands_apart() {
        let rounds = plan("aé\n😀", &known(), &[200, 201]).unwrap();
        let apart: Vec<bool> = rounds[0].strokes.iter().map(|one| one.apart).collect();
        assert_eq!(apart, [false, false, true, true]);
    }

    #[test]
    fn line_ends_of_every_kind_are_one_return() {
        let rounds = plan("a\r\na\ra\n", &known(), &[]).unwrap();
        assert_eq!(codes(&rounds[0]), [10, 36, 10, 36, 10, 36]);
    }

    #[test]
    fn what_cannot_be_typed_is_said_before_anything_is() {
        assert_eq!(plan("aé", &known(), &[]), Err(Unable::NoKey('é')));
        assert_eq!(plan("a\u{1b}", &known(), &[200]), Err(Unable::Control('\u{1b}')));
    }
}
