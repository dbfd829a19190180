//! Follows `security.mode` in the configuration file while a server runs. A stricter mode takes
//! effect at once; a less strict one only at the next start.

use std::{path::PathBuf, thread};

use deskhand::{folder_watch::ChangeWaiter, settings};
use deskhand_engine::{CallFailure, SecurityMode};
use deskhand_mcp::ModeControl;

use crate::{Notify, ServerMessage, timing::MODE_CHECK_INTERVAL};

/// Starts a thread that applies changes of the configuration file until the server ends.
///
/// # Errors
///
/// If the thread cannot be started.
pub(crate) fn follow(
    folder: PathBuf,
    control: ModeControl,
    notify: Notify,
) -> Result<(), CallFailure> {
    let run = move || {
        let mut watcher = ChangeWaiter::new(folder.clone());
        let mut last = None;
        while control.has_server() {
            // An invalid file changes nothing, and is reported once.
            let mode = settings::mode_in_file(&folder).map_err(|error| error.to_string());
            if last.as_ref() != Some(&mode) {
                apply(&mode, &control, notify);
                last = Some(mode);
            }
            watcher.wait(MODE_CHECK_INTERVAL);
        }
    };
    let spawned = thread::Builder::new().name("mode".to_owned()).spawn(run);
    spawned.map(drop).map_err(|error| {
        let message = format!("cannot start a thread: {error}");
        CallFailure::new("internal", &message, "end other programs, and start the server again")
    })
}

fn apply(mode: &Result<Option<SecurityMode>, String>, control: &ModeControl, notify: Notify) {
    match mode {
        Ok(Some(mode)) if control.tighten(*mode) => {
            tracing::warn!(mode = mode.name(), "the security mode is stricter from now on");
            let text = format!("the security mode is `{}` from now on", mode.name());
            notify(ServerMessage::Note(&text));
        }
        Ok(_) => {}
        Err(why) => {
            notify(ServerMessage::Warning(&format!("the security mode stays as it is: {why}")));
        }
    }
}
