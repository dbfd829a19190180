//! Log levels of the protocol, and the rate limit of log notifications.
#![expect(deprecated, reason = "logging belongs to 2025-11-25 and older, which are served too")]

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::model::LoggingLevel;

/// The severity of a log record (RFC 5424), from least to most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Detail for debugging.
    Debug,
    /// Normal operation.
    #[default]
    Info,
    /// A normal but significant event.
    Notice,
    /// A condition that may become a problem.
    Warning,
    /// An error.
    Error,
    /// A component has failed.
    Critical,
    /// Immediate action is needed.
    Alert,
    /// The system is unusable.
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

    /// Returns the name of the level.
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

/// The level a session has set, or the server's default.
#[derive(Debug)]
pub(crate) struct Threshold(AtomicU8);

impl Threshold {
    /// Creates a threshold.
    pub(crate) fn at(level: Level) -> Self {
        Self(AtomicU8::new(level as u8))
    }

    /// Sets the level.
    pub(crate) fn set(&self, level: Level) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Returns the level.
    pub(crate) fn get(&self) -> Level {
        let at = usize::from(self.0.load(Ordering::Relaxed));
        Level::ALL.get(at).copied().unwrap_or(Level::Info)
    }
}

/// Maximum number of records per window and connection.
const MOST: u32 = 200;

/// Length of a window.
pub(crate) const STRETCH: Duration = Duration::from_secs(1);

/// The decision about a log record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// Send the record.
    Yes,
    /// Drop the record. It is the first one dropped: report the number of dropped records at the end of
    /// the window.
    DroppedFirst,
    /// Drop the record.
    Dropped,
}

/// Limits the rate of log records on one connection.
#[derive(Debug, Default)]
pub(crate) struct Flow(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    begun: Option<Instant>,
    sent: u32,
    dropped: u64,
}

impl Flow {
    /// Counts a record and decides whether to send it.
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

    /// Returns the number of records dropped since the last call.
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
    fn excess_records_are_dropped_and_counted() {
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
    fn levels_convert_both_ways() {
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
