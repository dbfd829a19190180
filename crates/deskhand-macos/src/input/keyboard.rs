//! Sends keys and text as events with the right modifier flags.

use std::time::Duration;

use deskhand_platform::{Deadline, Error, Key, NamedKey, Press, Result};

use super::{
    EventTarget, InputApi,
    event::{Flags, InputEvent},
    keys::{self, PhysicalKey},
    layout::{Chord, CurrentLayout},
    session,
    text::{self, ChunkSize, Stroke},
};
use crate::timing::MIN_STROKE_INTERVAL;

/// A function that checks the receiver and then calls its argument to send.
pub(super) type SendFn<'a> = dyn Fn(&dyn Fn() -> Result<()>) -> Result<()> + 'a;

/// A pressed key.
#[derive(Debug)]
pub(super) struct PressedKey {
    /// The requested key.
    pub(super) key: Key,
    /// The keys that were pressed for it.
    stroke: Stroke,
}

/// A keyboard and the receiver of its events.
pub(super) struct Keyboard<'a, S> {
    pub(super) system: &'a S,
    pub(super) target: EventTarget,
}

impl<S: InputApi> Keyboard<'_, S> {
    /// Presses a key that is not pressed yet.
    pub(super) fn press(
        &self,
        stroke: Stroke,
        key: &Key,
        pressed: &mut Vec<PressedKey>,
    ) -> Result<()> {
        let events = press_events(&stroke, pressed_flags(pressed));
        // Recorded first, so that a partly pressed key is released too.
        pressed.push(PressedKey { key: key.clone(), stroke });
        self.post(&events)
    }

    /// Releases a key. Does nothing if it is not pressed.
    pub(super) fn release(&self, key: &Key, pressed: &mut Vec<PressedKey>) -> Result<()> {
        let Some(at) = pressed.iter().position(|one| one.key == *key) else { return Ok(()) };
        let PressedKey { stroke, .. } = pressed.remove(at);
        self.post(&release_events(&stroke, pressed_flags(pressed)))
    }

    /// Types a text. `send` checks and sends each stroke, `wait` waits after it.
    pub(super) fn type_text(
        &self,
        text: &str,
        layout: &CurrentLayout,
        pause: Duration,
        deadline: Deadline,
        send: &SendFn<'_>,
        wait: &dyn Fn(Duration),
    ) -> Result<()> {
        let chunk = if pause.is_zero() { ChunkSize::Full } else { ChunkSize::OneCharacter };
        let strokes =
            text::plan_strokes(text, layout, chunk).map_err(|control| Error::Unsupported {
                what: "typing this text".to_owned(),
                why: format!("{control:?} is a control character"),
            })?;
        let last = strokes.len().saturating_sub(1);
        for (at, stroke) in strokes.iter().enumerate() {
            if deadline.has_passed() {
                let part = if at == 0 { " (nothing was typed)" } else { "" };
                let what = format!("{TEXT_RECEIVER}{part}");
                return Err(Error::Timeout { what });
            }
            let sent = send(&|| {
                session::check_ready(self.system)?;
                // The events carry their own flags, so modifiers that the user holds do not change the text.
                self.post(&press_events(stroke, Flags::NONE))?;
                self.post(&release_events(stroke, Flags::NONE))
            });
            sent.map_err(|error| if at > 0 { partial_error(error, TEXT_RECEIVER) } else { error })?;
            if at < last || !pause.is_zero() {
                wait(pause.max(MIN_STROKE_INTERVAL));
            }
        }
        Ok(())
    }

    fn post(&self, events: &[InputEvent]) -> Result<()> {
        events.iter().try_for_each(|event| post(self.system, event, self.target))
    }
}

/// The receiver of text in errors.
const TEXT_RECEIVER: &str = "the app the text was typed into";

/// Converts an error that means "nothing was sent" after a part was sent.
pub(super) fn partial_error(error: Error, receiver: &str) -> Error {
    let broken = |why: String| Error::Disconnected { what: receiver.to_owned(), why };
    if let Error::ScreenLocked { by } = error {
        broken(format!("{by} locked the screen after a part was sent"))
    } else if let Error::Unsupported { why, .. } = error {
        broken(format!("{why}; only a part was sent"))
    } else {
        error
    }
}

