//! Typing text.

use std::time::Duration;

use deskhand_model::{Advice, App, Node, Role, State, Step};
use deskhand_platform::{
    ActionReply, Button, Deadline, Key, NamedKey, NodeAction, NodeFields, Press, TextContent,
    WalkOptions,
};

use super::{
    ActionMode, line_end,
    real_input::{self, ClickPoint, SendTracker},
    risk::{
        self, ActionDecision, KeyboardLocation,
        keys::{self, Harm},
    },
    target::{self, ActionTarget, Readiness},
    timing,
    typed_text::{TextProof, read_text},
    verify::{SendOutcome, Strategy, act_and_verify, find_while_listening, perform, poll_until},
    visibility,
};
use crate::{Context, Error, Result, effect::ActionOutcome};

/// The number of characters typed between two checks for cancellation.
const MAX_PIECE_CHARS: usize = 200;

/// Characters that are keys and may move the focus.
pub(super) const FIELD_LEAVING_CHARS: [char; 3] = ['\t', '\n', '\r'];

/// Longer texts are selected and deleted instead of being deleted character by character.
const MAX_BACKSPACES: usize = 300;

/// The text to type and how to type it.
#[derive(Debug, Clone, Copy)]
pub struct TypeRequest<'a> {
    /// The text.
    pub text: &'a str,
    /// `true` to delete the existing text first.
    pub clear: bool,
    /// The pause after each character.
    pub pause: Duration,
}

/// The query of the terminal in an app.
const TERMINAL_QUERY: &str = "role:terminal";

/// The reason why a text is not typed as keys in the background.
pub(super) const MAY_PRESS: &str =
    "its tabs and line breaks would activate other elements if sent as keys";

/// Types into the element that matches a query, or into the focused element. In a field with a
/// single line, a line end at the end of the text presses Return.
pub fn type_text(
    cx: &Context<'_>,
    app: &App,
    into: Option<&str>,
    request: TypeRequest<'_>,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let lines = request.text.trim_end_matches(line_end::LINE_ENDS);
    // On the real keyboard, a text with several lines moves through the fields as if typed by hand.
    // A tab moves the focus, so that Return would press another element: such a text is judged as a
    // whole.
    let may_press_return = request.text.contains(line_end::LINE_ENDS)
        && !request.text.contains('\t')
        && (mode == ActionMode::Background || !lines.contains(line_end::LINE_ENDS));
    if may_press_return {
        let field = find(cx, app, into, Readiness { exists_only: true, ..Readiness::TEXT })?;
        if line_end::is_single_line(&field.node) {
            return line_end::type_line(cx, &field, request, mode);
        }
    }
    type_in_mode(cx, app, into, request, mode)
}

fn find(cx: &Context<'_>, app: &App, into: Option<&str>, wants: Readiness) -> Result<ActionTarget> {
    match into {
        Some(query) => target::wait_until_ready(cx, app, query, wants),
        None if is_unfocused_terminal(cx, app)? => {
            target::wait_until_ready(cx, app, TERMINAL_QUERY, wants)
        }
        None => target::wait_for_focused(cx, app),
    }
}

/// Returns `true` if no element has the focus and the app shows a terminal. Terminals report the
/// focus only while their window has it.
fn is_unfocused_terminal(cx: &Context<'_>, app: &App) -> Result<bool> {
    let options = WalkOptions::with_fields(NodeFields::MINIMAL);
    let snapshot = cx.desktop.tree.walk(app, &app.root, &options, cx.deadline)?;
    let is_shown = |node: &Node| node.role == Role::Terminal && node.states.has(State::Showing);
    Ok(visibility::focused_index(&snapshot).is_none()
        && snapshot.iter().any(|(_, node)| is_shown(node)))
}

/// Returns the next step if no background strategy worked.
pub(super) fn focus_mode_advice() -> Advice {
    Advice::from("use ")
        .step(Step::FocusMode)
        .text(": it brings the window to the front and types on the keyboard")
}

