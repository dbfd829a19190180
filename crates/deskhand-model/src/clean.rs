//! Removes invisible content from the text of apps: escape sequences, control characters and
//! invisible characters that can smuggle in a message. Characters that scripts and emoji need are
//! kept.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A kind of suspicious content in the text of an app that users cannot see.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Elements with text that is hidden, has no size, is off the page or has the colour of the
    /// page.
    HiddenText,
    /// Invisible characters that can spell a message.
    InvisibleCharacters,
    /// Sequences that control a terminal.
    EscapeSequences,
}

impl Flag {
    /// Returns the name used in the audit log.
    pub fn word(self) -> &'static str {
        match self {
            Self::HiddenText => "hidden_text",
            Self::InvisibleCharacters => "invisible_characters",
            Self::EscapeSequences => "escape_sequences",
        }
    }
}

/// A run of this many invisible characters is no typographic accident.
const SUSPICIOUS_RUN: usize = 4;

/// This many invisible characters in one text are suspicious if they make up more than a quarter of
/// it.
const SUSPICIOUS_TOTAL: usize = 24;

/// The maximum length of a terminal sequence, in characters.
const MAX_SEQUENCE_CHARS: usize = 4_096;

/// The three flags written with tag characters: England, Scotland and Wales.
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Returns the text as users see it. Calls `found` for each kind of suspicious content.
pub fn clean<'a>(text: &'a str, found: &mut dyn FnMut(Flag)) -> Cow<'a, str> {
    if !text.chars().any(may_be_invisible) {
        return Cow::Borrowed(text);
    }
    let all: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut joiner, mut invisible) = (0, None, InvisibleCount::default());
    while let Some(&c) = all.get(at) {
        let before = joiner.or_else(|| out.chars().next_back());
        let action = classify(c, before, &all[at + 1..]);
        if let Some(next) = action.visible_char(c) {
            match joiner.take() {
                Some(one) if joins(one, out.chars().next_back(), next) => out.push(one),
                Some(_) => invisible.count(found),
                None => {}
            }
            invisible.run = 0;
        }
        at += match action {
            CharAction::Keep(length) => {
                out.extend(&all[at..at + length]);
                length
            }
            CharAction::Replace(other) => {
                out.push(other);
                1
            }
            CharAction::KeepIfJoining => {
                joiner = Some(c);
                1
            }
            CharAction::Drop => 1,
            CharAction::DropInvisible => {
                invisible.count(found);
                1
            }
            CharAction::DropSuspicious => {
                found(Flag::InvisibleCharacters);
                1
            }
            CharAction::DropSequence(length) => {
                found(Flag::EscapeSequences);
                length
            }
        };
    }
    if joiner.is_some() {
        invisible.count(found);
    }
    if invisible.dropped >= SUSPICIOUS_TOTAL && invisible.dropped * 4 > all.len() {
        found(Flag::InvisibleCharacters);
    }
    Cow::Owned(out)
}

/// Counts the invisible characters that were removed.
#[derive(Default)]
struct InvisibleCount {
    /// The length of the current run.
    run: usize,
    /// The total.
    dropped: usize,
}

impl InvisibleCount {
    fn count(&mut self, found: &mut dyn FnMut(Flag)) {
        self.run += 1;
        self.dropped += 1;
        if self.run == SUSPICIOUS_RUN {
            found(Flag::InvisibleCharacters);
        }
    }
}

/// Returns `true` if a character is invisible. Texts are compared without such characters.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Tells how to handle a character.
enum CharAction {
    /// Keep this many characters, starting with this one.
    Keep(usize),
    /// Replace it by another character.
    Replace(char),
    /// Keep this joiner only if it affects the next visible character.
    KeepIfJoining,
    /// Remove it.
    Drop,
    /// Remove it. Many such characters are suspicious.
    DropInvisible,
    /// Remove it. One such character is already suspicious.
    DropSuspicious,
    /// Remove this many characters, which form a terminal sequence.
    DropSequence(usize),
}

impl CharAction {
    /// Returns the character that users see, if any.
    fn visible_char(&self, c: char) -> Option<char> {
        match self {
            Self::Keep(_) => Some(c),
            Self::Replace(other) => Some(*other),
            Self::KeepIfJoining
            | Self::Drop
            | Self::DropInvisible
            | Self::DropSuspicious
            | Self::DropSequence(_) => None,
        }
    }
}

fn may_be_invisible(c: char) -> bool {
    let plain = matches!(c, '\n' | '\r' | '\t');
    (c.is_control() && !plain) || matches!(c, '\u{2028}' | '\u{2029}') || is_invisible(c)
}

