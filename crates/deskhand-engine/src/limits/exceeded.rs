//! That a limit was reached, and when to come again.

use std::time::Duration;

use deskhand_model::Explain;

/// A limit, and how much it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Calls in a second.
    PerSecond(u32),
    /// Calls in a minute.
    PerMinute(u32),
    /// Calls under way at the same time.
    AtOnce(u32),
    /// Pictures given to models in a minute.
    Vision(u32),
    /// Scripts in a minute.
    Scripts(u32),
}

impl Limit {
    /// The setting that holds it.
    pub fn key(self) -> &'static str {
        match self {
            Self::PerSecond(_) => "rate_limits.rps",
            Self::PerMinute(_) => "rate_limits.rpm",
            Self::AtOnce(_) => "rate_limits.concurrency",
            Self::Vision(_) => "vlm.rate_limit",
            Self::Scripts(_) => "rate_limits.script_rpm",
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PerSecond(most) => write!(f, "{most} calls a second"),
            Self::PerMinute(most) => write!(f, "{most} calls a minute"),
            Self::AtOnce(most) => write!(f, "{most} calls at once"),
            Self::Vision(most) => write!(f, "{most} vision calls a minute"),
            Self::Scripts(most) => write!(f, "{most} scripts a minute"),
        }
    }
}

/// A call that was refused because a limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Rate limit exceeded: {limit} are allowed")]
pub struct Exceeded {
    /// The limit.
    pub limit: Limit,
    /// How long to wait before the call is made again.
    pub retry_after: Duration,
}

impl Exceeded {
    /// How long to wait in whole milliseconds, at least one.
    pub fn retry_after_ms(&self) -> u64 {
        let millis = self.retry_after.as_nanos().div_ceil(1_000_000).max(1);
        u64::try_from(millis).unwrap_or(u64::MAX)
    }
}

impl Explain for Exceeded {
    fn code(&self) -> &'static str {
        "rate_limited"
    }

    fn retry_after_ms(&self) -> Option<u64> {
        Some(Self::retry_after_ms(self))
    }

    fn hint(&self) -> Option<String> {
        let wait = self.retry_after_ms();
        Some(match self.limit {
            Limit::AtOnce(_) => "wait until one of them has answered, then call again".to_owned(),
            Limit::PerSecond(_) | Limit::PerMinute(_) | Limit::Vision(_) | Limit::Scripts(_) => {
                format!("call again in {wait} ms")
            }
        })
    }
}
