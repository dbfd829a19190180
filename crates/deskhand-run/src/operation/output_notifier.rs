//! Sends new output to the observer of an operation: the first at once, then at limited rate and size.

use std::time::Instant;

use super::{OperationEvent, OperationObserver, OutputChunk, handle::Operation};
use crate::{
    output::{Remaining, decode},
    timing::OUTPUT_INTERVAL,
};

/// Maximum number of bytes in one chunk.
const MAX_CHUNK: u64 = 4096;

/// Sends the new output of one operation.
pub(super) struct OutputNotifier<'a> {
    operation: &'a Operation,
    sent: u64,
    total: u64,
    next: Option<Instant>,
}

impl<'a> OutputNotifier<'a> {
    pub(super) fn new(operation: &'a Operation) -> Self {
        Self { operation, sent: 0, total: 0, next: None }
    }

    /// Sets the number of bytes printed so far, and sends the new ones if it is time.
    pub(super) fn set_total(&mut self, total: u64, now: Instant) {
        self.total = total;
        self.send_if_due(now);
    }

    /// The time of the next chunk, if there is unsent output.
    pub(super) fn next_due(&self) -> Option<Instant> {
        match self.operation.observer() {
            OperationObserver::None => None,
            OperationObserver::Callback(_) => self.next.filter(|_| self.sent < self.total),
        }
    }

    /// Sends new output if it is time.
    pub(super) fn send_if_due(&mut self, now: Instant) {
        if self.sent < self.total && self.next.is_none_or(|next| next <= now) {
            self.send(now, Remaining::More);
        }
    }

    /// Sends all unsent output.
    pub(super) fn flush(&mut self) {
        if self.sent < self.total {
            self.send(Instant::now(), Remaining::Nothing);
        }
    }

    fn send(&mut self, now: Instant, remaining: Remaining) {
        let OperationObserver::Callback(callback) = self.operation.observer() else {
            self.sent = self.total;
            return;
        };
        let from = self.sent.max(self.total.saturating_sub(MAX_CHUNK));
        let max_bytes = usize::try_from(MAX_CHUNK).unwrap_or(usize::MAX);
        let mut bytes = self.operation.copy_output(from, max_bytes);
        if remaining == Remaining::More
            && let Some(end) = memchr::memrchr(b'\n', &bytes)
        {
            bytes.truncate(end + 1);
        }
        let omitted = from - self.sent;
        // After an omission the chunk starts with a complete line.
        let partial_line = match memchr::memchr(b'\n', &bytes) {
            Some(end) if omitted > 0 && end + 1 < bytes.len() => end + 1,
            Some(_) | None => 0,
        };
        let decoded = decode(bytes.get(partial_line..).unwrap_or_default(), remaining);
        self.next = Some(now + OUTPUT_INTERVAL);
        if decoded.used == 0 {
            return;
        }
        self.sent = from + (partial_line + decoded.used) as u64;
        let omitted = omitted + partial_line as u64;
        callback(OperationEvent::Output(OutputChunk {
            text: decoded.text,
            omitted,
            total_bytes: self.total,
        }));
    }
}