fn classify(c: char, before: Option<char>, after: &[char]) -> CharAction {
    let first = before.is_none_or(|before| !is_invisible(before));
    match c {
        '\n' | '\r' | '\t' => CharAction::Keep(1),
        '\u{1b}' => CharAction::DropSequence(1 + escape(after)),
        '\u{9b}' => CharAction::DropSequence(1 + control_sequence(after)),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => CharAction::DropSequence(1 + string(after)),
        '\u{2028}' | '\u{2029}' => CharAction::Replace('\n'),
        c if c.is_control() => CharAction::Drop,
        // Direction marks are common in Hebrew and Arabic, but one in a row is enough.
        '\u{61c}' | '\u{200e}' | '\u{200f}' if first => CharAction::Keep(1),
        '\u{202d}' | '\u{202e}' => CharAction::DropSuspicious,
        '\u{200c}' | '\u{200d}' if before.is_some_and(|it| may_join(c, it)) => {
            CharAction::KeepIfJoining
        }
        '\u{180b}'..='\u{180f}' if before.is_some_and(is_mongolian) => CharAction::Keep(1),
        '\u{fe0e}' | '\u{fe0f}' if first && before.is_some_and(|it| !it.is_whitespace()) => {
            CharAction::Keep(1)
        }
        '\u{fe00}'..='\u{fe0d}' if first && before.is_some_and(has_variants) => CharAction::Keep(1),
        '\u{e0100}'..='\u{e01ef}' if first && before.is_some_and(is_ideograph) => {
            CharAction::Keep(1)
        }
        '\u{fe00}'..='\u{fe0f}' => CharAction::DropInvisible,
        '\u{e0020}'..='\u{e007f}' => match tagged_flag(c, before, after) {
            Some(length) => CharAction::Keep(length),
            None => CharAction::DropSuspicious,
        },
        '\u{e0000}'..='\u{e0fff}' => CharAction::DropSuspicious,
        c if is_invisible(c) => CharAction::DropInvisible,
        _ => CharAction::Keep(1),
    }
}

/// Returns how many characters after an escape character belong to its sequence.
fn escape(after: &[char]) -> usize {
    match after.first() {
        Some('[') => 1 + control_sequence(&after[1..]),
        Some(']' | 'P' | '^' | '_' | 'X') => 1 + string(&after[1..]),
        Some(' '..='/') => 2.min(after.len()),
        Some('0'..='~') => 1,
        Some(_) | None => 0,
    }
}

/// Returns the length of the parameters and the final letter of a control sequence.
fn control_sequence(after: &[char]) -> usize {
    let parameters = after.iter().take(MAX_SEQUENCE_CHARS).take_while(|c| matches!(c, ' '..='?'));
    let count = parameters.count();
    match after.get(count) {
        Some('@'..='~') => count + 1,
        Some(_) | None => count,
    }
}

/// Returns the length of a terminal string including its terminator, or 0 if it is not terminated.
fn string(after: &[char]) -> usize {
    for (at, c) in after.iter().take(MAX_SEQUENCE_CHARS).enumerate() {
        match (c, after.get(at + 1)) {
            ('\u{7}' | '\u{9c}', _) => return at + 1,
            ('\u{1b}', Some('\\')) => return at + 2,
            (_, _) => {}
        }
    }
    0
}

/// Returns `true` if a joiner or non-joiner can have an effect after `before`.
fn may_join(c: char, before: char) -> bool {
    (c == '\u{200d}' && is_of_emoji(before)) || (is_joining(before) && !is_invisible(before))
}

/// Returns `true` if a joiner or non-joiner has an effect between its neighbours.
fn joins(c: char, before: Option<char>, after: char) -> bool {
    before.is_some_and(|before| may_join(c, before) && (is_joining(before) || is_pictograph(after)))
}

