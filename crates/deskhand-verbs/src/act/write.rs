//! Typing text.

use std::time::Duration;

use deskhand_model::{App, Role, State};
use deskhand_platform::{Act, Button, Deadline, Key, Named, Press, Reply, Text};

use super::{
    Mode,
    attempt::{Sent, Way, attempt, perform, until},
    by_hand::{self, Series, Spot},
    caution::{self, Leave, Where},
    goal::Goal,
    heard::listening,
    key_risk::{self, Met},
    target::{self, Target, Wants},
};
use crate::{Context, Error, Result, effect::Done};

/// How long the text of an element may take to read.
const READ: Duration = Duration::from_secs(1);

/// How long typing may take, for each character and in all.
const STROKE: Duration = Duration::from_millis(60);

/// How many characters are typed before it is seen whether the caller still waits.
const AT_ONCE: usize = 200;

/// The same in time, where there is a pause after each.
const PIECE: Duration = Duration::from_millis(250);

/// How long a text that was taken away may still be told.
const EMPTIED: Duration = Duration::from_millis(300);

/// How long an app may take to put the keyboard elsewhere.
const LEFT: Duration = Duration::from_millis(150);

/// Characters that are keys beside letters.
const LEAVING: [char; 3] = ['\t', '\n', '\r'];

/// Texts up to this long are taken away character by character.
const MOST_STRUCK: usize = 300;

/// What and how to type.
#[derive(Debug, Clone, Copy)]
pub struct Typing<'a> {
    pub text: &'a str,
    /// Whether what is there goes first.
    pub clear: bool,
    /// The pause after each character.
    pub pause: Duration,
}

/// Types into the element a query means, or the one that has the keyboard.
pub fn type_text(
    cx: &Context<'_>,
    app: &App,
    into: Option<&str>,
    typing: Typing<'_>,
    mode: Mode,
) -> Result<Done> {
    let find = |wants: Wants| match into {
        Some(query) => target::ready(cx, app, query, wants),
        None => target::focused(cx, app),
    };
    if mode == Mode::Focus {
        // The window comes forward before the text, and the question before that.
        let there = || find(Wants { anyhow: true, ..Wants::TEXT });
        let (left, known) = match typing.text.contains(LEAVING) {
            true => caution::before_text(cx, &there()?, typing.text)?,
            false => (Leave::Free, None),
        };
        let answered;
        let cx = match left {
            Leave::Free => cx,
            Leave::Given => {
                answered = caution::later(cx);
                &answered
            }
            Leave::Refused(done) => return Ok(*done),
        };
        let find = |wants: Wants| match into {
            Some(query) => target::ready(cx, app, query, wants),
            None => target::focused(cx, app),
        };
        let (target, ear) = listening(cx, app, || {
            let there = find(Wants { anyhow: true, ..Wants::TEXT })?;
            by_hand::bring_forward(cx, &there)?;
            find(Wants { pointer: into.is_some(), ..Wants::TEXT })
        })?;
        let ways = [Way::new("keyboard", |cx: &Context<'_>, target: &Target| {
            by_keyboard(cx, target, typing, known.as_ref())
        })
        .in_front()];
        let goal = wanted(cx, &target, typing);
        return attempt(cx, target, ear, &goal, &ways, "look at the window: take a screenshot");
    }
    let (target, ear) = listening(cx, app, || find(Wants::TEXT))?;
    let goal = wanted(cx, &target, typing);
    let act = if typing.clear {
        Act::SetText(typing.text.to_owned())
    } else {
        Act::Insert(typing.text.to_owned())
    };
    let ways = [
        Way::tree("text", act),
        Way::new("own keyboard", |cx: &Context<'_>, target: &Target| aside(cx, target, typing)),
    ];
    let next = "use --mode focus: it brings the window forward and types on the keyboard";
    attempt(cx, target, ear, &goal, &ways, next)
}

/// What the element should hold afterwards.
fn wanted(cx: &Context<'_>, target: &Target, typing: Typing<'_>) -> Goal {
    // An element without text shows in other ways what was typed.
    match text_of(cx, target) {
        Some(text) => Goal::Holds(merged(&text, typing)),
        None => Goal::Happens,
    }
}

fn merged(before: &Text, typing: Typing<'_>) -> String {
    if typing.clear {
        return typing.text.to_owned();
    }
    if before.secret {
        // Only the length is compared, and only the length is known.
        return "•".repeat(before.length) + typing.text;
    }
    let caret = before.caret.unwrap_or(before.length);
    let (from, to) = before.selected.unwrap_or((caret, caret));
    let head: String = before.text.chars().take(from).collect();
    let tail: String = before.text.chars().skip(to).collect();
    head + typing.text + &tail
}

