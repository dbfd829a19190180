//! Errors of the platform backends.

use deskhand_model::{Advice, Explain, Step};

/// The result of a call to a platform trait.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a platform backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The accessibility service of the desktop cannot be reached.
    #[error("the accessibility service cannot be reached: {why}")]
    NoAccessibility {
        /// The attempt and its failure.
        why: String,
    },
    /// The window system cannot be reached.
    #[error("the display cannot be reached: {why}")]
    NoDisplay {
        /// The attempt and its failure.
        why: String,
    },
    /// The app did not answer before the deadline.
    #[error("{what} did not answer in time")]
    Timeout {
        /// The app or service.
        what: String,
    },
    /// The node, window, app or process no longer exists.
    #[error("{what} no longer exists")]
    Gone {
        /// The thing that no longer exists.
        what: String,
    },
    /// An open connection was lost.
    #[error("the connection to {what} was lost: {why}")]
    Disconnected {
        /// The peer.
        what: String,
        /// The cause.
        why: String,
    },
    /// The operation would freeze the app.
    #[error("{what} shows a list that is too long to watch: subscribing would freeze the app")]
    TooLarge {
        /// The app.
        what: String,
    },
    /// The target or this desktop does not support the operation. Nothing was sent.
    #[error("{what} is not possible: {why}")]
    Unsupported {
        /// The operation.
        what: String,
        /// The cause.
        why: String,
    },
    /// The screen is locked, so the screen locker would receive the input. Nothing was sent.
    #[error("the screen is locked by {by}")]
    ScreenLocked {
        /// The program or window of the screen locker.
        by: String,
    },
    /// The system requires a permission that the user has not granted. Nothing was sent.
    #[error("{program} does not have the permission {permission}")]
    PermissionDenied {
        /// The name of the permission in the system settings.
        permission: String,
        /// The program that needs the permission.
        program: String,
    },
    /// A guard in front of the backend refused the operation. Nothing was sent.
    #[error(transparent)]
    Refused(Refusal),
    /// All input was released while the operation was running. Nothing more was sent.
    #[error("the input was cancelled")]
    InputCancelled,
    /// The platform returned an invalid answer.
    #[error("{what} returned an unexpected answer: {why}")]
    Unexpected {
        /// The app or service that answered.
        what: String,
        /// The problem with the answer.
        why: String,
    },
}

/// A refusal in the words of the guard that refused. The backends know no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    code: &'static str,
    message: String,
    advice: Option<Advice>,
}

impl Refusal {
    /// Creates the refusal for a guard's own error.
    pub fn new(reason: &impl Explain) -> Self {
        Self { code: reason.code(), message: reason.to_string(), advice: reason.advice() }
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoAccessibility { .. } => "no_accessibility",
            Self::NoDisplay { .. } => "no_display",
            Self::Timeout { .. } => "timeout",
            Self::Gone { .. } => "gone",
            Self::Disconnected { .. } => "broken",
            Self::TooLarge { .. } => "too_large",
            Self::Unsupported { .. } => "unsupported",
            Self::ScreenLocked { .. } => "screen_locked",
            Self::PermissionDenied { .. } => "permission_denied",
            Self::Refused(refusal) => refusal.code,
            Self::InputCancelled => "cancelled",
            Self::Unexpected { .. } => "unexpected",
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::NoAccessibility { .. } | Self::NoDisplay { .. } => Advice::from("run ")
                .step(Step::Check)
                .text(" to see what is missing and how to fix it"),
            Self::Timeout { .. } => Advice::from("the app may be frozen or busy; try again, or ")
                .step(Step::RaiseTimeout),
            Self::Gone { .. } => Advice::from("list the running apps with ").step(Step::ListApps),
            Self::Disconnected { .. } => {
                Advice::from("try again; if the problem persists, run ").step(Step::Check)
            }
            Self::TooLarge { .. } => Advice::from("watch another app, or read this app with ")
                .step(Step::ReadTree { pid: None }),
            Self::Unsupported { .. } => {
                Advice::from("list its actions with ").step(Step::ReadAttributes)
            }
            Self::ScreenLocked { .. } => {
                "unlock the screen first; actions in the background still work through \
                 accessibility"
                    .into()
            }
            Self::PermissionDenied { permission, program } => Advice::from(format!(
                "the user must grant {permission} to {program} in the system settings; "
            ))
            .step(Step::OpenPermissionSettings),
            Self::Refused(refusal) => return refusal.advice.clone(),
            Self::InputCancelled => "inspect the app before you try again".into(),
            Self::Unexpected { .. } => {
                "try again; if the problem persists, report it with the name of the app".into()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_the_words_of_the_guard() {
        let reason = Error::ScreenLocked { by: "a guard".to_owned() };
        let refused = Error::Refused(Refusal::new(&reason));
        assert_eq!(refused.to_string(), reason.to_string());
        assert_eq!((refused.code(), refused.advice()), (reason.code(), reason.advice()));
    }

    #[test]
    fn permission_denied_names_the_permission_and_the_program() {
        let error = Error::PermissionDenied {
            permission: "Screen Recording".to_owned(),
            program: "Terminal".to_owned(),
        };
        assert_eq!(error.to_string(), "Terminal does not have the permission Screen Recording");
        assert_eq!(error.code(), "permission_denied");
        let advice = Advice::from(
            "the user must grant Screen Recording to Terminal in the system settings; ",
        );
        assert_eq!(error.advice(), Some(advice.step(Step::OpenPermissionSettings)));
    }
}
