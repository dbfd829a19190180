//! What can go wrong below the seam.

use deskhand_model::Explain;

/// The result of a call across the seam.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a backend could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The accessibility service of the desktop cannot be reached.
    #[error("the accessibility service cannot be reached: {why}")]
    NoAccessibility {
        /// What was tried and what happened.
        why: String,
    },
    /// The window system cannot be reached.
    #[error("the display cannot be reached: {why}")]
    NoDisplay {
        /// What was tried and what happened.
        why: String,
    },
    /// The app did not answer before the deadline.
    #[error("{what} did not answer in time")]
    Timeout {
        /// Which app or service.
        what: String,
    },
    /// The element or app is gone.
    #[error("{what} no longer exists")]
    Gone {
        /// What it was.
        what: String,
    },
    /// The connection broke while in use.
    #[error("the connection to {what} broke: {why}")]
    Broken {
        /// To what.
        what: String,
        /// How.
        why: String,
    },
    /// Doing it would freeze the app.
    #[error("{what} shows a list so long that listening to it would freeze it")]
    TooLarge {
        /// Which app.
        what: String,
    },
    /// It cannot be done to that thing, or not on this desktop. Nothing was sent.
    #[error("{what} cannot be done: {why}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Why not.
        why: String,
    },
    /// The screen is locked: real input would go to what locks it. Nothing was sent.
    #[error("the screen is locked: {by} covers it and holds pointer and keyboard")]
    Locked {
        /// Which program or window.
        by: String,
    },
    /// The system does this only for programs a person has allowed it to. Nothing was sent.
    #[error("the system does not allow {permission} to {who}")]
    NotAllowed {
        /// What its settings call it.
        permission: String,
        /// The program to allow.
        who: String,
    },
    /// Policy keeps everybody from this app. Nothing was sent.
    #[error("App '{app}' is blocked by security policy")]
    AppBlocked {
        /// Which app.
        app: String,
    },
    /// Policy lets this app be read, not changed. Nothing was sent.
    #[error("App '{app}' is blocked for writing by security policy")]
    WriteBlocked {
        /// Which app.
        app: String,
    },
    /// A person has stopped everything. Nothing more was sent.
    #[error("everything is halted{}", reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Halted {
        /// Why, as far as they said.
        reason: Option<String>,
    },
    /// The platform answered with something that makes no sense.
    #[error("{what} answered with something unexpected: {why}")]
    Unexpected {
        /// Who answered.
        what: String,
        /// What was wrong with it.
        why: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoAccessibility { .. } => "no_accessibility",
            Self::NoDisplay { .. } => "no_display",
            Self::Timeout { .. } => "timeout",
            Self::Gone { .. } => "gone",
            Self::Broken { .. } => "broken",
            Self::TooLarge { .. } => "too_large",
            Self::Unsupported { .. } => "unsupported",
            Self::Locked { .. } => "screen_locked",
            Self::NotAllowed { .. } => "permission_denied",
            Self::AppBlocked { .. } => "app_blocked",
            Self::WriteBlocked { .. } => "write_blocked",
            Self::Halted { .. } => "halted",
            Self::Unexpected { .. } => "unexpected",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::NoAccessibility { .. } | Self::NoDisplay { .. } => {
                    "run `deskhand check`: it tells what is missing, and what to do"
                }
                Self::Timeout { .. } => {
                    "the app may be frozen or busy; try again, or give it longer with --timeout"
                }
                Self::Gone { .. } => "look again: `deskhand apps` lists what runs now",
                Self::Broken { .. } => "try again; if it stays, run `deskhand check`",
                Self::TooLarge { .. } => {
                    "watch another app with --app, or look at it with `deskhand tree` instead"
                }
                Self::Unsupported { .. } => "look at what it can do: `deskhand attributes REF`",
                Self::Locked { .. } => {
                    "unlock it first; actions in the background go on through accessibility"
                }
                Self::NotAllowed { permission, who } => {
                    return Some(format!(
                        "a person must allow {permission} to {who}: `deskhand check --open-settings` opens \
                         the place"
                    ));
                }
                Self::AppBlocked { .. } => {
                    "leave this app alone and go on without it; only the person at the desk can \
                     change that, in [apps] of security.toml"
                }
                Self::WriteBlocked { .. } => {
                    "it can still be read; only the person at the desk can lift this, by \
                     `write_blocked` or `default_write_blocked` in [apps] of security.toml"
                }
                Self::Halted { .. } => "wait: only the person at the desk can let it go on",
                Self::Unexpected { .. } => "try again; if it stays, please report it with the app's name",
            }
            .to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_must_allow_is_named_with_whom_to_allow_it() {
        let error = Error::NotAllowed {
            permission: "Screen Recording".to_owned(),
            who: "Terminal".to_owned(),
        };
        assert_eq!(error.to_string(), "the system does not allow Screen Recording to Terminal");
        assert_eq!(error.code(), "permission_denied");
        let hint = error.hint().unwrap_or_default();
        assert!(hint.contains("Screen Recording to Terminal") && hint.contains("--open-settings"));
    }
}
