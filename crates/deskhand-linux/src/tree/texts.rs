//! Texts: read whole with their caret, and changed at it.

use deskhand_model::{App, NodeId, Role, State, States, secret};
use deskhand_platform::{Deadline, Result, Text};

use super::{
    act::{Object, lost},
    facts,
    link::Link,
    pipe::{Answer, Silence, body},
    quirks::Quirks,
    role, spi, state, veil,
};

/// No text longer than this is read; the largest documents of a word processor are smaller.
const MOST: i64 = 5_000_000;

/// The whole text of an element, `None` when it has none; of a secret only its length.
pub(crate) fn read(link: &mut Link, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
    let veil = link.veil();
    let mut object = Object::of(link, id, by)?;
    let number: u32 =
        object.ask(spi::ACCESSIBLE, "GetRole", &()).and_then(|m| body(&m)).map_err(lost)?;
    let kind = role::from_number(number, States::NONE);
    let secret = kind == Role::Password
        || veil.covers(id)
        || (veil::is_line(kind, States::NONE) && is_veiled(&mut object, app));
    if secret {
        veil.draw(id);
    }
    let length = match object.get(spi::TEXT, "CharacterCount") {
        Ok(message) => facts::integer(&message),
        Err(Silence::Refused(_)) => None,
        Err(silence) => return Err(lost(silence)),
    };
    let Some(length) = length else { return Ok(None) };
    let characters = usize::try_from(length).unwrap_or(0);
    if secret {
        return Ok(Some(Text {
            text: String::new(),
            caret: None,
            selected: None,
            length: characters,
            secret,
        }));
    }
    // GTK 4.8 answers (0, -1) with nothing, so the end is always named.
    let end = i32::try_from(length.min(MOST)).unwrap_or(0);
    let answer = object.ask(spi::TEXT, "GetText", &(0_i32, end));
    let text: String = answer.and_then(|m| body(&m)).map_err(lost)?;
    let by_halves = counts_utf16(&text, characters);
    let at = |offset: usize| if by_halves { characters_before(&text, offset) } else { offset };
    let caret = caret(&mut object).ok().flatten().map(at);
    let selected = selection(&mut object).map(|(from, to)| (at(from), at(to)));
    let length = at(characters);
    Ok(Some(Text { text, caret, selected, length, secret }))
}

/// Whether an app counts a text in UTF-16, as Qt does, where a smile is two.
fn counts_utf16(text: &str, length: usize) -> bool {
    length != text.chars().count() && length == text.encode_utf16().count()
}

/// How many characters stand before an offset in UTF-16.
fn characters_before(text: &str, offset: usize) -> usize {
    let mut halves = 0;
    text.chars()
        .take_while(|letter| {
            halves += letter.len_utf16();
            halves <= offset
        })
        .count()
}

/// An offset in characters as the app counts it.
pub(crate) fn offset(object: &mut Object<'_>, app: &App, characters: usize) -> Result<i32> {
    let plain = i32::try_from(characters).unwrap_or(i32::MAX);
    if !is_qt(app) {
        return Ok(plain);
    }
    let end = plain.saturating_mul(2);
    let answer = object.ask(spi::TEXT, "GetText", &(0_i32, end));
    let text: String = answer.and_then(|m| body(&m)).map_err(lost)?;
    let halves: usize = text.chars().take(characters).map(char::len_utf16).sum();
    let beyond = characters.saturating_sub(text.chars().count());
    Ok(i32::try_from(halves + beyond).unwrap_or(i32::MAX))
}

fn is_qt(app: &App) -> bool {
    app.toolkit.name.eq_ignore_ascii_case("qt")
}

/// Whether a field of one line holds a secret, though its role does not say so.
fn is_veiled(object: &mut Object<'_>, app: &App) -> bool {
    let states = object.ask(spi::ACCESSIBLE, "GetState", &()).and_then(|m| body::<Vec<u32>>(&m));
    if states.is_ok_and(|words| state::from_words(&words).has(State::MultiLine)) {
        return false;
    }
    let name = object.get(spi::ACCESSIBLE, "Name").ok().and_then(|message| facts::text(&message));
    let quirks = Quirks::of(app);
    let name = quirks.name(name.unwrap_or_default());
    if secret::is_called_secret(&name) {
        return true;
    }
    let drawn = || object.ask(spi::TEXT, "GetStringAtOffset", &(0_i32, 0_u32));
    if let Some(Ok(drawn)) = quirks.gtk4.then(drawn)
        && let Ok(held) = object.ask(spi::TEXT, "GetCharacterAtOffset", &0_i32)
        && veil::is_dotted(&drawn, &held)
    {
        return true;
    }
    let told = name.is_empty() || quirks.gtk4;
    told && object.ask(spi::ACCESSIBLE, "GetAttributes", &()).is_ok_and(|m| veil::is_told(&m))
}

fn caret(object: &mut Object<'_>) -> std::result::Result<Option<usize>, Silence> {
    let message = object.get(spi::TEXT, "CaretOffset")?;
    Ok(facts::integer(&message).and_then(|at| usize::try_from(at).ok()))
}

/// What is selected; where nothing is, some answer with an error and some with an empty range.
fn selection(object: &mut Object<'_>) -> Option<(usize, usize)> {
    let answer = object.ask(spi::TEXT, "GetSelection", &0_i32);
    let (from, to) = answer.and_then(|m| body::<(i32, i32)>(&m)).ok()?;
    let (from, to) = (usize::try_from(from.min(to)).ok()?, usize::try_from(from.max(to)).ok()?);
    (from != to).then_some((from, to))
}

/// Puts text at the caret, in place of what is selected.
pub(crate) fn insert(object: &mut Object<'_>, app: &App, text: &str) -> Result<Answer> {
    let mut at = caret(object).map_err(lost)?.unwrap_or(0);
    if let Some((from, to)) = selection(object) {
        let range = (i32::try_from(from).unwrap_or(0), i32::try_from(to).unwrap_or(0));
        match object.ask(spi::EDITABLE_TEXT, "DeleteText", &range) {
            Ok(_) => at = from,
            Err(silence) => return Ok(Err(silence)),
        }
    }
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    let length = i32::try_from(length(app, text)).unwrap_or(i32::MAX);
    Ok(object.tell(spi::EDITABLE_TEXT, "InsertText", &(at, text, length)))
}

/// The length of a text as its app counts: Qt cuts or fills the text to it in UTF-16, all others
/// take it as bytes.
fn length(app: &App, text: &str) -> usize {
    if is_qt(app) { text.encode_utf16().count() } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_in_utf16_become_characters() {
        let text = "a🙂b";
        assert!(counts_utf16(text, 4) && !counts_utf16(text, 3) && !counts_utf16("plain", 5));
        let at: Vec<usize> = [0, 1, 3, 4].map(|halves| characters_before(text, halves)).into();
        assert_eq!(at, [0, 1, 2, 3]);
    }
}
