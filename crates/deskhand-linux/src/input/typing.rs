//! Types text. Each character uses its own key if the layout has one, and a borrowed key otherwise.

use std::time::Duration;

use deskhand_platform::{Deadline, Error};
use x11rb::protocol::xproto::Window;
use xkeysym::key;

use super::{
    borrowed_keys::BorrowedKeys,
    keyboard::Keyboard,
    layout::{Chord, Layout},
    lock,
    modifiers::{NeutralModifiers, locked_modifiers, num_lock_mask},
    plan::{self, KeyBatch, KeyStroke, UntypableText},
    selection_lock::SelectionLock,
    sync::{InputStatus, InputSync},
};
use crate::x11::{X11Error, X11Result, XServer};

/// Maximum number of keys sent before waiting until the app has read them.
const MAX_UNREAD_KEYS: usize = 48;

/// The X selection that only one program owns at a time while it borrows keys.
const BORROWED_KEYS_LOCK: &str = "_DESKHAND_KEYBOARD";
/// The reason why a text was not typed completely.
pub(super) enum TypingError {
    /// The text cannot be typed. Nothing was typed.
    Untypable(UntypableText),
    /// The user holds these keys down. Nothing was typed.
    KeysHeld(String),
    /// Another program is typing. Nothing was typed.
    Busy,
    /// The app does not read its keys. Nothing was typed.
    NotResponding,
    /// The app stopped reading its keys after part of the text.
    StoppedReading,
    /// The screen was locked after part of the text.
    Locked(String),
}

impl From<TypingError> for Error {
    fn from(error: TypingError) -> Self {
        let unable = |why: String| Error::Unsupported { what: "typing this text".to_owned(), why };
        match error {
            TypingError::Untypable(UntypableText::NoKey(c)) => {
                unable(format!("no key produces {c:?}, and the keyboard has no spare key for it"))
            }
            TypingError::Untypable(UntypableText::Control(c)) => {
                unable(format!("{c:?} is a control character"))
            }
            TypingError::KeysHeld(keys) => Error::Unsupported {
                what: "typing".to_owned(),
                why: format!("the user is holding {keys}"),
            },
            TypingError::Busy => {
                Error::Timeout { what: "the wait for another program's typing".to_owned() }
            }
            TypingError::NotResponding => Error::Timeout {
                what: "the app that receives the keys (nothing was typed)".to_owned(),
            },
            TypingError::StoppedReading => {
                Error::Timeout { what: "the app the text was typed into".to_owned() }
            }
            TypingError::Locked(locker) => Error::Disconnected {
                what: "the app the text was typed into".to_owned(),
                why: format!("{locker} locked the screen before the end of the text"),
            },
        }
    }
}

/// The method for characters that need a modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModifierMode {
    /// Press the modifier keys.
    Press,
    /// Borrow a key that produces the character without modifiers.
    BorrowKeys,
}

/// Types text into one window or into the focused window.
pub(super) struct TextTyper<'a> {
    /// The main connection; apps use the layout of its keyboard.
    pub(super) main_server: &'a XServer,
    /// The keyboard that presses the keys.
    pub(super) keys: Keyboard<'a>,
    /// The window that receives the keys, or `None` for the focused window.
    pub(super) window: Option<Window>,
    /// The method for characters that need a modifier.
    pub(super) modifiers: ModifierMode,
}