/// Types a text without looking at its line ends.
pub(super) fn type_in_mode(
    cx: &Context<'_>,
    app: &App,
    into: Option<&str>,
    request: TypeRequest<'_>,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    if mode == ActionMode::Focus {
        return type_in_foreground(cx, app, into, request);
    }
    let (target, listener) =
        find_while_listening(cx, app, || find(cx, app, into, Readiness::TEXT))?;
    let proof = TextProof::before_typing(cx, &target, request);
    let act = if request.clear {
        NodeAction::SetText(request.text.to_owned())
    } else {
        NodeAction::Insert(request.text.to_owned())
    };
    let mut strategies = Vec::new();
    if !ignores_text_requests(app) {
        strategies.push(Strategy::accessibility("text", act));
    }
    strategies.push(Strategy::new("own keyboard", |cx: &Context<'_>, target: &ActionTarget| {
        type_in_background(cx, target, request)
    }));
    let next = focus_mode_advice();
    let outcome = act_and_verify(cx, target, listener, &proof.expectation(), &strategies, next)?;
    Ok(proof.judge(cx, outcome))
}

/// Types on the real keyboard, after bringing the window to the front.
fn type_in_foreground(
    cx: &Context<'_>,
    app: &App,
    into: Option<&str>,
    request: TypeRequest<'_>,
) -> Result<ActionOutcome> {
    // The question comes before the window is brought to the front.
    let exists = Readiness { exists_only: true, ..Readiness::TEXT };
    let (decision, known_harm) = match request.text.contains(FIELD_LEAVING_CHARS) {
        true => risk::check_text(cx, &find(cx, app, into, exists)?, request.text)?,
        false => (ActionDecision::Allowed, None),
    };
    let approved_cx;
    let cx = match decision {
        ActionDecision::Allowed => cx,
        ActionDecision::Approved => {
            approved_cx = risk::with_new_deadline(cx);
            &approved_cx
        }
        ActionDecision::Refused(outcome) => return Ok(*outcome),
    };
    let (target, listener) = find_while_listening(cx, app, || {
        let located = find(cx, app, into, exists)?;
        real_input::focus_window(cx, &located)?;
        find(cx, app, into, Readiness { pointer: into.is_some(), ..Readiness::TEXT })
    })?;
    let strategies = [Strategy::new("keyboard", |cx: &Context<'_>, target: &ActionTarget| {
        type_with_keyboard(cx, target, request, known_harm.as_ref())
    })
    .in_foreground()];
    let proof = TextProof::before_typing(cx, &target, request);
    let next = "take a screenshot to see the window";
    let outcome = act_and_verify(cx, target, listener, &proof.expectation(), &strategies, next)?;
    Ok(proof.judge(cx, outcome))
}

/// Returns `true` if the app accepts text changes without applying them, as Firefox and Thunderbird
/// do in pages and in their own fields.
fn ignores_text_requests(app: &App) -> bool {
    app.toolkit.name == "Gecko"
}

/// Returns the deadline for typing a text.
pub(super) fn typing_deadline(request: TypeRequest<'_>) -> Deadline {
    let count = u32::try_from(request.text.chars().count()).unwrap_or(u32::MAX);
    Deadline::after(
        timing::TYPING_BASE_TIMEOUT
            + (timing::TIME_PER_CHARACTER + request.pause).saturating_mul(count),
    )
}

pub(super) fn type_with_keyboard(
    cx: &Context<'_>,
    target: &ActionTarget,
    request: TypeRequest<'_>,
    known_harm: Option<&Harm>,
) -> Result<SendOutcome> {
    let input = real_input::input(cx)?;
    let before = read_text(cx, target);
    if real_input::focus_element(cx, target, &NodeAction::Focus)?
        != real_input::FocusResult::Focused
    {
        real_input::click_element(cx, target, ClickPoint::Center, Button::Left, 1)?;
        let has_focus = poll_until(timing::TEXT_READ_TIMEOUT / 4, || {
            real_input::focus_element(cx, target, &NodeAction::Focus)
                .is_ok_and(|now| now == real_input::FocusResult::Focused)
        });
        if request.clear && !has_focus && !has_focus_inside(cx, target) {
            let why = "the element did not receive the focus, so nothing was deleted or typed";
            return Ok(SendOutcome::Missed(why.to_owned()));
        }
    }
    if let (false, Some(before)) = (request.clear, before) {
        restore_caret(cx, target, &before)?;
    }
    let tracker = SendTracker::default();
    if request.clear {
        let mut key = |key: &Key, press, deadline| {
            tracker.track_key(press, input.send_key(key, press, deadline))
        };
        clear_text(cx, target, &mut key, typing_deadline(request))
            .map_err(|error| tracker.input_error(error))?;
    }
    let write = |text: &str| {
        let (request, deadline) = (TypeRequest { text, ..request }, typing_deadline(request));
        let piece = |piece: &str| tracker.track(input.type_text(piece, request.pause, deadline));
        type_in_pieces(cx, request, piece).map_err(|error| tracker.input_error(error))
    };
    if cx.consent.checks_risks() {
        type_watching_focus(cx, target, request.text, known_harm, write)?;
    } else {
        write(request.text)?;
    }
    Ok(SendOutcome::Replied(ActionReply::Accepted))
}

