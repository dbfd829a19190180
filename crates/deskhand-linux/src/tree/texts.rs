//! Texts: reads them with caret and selection, and inserts text at the caret.

use deskhand_model::{App, NodeId, Role, State, States, secret};
use deskhand_platform::{Deadline, Result, TextContent};

use super::{
    act::{ElementProxy, element_error},
    app_connection::AppConnection,
    atspi,
    dbus::{CallError, CallResult, body},
    facts,
    quirks::Quirks,
    role, secret_fields, state,
};

/// Maximum number of characters to read; even large documents of a word processor are smaller.
const MAX_TEXT_CHARS: i64 = 5_000_000;

/// Returns the whole text of an element, or `None` if it has none. For a secret, only its length is
/// returned.
pub(crate) fn read(
    connection: &mut AppConnection,
    app: &App,
    id: &NodeId,
    deadline: Deadline,
) -> Result<Option<TextContent>> {
    let known_secrets = connection.secret_fields();
    let mut element = ElementProxy::new(connection, id, deadline)?;
    let number: u32 = element
        .call(atspi::ACCESSIBLE, "GetRole", &())
        .and_then(|m| body(&m))
        .map_err(element_error)?;
    let role = role::from_number(number, States::NONE);
    let secret = role == Role::Password
        || known_secrets.contains(id)
        || (secret_fields::is_single_line_field(role, States::NONE)
            && is_unmarked_secret(&mut element, app));
    if secret {
        known_secrets.insert(id);
    }
    let length = match element.get_property(atspi::TEXT, "CharacterCount") {
        Ok(message) => facts::integer(&message),
        Err(CallError::Refused(_)) => None,
        Err(error) => return Err(element_error(error)),
    };
    let Some(length) = length else { return Ok(None) };
    let characters = usize::try_from(length).unwrap_or(0);
    if secret {
        return Ok(Some(TextContent {
            text: String::new(),
            caret: None,
            selected: None,
            length: characters,
            secret,
        }));
    }
    // GTK 4.8 returns an empty text for (0, -1), so the end is always explicit.
    let end = i32::try_from(length.min(MAX_TEXT_CHARS)).unwrap_or(0);
    let reply = element.call(atspi::TEXT, "GetText", &(0_i32, end));
    let text: String = reply.and_then(|m| body(&m)).map_err(element_error)?;
    let is_utf16 = counts_utf16(&text, characters);
    let at = |offset: usize| if is_utf16 { characters_before(&text, offset) } else { offset };
    let caret = caret(&mut element).ok().flatten().map(at);
    let selected = selection(&mut element).map(|(from, to)| (at(from), at(to)));
    let length = at(characters);
    Ok(Some(TextContent { text, caret, selected, length, secret }))
}

/// Returns `true` if the app counts the text in UTF-16 units, as Qt does; an emoji counts as two.
fn counts_utf16(text: &str, length: usize) -> bool {
    length != text.chars().count() && length == text.encode_utf16().count()
}

/// Converts an offset in UTF-16 units to an offset in characters.
fn characters_before(text: &str, offset: usize) -> usize {
    let mut units = 0;
    text.chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= offset
        })
        .count()
}

/// Converts an offset in characters to the app's units.
pub(crate) fn to_app_offset(
    element: &mut ElementProxy<'_>,
    app: &App,
    characters: usize,
) -> Result<i32> {
    let plain = i32::try_from(characters).unwrap_or(i32::MAX);
    if !is_qt(app) {
        return Ok(plain);
    }
    let end = plain.saturating_mul(2);
    let reply = element.call(atspi::TEXT, "GetText", &(0_i32, end));
    let text: String = reply.and_then(|m| body(&m)).map_err(element_error)?;
    let units: usize = text.chars().take(characters).map(char::len_utf16).sum();
    let beyond = characters.saturating_sub(text.chars().count());
    Ok(i32::try_from(units + beyond).unwrap_or(i32::MAX))
}

fn is_qt(app: &App) -> bool {
    app.toolkit.name.eq_ignore_ascii_case("qt")
}

/// Returns `true` if a single-line field holds a secret although its role does not say so.
fn is_unmarked_secret(element: &mut ElementProxy<'_>, app: &App) -> bool {
    let states =
        element.call(atspi::ACCESSIBLE, "GetState", &()).and_then(|m| body::<Vec<u32>>(&m));
    if states.is_ok_and(|words| state::from_words(&words).has(State::MultiLine)) {
        return false;
    }
    let name = element
        .get_property(atspi::ACCESSIBLE, "Name")
        .ok()
        .and_then(|message| facts::text(&message));
    let quirks = Quirks::of(app);
    let name = quirks.name(name.unwrap_or_default(), Role::Entry);
    if secret::is_secret_name(&name) {
        return true;
    }
    let drawn = || element.call(atspi::TEXT, "GetStringAtOffset", &(0_i32, 0_u32));
    if let Some(Ok(drawn)) = quirks.gtk4.then(drawn)
        && let Ok(stored) = element.call(atspi::TEXT, "GetCharacterAtOffset", &0_i32)
        && secret_fields::is_masked(&drawn, &stored)
    {
        return true;
    }
    let check_attributes = name.is_empty() || quirks.gtk4;
    check_attributes
        && element
            .call(atspi::ACCESSIBLE, "GetAttributes", &())
            .is_ok_and(|m| secret_fields::attributes_name_secret(&m))
}

fn caret(element: &mut ElementProxy<'_>) -> std::result::Result<Option<usize>, CallError> {
    let message = element.get_property(atspi::TEXT, "CaretOffset")?;
    Ok(facts::integer(&message).and_then(|at| usize::try_from(at).ok()))
}

/// Returns the selected range. Without a selection, some toolkits reply with an error and some with
/// an empty range.
fn selection(element: &mut ElementProxy<'_>) -> Option<(usize, usize)> {
    let reply = element.call(atspi::TEXT, "GetSelection", &0_i32);
    let (from, to) = reply.and_then(|m| body::<(i32, i32)>(&m)).ok()?;
    let (from, to) = (usize::try_from(from.min(to)).ok()?, usize::try_from(from.max(to)).ok()?);
    (from != to).then_some((from, to))
}

/// Inserts text at the caret, and replaces the selection.
pub(crate) fn insert(element: &mut ElementProxy<'_>, app: &App, text: &str) -> Result<CallResult> {
    let mut at = caret(element).map_err(element_error)?.unwrap_or(0);
    if let Some((from, to)) = selection(element) {
        let range = (i32::try_from(from).unwrap_or(0), i32::try_from(to).unwrap_or(0));
        match element.call(atspi::EDITABLE_TEXT, "DeleteText", &range) {
            Ok(_) => at = from,
            Err(error) => return Ok(Err(error)),
        }
    }
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    let length = i32::try_from(length_for_app(app, text)).unwrap_or(i32::MAX);
    Ok(element.call_action(atspi::EDITABLE_TEXT, "InsertText", &(at, text, length)))
}

/// Returns the length of a text in the app's units. Qt truncates or pads the text to this length in
/// UTF-16 units; all other toolkits expect bytes.
fn length_for_app(app: &App, text: &str) -> usize {
    if is_qt(app) { text.encode_utf16().count() } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf16_offsets_become_character_offsets() {
        let text = "a🙂b";
        assert!(counts_utf16(text, 4) && !counts_utf16(text, 3) && !counts_utf16("plain", 5));
        let at: Vec<usize> = [0, 1, 3, 4].map(|units| characters_before(text, units)).into();
        assert_eq!(at, [0, 1, 2, 3]);
    }
}
