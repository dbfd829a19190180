//! `deskhand desktop`: starts, lists and stops private desktops.

use std::{
    ffi::OsString,
    process::{Child, Command, ExitCode},
};

use clap::ArgMatches;
use deskhand_engine::{CallFailure, Style, StyledLine, StyledSpan, StyledText};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use deskhand_linux::private::{self, DesktopInfo, DesktopOptions, Owner, ScopedDesktop, Size};

use super::environment::{PassedVariables, variables};
use crate::output::Output;

/// Runs a subcommand of `desktop`.
pub(crate) fn run(matches: &ArgMatches, output: Output) -> Result<ExitCode, CallFailure> {
    match matches.subcommand() {
        Some(("up", given)) => up(given, output),
        Some(("run", given)) => run_on_new_desktop(given),
        Some(("list", _)) => {
            let all = private::list()?;
            Ok(output.print(&table(&all), &all))
        }
        Some(("env", given)) => env(given, output),
        Some(("down", given)) => down(given, output),
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn options(given: &ArgMatches, owner: Owner) -> Result<DesktopOptions, CallFailure> {
    let mut options = DesktopOptions { owner, ..DesktopOptions::default() };
    options.name = given.get_one::<String>("new-name").cloned();
    let sizes: Vec<&String> = given
        .get_many::<String>("displays")
        .map(Iterator::collect)
        .or_else(|| given.get_one::<String>("size").map(|size| vec![size]))
        .unwrap_or_default();
    if !sizes.is_empty() {
        options.displays =
            sizes.into_iter().map(|size| size.parse::<Size>()).collect::<Result<_, _>>()?;
    }
    Ok(options)
}

fn up(given: &ArgMatches, output: Output) -> Result<ExitCode, CallFailure> {
    let info = private::up(&options(given, Owner::Unowned)?)?;
    let usage = format!("eval \"$(deskhand desktop env {})\"", info.name);
    let page = StyledText::default()
        .line(
            StyledLine::new()
                .with(Style::Strong, &info.name)
                .with(Style::Plain, "is running on display")
                .with(Style::Handle, &info.display),
        )
        .line(StyledLine::new().with(Style::Faint, "use it:").with(Style::Plain, usage))
        .line(
            StyledLine::new()
                .with(Style::Faint, "stop it:")
                .with(Style::Plain, format!("deskhand desktop down {}", info.name)),
        );
    Ok(output.print(&page, &describe(&info)))
}

/// Returns all data about a desktop, with the variables that put a program on it.
fn describe(info: &DesktopInfo) -> serde_json::Value {
    let env: serde_json::Map<_, _> =
        info.env().into_iter().map(|(name, value)| (name, value.into())).collect();
    let mut all = serde_json::json!(info);
    all["env"] = env.into();
    all["unset"] = info.variables_to_unset().into();
    all
}

fn run_on_new_desktop(given: &ArgMatches) -> Result<ExitCode, CallFailure> {
    let words: Vec<&OsString> =
        given.get_many::<OsString>("command").map(Iterator::collect).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else { return Ok(ExitCode::from(2)) };
    let desktop = ScopedDesktop::up(&options(given, Owner::Process)?)?;
    let mut command = Command::new(program);
    command.args(arguments);
    supervise(desktop, command, &variables(PassedVariables::WithoutSecrets))
}

/// Runs a command on a desktop and then stops the desktop. `passed` are variables for the command, in
/// addition to those of the desktop.
///
/// Signals that would end this process are sent to the command instead, so that the desktop is always
/// stopped.
pub(crate) fn supervise(
    desktop: ScopedDesktop,
    mut command: Command,
    passed: &[(&str, OsString)],
) -> Result<ExitCode, CallFailure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|e| internal(&e.to_string()))?;
    let passed = passed.iter().map(|(name, value)| (name, value));
    let child = desktop.apply(&mut command).envs(passed).spawn();
    let child = child.map_err(|error| CallFailure {
        code: "not_started".to_owned(),
        message: format!("cannot start `{program}`: {error}"),
        hint: Some("use its full path, or check PATH".to_owned()),
        delivery: None,
        retry_after_ms: None,
    })?;
    let status = wait(child, signals)?;
    desktop.down()?;
    Ok(status)
}

fn wait(mut child: Child, mut signals: Signals) -> Result<ExitCode, CallFailure> {
    use std::os::unix::process::ExitStatusExt;

    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = signals.handle();
    let forwarder = std::thread::spawn(move || {
        for number in signals.forever() {
            if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(number)) {
                // This fails if the command has just ended.
                let _ = kill_process(pid, signal);
            }
        }
    });
    let status = child.wait();
    handle.close();
    // The thread ends when its handle is closed, and returns nothing.
    let _ = forwarder.join();
    let status = status.map_err(|e| internal(&e.to_string()))?;
    // Like a shell: a command ended by signal N has the exit code 128 + N.
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn internal(why: &str) -> CallFailure {
    CallFailure {
        code: "internal".to_owned(),
        message: why.to_owned(),
        hint: None,
        delivery: None,
        retry_after_ms: None,
    }
}

fn env(given: &ArgMatches, output: Output) -> Result<ExitCode, CallFailure> {
    let name = given.get_one::<String>("name").map(String::as_str).unwrap_or_default();
    let info = private::find(name)?;
    let mut page = StyledText::default();
    for (name, value) in info.env() {
        let line = format!("export {name}={}", quote(&value));
        page = page.line(StyledLine::new().with(Style::Plain, line));
    }
    let unset = format!("unset {}", info.variables_to_unset().join(" "));
    page = page.line(StyledLine::new().with(Style::Plain, unset));
    Ok(output.print(&page, &describe(&info)))
}

/// Quotes a word for a POSIX shell.
fn quote(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

fn down(given: &ArgMatches, output: Output) -> Result<ExitCode, CallFailure> {
    let stopped = if given.get_flag("all") {
        private::down_all()?
    } else {
        let name = given.get_one::<String>("name").cloned().unwrap_or_default();
        private::down(&name)?;
        vec![name]
    };
    let text = if stopped.is_empty() {
        "no desktop was running".to_owned()
    } else {
        format!("stopped: {}", stopped.join(", "))
    };
    let page = StyledText::default().line(StyledLine::new().with(Style::Plain, text));
    Ok(output.print(&page, &serde_json::json!({ "down": stopped })))
}

fn table(all: &[DesktopInfo]) -> StyledText {
    let span = |style, text: String| StyledSpan { style, text };
    let rows = all.iter().map(|info| {
        let sizes: Vec<String> =
            info.displays.iter().map(|d| format!("{}x{}", d.width, d.height)).collect();
        let owner = info.owner.map_or_else(|| "-".to_owned(), |owner| owner.pid.to_string());
        vec![
            span(Style::Strong, info.name.clone()),
            span(Style::Handle, info.display.clone()),
            span(Style::Plain, sizes.join(",")),
            span(Style::Plain, owner),
            span(Style::Faint, info.home.display().to_string()),
        ]
    });
    StyledText::default().table(vec!["NAME", "DISPLAY", "SIZE", "OWNER", "HOME"], rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_for_shells() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
    }
}