/// The time there is to type a text.
fn time_for(typing: Typing<'_>) -> Deadline {
    let count = u32::try_from(typing.text.chars().count()).unwrap_or(u32::MAX);
    Deadline::after(Duration::from_secs(5) + (STROKE + typing.pause).saturating_mul(count))
}

fn by_keyboard(
    cx: &Context<'_>,
    target: &Target,
    typing: Typing<'_>,
    known: Option<&Met>,
) -> Result<Sent> {
    let input = by_hand::input(cx)?;
    let before = text_of(cx, target);
    if by_hand::focus(cx, target, &Act::Focus)? != by_hand::Focus::Has {
        by_hand::click(cx, target, Spot::Middle, Button::Left, 1)?;
        until(READ / 4, || {
            by_hand::focus(cx, target, &Act::Focus).is_ok_and(|now| now == by_hand::Focus::Has)
        });
    }
    if let (false, Some(before)) = (typing.clear, before) {
        put_caret_back(cx, target, &before)?;
    }
    let series = Series::default();
    if typing.clear {
        let mut key = |key: &Key, press, by| series.key(press, input.key(key, press, by));
        clear(cx, target, &mut key, time_for(typing)).map_err(|error| series.lost(error))?;
    }
    let write = |text: &str| {
        let (typing, by) = (Typing { text, ..typing }, time_for(typing));
        let piece = |piece: &str| series.of(input.write(piece, typing.pause, by));
        type_out(cx, typing, piece).map_err(|error| series.lost(error))
    };
    if cx.warden.heeds_risks() {
        watched(cx, target, typing.text, known, write)?;
    } else {
        write(typing.text)?;
    }
    Ok(Sent::Replied(Reply::Accepted))
}

/// Types a text that may leave its field: from there on, it is looked where the keyboard is before
/// anything is pressed.
fn watched(
    cx: &Context<'_>,
    target: &Target,
    text: &str,
    known: Option<&Met>,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    // A field that follows may be of one line where the first was of several.
    let mut field = target.node.clone();
    let mut left = text;
    while !left.is_empty() {
        let end = left.char_indices().find(|(_, one)| key_risk::leaves(&field, *one));
        let end = end.map_or(left.len(), |(at, one)| at + one.len_utf8());
        let (piece, rest) = left.split_at(end);
        write(piece)?;
        left = rest;
        if cx.stop.asked() {
            return Ok(());
        }
        if !key_risk::presses(left) {
            return if left.is_empty() { Ok(()) } else { write(left) };
        }
        let cx = &caution::later(cx);
        if !until(LEFT, || !by_hand::has_focus(cx, target)) {
            // It takes the character for text.
            return write(left);
        }
        field.states = field.states.without(State::MultiLine);
        while let Some(next) = left.chars().next() {
            match caution::midway(cx, &target.app, next, known)? {
                Where::InText => break,
                Where::Elsewhere => {}
            }
            let (one, rest) = left.split_at(next.len_utf8());
            write(one)?;
            left = rest;
        }
    }
    Ok(())
}

/// Types a text piece by piece, for as long as the caller waits.
fn type_out(
    cx: &Context<'_>,
    typing: Typing<'_>,
    mut write: impl FnMut(&str) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let mut left = typing.text;
    loop {
        let most = if typing.pause.is_zero() {
            AT_ONCE
        } else {
            (PIECE.as_millis() / typing.pause.as_millis().max(1)).clamp(1, AT_ONCE as u128) as usize
        };
        let end = left.char_indices().nth(most).map_or(left.len(), |(at, _)| at);
        let (piece, rest) = left.split_at(end);
        write(piece)?;
        left = rest;
        if left.is_empty() || cx.stop.asked() {
            return Ok(());
        }
    }
}

