//! Runs the platform conformance suite against one app on the current desktop.
//!
//! Prints one line per check. The exit code is 1 if any check failed.
#![allow(clippy::print_stdout, reason = "the report goes to stdout")]

mod no_op;
mod subjects;

use std::process::ExitCode;

use deskhand_linux::LocalMachine;
use deskhand_platform::{
    Error, Result,
    conformance::{self, Capability, Environment, ProcessControl},
};
use rustix::process::{Pid, Signal, kill_process};

/// Replaces the desktop by one that reports success but changes nothing.
const PRETEND_FLAG: &str = "--pretend";

/// Stops and resumes processes with `SIGSTOP` and `SIGCONT`.
struct Signals;

impl Signals {
    fn send(pid: u32, signal: Signal) -> Result<()> {
        let gone = || Error::Gone { what: format!("process {pid}") };
        let pid = Pid::from_raw(pid.cast_signed()).ok_or_else(gone)?;
        kill_process(pid, signal).map_err(|_| gone())
    }
}

impl ProcessControl for Signals {
    fn suspend(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::STOP)
    }

    fn resume(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::CONT)
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let app_name = args.next().unwrap_or_default();
    if app_name == deskhand_linux::OWNER_PROCESS_ARG {
        // The clipboard starts this executable again as the clipboard owner process.
        return match deskhand_linux::run_owner_process() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let Some(subject) = subjects::by_name(&app_name) else {
        eprintln!(
            "usage: conformance APP [--pretend] [CHECK…]; APP is one of {}",
            subjects::NAMES.join(", ")
        );
        return ExitCode::from(2);
    };
    let mut check_names: Vec<String> = args.collect();
    let is_no_op = check_names.first().is_some_and(|word| word == PRETEND_FLAG);
    let desktop = if is_no_op { no_op::no_op_desktop() } else { deskhand_linux::open() };
    let desktop = match desktop {
        Ok(desktop) => desktop,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let machine = LocalMachine::default();
    let declared = Environment {
        absent: vec![Capability::Permissions, Capability::Dictionaries, Capability::TextRecognizer],
        process_control: Some(&Signals),
        machine: Some(&machine),
    };
    check_names.retain(|word| word != PRETEND_FLAG);
    let reports = conformance::run(&desktop, &subject, &declared, &check_names);
    for report in &reports {
        println!("{report}");
    }
    if reports.iter().any(conformance::CheckReport::is_failure) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
