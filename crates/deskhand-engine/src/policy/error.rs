//! Errors in app rules, and operations that they do not allow.

use deskhand_model::{Advice, Explain};

use crate::TextPosition;

/// The app rules do not allow an operation. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AccessDenied {
    /// The app may neither be read nor used.
    #[error("App '{app}' is blocked by security policy")]
    AppBlocked {
        /// The app.
        app: String,
    },
    /// The app may be read but not used.
    #[error("App '{app}' is blocked for writing by security policy")]
    WriteBlocked {
        /// The app.
        app: String,
    },
}

impl Explain for AccessDenied {
    fn code(&self) -> &'static str {
        match self {
            Self::AppBlocked { .. } => "app_blocked",
            Self::WriteBlocked { .. } => "write_blocked",
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(Advice::from(match self {
            Self::AppBlocked { .. } => {
                "continue without this app; only the user can unblock it, in [apps] of security.toml"
            }
            Self::WriteBlocked { .. } => {
                "the app can still be read; only the user can allow changes, with `write_blocked` \
                 or `default_write_blocked` in [apps] of security.toml"
            }
        }))
    }
}

/// The app rules are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The file is not valid TOML.
    #[error("{file}:{spot}: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// The position in the file.
        spot: TextPosition,
        /// The problem.
        why: String,
    },
    /// A key is unknown.
    #[error("{file}:{spot}: unknown key `{key}`")]
    UnknownKey {
        /// The file.
        file: String,
        /// The position in the file.
        spot: TextPosition,
        /// The key.
        key: String,
        /// The known keys.
        known: Vec<&'static str>,
    },
    /// A value has the wrong type.
    #[error("{file}:{spot}: `{key}` must be a {expected}")]
    WrongType {
        /// The file.
        file: String,
        /// The position in the file.
        spot: TextPosition,
        /// The key of the value.
        key: String,
        /// The expected type.
        expected: &'static str,
    },
    /// An entry of a list is not a valid app pattern.
    #[error("{place}: {entry:?} is not a valid app: {why}")]
    InvalidEntry {
        /// The file and position, or the setting.
        place: String,
        /// The entry.
        entry: String,
        /// The problem.
        why: String,
    },
}

impl Explain for RulesError {
    fn code(&self) -> &'static str {
        "invalid_rules"
    }

    fn advice(&self) -> Option<Advice> {
        Some(Advice::from(match self {
            Self::Syntax { .. } => "fix the TOML syntax of the file".to_owned(),
            Self::UnknownKey { known, .. } => format!("known keys: {}", known.join(", ")),
            Self::WrongType { expected, .. } => format!("write a {expected}"),
            Self::InvalidEntry { .. } => "write a name, a desktop-file id, the absolute path of a \
                                   program, or a glob of these"
                .to_owned(),
        }))
    }
}
