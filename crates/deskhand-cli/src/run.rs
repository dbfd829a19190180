//! From the parsed command line to the exit code.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use clap::ArgMatches;
use clap_complete::Shell;
use deskhand_engine::{
    Call, Catalogue, Door, Engine, Entry, Failure, Mode, Pace, Said, SessionKey, Surroundings,
    Weight,
};

use crate::{
    approvals, arguments, audit_log, cli,
    commands::{self, Callers, Offered},
    doctor, halt,
    host::{self, KEEPER, PRIVATE},
    hotkey, keeper, mcp,
    output::{self, Format, Output},
    picture, servers,
    settings::{
        self, Flags, Settings,
        table::{FORMAT, TIMEOUT},
    },
    tools,
};

/// Runs what the command line asks for.
pub(crate) fn run(matches: &ArgMatches) -> ExitCode {
    let settings = Settings::new(Flags::of(matches));
    // Those who need the settings say what is wrong with them; some commands must do without.
    let output = Output::new(settings.get(&FORMAT).unwrap_or(Format::Text));
    match dispatch(matches, &settings, output) {
        Ok(code) => code,
        Err(failure) => output.failure(&failure),
    }
}

fn dispatch(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let Some((name, given)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    let tools = Catalogue::all();
    let (command, words) = match given.subcommand() {
        Some((last, words)) => (format!("{name} {last}"), words),
        None => (name.to_owned(), given),
    };
    let tool = tools.iter().find(|entry| entry.command() == command);
    if let Some(keeper) = KEEPER.filter(|keeper| keeper.word == name) {
        return Ok(keeper::run(&keeper));
    }
    match name {
        "completions" => Ok(completions(given)),
        hotkey::WORD => Ok(hotkey::run(given, settings.folders())),
        "desktop" => (PRIVATE.ok_or_else(no_private)?.command)(given, output),
        "mcp" if !mcp::needs_display(given) => mcp::aside(given, settings, output),
        "config" => settings::run(given, settings, output),
        "tools" => tools::run(given, settings, output),
        "approvals" => approvals::run(given, settings, output),
        "servers" => servers::run(given, settings, output),
        "audit-log" => audit_log::run(given, settings, output),
        "halt" => halt::halt(given, settings.folders(), output),
        "resume" => halt::resume(settings.folders(), output),
        "mcp" if mcp::is_for_commands(settings)? => mcp::serve(words, settings),
        _ if !host::has_display() && !tool.is_some_and(commands::is_command) => {
            let mut handed = Vec::new();
            if name == "mcp" {
                mcp::check(settings)?;
                handed = servers::variables(settings)?;
            }
            let effect = tool.map(|entry| entry.effect());
            let none = || effect.map_or(no_private(), |effect| no_private().before(effect));
            (PRIVATE.ok_or_else(none)?.run_again)(effect, &handed)
        }
        "mcp" => mcp::serve(words, settings),
        "check" => {
            let patience = settings.get(&TIMEOUT)?.unwrap_or(Duration::from_secs(2));
            Ok(doctor::check(output, patience, doctor::settings(given)))
        }
        _ => match tool {
            Some(entry) => call(entry, words, settings, output),
            None => Ok(ExitCode::from(2)),
        },
    }
}

fn call(
    entry: &Entry,
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let call = Call {
        tool: entry.name().to_owned(),
        arguments: arguments::read(entry, given),
        form: output.format().form(),
        door: Door::CommandLine,
        session: SessionKey::Common,
        principal: None,
        ceiling: Mode::Normal,
    };
    let ready = || {
        let (gate, patience) = (settings::gate(settings)?, settings.get(&TIMEOUT)?);
        let engine = Engine::new(host::open()?, host::refs_folder()?, patience, gate);
        if !commands::is_command(entry) {
            return Ok(engine);
        }
        commands::unheld(settings)?.into_iter().for_each(output::remark);
        let prepared = commands::prepare(settings, Callers::Own, &Offered::Tools(None))?;
        Ok(engine.with_commands(prepared.shop, Pace::ToTheEnd))
    };
    let engine = ready().map_err(|failure: Failure| failure.before(entry.effect()))?;
    let streaming = AtomicBool::new(false);
    let listener = |said: Said| match said.weight {
        Weight::News => {
            streaming.store(true, Ordering::Relaxed);
            output.one_of_many(&said.page, &said.data)
        }
        Weight::Warning => {
            warn(said.data.as_str().unwrap_or_default());
            true
        }
        Weight::Progress | Weight::Record | Weight::Alarm => true,
    };
    let mut answer = engine.call(call, &Surroundings::alone(&listener)).map_err(Failure::from)?;
    answer.warnings.iter().for_each(|words| warn(words));
    if streaming.into_inner() {
        // The last of many is written like the others: one document a line.
        output.one_of_many(&answer.page, &answer.data);
        return Ok(ExitCode::SUCCESS);
    }
    picture::deliver(&mut answer, output.format())?;
    let written = output.answer(&answer.page, &answer.data);
    Ok(if answer.succeeded { written } else { ExitCode::FAILURE })
}

/// There is no desktop, and none can be made.
fn no_private() -> Failure {
    Failure::new(
        "unsupported",
        "there are no private desktops on this system, and this process belongs to no session with a screen",
        host::ELSEWHERE,
    )
}

/// Tells what the caller should know beside the answer.
fn warn(words: &str) {
    output::remark(&format!("warning: {words}"));
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