/// Returns `true` if an element inside the target has the focus.
fn has_focus_inside(cx: &Context<'_>, target: &ActionTarget) -> bool {
    let within = WalkOptions::with_fields(NodeFields::MINIMAL);
    let deadline = Deadline::after(timing::TEXT_READ_TIMEOUT);
    // An element that cannot be read is not known to have the focus.
    let read = cx.desktop.tree.walk(&target.app, &target.node.id, &within, deadline);
    read.is_ok_and(|part| part.iter().any(|(_, node)| node.states.has(State::Focused)))
}

/// Types a text that may leave its field. After it has left, the focused element is checked before
/// each character that may press something.
fn type_watching_focus(
    cx: &Context<'_>,
    target: &ActionTarget,
    text: &str,
    known_harm: Option<&Harm>,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    // The next field may be single-line although the first one is multi-line.
    let mut field = target.node.clone();
    let mut remaining = text;
    while !remaining.is_empty() {
        let end = remaining.char_indices().find(|(_, one)| keys::leaves_field(&field, *one));
        let end = end.map_or(remaining.len(), |(at, one)| at + one.len_utf8());
        let (piece, rest) = remaining.split_at(end);
        write(piece)?;
        remaining = rest;
        if cx.cancel.is_cancelled() {
            return Ok(());
        }
        if !keys::contains_pressing_char(remaining) {
            return if remaining.is_empty() { Ok(()) } else { write(remaining) };
        }
        let cx = &risk::with_new_deadline(cx);
        if !poll_until(timing::FOCUS_LEFT_TIMEOUT, || !real_input::has_focus(cx, target)) {
            // The field accepts the character as text.
            return write(remaining);
        }
        field.states = field.states.without(State::MultiLine);
        while let Some(next) = remaining.chars().next() {
            match risk::check_typing(cx, &target.app, next, known_harm)? {
                KeyboardLocation::InText => break,
                KeyboardLocation::Elsewhere => {}
            }
            let (one, rest) = remaining.split_at(next.len_utf8());
            write(one)?;
            remaining = rest;
        }
    }
    Ok(())
}

/// Types a text piece by piece until the call is cancelled.
pub(super) fn type_in_pieces(
    cx: &Context<'_>,
    request: TypeRequest<'_>,
    mut write: impl FnMut(&str) -> deskhand_platform::Result<()>,
) -> deskhand_platform::Result<()> {
    let mut remaining = request.text;
    loop {
        let max_chars = if request.pause.is_zero() {
            MAX_PIECE_CHARS
        } else {
            (timing::PIECE_DURATION.as_millis() / request.pause.as_millis().max(1))
                .clamp(1, MAX_PIECE_CHARS as u128) as usize
        };
        let end = remaining.char_indices().nth(max_chars).map_or(remaining.len(), |(at, _)| at);
        let (piece, rest) = remaining.split_at(end);
        write(piece)?;
        remaining = rest;
        if remaining.is_empty() || cx.cancel.is_cancelled() {
            return Ok(());
        }
    }
}