/// Takes away what an element holds, and sees that it is gone where that can be seen.
fn clear(
    cx: &Context<'_>,
    target: &Target,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
    by: Deadline,
) -> deskhand_platform::Result<()> {
    if target.node.role == Role::Cell {
        // Typing replaces it; a sheet would take the keys for all its cells.
        return Ok(());
    }
    let is_empty = || text_of(cx, target).is_none_or(|text| text.length == 0);
    // A layout may lack the letter of the shortcut that selects everything; it is lent a key then,
    // which an app may read too late.
    by_hand::with_command(&Key::Named(Named::Home), by, &mut key)?;
    let shift = Key::Named(Named::Shift);
    key(&shift, Press::Down, by)?;
    let struck = by_hand::with_command(&Key::Named(Named::End), by, &mut key);
    // The modifier goes up whatever became of the key.
    key(&shift, Press::Up, by)?;
    struck?;
    by_hand::strike(Named::Delete, by, &mut key)?;
    if until(EMPTIED, is_empty) {
        return Ok(());
    }
    by_hand::with_command(&Key::Char('a'), by, &mut key)?;
    by_hand::strike(Named::Delete, by, &mut key)?;
    until(EMPTIED, is_empty);
    Ok(())
}

/// The text of an element as it is now; `None` when it cannot be read.
fn text_of(cx: &Context<'_>, target: &Target) -> Option<Text> {
    let by = Deadline::after(READ);
    // What has no text, or does not tell it in time, is typed into as it is.
    cx.desktop.tree.text(&target.app, &target.node.id, by).ok().flatten()
}

/// Puts the caret where it was: GTK selects the whole text of an entry that is given the focus, and
/// a click puts the caret under the pointer.
fn put_caret_back(cx: &Context<'_>, target: &Target, before: &Text) -> Result<()> {
    let (Some(caret), None) = (before.caret, before.selected) else { return Ok(()) };
    let Some(now) = text_of(cx, target) else { return Ok(()) };
    if now.selected.is_some() || now.caret != Some(caret) {
        // Where the caret cannot be moved, what was typed is looked at all the same.
        perform(cx, target, &Act::SetCaret(caret))?;
    }
    Ok(())
}

fn aside(cx: &Context<'_>, target: &Target, typing: Typing<'_>) -> Result<Sent> {
    let seen = &target.look.snapshot;
    if cx.warden.heeds_risks()
        && (key_risk::wanders(&target.node, typing.text)
            || key_risk::by_text(seen, target.at, typing.text).is_some())
    {
        return Ok(Sent::Impossible(
            "as keys, its tabs and line ends would press other things".to_owned(),
        ));
    }
    // What cannot be read is cleared as if it were long.
    let length = text_of(cx, target).map_or(usize::MAX, |text| text.length);
    by_hand::aside(cx, target, |keyboard, _| {
        let by = time_for(typing);
        if typing.clear {
            let mut key = |key: &Key, press, by| keyboard.key(key, press, by);
            if length <= MOST_STRUCK {
                // To select it would take the place of what the person selected last.
                by_hand::with_command(&Key::Named(Named::End), by, &mut key)?;
                (0..length).try_for_each(|_| by_hand::strike(Named::Backspace, by, &mut key))?;
            } else {
                by_hand::with_command(&Key::Char('a'), by, &mut key)?;
                by_hand::strike(Named::Delete, by, &mut key)?;
            }
        }
        type_out(cx, typing, |piece| keyboard.write(piece, typing.pause, by))
    })
}

/// Sets the whole text of an element that is ready for it.
pub fn replace(cx: &Context<'_>, app: &App, query: &str, text: &str) -> Result<Done> {
    let typing = Typing { text, clear: true, pause: Duration::ZERO };
    type_text(cx, app, Some(query), typing, Mode::Background)
}

/// Refuses a text no keyboard could type.
pub fn check(text: &str) -> Result<()> {
    let strange = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
    match strange {
        None => Ok(()),
        Some(strange) => Err(Error::Unfit {
            what: "the text".to_owned(),
            why: format!("it holds the control character U+{:04X}", u32::from(strange)),
            instead: "leave it out, or send it as a key: `deskhand key`".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, caret: usize, selected: Option<(usize, usize)>) -> Text {
        let length = text.chars().count();
        Text { text: text.to_owned(), caret: Some(caret), selected, length, secret: false }
    }

    #[test]
    fn text_goes_where_the_caret_is_and_replaces_what_is_selected() {
        let typing = Typing { text: "ß", clear: false, pause: Duration::ZERO };
        assert_eq!(merged(&text("aüb", 2, None), typing), "aüßb");
        assert_eq!(merged(&text("aüb", 3, Some((0, 2))), typing), "ßb");
        assert_eq!(merged(&text("aüb", 1, None), Typing { clear: true, ..typing }), "ß");
    }

    #[test]
    fn control_characters_are_refused_and_line_breaks_are_not() {
        assert!(check("a\tb\n").is_ok());
        assert!(check("a\u{1b}[0m").is_err());
    }
}
