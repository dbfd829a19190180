//! The `deskhand` command: reads the command line, picks the platform, shows the answer.

mod approvals;
mod arguments;
mod audit_log;
mod cli;
mod commands;
mod definitions;
mod doctor;
mod halt;
mod host;
mod hotkey;
mod keeper;
mod logging;
mod mcp;
mod output;
mod picture;
mod run;
mod servers;
mod settings;
mod terminal;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a broker must be alone in its process.
    if std::env::args_os().nth(1).is_some_and(|word| word == host::BROKER) {
        host::broker();
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()).collect();
    let matches = match cli::command_for(&words).try_get_matches() {
        Ok(matches) => matches,
        // clap knows which of its messages are errors (2) and which are help that was asked for (0).
        Err(error) => {
            let code = error.exit_code();
            // Nobody is left to tell when even this cannot be written.
            let _ = error.print();
            return ExitCode::from(u8::try_from(code).unwrap_or(2));
        }
    };
    run::run(&matches)
}
