//! `deskhand halt` and `deskhand resume`: stop all actions of all servers, and allow them again.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use deskhand_engine::{
    CallFailure, Style, StyledLine, StyledText,
    halt::{HaltController, HaltOutcome},
};
use serde_json::{Value, json};

use crate::{
    host::{self, Folders},
    output::Output,
};

/// Returns the `halt` command.
pub(crate) fn halt_command() -> Command {
    Command::new("halt")
        .about("Stop all actions of all servers and commands, and refuse new ones until `resume`")
        .after_help(
            "Held keys and buttons are released. A server that does not respond within a second \
             is killed. Agents cannot resume.",
        )
        .arg(
            Arg::new("reason")
                .long("reason")
                .value_name("TEXT")
                .help("Reason, shown to refused callers"),
        )
}

/// Returns the `resume` command.
pub(crate) fn resume_command() -> Command {
    Command::new("resume").about("Allow actions again after `halt`")
}

/// Stops all actions.
pub(crate) fn halt(
    matches: &ArgMatches,
    folders: &Folders,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let reason = matches.get_one::<String>("reason").map(String::as_str);
    let outcome = everyone(folders).halt(reason)?;
    let data = data("halted", &outcome);
    let mut page = message("halted: all actions are refused until `deskhand resume`");
    for (count, result) in [
        (outcome.acknowledged.len(), "stopped"),
        (outcome.killed.len(), "killed after no response"),
    ] {
        if count > 0 {
            page = page.line(
                StyledLine::new().with(Style::Faint, format!("{} {result}", programs(count))),
            );
        }
    }
    for (process, why) in &outcome.stuck {
        let text = format!("process {} does not respond and cannot be killed: {why}", process.pid);
        page = page.line(StyledLine::new().with(Style::Warning, text));
    }
    if let Some(why) = &outcome.not_released {
        let text =
            format!("keys and buttons left pressed by ended programs could not be released: {why}");
        page = page.line(StyledLine::new().with(Style::Warning, text));
    }
    let code = output.print(&page, &data);
    Ok(if outcome.stuck.is_empty() { code } else { ExitCode::FAILURE })
}

/// Allows actions again.
pub(crate) fn resume(folders: &Folders, output: Output) -> Result<ExitCode, CallFailure> {
    let Some(outcome) = everyone(folders).resume()? else {
        let page = message("nothing was halted");
        return Ok(output.print(&page, &data("not_halted", &HaltOutcome::default())));
    };
    let mut page = message("resumed: actions are allowed again");
    if !outcome.acknowledged.is_empty() {
        let text = format!("{} resumed", programs(outcome.acknowledged.len()));
        page = page.line(StyledLine::new().with(Style::Faint, text));
    }
    for (process, _) in &outcome.stuck {
        let text = format!("process {} does not respond; end it yourself", process.pid);
        page = page.line(StyledLine::new().with(Style::Warning, text));
    }
    Ok(output.print(&page, &data("resumed", &outcome)))
}

fn everyone(folders: &Folders) -> HaltController {
    HaltController::new(folders.runtime.clone(), host::machine())
}

fn message(text: &str) -> StyledText {
    StyledText::default().line(StyledLine::new().with(Style::Plain, text))
}

fn programs(count: usize) -> String {
    if count == 1 { "1 program".to_owned() } else { format!("{count} programs") }
}

fn data(state: &str, outcome: &HaltOutcome) -> Value {
    let pids = |all: &[deskhand_platform::ProcessId]| -> Vec<u32> {
        all.iter().map(|process| process.pid).collect()
    };
    let stuck: Vec<Value> = outcome
        .stuck
        .iter()
        .map(|(process, why)| json!({ "pid": process.pid, "why": why }))
        .collect();
    json!({
        "state": state,
        "answered": pids(&outcome.acknowledged),
        "killed": pids(&outcome.killed),
        "stuck": stuck,
        "not_released": outcome.not_released,
    })
}
