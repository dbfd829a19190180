//! Errors of window operations.

use deskhand_platform::Error;
use x11rb::{
    errors::{ConnectionError, ReplyError, ReplyOrIdError},
    protocol::ErrorKind,
};

use crate::x11::{X11Error, X11Result};

/// The reason why a window could not be read or changed.
pub(super) enum WindowError {
    /// The window has closed.
    Gone,
    /// This desktop or window does not support the change.
    Unsupported { what: &'static str, why: &'static str },
    /// The request to the X server failed.
    X11(X11Error),
}

impl WindowError {
    /// Converts this into a platform error. Connection errors stay X11 errors.
    pub(super) fn into_platform_error(self, window: u64) -> X11Result<Error> {
        match self {
            Self::Gone => Ok(gone(window)),
            Self::Unsupported { what, why } => {
                Ok(Error::Unsupported { what: what.to_owned(), why: why.to_owned() })
            }
            Self::X11(error) => Err(error),
        }
    }
}

/// Returns the error for a window that no longer exists.
pub(super) fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window:#x}") }
}

impl From<X11Error> for WindowError {
    fn from(error: X11Error) -> Self {
        Self::X11(error)
    }
}

impl From<ConnectionError> for WindowError {
    fn from(error: ConnectionError) -> Self {
        Self::X11(error.into())
    }
}

impl From<ReplyOrIdError> for WindowError {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::X11Error(error) => ReplyError::X11Error(error).into(),
            other @ (ReplyOrIdError::IdsExhausted | ReplyOrIdError::ConnectionError(_)) => {
                Self::X11(other.into())
            }
        }
    }
}

impl From<ReplyError> for WindowError {
    fn from(error: ReplyError) -> Self {
        match error {
            // A window may close between any two requests.
            ReplyError::X11Error(error)
                if matches!(error.error_kind, ErrorKind::Window | ErrorKind::Drawable) =>
            {
                Self::Gone
            }
            other @ (ReplyError::X11Error(_) | ReplyError::ConnectionError(_)) => {
                Self::X11(other.into())
            }
        }
    }
}
