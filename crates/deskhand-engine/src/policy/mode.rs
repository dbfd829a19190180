//! What may be done at all, by what a tool does to the world.

use std::{fmt, str::FromStr};

use deskhand_tools::Effect;
use serde::Serialize;

/// How much callers may do; the later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Everything; the person is asked before something may be lost.
    #[default]
    Normal,
    /// No scripts, and nothing that may lose something without a person's yes.
    Safe,
    /// Looking only.
    Sandboxed,
}

impl Mode {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Normal, Self::Safe, Self::Sandboxed];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Safe => "safe",
            Self::Sandboxed => "sandboxed",
        }
    }

    /// Whether a tool of this effect may be called.
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

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Mode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|mode| mode.word() == text).ok_or(())
    }
}

/// Whether anything may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Touch {
    /// What the mode allows.
    #[default]
    Allowed,
    /// Nothing, whatever the mode.
    ReadOnly,
}

/// Whether a person is asked before something may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirm {
    /// Always.
    #[default]
    Ask,
    /// Not in normal mode.
    Skip,
}

/// What may be done at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// How much callers may do.
    pub mode: Mode,
    /// Whether anything may be changed.
    pub touch: Touch,
    /// Whether a person is asked before something may be lost.
    pub confirm: Confirm,
}

/// Why a tool may not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbidden {
    /// The mode does not allow it.
    Mode(Mode),
    /// Nothing may be changed.
    ReadOnly,
}

impl Policy {
    /// The mode that holds for a caller that may do no more than `ceiling`.
    pub fn mode_for(&self, ceiling: Mode) -> Mode {
        self.mode.max(ceiling)
    }

    /// Whether a caller may call tools of an effect.
    ///
    /// # Errors
    ///
    /// Why it may not.
    pub fn check(&self, effect: Effect, ceiling: Mode) -> Result<(), Forbidden> {
        let mode = self.mode_for(ceiling);
        if !mode.allows(effect) {
            return Err(Forbidden::Mode(mode));
        }
        if self.touch == Touch::ReadOnly && effect.mutates() {
            return Err(Forbidden::ReadOnly);
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

    fn allowed(policy: Policy, ceiling: Mode) -> Vec<bool> {
        EVERY.iter().map(|effect| policy.check(*effect, ceiling).is_ok()).collect()
    }

    #[test]
    fn each_mode_allows_what_its_row_says() {
        let rows = [
            (Mode::Normal, [true, true, true, true, true, true, true, true, true]),
            (Mode::Safe, [true, true, true, true, true, true, true, true, false]),
            (Mode::Sandboxed, [true, false, true, false, false, false, false, false, false]),
        ];
        for (mode, row) in rows {
            assert_eq!(allowed(Policy { mode, ..Policy::default() }, Mode::Normal), row, "{mode}");
            assert_eq!(allowed(Policy::default(), mode), row, "as ceiling {mode}");
        }
        let strict = Policy { mode: Mode::Sandboxed, ..Policy::default() };
        assert_eq!(strict.mode_for(Mode::Safe), Mode::Sandboxed);
    }

    #[test]
    fn read_only_allows_looking_and_waiting() {
        let policy = Policy { touch: Touch::ReadOnly, ..Policy::default() };
        let row = [true, true, true, false, false, false, false, false, false];
        assert_eq!(allowed(policy, Mode::Normal), row);
        assert_eq!(policy.check(Effect::Destroy, Mode::Normal), Err(Forbidden::ReadOnly));
    }

    #[test]
    fn a_mode_is_read_by_its_word_alone() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(*mode));
        }
        assert!("Safe".parse::<Mode>().is_err() && "".parse::<Mode>().is_err());
    }
}
