//! The keys that halt everything. A small process of its own listens for them, so that they work when
//! the server hangs, too; it ends with the server.

use std::{
    io::Read,
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
};

use clap::{Arg, ArgMatches, Command as Words};
use deskhand_engine::{Failure, halt::Everyone};

use crate::{
    host::{self, Folders},
    output,
};

/// The word that makes this program listen.
pub(crate) const WORD: &str = "halt-hotkey";

/// The hidden command.
pub(crate) fn command() -> Words {
    Words::new(WORD)
        .hide(true)
        .about("Halt everything when these keys are pressed, until standard input ends")
        .arg(Arg::new("keys").required(true))
}

/// A process that listens for as long as this lives.
pub(crate) struct Listener {
    child: Child,
    /// Its end tells the process to end.
    stdin: Option<ChildStdin>,
}

impl Listener {
    /// Starts one; a server that cannot is told so and goes on.
    pub(crate) fn start(keys: &str) -> Option<Self> {
        let program = std::env::current_exe().ok().filter(|path| path.is_file());
        let started = Command::new(program.unwrap_or_else(|| "/proc/self/exe".into()))
            .args([WORD, keys])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        match started {
            Ok(mut child) => {
                let stdin = child.stdin.take();
                Some(Self { child, stdin })
            }
            Err(error) => {
                output::remark(&unheard(keys, &error.to_string()));
                None
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // It may have ended before.
        let _ = self.child.wait();
    }
}

/// Listens, and halts everything each time.
pub(crate) fn run(given: &ArgMatches, folders: &Folders) -> ExitCode {
    let keys = given.get_one::<String>("keys").map_or("", String::as_str);
    std::thread::spawn(|| {
        let mut nothing = Vec::new();
        // However it ends, whoever started this is gone.
        let _ = std::io::stdin().read_to_end(&mut nothing);
        std::process::exit(0);
    });
    match listen(keys, folders) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::remark(&unheard(keys, &failure.message));
            ExitCode::FAILURE
        }
    }
}

fn listen(keys: &str, folders: &Folders) -> Result<(), Failure> {
    let everyone = Everyone::at(folders.runtime.clone(), host::machine());
    let mut hotkey = host::hotkey(&deskhand_engine::keys(keys)?)?;
    loop {
        hotkey.wait()?;
        // The next press may find room again on a disk that is full now.
        if let Err(error) = everyone.halt(Some(&format!("{keys} was pressed"))) {
            output::remark(&unheard(keys, &error.to_string()));
        }
    }
}

fn unheard(keys: &str, why: &str) -> String {
    format!("{keys} does not halt: {why}; `deskhand halt` does")
}
