//! The levels of log records, from the least to the most urgent, and how many a client takes.
#![expect(deprecated, reason = "logging is of the era of the handshake, which is served too")]

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::model::LoggingLevel;

/// How urgent a log record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// For those who look for a mistake.
    Debug,
    /// What goes on.
    #[default]
    Info,
    /// What is worth a look.
    Notice,
    /// What may go wrong.
    Warning,
    /// What went wrong.
    Error,
    /// What keeps things from working.
    Critical,
    /// What somebody must see to.
    Alert,
    /// Nothing works.
    Emergency,
}

impl Level {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl std::str::FromStr for Level {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|level| level.word() == text).ok_or(())
    }
}

impl From<LoggingLevel> for Level {
    fn from(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }
}

impl From<Level> for LoggingLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Notice => Self::Notice,
            Level::Warning => Self::Warning,
            Level::Error => Self::Error,
            Level::Critical => Self::Critical,
            Level::Alert => Self::Alert,
            Level::Emergency => Self::Emergency,
        }
    }
}

/// The level a session has set; what the server says until it does.
#[derive(Debug)]
pub(crate) struct Threshold(AtomicU8);

impl Threshold {
    /// One that begins at a level.
    pub(crate) fn at(level: Level) -> Self {
        Self(AtomicU8::new(level as u8))
    }

    /// Sets it.
    pub(crate) fn set(&self, level: Level) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// What it is.
    pub(crate) fn get(&self) -> Level {
        let at = usize::from(self.0.load(Ordering::Relaxed));
        Level::ALL.get(at).copied().unwrap_or(Level::Info)
    }
}

/// How many records a client takes in one stretch of time.
const MOST: u32 = 200;

/// How long such a stretch is.
pub(crate) const STRETCH: Duration = Duration::from_secs(1);

/// Whether a record may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// It may.
    Yes,
    /// It is dropped, the first of this stretch: the client is told how many were when it is over.
    DroppedFirst,
    /// It is dropped.
    Dropped,
}

/// The records of one connection, and that they are not too many.
#[derive(Debug, Default)]
pub(crate) struct Flow(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    begun: Option<Instant>,
    sent: u32,
    dropped: u64,
}

impl Flow {
    /// Counts one record.
    pub(crate) fn admit(&self, now: Instant) -> Admitted {
        let mut counted = self.counted();
        if counted.begun.is_none_or(|begun| now.duration_since(begun) >= STRETCH) {
            (counted.begun, counted.sent) = (Some(now), 0);
        }
        if counted.sent < MOST {
            counted.sent += 1;
            return Admitted::Yes;
        }
        counted.dropped += 1;
        if counted.dropped == 1 { Admitted::DroppedFirst } else { Admitted::Dropped }
    }

    /// How many were dropped since this was last asked.
    pub(crate) fn dropped(&self) -> u64 {
        std::mem::take(&mut self.counted().dropped)
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_records_are_dropped_and_counted() {
        let (flow, begun) = (Flow::default(), Instant::now());
        for _ in 0..MOST {
            assert_eq!(flow.admit(begun), Admitted::Yes);
        }
        assert_eq!(flow.admit(begun), Admitted::DroppedFirst);
        assert_eq!(flow.admit(begun), Admitted::Dropped);
        assert_eq!(flow.admit(begun + STRETCH), Admitted::Yes);
        assert_eq!((flow.dropped(), flow.dropped()), (2, 0));
    }

    #[test]
    fn levels_go_both_ways_and_are_kept() {
        let kept = Threshold::at(Level::default());
        assert_eq!(kept.get(), Level::Info);
        for level in Level::ALL {
            assert_eq!(Level::from(LoggingLevel::from(level)), level);
            kept.set(level);
            assert_eq!(kept.get(), level);
        }
        assert!(Level::Debug < Level::Warning && Level::Warning < Level::Emergency);
    }
}
