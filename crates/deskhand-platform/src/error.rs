//! Errors of the platform backends.

use deskhand_model::{Advice, Explain, Step};

/// The result of a call across the platform seam.
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
    /// Policy blocks all access to this app. Nothing was sent.
    #[error("App '{app}' is blocked by security policy")]
    AppBlocked {
        /// The app.
        app: String,
    },
    /// Policy allows reading this app but not changing it. Nothing was sent.
    #[error("App '{app}' is blocked for writing by security policy")]
    WriteBlocked {
        /// The app.
        app: String,
    },
    /// The user halted all actions. Nothing more was sent.
    #[error("everything is halted{}", reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Halted {
        /// The reason, if the user gave one.
        reason: Option<String>,
    },
    /// The platform returned an invalid answer.
    #[error("{what} returned an unexpected answer: {why}")]
    Unexpected {
        /// The app or service that answered.
        what: String,
        /// The problem with the answer.
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
            Self::Disconnected { .. } => "broken",
            Self::TooLarge { .. } => "too_large",
            Self::Unsupported { .. } => "unsupported",
            Self::ScreenLocked { .. } => "screen_locked",
            Self::PermissionDenied { .. } => "permission_denied",
            Self::AppBlocked { .. } => "app_blocked",
            Self::WriteBlocked { .. } => "write_blocked",
            Self::Halted { .. } => "halted",
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
            Self::AppBlocked { .. } => {
                "continue without this app; only the user can unblock it, in [apps] of \
                 security.toml"
                    .into()
            }
            Self::WriteBlocked { .. } => {
                "the app can still be read; only the user can allow changes, with \
                 `write_blocked` or `default_write_blocked` in [apps] of security.toml"
                    .into()
            }
            Self::Halted { .. } => Advice::from("wait: ").step(Step::Resume),
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
