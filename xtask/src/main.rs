//! `cargo xtask`: the development commands of this repository.
#![allow(clippy::print_stdout, reason = "a command-line tool prints to stdout")]

mod check;
mod cli;
mod coverage;
mod demo;
mod error;
mod fuzz;
mod interop;
mod leftovers;
mod lines;
mod macos;
mod packages;
mod process;
mod suite;

use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = cli::command().get_matches();
    match cli::dispatch(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}
