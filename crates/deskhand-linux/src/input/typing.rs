//! Types a text: every character by its own key where the layout has one, by a lent key else.

use std::time::Duration;

use deskhand_platform::{Deadline, Error};
use x11rb::protocol::xproto::Window;
use xkeysym::key;

use super::{
    calm::{self, Calm},
    keyboard::Keyboard,
    layout::{Chord, Layout},
    loan::{Loan, Turn},
    lock,
    plan::{self, Round, Stroke, Unable},
    pulse::{Pulse, Read},
};
use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// How many keys are sent before the app is given time to read them.
const MOUTHFUL: usize = 48;

/// The turn programs take with the spare keys.
const TYPING: &str = "_DESKHAND_KEYBOARD";

/// Why a text was not typed to its end.
pub(super) enum Stop {
    /// It cannot be typed; nothing was.
    Unable(Unable),
    /// Somebody holds these keys down; nothing was typed.
    Held(String),
    /// Another program types at this moment; nothing was typed.
    Busy,
    /// The app does not read its keys; nothing was typed.
    Frozen,
    /// The app stopped to read its keys while it was typed.
    Unread,
    /// The screen was locked while it was typed.
    Locked(String),
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        let unable = |why: String| Error::Unsupported { what: "typing this text".to_owned(), why };
        match stop {
            Stop::Unable(Unable::NoKey(c)) => unable(format!(
                "no key makes {c:?}, and the keyboard has no free key to lend to it"
            )),
            Stop::Unable(Unable::Control(c)) => unable(format!("{c:?} is a control character")),
            Stop::Held(keys) => Error::Unsupported {
                what: "typing".to_owned(),
                why: format!("{keys} is held down on the keyboard"),
            },
            Stop::Busy => Error::Timeout { what: "another program that types".to_owned() },
            Stop::Frozen => Error::Timeout {
                what: "the app that has the keyboard (nothing was typed)".to_owned(),
            },
            Stop::Unread => Error::Timeout { what: "the app the text was typed into".to_owned() },
            Stop::Locked(by) => Error::Broken {
                what: "the app the text was typed into".to_owned(),
                why: format!("{by} locked the screen before its end"),
            },
        }
    }
}

/// Which ways a text may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shifted {
    /// Modifiers are pressed where a character needs them.
    Pressed,
    /// Characters that need a modifier get a key of their own.
    Lent,
}

/// Where a text goes and how.
pub(super) struct Typist<'a> {
    /// The desk's connection: its keyboard has the layout apps go by.
    pub(super) desk: &'a Server,
    /// The keyboard keys are pressed on.
    pub(super) keys: Keyboard<'a>,
    /// The window that gets them; the one that has the keyboard when absent.
    pub(super) window: Option<Window>,
    /// What is done about modifiers.
    pub(super) shifted: Shifted,
}

