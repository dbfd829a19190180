//! Why a window could not be looked at or changed.

use deskhand_platform::Error;
use x11rb::{
    errors::{ConnectionError, ReplyError, ReplyOrIdError},
    protocol::ErrorKind,
};

use crate::x11::Trouble;

/// What stands in the way.
pub(super) enum Fault {
    /// The window was closed.
    Gone,
    /// Nobody here can do it.
    Unsupported { what: &'static str, why: &'static str },
    /// The server did not answer as it should.
    Trouble(Trouble),
}

impl Fault {
    /// The same for callers above the seam; what the server did is left to the connection to tell.
    pub(super) fn or_trouble(self, window: u64) -> Result<Error, Trouble> {
        match self {
            Self::Gone => Ok(gone(window)),
            Self::Unsupported { what, why } => {
                Ok(Error::Unsupported { what: what.to_owned(), why: why.to_owned() })
            }
            Self::Trouble(trouble) => Err(trouble),
        }
    }
}

/// A window that is no longer there.
pub(super) fn gone(window: u64) -> Error {
    Error::Gone { what: format!("window {window:#x}") }
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<ConnectionError> for Fault {
    fn from(error: ConnectionError) -> Self {
        Self::Trouble(error.into())
    }
}

impl From<ReplyOrIdError> for Fault {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::X11Error(error) => ReplyError::X11Error(error).into(),
            other @ (ReplyOrIdError::IdsExhausted | ReplyOrIdError::ConnectionError(_)) => {
                Self::Trouble(other.into())
            }
        }
    }
}

impl From<ReplyError> for Fault {
    fn from(error: ReplyError) -> Self {
        match error {
            // A window may close between any two questions.
            ReplyError::X11Error(told)
                if matches!(told.error_kind, ErrorKind::Window | ErrorKind::Drawable) =>
            {
                Self::Gone
            }
            other @ (ReplyError::X11Error(_) | ReplyError::ConnectionError(_)) => {
                Self::Trouble(other.into())
            }
        }
    }
}
