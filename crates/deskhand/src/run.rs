//! From the parsed command line to the exit code.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use clap::ArgMatches;
use clap_complete::Shell;
use deskhand_engine::{Call, Catalogue, Engine, Failure};

use crate::{
    arguments, cli, desktop, doctor, embedded, host,
    output::{Format, Output},
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
    match name {
        "completions" => Ok(completions(given)),
        "desktop" => desktop::run(given, output),
        _ if !host::has_display() => embedded::run_again(),
        "check" => Ok(doctor::check(output, patience(matches)?)),
        tool => call(tool, given, output, patience(matches)?),
    }
}

fn patience(matches: &ArgMatches) -> Result<Duration, Failure> {
    let seconds = matches.get_one::<f64>("timeout").copied().unwrap_or(2.0);
    match Duration::try_from_secs_f64(seconds) {
        Ok(patience) if !patience.is_zero() && seconds <= 3600.0 => Ok(patience),
        Ok(_) | Err(_) => Err(Failure {
            code: "invalid_parameter".to_owned(),
            message: format!("--timeout {seconds} is not a time to wait"),
            hint: Some("give a number of seconds above 0 and up to 3600".to_owned()),
        }),
    }
}

fn call(
    tool: &str,
    given: &ArgMatches,
    output: Output,
    patience: Duration,
) -> Result<ExitCode, Failure> {
    let tools = Catalogue::all();
    let Some(entry) = tools.get(tool) else { return Ok(ExitCode::from(2)) };
    let call = Call {
        tool: tool.to_owned(),
        arguments: arguments::read(entry, given),
        form: output.format().form(),
    };
    let engine = Engine::new(host::open()?, host::refs_folder()?, patience);
    let streaming = AtomicBool::new(false);
    let answer = engine.call(call, &|said| {
        streaming.store(true, Ordering::Relaxed);
        output.one_of_many(&said.page, &said.data)
    })?;
    if streaming.into_inner() {
        // The last of many is written like the others: one document a line.
        output.one_of_many(&answer.page, &answer.data);
        return Ok(ExitCode::SUCCESS);
    }
    Ok(output.answer(&answer.page, &answer.data))
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
