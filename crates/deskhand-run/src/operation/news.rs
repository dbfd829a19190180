//! What is said about output while it comes: the first at once, then not too often and not too much.

use std::time::{Duration, Instant};

use super::{Event, Listener, News, handle::Operation};
use crate::output::{After, decoded};

/// How long nothing is said after something was.
const PACE: Duration = Duration::from_millis(100);

/// The most bytes said at once.
const MOST: u64 = 4096;

/// Says what is new.
pub(super) struct Teller<'a> {
    operation: &'a Operation,
    said: u64,
    printed: u64,
    next: Option<Instant>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(operation: &'a Operation) -> Self {
        Self { operation, said: 0, printed: 0, next: None }
    }

    /// Takes note of output, and says it when it is time.
    pub(super) fn note(&mut self, printed: u64, now: Instant) {
        self.printed = printed;
        self.say_in_time(now);
    }

    /// When it will say something.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.operation.listener() {
            Listener::Nobody => None,
            Listener::Hears(_) => self.next.filter(|_| self.said < self.printed),
        }
    }

    /// Says what is new when it is time.
    pub(super) fn say_in_time(&mut self, now: Instant) {
        if self.said < self.printed && self.next.is_none_or(|next| next <= now) {
            self.say(now, After::More);
        }
    }

    /// Says all that is left.
    pub(super) fn close(&mut self) {
        if self.said < self.printed {
            self.say(Instant::now(), After::Nothing);
        }
    }

    fn say(&mut self, now: Instant, after: After) {
        let Listener::Hears(listener) = self.operation.listener() else {
            self.said = self.printed;
            return;
        };
        let from = self.said.max(self.printed.saturating_sub(MOST));
        let mut bytes = self.operation.printed(from, usize::try_from(MOST).unwrap_or(usize::MAX));
        if after == After::More
            && let Some(end) = memchr::memrchr(b'\n', &bytes)
        {
            bytes.truncate(end + 1);
        }
        let left_out = from - self.said;
        // Where something is left out, a line that is not whole is left out, too.
        let broken = match memchr::memchr(b'\n', &bytes) {
            Some(end) if left_out > 0 && end + 1 < bytes.len() => end + 1,
            Some(_) | None => 0,
        };
        let read = decoded(bytes.get(broken..).unwrap_or_default(), after);
        self.next = Some(now + PACE);
        if read.used == 0 {
            return;
        }
        self.said = from + (broken + read.used) as u64;
        let left_out = left_out + broken as u64;
        listener(Event::Output(News { text: read.text, left_out, printed: self.printed }));
    }
}
