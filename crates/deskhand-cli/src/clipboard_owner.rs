//! The hidden command that owns the clipboard after a write.

use std::process::ExitCode;

use crate::host::ClipboardOwner;

/// Owns the clipboard until another program takes it over. The parent process reports errors.
pub(crate) fn run(owner: &ClipboardOwner) -> ExitCode {
    match (owner.run)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
