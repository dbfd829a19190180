//! The keyboard shortcut that halts everything. A separate process listens for it, so that it works even
//! if the server hangs; the process ends with the server.

use std::{
    io::Read,
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
};

use clap::{Arg, ArgMatches, Command as ClapCommand};
use deskhand_engine::{CallFailure, halt::HaltController};

use crate::{
    host::{self, Folders},
    output,
};

/// The hidden command of the listening process.
pub(crate) const COMMAND: &str = "halt-hotkey";

/// Returns the hidden command.
pub(crate) fn command() -> ClapCommand {
    ClapCommand::new(COMMAND)
        .hide(true)
        .about("Halt everything when these keys are pressed, until standard input closes")
        .arg(Arg::new("keys").required(true))
}

/// The listening process, which ends when this value is dropped.
pub(crate) struct HotkeyProcess {
    child: Child,
    /// Closing it ends the process.
    stdin: Option<ChildStdin>,
}

impl HotkeyProcess {
    /// Starts the process; returns `None`, after a note on standard error, if that fails.
    pub(crate) fn start(keys: &str) -> Option<Self> {
        let program = std::env::current_exe().ok().filter(|path| path.is_file());
        let started = Command::new(program.unwrap_or_else(|| "/proc/self/exe".into()))
            .args([COMMAND, keys])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        match started {
            Ok(mut child) => {
                let stdin = child.stdin.take();
                Some(Self { child, stdin })
            }
            Err(error) => {
                output::print_note(&not_halting(keys, &error.to_string()));
                None
            }
        }
    }
}

impl Drop for HotkeyProcess {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The process may have ended already.
        let _ = self.child.wait();
    }
}

/// Halts everything each time the keys are pressed.
pub(crate) fn run(matches: &ArgMatches, folders: &Folders) -> ExitCode {
    let keys = matches.get_one::<String>("keys").map_or("", String::as_str);
    std::thread::spawn(|| {
        let mut discarded = Vec::new();
        // The end of the stream, or an error, means that the server has ended.
        let _ = std::io::stdin().read_to_end(&mut discarded);
        std::process::exit(0);
    });
    match listen(keys, folders) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::print_note(&not_halting(keys, &failure.message));
            ExitCode::FAILURE
        }
    }
}

fn listen(keys: &str, folders: &Folders) -> Result<(), CallFailure> {
    let everyone = HaltController::new(folders.runtime.clone(), host::machine());
    let mut hotkey = host::register_hotkey(&deskhand_engine::parse_keys(keys)?)?;
    loop {
        hotkey.wait()?;
        // The next press may succeed: a full disk may have space again.
        if let Err(error) = everyone.halt(Some(&format!("{keys} was pressed"))) {
            output::print_note(&not_halting(keys, &error.to_string()));
        }
    }
}

fn not_halting(keys: &str, reason: &str) -> String {
    format!("warning: {keys} does not halt actions: {reason}; use `deskhand halt`")
}
