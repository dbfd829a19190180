//! Checks whether the login session accepts input.

use deskhand_platform::{Error, Result};

use super::InputApi;
use crate::permission::PrivacyRight;

/// The state of the login session that this process runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoginSession {
    /// The screen is locked.
    pub(crate) locked: bool,
    /// The session is on screen. With fast user switching, others run in the background.
    pub(crate) active: bool,
    /// The process that turned secure input on, if macOS reports it.
    pub(crate) secure_input_pid: Option<u32>,
}

/// Fails if no input can be sent now.
pub(super) fn check_ready(system: &impl InputApi) -> Result<()> {
    let Some(session) = system.session() else {
        let why = "this program does not run in a session with a screen; start it from a desktop";
        return Err(Error::NoDisplay { why: why.to_owned() });
    };
    if session.locked {
        return Err(Error::ScreenLocked { by: "the login window".to_owned() });
    }
    if !session.active {
        return Err(Error::ScreenLocked { by: "the session of another user".to_owned() });
    }
    if !system.can_post() {
        // macOS would drop the events without an error.
        return Err(PrivacyRight::Accessibility.missing_error(&system.program_to_allow()));
    }
    Ok(())
}

/// The reason that a process would not receive keys, or `None`. While secure input is on, only the process that
/// turned it on receives keys.
pub(crate) fn secure_input_conflict(system: &impl InputApi, pid: u32) -> Option<String> {
    if !system.is_secure_input() {
        return None;
    }
    match system.session().and_then(|session| session.secure_input_pid) {
        Some(owner) if owner == pid => None,
        Some(owner) => Some(format!(
            "process {owner} is reading a password, so other programs receive no keys"
        )),
        None => {
            Some("a program is reading a password, so other programs receive no keys".to_owned())
        }
    }
}
