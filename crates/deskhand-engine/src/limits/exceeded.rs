//! The error of a call that exceeds a limit.

use std::time::Duration;

use deskhand_model::{Advice, Explain};

/// A limit and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Calls per second.
    PerSecond(u32),
    /// Calls per minute.
    PerMinute(u32),
    /// Concurrent calls.
    Concurrency(u32),
    /// Images for models per minute.
    Vision(u32),
    /// Scripts per minute.
    Scripts(u32),
}

impl Limit {
    /// Returns the name of its setting.
    pub fn key(self) -> &'static str {
        match self {
            Self::PerSecond(_) => "rate_limits.rps",
            Self::PerMinute(_) => "rate_limits.rpm",
            Self::Concurrency(_) => "rate_limits.concurrency",
            Self::Vision(_) => "vlm.rate_limit",
            Self::Scripts(_) => "rate_limits.script_rpm",
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PerSecond(max) => write!(f, "{max} calls per second"),
            Self::PerMinute(max) => write!(f, "{max} calls per minute"),
            Self::Concurrency(max) => write!(f, "{max} concurrent calls"),
            Self::Vision(max) => write!(f, "{max} vision calls per minute"),
            Self::Scripts(max) => write!(f, "{max} scripts per minute"),
        }
    }
}

/// A call was refused because a limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Rate limit exceeded: {limit} are allowed")]
pub struct LimitExceeded {
    /// The limit that was reached.
    pub limit: Limit,
    /// The time to wait before the next attempt.
    pub retry_after: Duration,
}

impl LimitExceeded {
    /// Returns the time to wait in whole milliseconds, at least one.
    pub fn retry_after_ms(&self) -> u64 {
        let millis = self.retry_after.as_nanos().div_ceil(1_000_000).max(1);
        u64::try_from(millis).unwrap_or(u64::MAX)
    }
}

impl Explain for LimitExceeded {
    fn code(&self) -> &'static str {
        "rate_limited"
    }

    fn retry_after_ms(&self) -> Option<u64> {
        Some(Self::retry_after_ms(self))
    }

    fn advice(&self) -> Option<Advice> {
        let wait = self.retry_after_ms();
        Some(Advice::from(match self.limit {
            Limit::Concurrency(_) => {
                "wait until one of these calls returns, then try again".to_owned()
            }
            Limit::PerSecond(_) | Limit::PerMinute(_) | Limit::Vision(_) | Limit::Scripts(_) => {
                format!("try again in {wait} ms")
            }
        }))
    }
}