impl TextTyper<'_> {
    /// Types a text. The main keyboard is restored when this returns, also after an error.
    pub(super) fn type_text(
        &self,
        text: &str,
        pause: Duration,
        deadline: Deadline,
    ) -> X11Result<std::result::Result<(), TypingError>> {
        if text.is_empty() {
            return Ok(Ok(()));
        }
        let main_keyboard = match self.window {
            Some(_) => Keyboard::open(self.main_server)?,
            None => Keyboard::with_xtest_layout(self.main_server)?,
        };
        let lock = SelectionLock::acquire(self.main_server, BORROWED_KEYS_LOCK, deadline)?;
        let Some(_lock) = lock else { return Ok(Err(TypingError::Busy)) };
        let layout = main_keyboard.layout()?;
        let num_lock = locked_modifiers(self.keys)? & num_lock_mask(&layout);
        let batches = match self.plan(text, &layout, num_lock) {
            Ok(batches) => batches,
            Err(untypable) => return Ok(Err(TypingError::Untypable(untypable))),
        };
        let mut sync = InputSync::new(self.main_server, self.window)?;
        if sync.ping_target(deadline)? == InputStatus::Pending {
            return Ok(Err(TypingError::NotResponding));
        }
        let strokes = batches.iter().flat_map(|batch| &batch.strokes);
        let needed: Vec<u8> = strokes.map(|stroke| stroke.chord.code).collect();
        let _neutral = match NeutralModifiers::new(self.keys, &layout, &needed, deadline)? {
            Ok(neutral) => neutral,
            Err(held) => {
                let names: Vec<String> = held.iter().map(|code| layout.name_of(*code)).collect();
                return Ok(Err(TypingError::KeysHeld(names.join(", "))));
            }
        };
        let mut typed = 0;
        let mut borrowed_keys = BorrowedKeys::new(main_keyboard, &layout);
        for batch in &batches {
            if !batch.borrow.is_empty() {
                borrowed_keys.borrow(&batch.borrow)?;
                if sync.wait_until_read(deadline)? == InputStatus::Pending {
                    return Ok(Err(TypingError::StoppedReading));
                }
            }
            if self.type_batch(batch, pause, &mut sync, &mut typed, deadline)?
                == InputStatus::Pending
            {
                let locker = self.screen_locker()?;
                return Ok(Err(locker.map_or(TypingError::StoppedReading, TypingError::Locked)));
            }
        }
        Ok(Ok(()))
    }

    fn plan(
        &self,
        text: &str,
        layout: &Layout,
        locked: u8,
    ) -> Result<Vec<KeyBatch>, UntypableText> {
        let mut known = layout.typeable_characters(locked);
        match self.modifiers {
            ModifierMode::Press => {}
            ModifierMode::BorrowKeys => known.retain(|_, chord| chord.with.is_empty()),
        }
        for (character, keysym) in [('\n', key::Return), ('\t', key::Tab)] {
            let code = layout.code_of(keysym).ok_or(UntypableText::NoKey(character))?;
            known.insert(character, Chord { code, with: Vec::new() });
        }
        plan::plan_batches(text, &known, &layout.spare_keys())
    }

    fn type_batch(
        &self,
        batch: &KeyBatch,
        pause: Duration,
        sync: &mut InputSync<'_>,
        typed: &mut usize,
        deadline: Deadline,
    ) -> X11Result<InputStatus> {
        let defers = sync.deferring_app()?.is_some();
        let mut unread = 0;
        let mut strokes = batch.strokes.iter().peekable();
        while let Some(KeyStroke { chord, is_isolated }) = strokes.next() {
            let next = strokes.peek().copied();
            let isolate = defers && (*is_isolated || next.is_none_or(|next| next.is_isolated));
            if isolate
                && unread > 0
                && self.wait_until_processed(sync, deadline)? == InputStatus::Pending
            {
                return Ok(InputStatus::Pending);
            }
            if let Err(error) = self.press(chord) {
                self.release(chord)?;
                return Err(with_typed_count(error, *typed));
            }
            *typed += 1;
            // LibreOffice holds a character back while more key events are queued, even its own
            // release.
            let read = if isolate {
                self.wait_until_processed(sync, deadline)
            } else {
                Ok(InputStatus::Read)
            };
            self.release(chord)?;
            unread += 1;
            if !pause.is_zero() {
                self.keys.sync()?;
                self.keys.wait(pause.min(deadline.remaining()));
                if self.screen_locker()?.is_some() {
                    return Ok(InputStatus::Pending);
                }
            }
            let is_full = unread == MAX_UNREAD_KEYS;
            if read? == InputStatus::Pending || deadline.has_passed() {
                return Ok(InputStatus::Pending);
            }
            if isolate || is_full || next.is_none() {
                unread = 0;
                if self.wait_until_processed(sync, deadline)? == InputStatus::Pending {
                    return Ok(InputStatus::Pending);
                }
            }
        }
        // Apps that cannot be pinged get time to read only if borrowed keys change afterwards.
        if sync.has_no_ping_target() && !batch.borrow.is_empty() {
            return sync.wait_until_read(deadline);
        }
        Ok(InputStatus::Read)
    }

    /// Returns the program that locks the screen, if the keys go to the user's focus.
    fn screen_locker(&self) -> X11Result<Option<String>> {
        self.window.map_or_else(|| lock::find_screen_locker(self.main_server), |_| Ok(None))
    }

    /// Waits until the app has processed its keys, if it can be pinged.
    fn wait_until_processed(
        &self,
        sync: &mut InputSync<'_>,
        deadline: Deadline,
    ) -> X11Result<InputStatus> {
        self.keys.sync()?;
        if self.screen_locker()?.is_some() {
            return Ok(InputStatus::Pending);
        }
        if sync.has_no_ping_target() {
            Ok(InputStatus::Read)
        } else {
            sync.wait_until_processed(deadline)
        }
    }

    fn press(&self, chord: &Chord) -> X11Result<()> {
        chord.with.iter().chain([&chord.code]).try_for_each(|code| self.keys.press(*code))
    }

    fn release(&self, chord: &Chord) -> X11Result<()> {
        self.keys.release(chord.code)?;
        chord.with.iter().rev().try_for_each(|code| self.keys.release(*code))
    }
}

/// Adds the number of keys already sent to a refusal, because then part of the text was typed.
fn with_typed_count(error: X11Error, typed: usize) -> X11Error {
    let Some(why) = error.refusal().filter(|_| typed > 0) else { return error };
    let why = format!("typing stopped after {typed} keys: {why}");
    X11Error::refused(Error::Disconnected {
        what: "the app the text was typed into".to_owned(),
        why,
    })
}
