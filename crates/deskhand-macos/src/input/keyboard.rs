//! Keys down and up, one by one or as text: which events that takes, and what each carries.

use std::time::Duration;

use deskhand_platform::{Deadline, Error, Key, Named, Press, Result};

use super::{
    Desk,
    event::{Event, Flags, To},
    keys::{self, Place},
    layout::{Chord, Found},
    session,
    text::{self, Portion, Stroke},
};

/// The least time between two strokes of a text: the queue of an app holds only so many events.
const APART: Duration = Duration::from_millis(2);

/// Something that sends, if it may.
pub(super) type Sending<'a> = dyn Fn(&dyn Fn() -> Result<()>) -> Result<()> + 'a;

/// A key that is down.
#[derive(Debug)]
pub(super) struct Held {
    /// Which key was asked for.
    pub(super) key: Key,
    /// What was pressed for it.
    stroke: Stroke,
}

/// A keyboard, and whom its keys go to.
pub(super) struct Keyboard<'a, G> {
    pub(super) desk: &'a G,
    pub(super) to: To,
}

impl<G: Desk> Keyboard<'_, G> {
    /// Presses a key that is not down yet.
    pub(super) fn press(&self, stroke: Stroke, key: &Key, held: &mut Vec<Held>) -> Result<()> {
        let events = down(&stroke, flags(held));
        // It is remembered first: a key that was half pressed is let go of, too.
        held.push(Held { key: key.clone(), stroke });
        self.post(&events)
    }

    /// Releases a key; one that is not down is left alone.
    pub(super) fn release(&self, key: &Key, held: &mut Vec<Held>) -> Result<()> {
        let Some(at) = held.iter().position(|one| one.key == *key) else { return Ok(()) };
        let Held { stroke, .. } = held.remove(at);
        self.post(&up(&stroke, flags(held)))
    }

    /// Types a text; `send` asks for leave and sends each stroke, `wait` waits after it.
    pub(super) fn text(
        &self,
        text: &str,
        found: &Found,
        pause: Duration,
        by: Deadline,
        send: &Sending<'_>,
        wait: &dyn Fn(Duration),
    ) -> Result<()> {
        let portion = if pause.is_zero() { Portion::Full } else { Portion::One };
        let strokes = text::plan(text, found, portion).map_err(|control| Error::Unsupported {
            what: "typing this text".to_owned(),
            why: format!("{control:?} is a control character"),
        })?;
        let last = strokes.len().saturating_sub(1);
        for (at, stroke) in strokes.iter().enumerate() {
            if by.passed() {
                let part = if at == 0 { " (nothing was typed)" } else { "" };
                let what = format!("the app the text was typed into{part}");
                return Err(Error::Timeout { what });
            }
            let sent = send(&|| {
                session::ready(self.desk)?;
                // Flags say what is held, so nothing the person holds down changes the text.
                self.post(&down(stroke, Flags::NONE))?;
                self.post(&up(stroke, Flags::NONE))
            });
            sent.map_err(|error| if at > 0 { broken_off(error, TYPED) } else { error })?;
            if at < last || !pause.is_zero() {
                wait(pause.max(APART));
            }
        }
        Ok(())
    }

    fn post(&self, events: &[Event]) -> Result<()> {
        events.iter().try_for_each(|event| post(self.desk, event, self.to))
    }
}

/// Who had a part of a text already.
const TYPED: &str = "the app the text was typed into";

/// An error that says nothing was sent, where something was before it.
pub(super) fn broken_off(error: Error, whom: &str) -> Error {
    let broken = |why: String| Error::Broken { what: whom.to_owned(), why };
    if let Error::Locked { by } = error {
        broken(format!("{by} locked the screen before its end"))
    } else if let Error::Unsupported { why, .. } = error {
        broken(format!("{why}, and only its beginning was sent"))
    } else {
        error
    }
}

/// Posts one event.
pub(super) fn post(desk: &impl Desk, event: &Event, to: To) -> Result<()> {
    match desk.post(event, to) {
        true => Ok(()),
        false => Err(Error::Broken {
            what: "the window server".to_owned(),
            why: "it makes no events for this program".to_owned(),
        }),
    }
}

/// What is held down.
pub(super) fn flags(held: &[Held]) -> Flags {
    let places = held.iter().flat_map(|one| match &one.stroke {
        Stroke::Keys(chord) => chord.with.iter().chain([&chord.key]).copied().collect(),
        Stroke::Text(_) => Vec::new(),
    });
    places.fold(Flags::NONE, |all, place: Place| all | place.holds)
}

/// How a key is struck while others are held; why it cannot be otherwise.
pub(super) fn stroke(
    key: &Key,
    held: &[Held],
    find: impl FnOnce() -> Found,
) -> std::result::Result<Stroke, String> {
    let wanted = match key {
        Key::Named(named) => {
            let meant = if commands(held) { keys::with_command(*named) } else { *named };
            return Ok(Stroke::Keys(Chord { key: keys::place(meant)?, with: Vec::new() }));
        }
        Key::Char(wanted) => *wanted,
    };
    use Named::{Alt, Command, Control, Logo};
    let shortcut =
        held.iter().any(|one| matches!(one.key, Key::Named(Command | Control | Alt | Logo)));
    let now = flags(held);
    let Found { layout, .. } = find();
    let chord = match (&layout, shortcut) {
        (Some(layout), true) => layout.shortcut(wanted, now),
        (Some(layout), false) => layout.chord(wanted).cloned(),
        (None, _) => None,
    };
    match (chord, shortcut) {
        (Some(mut chord), _) => {
            chord.with.retain(|place| now.0 & place.holds.0 != place.holds.0);
            Ok(Stroke::Keys(chord))
        }
        (None, false) if wanted.is_control() => Err(format!("{wanted:?} is a control character")),
        (None, false) => Ok(Stroke::Text(wanted.encode_utf16(&mut [0; 2]).to_vec())),
        (None, true) if layout.is_some() => Err(format!("no key of the layout makes {wanted:?}")),
        // A guess could be another shortcut: on a French keyboard Q lies where A is elsewhere.
        (None, true) => Err(format!(
            "macOS did not tell which key makes {wanted:?} on this keyboard layout; choose the \
             command in its menu"
        )),
    }
}

/// Whether what shortcuts are made with is held.
fn commands(held: &[Held]) -> bool {
    held.iter().any(|one| one.key == Key::Named(Named::Command))
}

/// The events that press a stroke.
fn down(stroke: &Stroke, held: Flags) -> Vec<Event> {
    let press = Press::Down;
    match stroke {
        Stroke::Text(units) => vec![Event::Text { units: units.clone(), press, flags: held }],
        Stroke::Keys(Chord { key, with }) => {
            let mut flags = held;
            let mut events = Vec::new();
            for place in with.iter().chain([key]) {
                flags = flags | place.holds;
                events.push(Event::Key { code: place.code, press, flags: flags | place.own });
            }
            events
        }
    }
}

/// The events that release a stroke while others stay held.
fn up(stroke: &Stroke, held: Flags) -> Vec<Event> {
    let press = Press::Up;
    match stroke {
        Stroke::Text(units) => vec![Event::Text { units: units.clone(), press, flags: held }],
        Stroke::Keys(Chord { key, with }) => {
            let places: Vec<Place> = with.iter().chain([key]).copied().collect();
            let release = |at: usize| {
                let place = places.get(at)?;
                let still = places.get(..at)?.iter();
                let flags = still.fold(held, |all, place| all | place.holds);
                Some(Event::Key { code: place.code, press, flags: flags | place.own })
            };
            (0..places.len()).rev().filter_map(release).collect()
        }
    }
}