/// Posts one event.
pub(super) fn post(system: &impl InputApi, event: &InputEvent, target: EventTarget) -> Result<()> {
    match system.post(event, target) {
        true => Ok(()),
        false => Err(Error::Disconnected {
            what: "the window server".to_owned(),
            why: "it does not create events for this program".to_owned(),
        }),
    }
}

/// The flags of all pressed modifiers.
pub(super) fn pressed_flags(pressed: &[PressedKey]) -> Flags {
    let keys = pressed.iter().flat_map(|one| match &one.stroke {
        Stroke::Keys(chord) => chord.modifiers.iter().chain([&chord.key]).copied().collect(),
        Stroke::Text(_) => Vec::new(),
    });
    keys.fold(Flags::NONE, |all, key: PhysicalKey| all | key.modifier)
}

/// Plans the stroke for a key while others are pressed. The error says why it cannot be pressed.
pub(super) fn plan_stroke(
    key: &Key,
    pressed: &[PressedKey],
    current_layout: impl FnOnce() -> CurrentLayout,
) -> std::result::Result<Stroke, String> {
    let wanted = match key {
        Key::Named(named) => {
            let named =
                if is_command_pressed(pressed) { keys::with_command(*named) } else { *named };
            let key = keys::physical_key(named)?;
            return Ok(Stroke::Keys(Chord { key, modifiers: Vec::new() }));
        }
        Key::Char(wanted) => *wanted,
    };
    use NamedKey::{Alt, Command, Control, Logo};
    let shortcut =
        pressed.iter().any(|one| matches!(one.key, Key::Named(Command | Control | Alt | Logo)));
    let flags = pressed_flags(pressed);
    let CurrentLayout { layout, .. } = current_layout();
    let chord = match (&layout, shortcut) {
        (Some(layout), true) => layout.shortcut(wanted, flags),
        (Some(layout), false) => layout.chord(wanted).cloned(),
        (None, _) => None,
    };
    match (chord, shortcut) {
        (Some(mut chord), _) => {
            chord.modifiers.retain(|key| flags.0 & key.modifier.0 != key.modifier.0);
            Ok(Stroke::Keys(chord))
        }
        (None, false) if wanted.is_control() => Err(format!("{wanted:?} is a control character")),
        (None, false) => Ok(Stroke::Text(wanted.encode_utf16(&mut [0; 2]).to_vec())),
        (None, true) if layout.is_some() => Err(format!("no key of the layout types {wanted:?}")),
        // A guess could be another shortcut: on a French keyboard, Q is where A is on others.
        (None, true) => Err(format!(
            "macOS does not report which key types {wanted:?} on this keyboard layout; use the menu command \
             instead"
        )),
    }
}

fn is_command_pressed(pressed: &[PressedKey]) -> bool {
    pressed.iter().any(|one| one.key == Key::Named(NamedKey::Command))
}

/// The events that press a stroke.
fn press_events(stroke: &Stroke, held: Flags) -> Vec<InputEvent> {
    let press = Press::Down;
    match stroke {
        Stroke::Text(units) => vec![InputEvent::Text { units: units.clone(), press, flags: held }],
        Stroke::Keys(Chord { key, modifiers }) => {
            let mut flags = held;
            let mut events = Vec::new();
            for key in modifiers.iter().chain([key]) {
                flags = flags | key.modifier;
                let flags = flags | key.event_flags;
                events.push(InputEvent::Key { code: key.code, press, flags });
            }
            events
        }
    }
}

/// The events that release a stroke while other keys stay pressed.
fn release_events(stroke: &Stroke, held: Flags) -> Vec<InputEvent> {
    let press = Press::Up;
    match stroke {
        Stroke::Text(units) => vec![InputEvent::Text { units: units.clone(), press, flags: held }],
        Stroke::Keys(Chord { key, modifiers }) => {
            let keys: Vec<PhysicalKey> = modifiers.iter().chain([key]).copied().collect();
            let release = |at: usize| {
                let key = keys.get(at)?;
                let still_pressed = keys.get(..at)?.iter();
                let flags = still_pressed.fold(held, |all, key| all | key.modifier);
                Some(InputEvent::Key { code: key.code, press, flags: flags | key.event_flags })
            };
            (0..keys.len()).rev().filter_map(release).collect()
        }
    }
}
