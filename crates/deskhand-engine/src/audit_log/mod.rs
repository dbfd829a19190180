//! The audit log: one record before each action, and one after it.
//!
//! Each record contains the hash of the previous one, so that changed, missing and moved records are
//! detected. A record is written before its call continues, and survives the death of the process. It
//! is not flushed to the disk: a power failure may lose the last seconds, and verification reports that.

mod actions;
mod error;
mod files;
mod head;
mod record;
mod refusals;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;
mod verify;

use std::{path::PathBuf, sync::Arc, time::Instant};

use deskhand_model::Delivery;
use serde_json::Value;

pub use actions::{Action, ActionFilter, ActionFollower, ActionState, actions};
pub use error::Error;
pub use record::{ActionTarget, CallTarget, Phase};
pub use verify::{Checkpoint, FaultKind, LogFault, Verification, verify};

use record::RecordDraft;
use refusals::{RefusalRecord, Refusals};
use store::LogStore;

/// The result codes of refused calls.
pub(crate) const REFUSAL_CODES: &[&str] = &[
    "app_blocked",
    "audit_log_unwritable",
    "consent_required",
    "forbidden",
    "halted",
    "rate_limited",
    "read_only_mode",
    "write_blocked",
];

/// The rotation of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotationPolicy {
    /// The maximum size of the current file, in bytes.
    pub rotate_at: u64,
    /// The number of full files to keep.
    pub keep: usize,
}

impl Default for RotationPolicy {
    fn default() -> Self {
        Self { rotate_at: 10 * 1024 * 1024, keep: 10 }
    }
}

/// An audit log. Clones write to the same log.
#[derive(Debug, Clone)]
pub struct AuditLog(Arc<LogInner>);

#[derive(Debug)]
struct LogInner {
    store: LogStore,
    refusals: Refusals,
}

/// The start of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallStart<'a> {
    /// The caller, if it is not the owner.
    pub principal: Option<&'a str>,
    /// The session.
    pub session: &'a str,
    /// The origin of the call.
    pub origin: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments without secrets.
    pub args: &'a Value,
    /// Its target, as far as known.
    pub target: CallTarget<'a>,
}

/// The end of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallEnd<'a> {
    /// `ok`, or the code of its failure.
    pub result: &'a str,
    /// The observed effect in the app.
    pub effect: Option<&'a str>,
    /// Tells if anything was sent before a failure.
    pub delivery: Option<Delivery>,
    /// Its target.
    pub target: CallTarget<'a>,
    /// Its security flags.
    pub flags: &'a [&'a str],
}

/// A recorded call that has not ended yet.
#[derive(Debug)]
#[must_use = "the end of the call must be recorded"]
pub struct OpenCall {
    log: Arc<LogInner>,
    id: u64,
    session: String,
    tool: String,
    started: Instant,
}

impl AuditLog {
    /// Creates the log of a file. The first record opens the file.
    pub fn at(file: PathBuf, rotation: RotationPolicy) -> Self {
        Self(Arc::new(LogInner { store: LogStore::at(file, rotation), refusals: Refusals::new() }))
    }

    /// Records the start of a call.
    ///
    /// # Errors
    ///
    /// If the record cannot be written; the call must not run.
    pub fn begin(&self, start: CallStart<'_>) -> Result<OpenCall, Error> {
        let draft = |seq| RecordDraft { id: Some(seq), ..draft(start, Phase::Begun) };
        Ok(OpenCall {
            id: self.0.store.append(draft)?,
            log: Arc::clone(&self.0),
            session: start.session.to_owned(),
            tool: start.tool.to_owned(),
            started: Instant::now(),
        })
    }

    /// Records a refused call. If there are many, records contain their number; [`close`](Self::close)
    /// writes the last of these.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub fn refused(&self, start: CallStart<'_>, code: &str, flags: &[&str]) -> Result<(), Error> {
        let (kind, record) = self.0.refusals.count(start.principal.unwrap_or_default(), code);
        let draft = match record {
            RefusalRecord::Single { left_out } => RecordDraft {
                result: Some(code),
                security_flags: flags,
                left_out: (left_out > 0).then_some(left_out),
                ..draft(start, Phase::Refused)
            },
            RefusalRecord::Count { left_out } => count_draft(&kind, left_out),
            RefusalRecord::Deferred => return Ok(()),
        };
        let written = self.0.store.append(|_| draft).map(drop);
        if written.is_err() {
            self.0.refusals.restore(kind, record);
        }
        written
    }

    /// Writes pending counts of refused calls. Programs call this before they exit.
    pub fn close(&self) {
        self.0.close();
    }
}

impl LogInner {
    fn close(&self) {
        for (kind, left_out) in self.refusals.take_pending() {
            // The program is ending, so there is no caller to report an error to.
            let _ = self.store.append(|_| count_draft(&kind, left_out));
        }
    }
}

impl Drop for LogInner {
    fn drop(&mut self) {
        self.close();
    }
}

impl OpenCall {
    /// Returns the number of its start record.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Records the end of the call.
    ///
    /// # Errors
    ///
    /// If the record cannot be written; the start record remains.
    pub fn end(self, end: CallEnd<'_>) -> Result<(), Error> {
        let draft = RecordDraft {
            phase: Some(Phase::Ended),
            id: Some(self.id),
            session_id: Some(&self.session),
            tool: Some(&self.tool),
            target: end.target,
            result: Some(end.result),
            effect: end.effect,
            delivery: end.delivery,
            security_flags: end.flags,
            duration_ms: Some(
                u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            ),
            ..RecordDraft::default()
        };
        self.log.store.append(|_| draft).map(drop)
    }
}

fn draft(start: CallStart<'_>, phase: Phase) -> RecordDraft<'_> {
    RecordDraft {
        phase: Some(phase),
        principal: start.principal,
        session_id: Some(start.session),
        origin: Some(start.origin),
        tool: Some(start.tool),
        args: Some(start.args),
        target: start.target,
        ..RecordDraft::default()
    }
}

/// Creates a record that only contains the number of refusals of a kind.
fn count_draft(kind: &refusals::RefusalKind, left_out: u64) -> RecordDraft<'_> {
    RecordDraft {
        phase: Some(Phase::Refused),
        principal: Some(kind.caller.as_str()).filter(|caller| !caller.is_empty()),
        result: Some(&kind.code),
        left_out: Some(left_out),
        ..RecordDraft::default()
    }
}
