//! Helper processes: this program, started again with a hidden argument.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::host::{self, HelperProcesses};

/// Set when `main` has called [`run_helper_process_if_requested`].
static CALLED: AtomicBool = AtomicBool::new(false);

/// Runs a helper process if this process was started as one; otherwise returns at once.
///
/// Two features start this program again with a hidden first argument: commands in the sandbox
/// ([`Session::run_command`](crate::Session::run_command)) need a process that confines them, and on
/// Linux the clipboard needs a process that owns its content after a write. Call this function
/// first in `main`, before any thread starts:
///
/// ```no_run
/// fn main() -> Result<(), deskhand::Error> {
///     deskhand::run_helper_process_if_requested();
///     let session = deskhand::Session::private()?;
///     println!("{}", session.run_command("uname -s")?.output);
///     Ok(())
/// }
/// ```
///
/// Without this call, the methods that need a helper process return an error with the code
/// `helper_process_missing`, and everything else works. In a helper process the function does not
/// return.
pub fn run_helper_process_if_requested() {
    if let Some(argument) = std::env::args_os().nth(1) {
        if argument == host::BROKER {
            host::run_broker();
        }
        if let Some(owner) = host::CLIPBOARD_OWNER.filter(|owner| argument == owner.argument) {
            // The parent process reports errors.
            let code = if (owner.run)().is_ok() { 0 } else { 1 };
            std::process::exit(code);
        }
    }
    CALLED.store(true, Ordering::Release);
}

/// Tells if this program can run its helper processes.
pub(crate) fn helper_processes() -> HelperProcesses {
    if CALLED.load(Ordering::Acquire) {
        HelperProcesses::Available
    } else {
        HelperProcesses::Unavailable
    }
}
