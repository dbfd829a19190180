//! Typing into a window whose text is not in an accessibility tree: the app has none, or the focused
//! element is a surface that the app draws itself, such as a sheet or a canvas.
//!
//! No text can be read back, so the effect is never confirmed. The outcome reports changes of the
//! title and of the picture, which show that the app has reacted.

use deskhand_model::{Advice, App, Role, Step, Window};
use deskhand_platform::{
    CaptureTarget, Deadline, Error as PlatformError, Input, NodeFields, WalkOptions,
};

use super::{
    ActionMode,
    real_input::{self, SendTracker},
    timing,
    type_text::{self, TypeRequest},
    verify::poll_until,
    visibility,
};
use crate::{
    Context, Error, Result, app,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
    error::Condition,
    input::key_press,
    programs::{self, RunningProgram},
    windows,
};

/// Types into an element of an app, or into the window of an app without a tree. Without a name,
/// types into the focused app.
///
/// # Errors
///
/// Fails if the app is not running, or an element is named and the app has no tree.
pub fn type_into_app(
    cx: &Context<'_>,
    wanted: Option<&str>,
    into: Option<&str>,
    request: TypeRequest<'_>,
    mode: ActionMode,
) -> Result<ActionOutcome> {
    let resolved = match app::resolve_app(cx, wanted) {
        // The focused app may have no tree.
        Err(error @ Error::AppRequired { .. }) if into.is_none() => {
            let focused = programs::list_windows(cx, cx.deadline)?;
            match focused.into_iter().find(|window| window.focused && window.pid != 0) {
                Some(window) => app::resolve_app(cx, Some(&window.pid.to_string())),
                None => Err(error),
            }
        }
        other => other,
    };
    match resolved {
        Ok(app) => match type_text::type_text(cx, &app, into, request, mode) {
            Err(Error::NotReady { condition: Condition::Editable, .. })
                if into.is_none() && may_type_on_surface(cx, &app, request)? =>
            {
                let program = programs::resolve_program(cx, &app.pid.to_string())?;
                let why = "the focused element has no text in the accessibility tree";
                type_into_program(cx, &program, request, mode, why)
            }
            other => other,
        },
        Err(Error::NoTree { pid, .. }) if into.is_none() => {
            let program = programs::resolve_program(cx, &pid.to_string())?;
            type_into_program(cx, &program, request, mode, "the app has no accessibility tree")
        }
        Err(error) => Err(error),
    }
}

/// Returns `true` if the focused element is a surface that the app draws itself, and the text cannot
/// do harm there. A control that accepts no text would take the keys for commands.
fn may_type_on_surface(cx: &Context<'_>, app: &App, request: TypeRequest<'_>) -> Result<bool> {
    let may_press = request.text.contains(type_text::FIELD_LEAVING_CHARS);
    if may_press && cx.consent.checks_risks() {
        return Ok(false);
    }
    let options = WalkOptions::with_fields(NodeFields::MINIMAL);
    let snapshot = cx.desktop.tree.walk(app, &app.root, &options, cx.deadline)?;
    let focused = visibility::focused_index(&snapshot).map(|at| snapshot.node(at));
    Ok(focused.is_some_and(|node| {
        node.role.is_layout() || matches!(node.role, Role::Canvas | Role::DrawingArea)
    }))
}