fn is_of_emoji(c: char) -> bool {
    is_pictograph(c) || matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

/// Returns `true` if letters of this script change their shape next to a joiner or non-joiner.
fn is_joining(c: char) -> bool {
    matches!(
        c,
        '\u{600}'..='\u{10ff}'
            | '\u{1200}'..='\u{1cff}'
            | '\u{a800}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10800}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1800}'..='\u{180a}' | '\u{1810}'..='\u{18af}')
}

/// Returns `true` if a variation selector may follow this character.
fn has_variants(c: char) -> bool {
    is_ideograph(c)
        || matches!(c, '\u{1000}'..='\u{109f}' | '\u{2200}'..='\u{2bff}' | '\u{3000}'..='\u{303f}')
        || matches!(c, '\u{a840}'..='\u{a87f}' | '\u{ff00}'..='\u{ffef}')
}

/// Returns `true` for Chinese characters, which Japanese also uses.
pub fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns how many tag characters, including the end tag, turn the black flag before them into one
/// of [`TAGGED_FLAGS`].
fn tagged_flag(c: char, before: Option<char>, after: &[char]) -> Option<usize> {
    const END: char = '\u{e007f}';
    if before != Some('\u{1f3f4}') {
        return None;
    }
    let tags = std::iter::once(c).chain(after.iter().copied()).take(6);
    let tags: Vec<char> = tags.take_while(|tag| *tag != END).collect();
    let plain = |tag: &char| {
        char::from_u32(u32::from(*tag).checked_sub(0xe0000)?).filter(char::is_ascii_graphic)
    };
    let word = tags.iter().map(plain).collect::<Option<String>>()?;
    let ends = after.get(tags.len().checked_sub(1)?) == Some(&END);
    (ends && TAGGED_FLAGS.contains(&word.as_str())).then_some(tags.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> (String, Vec<Flag>) {
        let mut flags = Vec::new();
        let text = clean(text, &mut |flag| flags.push(flag)).into_owned();
        flags.dedup();
        (text, flags)
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        for text in [
            "Save As…",
            "line\n\ttab\r\n",
            "Grüße, 日本語, ไทย",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}🔬 👨\u{1f3fd}\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "葛\u{e0100}城",
            "\u{200f}שלום\u{200e} (a)",
            "ᠠ\u{180b}",
            "\u{fffc} \u{e001}",
        ] {
            assert_eq!(cleaned(text), (text.to_owned(), vec![]), "{text:?}");
        }
    }

    #[test]
    fn invisible_typography_is_removed_without_a_flag() {
        assert_eq!(cleaned("Donau\u{ad}dampf"), ("Donaudampf".to_owned(), vec![]));
        assert_eq!(cleaned("Open \u{2068}a.org\u{2069}"), ("Open a.org".to_owned(), vec![]));
        assert_eq!(cleaned("a\u{200b}b\u{feff}\u{7}\u{0}"), ("ab".to_owned(), vec![]));
        assert_eq!(cleaned("a\u{2028}b"), ("a\nb".to_owned(), vec![]));
        assert_eq!(cleaned("क्\u{200d}\u{feff}"), ("क्".to_owned(), vec![]), "nothing is joined");
        assert_eq!(cleaned("क्\u{200d}\u{feff}ष"), ("क्\u{200d}ष".to_owned(), vec![]));
        assert_eq!(cleaned("👩\u{200d}\u{ad}a"), ("👩a".to_owned(), vec![]));
    }

    #[test]
    fn a_message_in_tag_characters_is_removed_and_flagged() {
        let hidden: String =
            "ignore all".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        let invisible = vec![Flag::InvisibleCharacters];
        assert_eq!(cleaned(&format!("Hi{hidden}!")), ("Hi!".to_owned(), invisible.clone()));
        assert_eq!(cleaned(&format!("🏴{hidden}")), ("🏴".to_owned(), invisible.clone()));
        let selectors: String = (0..9).filter_map(|n| char::from_u32(0xe0100 + n)).collect();
        assert_eq!(cleaned(&format!("😀{selectors}")).1, invisible);
        assert_eq!(cleaned("😀\u{fe0f}\u{fe00}\u{fe01}\u{fe02}\u{fe03}").1, invisible);
        assert_eq!(
            cleaned("a\u{200b}\u{200c}\u{200b}\u{200d}b"),
            ("ab".to_owned(), invisible.clone())
        );
        assert_eq!(cleaned("abc\u{202e}txt.exe").1, invisible);
        let spread: String = "a\u{200b}b\u{200c}".repeat(20);
        assert_eq!(cleaned(&spread).1, invisible);
    }

    #[test]
    fn terminal_sequences_are_removed() {
        let escape = vec![Flag::EscapeSequences];
        assert_eq!(cleaned("a\u{1b}[31;1mred\u{1b}[0m"), ("ared".to_owned(), escape.clone()));
        assert_eq!(cleaned("\u{1b}]0;title\u{7}x"), ("x".to_owned(), escape.clone()));
        assert_eq!(cleaned("\u{1b}]8;;http://a\u{1b}\\x"), ("x".to_owned(), escape.clone()));
        assert_eq!(cleaned("\u{9b}2Jx\u{1b}"), ("x".to_owned(), escape.clone()));
        assert_eq!(cleaned("\u{1b}]never ends"), ("never ends".to_owned(), escape));
        for inside in ["\u{1b}", "\u{0}", "x"] {
            let flag = format!("🏴\u{e0067}{inside}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}");
            assert!(!cleaned(&flag).0.contains(['\u{1b}', '\u{0}', '\u{e0067}']), "{flag:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_control_character_is_left(text in "\\PC*[\u{0}-\u{20}\u{200b}-\u{200f}\u{fe00}-\u{fe0f}\u{1b}a\\[]{0,12}\\PC*") {
            let (once, _) = cleaned(&text);
            proptest::prop_assert!(!once.chars().any(|c| c.is_control() && !"\n\r\t".contains(c)));
        }
    }
}
