//! Runs the parsed command line and returns the exit code.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::ArgMatches;
use clap_complete::Shell;
use deskhand::{
    commands::{self, Callers, CommandTools},
    settings::{
        self, Settings,
        table::{FORMAT, TIMEOUT},
        values::OutputFormat,
    },
};
use deskhand_engine::{
    Call, CallFailure, CallOptions, Catalogue, Engine, Origin, ProgressEvent, SecurityMode,
    SessionKey, Severity, ToolEntry, WaitMode,
};
use deskhand_server::other_servers;

use crate::{
    approvals, arguments, audit_log, check, cli, config, flags, halt,
    host::{self, PRIVATE_DESKTOPS},
    hotkey, image, mcp,
    output::{self, Output},
    servers,
    timing::CHECK_TIMEOUT,
    tools,
};

/// Runs the command line.
pub(crate) fn run(matches: &ArgMatches) -> ExitCode {
    let settings = Settings::new(flags::of_matches(matches));
    // Commands that use settings report invalid ones; others must work regardless.
    let output = Output::new(settings.get(&FORMAT).unwrap_or(OutputFormat::Text));
    match dispatch(matches, &settings, output) {
        Ok(code) => code,
        Err(failure) => output.print_failure(&failure),
    }
}

fn dispatch(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let Some((name, given)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    let tools = Catalogue::all();
    let (command, innermost) = match given.subcommand() {
        Some((last, innermost)) => (format!("{name} {last}"), innermost),
        None => (name.to_owned(), given),
    };
    let tool = tools.iter().find(|entry| entry.command() == command);
    match name {
        "completions" => Ok(completions(given)),
        hotkey::COMMAND => Ok(hotkey::run(given, settings.folders())),
        "desktop" => (PRIVATE_DESKTOPS.ok_or_else(no_desktop)?.command)(given, output),
        "mcp" if !mcp::needs_display(given) => mcp::run_without_desktop(given, settings, output),
        "config" => config::run(given, settings, output),
        "tools" => tools::run(given, settings, output),
        "approvals" => approvals::run(given, settings, output),
        "servers" => servers::run(given, settings, output),
        "audit-log" => audit_log::run(given, settings, output),
        "halt" => halt::halt(given, settings.folders(), output),
        "resume" => halt::resume(settings.folders(), output),
        "mcp" if deskhand_server::serves_only_commands(settings)? => {
            mcp::serve(innermost, settings)
        }
        _ if !host::has_display() && !tool.is_some_and(commands::runs_commands) => {
            let mut variables = Vec::new();
            if name == "mcp" {
                deskhand_server::check(settings)?;
                variables = other_servers::referenced_variables(settings)?;
            }
            let effect = tool.map(|entry| entry.effect());
            let missing = || effect.map_or(no_desktop(), |effect| no_desktop().before_run(effect));
            (PRIVATE_DESKTOPS.ok_or_else(missing)?.run_again)(effect, &variables)
        }
        "mcp" => mcp::serve(innermost, settings),
        "check" => {
            let timeout = settings.get(&TIMEOUT)?.unwrap_or(CHECK_TIMEOUT);
            Ok(check::run(output, timeout, check::settings_pane(given)))
        }
        _ => match tool {
            Some(entry) => call(entry, innermost, settings, output),
            None => Ok(ExitCode::from(2)),
        },
    }
}

/// Calls a tool and prints its result.
fn call(
    entry: &ToolEntry,
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let call = Call {
        tool: entry.key(),
        arguments: arguments::read(entry, given),
        form: output.format().form(),
        origin: Origin::Cli,
        session: SessionKey::Shared,
        principal: None,
        caller_mode: SecurityMode::Normal,
    };
    let prepare = || {
        let (gate, timeout) = (settings::gate(settings, host::machine())?, settings.get(&TIMEOUT)?);
        let engine = Engine::new(host::open()?, host::refs_folder()?, timeout, gate);
        if !commands::runs_commands(entry) {
            return Ok(engine);
        }
        settings.ignored_sandbox_variables().iter().for_each(|text| output::print_warning(text));
        commands::no_sandbox_warning(settings)?.into_iter().for_each(output::print_warning);
        let tools = CommandTools::Enabled(None);
        let prepared = commands::prepare(settings, Callers::One, &tools)?;
        Ok(engine.with_commands(prepared.service, WaitMode::UntilDone))
    };
    let engine = prepare().map_err(|failure: CallFailure| failure.before_run(entry.effect()))?;
    let streaming = AtomicBool::new(false);
    let sink = |event: ProgressEvent| match event.severity {
        Severity::Output => {
            streaming.store(true, Ordering::Relaxed);
            output.print_item(&event.text, &event.data)
        }
        Severity::Warning => {
            output::print_warning(event.data.as_str().unwrap_or_default());
            true
        }
        Severity::Progress | Severity::Audit | Severity::Refusal => true,
    };
    let mut answer =
        engine.call(call, &CallOptions::non_interactive(&sink)).map_err(CallFailure::from)?;
    answer.warnings.iter().for_each(|text| output::print_warning(text));
    if streaming.into_inner() {
        // The final result has the format of the items before it: one JSON document per line.
        output.print_item(&answer.text, &answer.data);
        return Ok(ExitCode::SUCCESS);
    }
    image::deliver(&mut answer, output.format())?;
    let code = output.print(&answer.text, &answer.data);
    Ok(if answer.succeeded { code } else { ExitCode::FAILURE })
}

/// Returns the failure for a process without a desktop on a platform without private desktops.
fn no_desktop() -> CallFailure {
    CallFailure::new(
        "unsupported",
        "this process has no desktop, and this system has no private desktops",
        host::NO_DESKTOP_HINT,
    )
}

fn completions(given: &ArgMatches) -> ExitCode {
    let shell = given.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "deskhand", &mut script);
    let mut out = std::io::stdout().lock();
    match std::io::Write::write_all(&mut out, &script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
