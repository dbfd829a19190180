//! Security modes: they allow tools by their effect.

use std::{fmt, str::FromStr};

use deskhand_run::Network;
use deskhand_tools::Effect;
use serde::Serialize;

/// The security mode, ordered from least to most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SecurityMode {
    /// All tools may be called. Risky actions require confirmation.
    #[default]
    Normal,
    /// All tools except scripts may be called. Risky actions require the consent of the user.
    Safe,
    /// Only tools that read may be called.
    Sandboxed,
}

impl SecurityMode {
    /// All modes.
    pub const ALL: &[Self] = &[Self::Normal, Self::Safe, Self::Sandboxed];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Safe => "safe",
            Self::Sandboxed => "sandboxed",
        }
    }

    /// Returns the network access of commands if no setting sets it.
    pub fn default_network(self) -> &'static Network {
        match self {
            Self::Normal => &Network::On,
            Self::Safe | Self::Sandboxed => &Network::Off,
        }
    }

    /// Returns `true` if tools with this effect may be called.
    fn allows(self, effect: Effect) -> bool {
        match effect {
            Effect::Observe | Effect::Prepare { .. } => true,
            Effect::Await
            | Effect::Adjust { .. }
            | Effect::Act { .. }
            | Effect::Destroy
            | Effect::Execute
            | Effect::Command => self < Self::Sandboxed,
            Effect::Script => self < Self::Safe,
        }
    }
}

impl fmt::Display for SecurityMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SecurityMode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|mode| mode.name() == text).ok_or(())
    }
}

/// Tells if tools that change something may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteAccess {
    /// The security mode decides which of these tools may be called.
    #[default]
    Allowed,
    /// None of these tools may be called, in any security mode.
    ReadOnly,
}

/// Tells if risky actions require confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// Risky actions require confirmation in all modes.
    #[default]
    Ask,
    /// Risky actions require confirmation in all modes except the normal mode.
    Skip,
}

/// The security policy for tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// The security mode.
    pub mode: SecurityMode,
    /// Tells if tools that change something may be called.
    pub write_access: WriteAccess,
    /// Tells if risky actions require confirmation.
    pub confirmation: Confirmation,
}

/// The reason why a tool may not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyViolation {
    /// The mode does not allow it.
    Mode(SecurityMode),
    /// The policy is read-only.
    ReadOnly,
}

impl Policy {
    /// Returns the mode for a caller: the stricter of this policy's mode and `caller_mode`.
    pub fn mode_for(&self, caller_mode: SecurityMode) -> SecurityMode {
        self.mode.max(caller_mode)
    }

    /// Checks that a caller may call tools with this effect.
    ///
    /// # Errors
    ///
    /// The reason of the refusal.
    pub fn check(&self, effect: Effect, caller_mode: SecurityMode) -> Result<(), PolicyViolation> {
        let mode = self.mode_for(caller_mode);
        if !mode.allows(effect) {
            return Err(PolicyViolation::Mode(mode));
        }
        if self.write_access == WriteAccess::ReadOnly && effect.mutates() {
            return Err(PolicyViolation::ReadOnly);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: [Effect; 9] = [
        Effect::Observe,
        Effect::Await,
        Effect::Prepare { repeatable: true },
        Effect::Adjust { repeatable: true },
        Effect::Act { repeatable: true },
        Effect::Destroy,
        Effect::Execute,
        Effect::Command,
        Effect::Script,
    ];

    fn allowed(policy: Policy, caller_mode: SecurityMode) -> Vec<bool> {
        EVERY.iter().map(|effect| policy.check(*effect, caller_mode).is_ok()).collect()
    }

    #[test]
    fn each_mode_allows_the_effects_in_its_row() {
        let rows = [
            (SecurityMode::Normal, [true, true, true, true, true, true, true, true, true]),
            (SecurityMode::Safe, [true, true, true, true, true, true, true, true, false]),
            (
                SecurityMode::Sandboxed,
                [true, false, true, false, false, false, false, false, false],
            ),
        ];
        for (mode, row) in rows {
            assert_eq!(
                allowed(Policy { mode, ..Policy::default() }, SecurityMode::Normal),
                row,
                "{mode}"
            );
            assert_eq!(allowed(Policy::default(), mode), row, "as ceiling {mode}");
        }
        let strict = Policy { mode: SecurityMode::Sandboxed, ..Policy::default() };
        assert_eq!(strict.mode_for(SecurityMode::Safe), SecurityMode::Sandboxed);
    }

    #[test]
    fn read_only_allows_reading_and_waiting() {
        let policy = Policy { write_access: WriteAccess::ReadOnly, ..Policy::default() };
        let row = [true, true, true, false, false, false, false, false, false];
        assert_eq!(allowed(policy, SecurityMode::Normal), row);
        assert_eq!(
            policy.check(Effect::Destroy, SecurityMode::Normal),
            Err(PolicyViolation::ReadOnly)
        );
    }

    #[test]
    fn a_mode_is_parsed_by_its_exact_name() {
        for mode in SecurityMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(*mode));
        }
        assert!("Safe".parse::<SecurityMode>().is_err() && "".parse::<SecurityMode>().is_err());
    }
}