impl Typist<'_> {
    /// Types a text; the desk's keyboard is as before when it returns, however it returns.
    pub(super) fn text(
        &self,
        text: &str,
        pause: Duration,
        by: Deadline,
    ) -> Asked<std::result::Result<(), Stop>> {
        if text.is_empty() {
            return Ok(Ok(()));
        }
        let desk = match self.window {
            Some(_) => Keyboard::open(self.desk)?,
            None => Keyboard::primed(self.desk)?,
        };
        let Some(_turn) = Turn::take(self.desk, TYPING, by)? else { return Ok(Err(Stop::Busy)) };
        let layout = desk.layout()?;
        let kept = calm::locked(self.keys)? & calm::kept(&layout);
        let rounds = match self.plan(text, &layout, kept) {
            Ok(rounds) => rounds,
            Err(unable) => return Ok(Err(Stop::Unable(unable))),
        };
        let mut pulse = Pulse::new(self.desk, self.window)?;
        if pulse.first(by)? == Read::No {
            return Ok(Err(Stop::Frozen));
        }
        let strokes = rounds.iter().flat_map(|round| &round.strokes);
        let needed: Vec<u8> = strokes.map(|stroke| stroke.chord.code).collect();
        let _calm = match Calm::new(self.keys, &layout, &needed, by)? {
            Ok(calm) => calm,
            Err(held) => {
                let names: Vec<String> = held.iter().map(|code| layout.name_of(*code)).collect();
                return Ok(Err(Stop::Held(names.join(", "))));
            }
        };
        let mut typed = 0;
        let mut loan = Loan::new(desk, &layout);
        for round in &rounds {
            if !round.lend.is_empty() {
                loan.lend(&round.lend)?;
                if pulse.settle(by)? == Read::No {
                    return Ok(Err(Stop::Unread));
                }
            }
            if self.round(round, pause, &mut pulse, &mut typed, by)? == Read::No {
                return Ok(Err(self.locker()?.map_or(Stop::Unread, Stop::Locked)));
            }
        }
        Ok(Ok(()))
    }

    fn plan(&self, text: &str, layout: &Layout, locked: u8) -> Result<Vec<Round>, Unable> {
        let mut known = layout.characters(locked);
        match self.shifted {
            Shifted::Pressed => {}
            Shifted::Lent => known.retain(|_, chord| chord.with.is_empty()),
        }
        for (character, symbol) in [('\n', key::Return), ('\t', key::Tab)] {
            let code = layout.code_of(symbol).ok_or(Unable::NoKey(character))?;
            known.insert(character, Chord { code, with: Vec::new() });
        }
        plan::plan(text, &known, &layout.spares())
    }

    fn round(
        &self,
        round: &Round,
        pause: Duration,
        pulse: &mut Pulse<'_>,
        typed: &mut usize,
        by: Deadline,
    ) -> Asked<Read> {
        let defers = pulse.deferring()?.is_some();
        let mut unread = 0;
        let mut strokes = round.strokes.iter().peekable();
        while let Some(Stroke { chord, apart }) = strokes.next() {
            let next = strokes.peek().copied();
            let parts = defers && (*apart || next.is_none_or(|next| next.apart));
            if parts && unread > 0 && self.rest(pulse, by)? == Read::No {
                return Ok(Read::No);
            }
            if let Err(trouble) = self.down(chord) {
                self.up(chord)?;
                return Err(late(trouble, *typed));
            }
            *typed += 1;
            // LibreOffice keeps a character back while more keys are there, even its own release.
            let read = if parts { self.rest(pulse, by) } else { Ok(Read::Yes) };
            self.up(chord)?;
            unread += 1;
            if !pause.is_zero() {
                self.keys.sync()?;
                self.keys.wait(pause.min(by.left()));
                if self.locker()?.is_some() {
                    return Ok(Read::No);
                }
            }
            let is_full = unread == MOUTHFUL;
            if read? == Read::No || by.passed() {
                return Ok(Read::No);
            }
            if parts || is_full || next.is_none() {
                unread = 0;
                if self.rest(pulse, by)? == Read::No {
                    return Ok(Read::No);
                }
            }
        }
        // Those who cannot tell are waited for only where a key changes its meaning after.
        if pulse.is_blind() && !round.lend.is_empty() {
            return pulse.settle(by);
        }
        Ok(Read::Yes)
    }

    /// Who locks the screen and gets the keys, if they are those of the person at the desk.
    fn locker(&self) -> Asked<Option<String>> {
        self.window.map_or_else(|| lock::locker(self.desk), |_| Ok(None))
    }

    /// Waits until the app is done with what it was sent, if that can be known.
    fn rest(&self, pulse: &mut Pulse<'_>, by: Deadline) -> Asked<Read> {
        self.keys.sync()?;
        if self.locker()?.is_some() {
            return Ok(Read::No);
        }
        if pulse.is_blind() { Ok(Read::Yes) } else { pulse.rest(by) }
    }

    fn down(&self, chord: &Chord) -> Asked<()> {
        chord.with.iter().chain([&chord.code]).try_for_each(|code| self.keys.press(*code))
    }

    fn up(&self, chord: &Chord) -> Asked<()> {
        self.keys.release(chord.code)?;
        chord.with.iter().rev().try_for_each(|code| self.keys.release(*code))
    }
}

/// A refusal that came when a part was typed already says so: something was sent.
fn late(trouble: Trouble, typed: usize) -> Trouble {
    let Some(why) = trouble.refusal().filter(|_| typed > 0) else { return trouble };
    let why = if let Error::Halted { .. } = why {
        format!("everything was stopped after {typed} keys")
    } else {
        format!("another window took the keyboard after {typed} keys: {why}")
    };
    Trouble::refused(Error::Broken { what: "the app the text was typed into".to_owned(), why })
}
