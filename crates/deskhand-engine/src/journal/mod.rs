//! The journal: what was done, by whom and to what, one line before it is done and one after. People
//! know the file as the audit log.
//!
//! Each line carries the hash of the one before, so that a line that is changed, missing or moved is
//! found. Lines are handed to the system before the call goes on: they outlive a killed process. They
//! are not forced to the disk, so a power cut may take the last seconds; what is missing then is told.

mod error;
mod files;
mod head;
mod read;
mod record;
mod refusals;
mod shelf;
mod store;
#[cfg(test)]
mod tests;
mod verify;

use std::{path::PathBuf, sync::Arc, time::Instant};

use deskhand_model::Delivery;
use serde_json::Value;

pub use error::Error;
pub use read::{Action, Follow, State, Wanted, actions};
pub use record::{Aim, Phase, Target};
pub use verify::{Fault, Kind, Noted, Verdict, verify};

use record::Draft;
use refusals::{Refusals, Told};
use store::Store;

/// The codes of calls that were not let through.
pub(crate) const REFUSALS: &[&str] = &[
    "app_blocked",
    "audit_log_unwritable",
    "consent_required",
    "forbidden",
    "halted",
    "rate_limited",
    "read_only_mode",
    "write_blocked",
];

/// When a log is continued in another file, and how many full ones are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How large the current file may grow, in bytes.
    pub rotate_at: u64,
    /// How many full files are kept beside it.
    pub keep: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { rotate_at: 10 * 1024 * 1024, keep: 10 }
    }
}

/// Records calls. Clones write to the same log.
#[derive(Debug, Clone)]
pub struct Journal(Arc<Desk>);

#[derive(Debug)]
struct Desk {
    store: Store,
    refusals: Refusals,
}

/// A call that is about to be done.
#[derive(Debug, Clone, Copy)]
pub struct Begun<'a> {
    /// Who calls, where it is not the owner.
    pub principal: Option<&'a str>,
    /// In which session.
    pub session: &'a str,
    /// Through which door.
    pub door: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, without anything secret.
    pub args: &'a Value,
    /// What it is aimed at, as far as that is known before.
    pub target: Target<'a>,
}

/// What a call came to.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// `ok`, or the code of its failure.
    pub result: &'a str,
    /// What was seen of it in the app.
    pub effect: Option<&'a str>,
    /// Whether anything was sent, where it failed.
    pub delivery: Option<Delivery>,
    /// What it was aimed at.
    pub target: Target<'a>,
    /// What was remarkable about it.
    pub flags: &'a [&'a str],
}

/// A call on record that is not done yet.
#[derive(Debug)]
#[must_use = "a call that was begun must be ended"]
pub struct Open {
    desk: Arc<Desk>,
    id: u64,
    session: String,
    tool: String,
    since: Instant,
}

impl Journal {
    /// The journal in a file, which is opened by the first record.
    pub fn at(file: PathBuf, bounds: Bounds) -> Self {
        Self(Arc::new(Desk { store: Store::at(file, bounds), refusals: Refusals::new() }))
    }

    /// Records that a call is about to be done.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded: then it must not be done.
    pub fn begin(&self, begun: Begun<'_>) -> Result<Open, Error> {
        let draft = |seq| Draft { id: Some(seq), ..draft(begun, Phase::Begun) };
        Ok(Open {
            id: self.0.store.append(draft)?,
            desk: Arc::clone(&self.0),
            session: begun.session.to_owned(),
            tool: begun.tool.to_owned(),
            since: Instant::now(),
        })
    }

    /// Records that a call was not let through, and why. Where many are refused they are counted, and
    /// lines tell how many; the last of them when the journal is closed.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded.
    pub fn refused(&self, begun: Begun<'_>, code: &str, flags: &[&str]) -> Result<(), Error> {
        let (kind, told) = self.0.refusals.one_more(begun.principal.unwrap_or_default(), code);
        let draft = match told {
            Told::Whole { left_out } => Draft {
                result: Some(code),
                security_flags: flags,
                left_out: (left_out > 0).then_some(left_out),
                ..draft(begun, Phase::Refused)
            },
            Told::Count { left_out } => counted(&kind, left_out),
            Told::Later => return Ok(()),
        };
        let written = self.0.store.append(|_| draft).map(drop);
        if written.is_err() {
            self.0.refusals.were_not_recorded(kind, told);
        }
        written
    }

    /// Records what still waits to be recorded; a program does this before it ends.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Desk {
    fn close(&self) {
        for (kind, left_out) in self.refusals.take_waiting() {
            // Nobody is left to be told that it cannot be recorded.
            let _ = self.store.append(|_| counted(&kind, left_out));
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close();
    }
}

impl Open {
    /// The number of its record, by which it is found again.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Records what the call came to.
    ///
    /// # Errors
    ///
    /// When it cannot be recorded: the record of its beginning stands.
    pub fn end(self, ended: Ended<'_>) -> Result<(), Error> {
        let draft = Draft {
            phase: Some(Phase::Ended),
            id: Some(self.id),
            session_id: Some(&self.session),
            tool: Some(&self.tool),
            target: ended.target,
            result: Some(ended.result),
            effect: ended.effect,
            delivery: ended.delivery,
            security_flags: ended.flags,
            duration_ms: Some(u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)),
            ..Draft::default()
        };
        self.desk.store.append(|_| draft).map(drop)
    }
}

fn draft(begun: Begun<'_>, phase: Phase) -> Draft<'_> {
    Draft {
        phase: Some(phase),
        principal: begun.principal,
        session_id: Some(begun.session),
        door: Some(begun.door),
        tool: Some(begun.tool),
        args: Some(begun.args),
        target: begun.target,
        ..Draft::default()
    }
}

/// How many refusals of a kind have no line of their own.
fn counted(kind: &refusals::Kind, left_out: u64) -> Draft<'_> {
    Draft {
        phase: Some(Phase::Refused),
        principal: Some(kind.who.as_str()).filter(|who| !who.is_empty()),
        result: Some(&kind.code),
        left_out: Some(left_out),
        ..Draft::default()
    }
}
