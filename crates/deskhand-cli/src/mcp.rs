//! `deskhand mcp`: serves MCP clients, lists the served tools, and installs the server in clients.

mod endpoint;
mod install;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand::settings::{
    self, Settings,
    table::{EXCLUDE_TOOLS, HALT_HOTKEY, READ_ONLY, SECURITY_MODE, TOOLS, TOOLSETS},
};
use deskhand_engine::{CallFailure, SecurityMode, Style, StyledSpan, StyledText, Toolset};
use deskhand_server::{Endpoint, Offer, Server};
use serde_json::Value;

use crate::{allocator, commands, host, hotkey::HotkeyProcess, logging, output::Output};

/// Returns the `mcp` command.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serve MCP clients, or install the server in them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(server_options(
            Command::new("serve").about("Serve MCP (default: on standard input and output)"),
        ))
        .subcommand(commands::options(tool_options(
            Command::new("tools").about("List the tools that `serve` offers with these options"),
        )))
        .subcommand(install::command())
}

/// Adds the options of the server.
pub(crate) fn server_options(command: Command) -> Command {
    let command = logging::options(commands::options(endpoint::options(tool_options(command))));
    #[cfg(feature = "conformance")]
    let command = command.arg(
        Arg::new("conformance")
            .long("conformance")
            .action(ArgAction::SetTrue)
            .hide(true)
            .help("Serve the fixtures of the official MCP conformance suite"),
    );
    command
}

/// Adds the options that select tools.
fn tool_options(command: Command) -> Command {
    let sets = Toolset::ALL.iter().map(|set| set.word()).chain([Toolset::ALL_WORD]);
    let names = |id: &'static str, help: String| {
        Arg::new(id).long(id).value_name("NAME,NAME").value_delimiter(',').help(help)
    };
    command
        .arg(
            names("toolsets", settings::help(&TOOLSETS))
                .value_parser(PossibleValuesParser::new(sets)),
        )
        .arg(names("tools", settings::help(&TOOLS)).conflicts_with("toolsets"))
        .arg(names("exclude-tools", settings::help(&EXCLUDE_TOOLS)))
        .arg(
            Arg::new("read-only")
                .long("read-only")
                .action(ArgAction::SetTrue)
                .help(settings::help(&READ_ONLY)),
        )
        .arg(
            Arg::new("security-mode")
                .long("security-mode")
                .value_name("MODE")
                .value_parser(PossibleValuesParser::new(
                    SecurityMode::ALL.iter().map(|mode| mode.name()),
                ))
                .help(settings::help(&SECURITY_MODE)),
        )
}

/// Returns `true` if the subcommand needs a desktop.
pub(crate) fn needs_display(matches: &ArgMatches) -> bool {
    matches.subcommand_name() == Some("serve")
}

/// Runs a subcommand that needs no desktop.
pub(crate) fn run_without_desktop(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    match matches.subcommand() {
        Some(("install", matches)) => install::run(matches, output),
        Some((_, _)) => list_tools(settings, output),
        None => Ok(ExitCode::from(2)),
    }
}

/// Runs `deskhand mcp serve`: serves until the client disconnects.
pub(crate) fn serve(matches: &ArgMatches, settings: &Settings) -> Result<ExitCode, CallFailure> {
    allocator::return_large_blocks();
    host::disable_core_dumps();
    let endpoint = Endpoint::from_settings(settings)?;
    let _logging = logging::start(settings)?;
    let result = serve_at(endpoint, matches, settings);
    match &result {
        Ok(()) => tracing::info!("server ended"),
        Err(failure) => tracing::error!(code = failure.code, "server failed: {}", failure.message),
    }
    result.map(|()| ExitCode::SUCCESS)
}

fn serve_at(
    endpoint: Endpoint,
    matches: &ArgMatches,
    settings: &Settings,
) -> Result<(), CallFailure> {
    let server = Server::open(settings, endpoint, offer(matches), logging::notify)?;
    let keys = settings.get(&HALT_HOTKEY)?.filter(|_| host::has_display());
    let _hotkey = keys.as_deref().and_then(HotkeyProcess::start);
    server.run()
}

/// Returns the fixtures of the conformance suite if `--conformance` is set.
#[cfg(feature = "conformance")]
fn offer(matches: &ArgMatches) -> Offer {
    if matches.get_flag("conformance") { Offer::ConformanceFixtures } else { Offer::Tools }
}

#[cfg(not(feature = "conformance"))]
fn offer(_: &ArgMatches) -> Offer {
    Offer::Tools
}

/// Runs `deskhand mcp tools`: lists the tools that would be served.
fn list_tools(settings: &Settings, output: Output) -> Result<ExitCode, CallFailure> {
    let tools = deskhand_server::tool_declarations(settings, logging::notify)?;
    let text = |tool: &Value, field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let rows = tools.as_array().into_iter().flatten().map(|tool| {
        vec![
            StyledSpan { style: Style::Strong, text: text(tool, "name") },
            StyledSpan { style: Style::Plain, text: text(tool, "description") },
        ]
    });
    let page = StyledText::default().table(vec!["NAME", "DESCRIPTION"], rows.collect());
    Ok(output.print(&page, &tools))
}
