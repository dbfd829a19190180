//! The hidden command this program starts itself with to own the clipboard after a write.

use std::process::ExitCode;

use crate::host::Keeper;

/// Owns the clipboard until another program does. Whoever started it was told how it went.
pub(crate) fn run(keeper: &Keeper) -> ExitCode {
    match (keeper.keep)() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
