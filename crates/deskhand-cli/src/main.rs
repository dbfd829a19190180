//! The `deskhand` command: parses the command line, selects the platform and prints the result.

mod allocator;
mod approvals;
mod arguments;
mod audit_log;
mod check;
mod cli;
mod commands;
mod config;
mod flags;
mod halt;
mod host;
mod hotkey;
mod image;
mod logging;
mod mcp;
mod output;
mod run;
mod servers;
mod terminal;
mod timing;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: the sandbox broker needs a process without other threads.
    deskhand::run_helper_process_if_requested();
    let arguments: Vec<String> =
        std::env::args_os().skip(1).filter_map(|argument| argument.into_string().ok()).collect();
    let matches = match cli::command_for(&arguments).try_get_matches() {
        Ok(matches) => matches,
        // clap's exit code is 2 for usage errors and 0 for help.
        Err(error) => {
            let code = error.exit_code();
            // If standard error is closed, the exit code still reports the error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(code).unwrap_or(2));
        }
    };
    run::run(&matches)
}
