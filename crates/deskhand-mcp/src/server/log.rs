//! The levels of log records, from the least to the most urgent.
#![expect(deprecated, reason = "logging is of the era of the handshake, which is served too")]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::model::LoggingLevel;

/// How urgent a log record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
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

/// The level a session has set; `info` until it does.
#[derive(Debug)]
pub(crate) struct Threshold(AtomicU8);

impl Default for Threshold {
    fn default() -> Self {
        Self(AtomicU8::new(Level::Info as u8))
    }
}

impl Threshold {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_go_both_ways_and_are_kept() {
        let kept = Threshold::default();
        assert_eq!(kept.get(), Level::Info);
        for level in Level::ALL {
            assert_eq!(Level::from(LoggingLevel::from(level)), level);
            kept.set(level);
            assert_eq!(kept.get(), level);
        }
        assert!(Level::Debug < Level::Warning && Level::Warning < Level::Emergency);
    }
}
