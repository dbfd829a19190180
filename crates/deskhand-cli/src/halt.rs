//! `deskhand halt` and `deskhand resume`: stop every action of every server, and let them go on.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use deskhand_engine::{
    Failure, Line, Page, Style,
    halt::{Everyone, Outcome},
};
use serde_json::{Value, json};

use crate::{
    host::{self, Folders},
    output::Output,
};

/// `deskhand halt`.
pub(crate) fn halting() -> Command {
    Command::new("halt")
        .about("Stop every running and coming action, of every server and command, until `resume`")
        .after_help(
            "What is held down is let go of. A server that does not answer within half a second is \
             killed. Agents cannot take a halt back.",
        )
        .arg(
            Arg::new("reason")
                .long("reason")
                .value_name("TEXT")
                .help("Why; callers that are refused are told"),
        )
}

/// `deskhand resume`.
pub(crate) fn resuming() -> Command {
    Command::new("resume").about("Let actions happen again after `halt`")
}

/// Stops everything.
pub(crate) fn halt(
    given: &ArgMatches,
    folders: &Folders,
    output: Output,
) -> Result<ExitCode, Failure> {
    let reason = given.get_one::<String>("reason").map(String::as_str);
    let outcome = everyone(folders).halt(reason)?;
    let data = data("halted", &outcome);
    let mut page = said("halted: nothing is done any more; `deskhand resume` lets it go on");
    for (count, what) in [
        (outcome.answered.len(), "stopped"),
        (outcome.killed.len(), "did not answer and was killed"),
    ] {
        if count > 0 {
            page = page.line(Line::new().with(Style::Faint, format!("{} {what}", servers(count))));
        }
    }
    for (process, why) in &outcome.stuck {
        let words = format!("process {} did not answer and cannot be killed: {why}", process.pid);
        page = page.line(Line::new().with(Style::Warning, words));
    }
    let written = output.answer(&page, &data);
    Ok(if outcome.stuck.is_empty() { written } else { ExitCode::FAILURE })
}

/// Lets everything go on.
pub(crate) fn resume(folders: &Folders, output: Output) -> Result<ExitCode, Failure> {
    let Some(outcome) = everyone(folders).resume()? else {
        let page = said("nothing was halted");
        return Ok(output.answer(&page, &data("not_halted", &Outcome::default())));
    };
    let mut page = said("resumed: actions happen again");
    if !outcome.answered.is_empty() {
        let words = format!("{} went on", servers(outcome.answered.len()));
        page = page.line(Line::new().with(Style::Faint, words));
    }
    for (process, _) in &outcome.stuck {
        let words = format!("process {} does not answer; end it by hand", process.pid);
        page = page.line(Line::new().with(Style::Warning, words));
    }
    Ok(output.answer(&page, &data("resumed", &outcome)))
}

fn everyone(folders: &Folders) -> Everyone {
    Everyone::at(folders.runtime.clone(), host::machine())
}

fn said(words: &str) -> Page {
    Page::default().line(Line::new().with(Style::Plain, words))
}

fn servers(count: usize) -> String {
    if count == 1 { "1 program".to_owned() } else { format!("{count} programs") }
}

fn data(state: &str, outcome: &Outcome) -> Value {
    let pids = |all: &[deskhand_platform::Process]| -> Vec<u32> {
        all.iter().map(|process| process.pid).collect()
    };
    let stuck: Vec<Value> = outcome
        .stuck
        .iter()
        .map(|(process, why)| json!({ "pid": process.pid, "why": why }))
        .collect();
    json!({
        "state": state,
        "answered": pids(&outcome.answered),
        "killed": pids(&outcome.killed),
        "stuck": stuck,
    })
}
