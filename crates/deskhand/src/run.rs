//! From the parsed command line to the exit code.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use clap::ArgMatches;
use clap_complete::Shell;
use deskhand_engine::{
    Call, Catalogue, Door, Engine, Entry, Failure, Said, SessionKey, Surroundings, Weight,
};

use crate::{
    arguments, cli, desktop, doctor, embedded, host, keeper, mcp,
    output::{Format, Output},
    picture,
};

/// Runs what the command line asks for.
pub(crate) fn run(matches: &ArgMatches) -> ExitCode {
    let format = matches.get_one::<Format>("format").copied().unwrap_or(Format::Text);
    let output = Output::new(format);
    match dispatch(matches, output) {
        Ok(code) => code,
        Err(failure) => output.failure(&failure),
    }
}

fn dispatch(matches: &ArgMatches, output: Output) -> Result<ExitCode, Failure> {
    let Some((name, given)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    let tools = Catalogue::all();
    let (command, words) = match given.subcommand() {
        Some((last, words)) => (format!("{name} {last}"), words),
        None => (name.to_owned(), given),
    };
    let tool = tools.iter().find(|entry| entry.spec.command == command);
    match name {
        "completions" => Ok(completions(given)),
        host::KEEPER => Ok(keeper::run()),
        "desktop" => desktop::run(given, output),
        "mcp" if !mcp::needs_display(given) => mcp::aside(given, output),
        _ if !host::has_display() => embedded::run_again(tool.map(|entry| entry.spec.effect)),
        "mcp" => mcp::serve(words, patience(matches)?),
        "check" => {
            let patience = patience(matches)?.unwrap_or(Duration::from_secs(2));
            Ok(doctor::check(output, patience))
        }
        _ => match tool {
            Some(entry) => call(entry, words, output, patience(matches)),
            None => Ok(ExitCode::from(2)),
        },
    }
}

fn patience(matches: &ArgMatches) -> Result<Option<Duration>, Failure> {
    let Some(seconds) = matches.get_one::<f64>("timeout").copied() else { return Ok(None) };
    match Duration::try_from_secs_f64(seconds) {
        Ok(patience) if !patience.is_zero() && seconds <= 3600.0 => Ok(Some(patience)),
        Ok(_) | Err(_) => Err(Failure {
            code: "invalid_parameter".to_owned(),
            message: format!("--timeout {seconds} is not a time to wait"),
            hint: Some("give a number of seconds above 0 and up to 3600".to_owned()),
            delivery: None,
        }),
    }
}

fn call(
    entry: &Entry,
    given: &ArgMatches,
    output: Output,
    patience: Result<Option<Duration>, Failure>,
) -> Result<ExitCode, Failure> {
    let call = Call {
        tool: entry.spec.name.to_owned(),
        arguments: arguments::read(entry, given),
        form: output.format().form(),
        door: Door::CommandLine,
        session: SessionKey::Common,
    };
    let ready = || Ok(Engine::new(host::open()?, host::refs_folder()?, patience?));
    let engine = ready().map_err(|failure: Failure| failure.before(entry.spec.effect))?;
    let streaming = AtomicBool::new(false);
    let listener = |said: Said| {
        if said.weight != Weight::News {
            return true;
        }
        streaming.store(true, Ordering::Relaxed);
        output.one_of_many(&said.page, &said.data)
    };
    let mut answer = engine.call(call, &Surroundings::alone(&listener)).map_err(Failure::from)?;
    if streaming.into_inner() {
        // The last of many is written like the others: one document a line.
        output.one_of_many(&answer.page, &answer.data);
        return Ok(ExitCode::SUCCESS);
    }
    picture::deliver(&mut answer, output.format())?;
    let written = output.answer(&answer.page, &answer.data);
    Ok(if answer.succeeded { written } else { ExitCode::FAILURE })
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
