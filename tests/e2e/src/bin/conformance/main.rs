//! Runs the conformance suite of the seam against one app, on the desktop this process runs in, and
//! prints a line for each check. It ends with 1 when a check failed.
#![allow(clippy::print_stdout, reason = "the lines are what its caller reads")]

mod idle;
mod subjects;

use std::process::ExitCode;

use deskhand_linux::LocalMachine;
use deskhand_platform::{
    Error, Result,
    conformance::{self, Declared, Part, Stop},
};
use rustix::process::{Pid, Signal, kill_process};

/// The word for a desktop that says yes and does nothing.
const PRETEND: &str = "--pretend";

/// Stops processes as a person would with Ctrl-Z.
struct Signals;

impl Signals {
    fn send(pid: u32, signal: Signal) -> Result<()> {
        let gone = || Error::Gone { what: format!("process {pid}") };
        let pid = Pid::from_raw(pid.cast_signed()).ok_or_else(gone)?;
        kill_process(pid, signal).map_err(|_| gone())
    }
}

impl Stop for Signals {
    fn stop(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::STOP)
    }

    fn resume(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::CONT)
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let first = words.next().unwrap_or_default();
    if first == deskhand_linux::KEEPER {
        // The clipboard starts this very program to own what was copied.
        return match deskhand_linux::keep_clipboard() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let Some(subject) = subjects::named(&first) else {
        eprintln!(
            "usage: seam APP [--pretend] [CHECK…]; APP is one of {}",
            subjects::NAMES.join(", ")
        );
        return ExitCode::from(2);
    };
    let mut only: Vec<String> = words.collect();
    let pretends = only.first().is_some_and(|word| word == PRETEND);
    let opened = if pretends { idle::pretended() } else { deskhand_linux::open() };
    let desktop = match opened {
        Ok(desktop) => desktop,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let machine = LocalMachine::default();
    let declared = Declared {
        absent: vec![Part::Permissions, Part::Dictionaries, Part::Reader],
        stop: Some(&Signals),
        machine: Some(&machine),
    };
    only.retain(|word| word != PRETEND);
    let reports = conformance::run(&desktop, &subject, &declared, &only);
    for report in &reports {
        println!("{report}");
    }
    if reports.iter().any(conformance::Report::failed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
