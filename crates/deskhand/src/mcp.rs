//! The commands of the MCP server.

mod install;
mod serving;

use std::{process::ExitCode, time::Duration};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand_engine::{Engine, Failure, Page, Span, Style, Toolset};
use deskhand_mcp::{Options, Place, Selection, Server};
use serde_json::Value;

use self::serving::Way;
use crate::{
    host,
    output::{self, Output},
};

/// `deskhand mcp`.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("The MCP server: what agents start")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serving_options(selecting(
            Command::new("serve").about("Serve an agent on the standard streams"),
        )))
        .subcommand(selecting(Command::new("tools").about("List the tools that would be served")))
        .subcommand(install::command())
}

/// The options of the server alone.
fn serving_options(command: Command) -> Command {
    serving::options(command).arg(
        Arg::new("conformance")
            .long("conformance")
            .action(ArgAction::SetTrue)
            .hide(true)
            .help("Serve the fixtures of the official conformance suite"),
    )
}

/// The options that choose tools.
fn selecting(command: Command) -> Command {
    let sets = Toolset::ALL.iter().map(|set| set.word());
    let names = |id: &'static str, help: &'static str| {
        Arg::new(id).long(id).value_name("NAME,NAME").value_delimiter(',').help(help)
    };
    command
        .arg(
            names("toolsets", "Offer these sets of tools")
                .value_parser(PossibleValuesParser::new(sets))
                .env("DESKHAND_TOOLSETS")
                .hide_env_values(true),
        )
        .arg(names("tools", "Offer these tools alone").conflicts_with("toolsets"))
        .arg(names("exclude-tools", "Do not offer these tools"))
        .arg(
            Arg::new("read-only")
                .long("read-only")
                .action(ArgAction::SetTrue)
                .help("Offer only tools that change nothing"),
        )
}

/// Whether what is asked for works on a desktop.
pub(crate) fn needs_display(given: &ArgMatches) -> bool {
    given.subcommand_name() == Some("serve")
}

/// The commands that work on no desktop.
pub(crate) fn aside(given: &ArgMatches, output: Output) -> Result<ExitCode, Failure> {
    match given.subcommand() {
        Some(("install", words)) => install::run(words, output),
        Some((_, words)) => tools(words, output),
        None => Ok(ExitCode::from(2)),
    }
}

/// `deskhand mcp serve`: until the client goes.
pub(crate) fn serve(given: &ArgMatches, patience: Option<Duration>) -> Result<ExitCode, Failure> {
    let options =
        Options { selection: selection(given), conformance: given.get_flag("conformance") };
    let engine = Engine::new(host::open()?, host::refs_folder()?, patience);
    let server = Server::new(engine, &options)?;
    match serving::way(given, &|name| std::env::var(name).ok())? {
        Way::Streams => server.serve_stdio()?,
        Way::Lines(at) => server.serve_unix(&at, || {
            output::remark(&format!("serving at {}", at.display()));
        })?,
        Way::Http(web) => server.serve_http(&web, |at| {
            let more = if web.sse { " and /sse" } else { "" };
            output::remark(&match web.at {
                Place::Address(_) => format!("serving at {at}/mcp{more}"),
                Place::Socket(_) => format!("serving HTTP at {at}: /mcp{more}"),
            });
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `deskhand mcp tools`: what would be served.
fn tools(given: &ArgMatches, output: Output) -> Result<ExitCode, Failure> {
    let tools = deskhand_mcp::declarations(&selection(given))?;
    let text = |tool: &Value, field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let rows = tools.as_array().into_iter().flatten().map(|tool| {
        vec![
            Span { style: Style::Strong, text: text(tool, "name") },
            Span { style: Style::Plain, text: text(tool, "description") },
        ]
    });
    let page = Page::default().table(vec!["NAME", "WHAT IT DOES"], rows.collect());
    Ok(output.answer(&page, &tools))
}

fn selection(given: &ArgMatches) -> Selection {
    let words = |id: &str| -> Vec<String> {
        given.get_many::<String>(id).into_iter().flatten().cloned().collect()
    };
    let chosen = words("toolsets");
    let sets = Toolset::ALL.iter().copied();
    Selection {
        toolsets: sets.filter(|set| chosen.iter().any(|word| word == set.word())).collect(),
        only: words("tools"),
        without: words("exclude-tools"),
        read_only: given.get_flag("read-only"),
    }
}
