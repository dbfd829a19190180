//! May anything be sent? Not to a locked screen, not from behind another user, not without leave of macOS.

use deskhand_platform::{Error, Result};

use super::Desk;
use crate::permission::Right;

/// What the window server tells about the session this program is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    /// Whether the screen is locked.
    pub(crate) locked: bool,
    /// Whether it is the one that is shown; with fast user switching others go on behind it.
    pub(crate) shown: bool,
    /// Who keeps what is typed from all others, where that is told.
    pub(crate) secure: Option<u32>,
}

/// Whether input can be sent now.
pub(super) fn ready(desk: &impl Desk) -> Result<()> {
    let Some(session) = desk.session() else {
        let why =
            "this program runs in no session that has a screen; start it from a desktop".to_owned();
        return Err(Error::NoDisplay { why });
    };
    if session.locked {
        return Err(Error::Locked { by: "the login window".to_owned() });
    }
    if !session.shown {
        return Err(Error::Locked { by: "the session of another user".to_owned() });
    }
    if !desk.allowed() {
        // Events are dropped without a word then.
        return Err(Right::Accessibility.refused(&desk.who()));
    }
    Ok(())
}

/// Whether keys sent to a process past the window server may be kept from it: while a password is typed
/// somewhere, only who asks for it gets keys.
pub(crate) fn kept_from(desk: &impl Desk, pid: u32) -> Option<String> {
    if !desk.is_secure() {
        return None;
    }
    let by = desk.session().and_then(|session| session.secure);
    match by {
        Some(by) if by == pid => None,
        Some(by) => {
            Some(format!("process {by} asks for a password, and keys reach no other program"))
        }
        None => Some("a program asks for a password, and keys reach no other".to_owned()),
    }
}