fn type_into_program(
    cx: &Context<'_>,
    program: &RunningProgram,
    request: TypeRequest<'_>,
    mode: ActionMode,
    why_unreadable: &str,
) -> Result<ActionOutcome> {
    let by_index = program.windows_by_index();
    let front = by_index.iter().find(|window| window.focused).or(by_index.first());
    let window = front
        .ok_or_else(|| Error::NoWindow { wanted: program.name.clone(), windows: Vec::new() })?;
    let label = windows::label(window);
    if request.clear {
        return Err(Error::NotApplicable {
            what: label,
            why: format!("{why_unreadable}, so its text cannot be found and cleared"),
            instead: Advice::from("select and delete the text with ").step(Step::PressKey),
        });
    }
    let input = real_input::input(cx)?;
    let before = picture(cx, window);
    let strategy = match mode {
        // The window already has the keyboard, so the user is not disturbed.
        ActionMode::Background | ActionMode::Focus if window.focused => {
            type_on_keyboard(cx, input, request)?
        }
        ActionMode::Background => match type_in_background(cx, input, window, request)? {
            Ok(strategy) => strategy,
            Err(why) => return Ok(refused(why).on(label)),
        },
        ActionMode::Focus => {
            input.check_ready(cx.deadline)?;
            key_press::focus_window(cx, window)?;
            type_on_keyboard(cx, input, request)?
        }
    };
    let mut outcome = ActionOutcome::new(ActionEffect::Unverified, strategy).on(label);
    let has_changed = || before.is_some() && picture(cx, window) != before;
    let has_changed = poll_until(timing::PICTURE_TIMEOUT, has_changed);
    outcome.evidence.extend(title_evidence(cx, window));
    outcome.changes = match (&before, has_changed) {
        (None, _) => Vec::new(),
        (Some(_), true) => vec!["the picture of the window changed".to_owned()],
        (Some(_), false) => vec!["the picture of the window did not change".to_owned()],
    };
    Ok(outcome.with_next_step(
        Advice::from(format!("{why_unreadable}, so the text cannot be read back: "))
            .step(Step::Screenshot)
            .text(" shows it"),
    ))
}

fn refused(why: String) -> ActionOutcome {
    let failed_attempts = vec![FailedAttempt { strategy: "own keyboard".to_owned(), why }];
    ActionOutcome { failed_attempts, ..ActionOutcome::new(ActionEffect::Refused, "none") }
        .with_next_step(type_text::focus_mode_advice())
}

fn type_on_keyboard(
    cx: &Context<'_>,
    input: &dyn Input,
    request: TypeRequest<'_>,
) -> Result<&'static str> {
    let (tracker, deadline) = (SendTracker::default(), type_text::typing_deadline(request));
    type_text::type_in_pieces(cx, request, |piece| {
        tracker.track(input.type_text(piece, request.pause, deadline))
    })
    .map_err(|error| tracker.input_error(error))?;
    Ok("keyboard")
}

/// Types on a keyboard for this window alone. The inner error says why that is not possible.
fn type_in_background(
    cx: &Context<'_>,
    input: &dyn Input,
    window: &Window,
    request: TypeRequest<'_>,
) -> Result<std::result::Result<&'static str, String>> {
    if window.minimized {
        return Ok(Err("the window is minimized, so it receives no keys".to_owned()));
    }
    let deadline = type_text::typing_deadline(request);
    let mut keyboard = match input.background_keyboard(window.id, deadline) {
        Ok(keyboard) => keyboard,
        Err(PlatformError::Unsupported { why, .. }) => return Ok(Err(why)),
        Err(error) => return Err(Error::Platform(error)),
    };
    let tracker = SendTracker::default();
    type_text::type_in_pieces(cx, request, |piece| {
        tracker.track(keyboard.type_text(piece, request.pause, deadline))
    })
    .map_err(|error| tracker.input_error(error))?;
    Ok(Ok("own keyboard"))
}

/// Returns the pixels of a window; `None` if they cannot be read.
fn picture(cx: &Context<'_>, window: &Window) -> Option<Vec<u8>> {
    let deadline = Deadline::after(timing::PICTURE_TIMEOUT);
    // Without pixels, the outcome says nothing about the picture.
    let screen = cx.desktop.screen.as_ref()?;
    screen.capture(CaptureTarget::Window(window.id), deadline).ok().map(|pixels| pixels.data)
}

/// Returns the change of a window's title, such as the mark of an unsaved document.
fn title_evidence(cx: &Context<'_>, window: &Window) -> Option<Evidence> {
    let all = programs::list_windows(cx, Deadline::after(timing::FOCUS_TIMEOUT)).ok()?;
    let now = all.into_iter().find(|one| one.id == window.id)?;
    (now.title != window.title).then(|| {
        Evidence::change(EvidenceKind::Title, "the window title", &window.title, &now.title)
    })
}