/// Deletes the text of an element and waits until it is gone, if that can be read.
fn clear_text(
    cx: &Context<'_>,
    target: &ActionTarget,
    mut key: impl FnMut(&Key, Press, Deadline) -> deskhand_platform::Result<()>,
    deadline: Deadline,
) -> deskhand_platform::Result<()> {
    if target.node.role == Role::Cell {
        // Typing replaces the content; the shortcut would select all cells of the sheet.
        return Ok(());
    }
    let is_empty = || read_text(cx, target).is_none_or(|text| text.length == 0);
    // Home and End come first, because the keyboard layout may lack the letter of the select-all
    // shortcut. A temporary key mapping for it may reach the app too late.
    real_input::press_shortcut(&Key::Named(NamedKey::Home), deadline, &mut key)?;
    let shift = Key::Named(NamedKey::Shift);
    key(&shift, Press::Down, deadline)?;
    let pressed = real_input::press_shortcut(&Key::Named(NamedKey::End), deadline, &mut key);
    // The modifier is released in any case.
    key(&shift, Press::Up, deadline)?;
    pressed?;
    real_input::press_key(NamedKey::Delete, deadline, &mut key)?;
    if poll_until(timing::CLEAR_TIMEOUT, is_empty) {
        return Ok(());
    }
    real_input::press_shortcut(&Key::Char('a'), deadline, &mut key)?;
    real_input::press_key(NamedKey::Delete, deadline, &mut key)?;
    poll_until(timing::CLEAR_TIMEOUT, is_empty);
    Ok(())
}

/// Restores the caret. GTK selects the whole text of an entry that receives the focus, and a click
/// moves the caret to the pointer.
fn restore_caret(cx: &Context<'_>, target: &ActionTarget, before: &TextContent) -> Result<()> {
    let (Some(caret), None) = (before.caret, before.selected) else { return Ok(()) };
    let Some(now) = read_text(cx, target) else { return Ok(()) };
    if now.selected.is_some() || now.caret != Some(caret) {
        // If the caret cannot be moved, verification finds the wrong text.
        perform(cx, target, &NodeAction::SetCaret(caret))?;
    }
    Ok(())
}

pub(super) fn type_in_background(
    cx: &Context<'_>,
    target: &ActionTarget,
    request: TypeRequest<'_>,
) -> Result<SendOutcome> {
    let snapshot = &target.tree.snapshot;
    if cx.consent.checks_risks()
        && (keys::leaves_and_presses(&target.node, request.text)
            || keys::text_harm(snapshot, target.index, request.text).is_some())
    {
        return Ok(SendOutcome::Impossible(MAY_PRESS.to_owned()));
    }
    // An unknown text is cleared like a long one.
    let length = read_text(cx, target).map_or(usize::MAX, |text| text.length);
    real_input::with_background_keyboard(cx, target, |keyboard, _| {
        let deadline = typing_deadline(request);
        // Typing replaces the content of a cell; the shortcuts would leave the cell.
        if request.clear && target.node.role != Role::Cell {
            let mut key = |key: &Key, press, deadline| keyboard.send_key(key, press, deadline);
            if length <= MAX_BACKSPACES {
                // Selecting the text would replace the user's primary selection.
                real_input::press_shortcut(&Key::Named(NamedKey::End), deadline, &mut key)?;
                (0..length).try_for_each(|_| {
                    real_input::press_key(NamedKey::Backspace, deadline, &mut key)
                })?;
            } else {
                real_input::press_shortcut(&Key::Char('a'), deadline, &mut key)?;
                real_input::press_key(NamedKey::Delete, deadline, &mut key)?;
            }
        }
        type_in_pieces(cx, request, |piece| keyboard.type_text(piece, request.pause, deadline))
    })
}

/// Replaces the whole text of an element.
pub(crate) fn replace_text(
    cx: &Context<'_>,
    app: &App,
    query: &str,
    text: &str,
) -> Result<ActionOutcome> {
    let request = TypeRequest { text, clear: true, pause: Duration::ZERO };
    type_text(cx, app, Some(query), request, ActionMode::Background)
}

/// Fails if a text contains characters that no keyboard can type.
pub fn check_typable(text: &str) -> Result<()> {
    let control_char = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
    match control_char {
        None => Ok(()),
        Some(control_char) => Err(Error::NotApplicable {
            what: "the text".to_owned(),
            why: format!("it contains the control character U+{:04X}", u32::from(control_char)),
            instead: Advice::from("leave it out, or send it as a key: ").step(Step::PressKey),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_refused_and_line_breaks_are_not() {
        assert!(check_typable("a\tb\n").is_ok());
        assert!(check_typable("a\u{1b}[0m").is_err());
    }
}
