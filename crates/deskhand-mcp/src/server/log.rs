//! Log levels of the protocol, and the rate limit of log notifications.
#![expect(deprecated, reason = "logging belongs to 2025-11-25 and older, which are served too")]

use std::{
    sync::atomic::{AtomicU8, Ordering},
    time::Instant,
};

use parking_lot::Mutex;
use rmcp::model::LoggingLevel;

use crate::timing;

/// The severity of a log record (RFC 5424), from least to most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LogLevel {
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

impl LogLevel {
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
    pub fn as_str(self) -> &'static str {
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

impl std::str::FromStr for LogLevel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|level| level.as_str() == text).ok_or(())
    }
}

impl From<LoggingLevel> for LogLevel {
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

impl From<LogLevel> for LoggingLevel {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Debug => Self::Debug,
            LogLevel::Info => Self::Info,
            LogLevel::Notice => Self::Notice,
            LogLevel::Warning => Self::Warning,
            LogLevel::Error => Self::Error,
            LogLevel::Critical => Self::Critical,
            LogLevel::Alert => Self::Alert,
            LogLevel::Emergency => Self::Emergency,
        }
    }
}

/// The level a session has set, or the server's default.
#[derive(Debug)]
pub(crate) struct LogThreshold(AtomicU8);

impl LogThreshold {
    /// Creates a threshold.
    pub(crate) fn new(level: LogLevel) -> Self {
        Self(AtomicU8::new(level as u8))
    }

    /// Sets the level.
    pub(crate) fn set(&self, level: LogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }

    /// Returns the level.
    pub(crate) fn get(&self) -> LogLevel {
        let index = usize::from(self.0.load(Ordering::Relaxed));
        LogLevel::ALL.get(index).copied().unwrap_or(LogLevel::Info)
    }
}

/// Maximum number of records per window and connection.
const MAX_RECORDS_PER_WINDOW: u32 = 200;

/// The decision about a log record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogDecision {
    /// Send the record.
    Send,
    /// Drop the record. It is the first one dropped: report the number of dropped records at the
    /// end of the window.
    DroppedFirst,
    /// Drop the record.
    Dropped,
}

/// Limits the rate of log records on one connection.
#[derive(Debug, Default)]
pub(crate) struct LogLimiter(Mutex<LogCounts>);

#[derive(Debug, Default)]
struct LogCounts {
    window_start: Option<Instant>,
    sent: u32,
    dropped: u64,
}

impl LogLimiter {
    /// Counts a record and decides whether to send it.
    pub(crate) fn admit(&self, now: Instant) -> LogDecision {
        let mut counts = self.0.lock();
        if counts
            .window_start
            .is_none_or(|window_start| now.duration_since(window_start) >= timing::LOG_WINDOW)
        {
            (counts.window_start, counts.sent) = (Some(now), 0);
        }
        if counts.sent < MAX_RECORDS_PER_WINDOW {
            counts.sent += 1;
            return LogDecision::Send;
        }
        counts.dropped += 1;
        if counts.dropped == 1 { LogDecision::DroppedFirst } else { LogDecision::Dropped }
    }

    /// Returns the number of records dropped since the last call.
    pub(crate) fn take_dropped(&self) -> u64 {
        std::mem::take(&mut self.0.lock().dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_records_are_dropped_and_counted() {
        let (limiter, window_start) = (LogLimiter::default(), Instant::now());
        for _ in 0..MAX_RECORDS_PER_WINDOW {
            assert_eq!(limiter.admit(window_start), LogDecision::Send);
        }
        assert_eq!(limiter.admit(window_start), LogDecision::DroppedFirst);
        assert_eq!(limiter.admit(window_start), LogDecision::Dropped);
        assert_eq!(limiter.admit(window_start + timing::LOG_WINDOW), LogDecision::Send);
        assert_eq!((limiter.take_dropped(), limiter.take_dropped()), (2, 0));
    }

    #[test]
    fn levels_convert_both_ways() {
        let threshold = LogThreshold::new(LogLevel::default());
        assert_eq!(threshold.get(), LogLevel::Info);
        for level in LogLevel::ALL {
            assert_eq!(LogLevel::from(LoggingLevel::from(level)), level);
            threshold.set(level);
            assert_eq!(threshold.get(), level);
        }
        assert!(LogLevel::Debug < LogLevel::Warning && LogLevel::Warning < LogLevel::Emergency);
    }
}
