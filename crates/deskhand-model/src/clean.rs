//! Text of apps without what nobody sees in it: escape sequences, control characters, and the
//! invisible characters that can carry a message past a person's eyes. What scripts and emoji need
//! of these stays.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What was found in the text of an app that no person could have seen.
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
    /// Elements with words that are hidden, without size, off the page or of the page's own colour.
    HiddenText,
    /// Characters that show nothing and can spell a message.
    InvisibleCharacters,
    /// Sequences that steer a terminal.
    EscapeSequences,
}

impl Flag {
    /// The word records use.
    pub fn word(self) -> &'static str {
        match self {
            Self::HiddenText => "hidden_text",
            Self::InvisibleCharacters => "invisible_characters",
            Self::EscapeSequences => "escape_sequences",
        }
    }
}

/// So many invisible characters in a row are no accident of typography.
const SUSPICIOUS_RUN: usize = 4;

/// Nor are so many in one text, where they are more than one in four.
const SUSPICIOUS_TOTAL: usize = 24;

/// The longest terminal sequence that is looked for, in characters.
const MAX_SEQUENCE_CHARS: usize = 4_096;

/// The tags of the three flags that are written with them: England, Scotland, Wales.
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// A text as a person sees it; what else was in it is told to `found`.
pub fn clean<'a>(text: &'a str, found: &mut dyn FnMut(Flag)) -> Cow<'a, str> {
    if !text.chars().any(is_suspect) {
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
            CharAction::Hold => {
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

/// The characters nobody sees that were left out.
#[derive(Default)]
struct InvisibleCount {
    /// In a row.
    run: usize,
    /// In all.
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

/// Whether a character visible_char nothing, and a reader compares texts without it.
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

/// What becomes of a character.
enum CharAction {
    /// It stays, with so many in all from here.
    Keep(usize),
    /// Another stands for it.
    Replace(char),
    /// It stays if it joins what comes after all that goes, or keeps it apart.
    Hold,
    /// It goes.
    Drop,
    /// It goes; many of them are no accident.
    DropInvisible,
    /// It goes, and has no place in honest text.
    DropSuspicious,
    /// So many from here go: they steer a terminal.
    DropSequence(usize),
}

impl CharAction {
    /// What is seen of a character.
    fn visible_char(&self, c: char) -> Option<char> {
        match self {
            Self::Keep(_) => Some(c),
            Self::Replace(other) => Some(*other),
            Self::Hold
            | Self::Drop
            | Self::DropInvisible
            | Self::DropSuspicious
            | Self::DropSequence(_) => None,
        }
    }
}

fn is_suspect(c: char) -> bool {
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
        // Marks of direction are common in Hebrew and Arabic, and one is enough.
        '\u{61c}' | '\u{200e}' | '\u{200f}' if first => CharAction::Keep(1),
        '\u{202d}' | '\u{202e}' => CharAction::DropSuspicious,
        '\u{200c}' | '\u{200d}' if before.is_some_and(|it| may_join(c, it)) => CharAction::Hold,
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

/// How many characters after an escape belong to its sequence.
fn escape(after: &[char]) -> usize {
    match after.first() {
        Some('[') => 1 + control_sequence(&after[1..]),
        Some(']' | 'P' | '^' | '_' | 'X') => 1 + string(&after[1..]),
        Some(' '..='/') => 2.min(after.len()),
        Some('0'..='~') => 1,
        Some(_) | None => 0,
    }
}

/// Parameters, and the letter that ends them.
fn control_sequence(after: &[char]) -> usize {
    let parameters = after.iter().take(MAX_SEQUENCE_CHARS).take_while(|c| matches!(c, ' '..='?'));
    let count = parameters.count();
    match after.get(count) {
        Some('@'..='~') => count + 1,
        Some(_) | None => count,
    }
}

/// A string for the terminal, up to what ends it; nothing where it does not end.
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

/// Whether a joiner, or what keeps apart, can do something after a character.
fn may_join(c: char, before: char) -> bool {
    (c == '\u{200d}' && is_of_emoji(before)) || (is_joining(before) && !is_invisible(before))
}

/// Whether it does something between its neighbours.
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

/// Whether letters of this script change with what joins them or keeps them apart.
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

/// Whether such a character may be followed by one that chooses its shape.
fn has_variants(c: char) -> bool {
    is_ideograph(c)
        || matches!(c, '\u{1000}'..='\u{109f}' | '\u{2200}'..='\u{2bff}' | '\u{3000}'..='\u{303f}')
        || matches!(c, '\u{a840}'..='\u{a87f}' | '\u{ff00}'..='\u{ffef}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// How many tags from here make a flag of the black one before them, with the one that ends them.
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
    fn what_people_write_stays_as_it_is() {
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
    fn typography_nobody_sees_goes_without_a_word() {
        assert_eq!(cleaned("Donau\u{ad}dampf"), ("Donaudampf".to_owned(), vec![]));
        assert_eq!(cleaned("Open \u{2068}a.org\u{2069}"), ("Open a.org".to_owned(), vec![]));
        assert_eq!(cleaned("a\u{200b}b\u{feff}\u{7}\u{0}"), ("ab".to_owned(), vec![]));
        assert_eq!(cleaned("a\u{2028}b"), ("a\nb".to_owned(), vec![]));
        assert_eq!(cleaned("क्\u{200d}\u{feff}"), ("क्".to_owned(), vec![]), "nothing is joined");
        assert_eq!(cleaned("क्\u{200d}\u{feff}ष"), ("क्\u{200d}ष".to_owned(), vec![]));
        assert_eq!(cleaned("👩\u{200d}\u{ad}a"), ("👩a".to_owned(), vec![]));
    }

    #[test]
    fn a_message_in_tags_is_left_out_and_flagged() {
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
    fn nothing_steers_a_terminal() {
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
