//! `deskhand mcp`: serves MCP clients, lists the served tools, and installs the server in clients.

mod endpoint;
mod install;

use std::{process::ExitCode, sync::Arc};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand_engine::{
    CallFailure, Catalogue, Engine, SecurityMode, Style, StyledSpan, StyledText, Toolset,
};
use deskhand_mcp::{ListenAddress, McpServer, ServerOptions, ToolSelection};
use serde_json::Value;

use self::endpoint::Endpoint;
use crate::{
    commands::{self, Callers, CommandTools},
    definitions::Definitions,
    host,
    hotkey::HotkeyProcess,
    logging,
    output::Output,
    servers,
    settings::{
        self, Settings,
        table::{
            EXCLUDE_TOOLS, HALT_HOTKEY, LOG_LEVEL, READ_ONLY, SECURITY_MODE, TIMEOUT, TOOLS,
            TOOLSETS,
        },
    },
};

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

/// Returns `true` if the selected tools only run commands, and so need no desktop.
pub(crate) fn serves_only_commands(settings: &Settings) -> Result<bool, CallFailure> {
    let (toolsets, tools) = (settings.get(&TOOLSETS)?, settings.get(&TOOLS)?);
    Ok(tools.is_empty() && toolsets == [Toolset::Cli])
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

/// Checks the settings of a server, before a private desktop is started for it.
pub(crate) fn check(settings: &Settings) -> Result<(), CallFailure> {
    settings::gate(settings)?;
    selection(settings, &commands::selected_tools(settings)?)?;
    Endpoint::from_settings(settings).map(drop)
}

/// Runs `deskhand mcp serve`: serves until the client disconnects.
pub(crate) fn serve(matches: &ArgMatches, settings: &Settings) -> Result<ExitCode, CallFailure> {
    host::disable_core_dumps();
    let endpoint = Endpoint::from_settings(settings)?;
    let _logging = logging::start(settings)?;
    let result = serve_at(&endpoint, matches, settings);
    match &result {
        Ok(()) => tracing::info!("server ended"),
        Err(failure) => tracing::error!(code = failure.code, "server failed: {}", failure.message),
    }
    result.map(|()| ExitCode::SUCCESS)
}

fn serve_at(
    endpoint: &Endpoint,
    matches: &ArgMatches,
    settings: &Settings,
) -> Result<(), CallFailure> {
    let command_tools = commands::selected_tools(settings)?;
    #[allow(clippy::needless_update, reason = "one field exists only with a feature")]
    let options = ServerOptions {
        selection: selection(settings, &command_tools)?,
        log_level: settings.get(&LOG_LEVEL)?,
        ..ServerOptions::default()
    };
    let options = with_fixtures(options, matches);
    let (gate, timeout) = (settings::gate(settings)?, settings.get(&TIMEOUT)?);
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        transport = endpoint.transport(),
        mode = gate.policy.mode.name(),
        touch = ?gate.policy.write_access,
        toolsets = ?options.selection.toolsets,
        "server starting"
    );
    settings.unsupported_warnings()?.iter().for_each(|text| logging::warn(text));
    commands::no_sandbox_warning(settings)?.into_iter().for_each(logging::warn);
    let callers = match endpoint {
        Endpoint::Stdio | Endpoint::Socket(_) => Callers::One,
        Endpoint::Http(_) => Callers::Many,
    };
    let prepared = commands::prepare(settings, callers, &command_tools)?;
    if let Endpoint::Http(web) = endpoint {
        prepared.check_http(web, settings)?;
    }
    if let CommandTools::Enabled(_) = command_tools {
        let scope = prepared.service.scope().map(|scope| scope.display().to_string());
        let scope = scope.unwrap_or_else(|| "the first root of each client".to_owned());
        logging::note(&format!("command-line tools are on; commands run in {scope}"));
    }
    let wait_mode = prepared.wait_mode;
    let audit_log = gate.audit_log.clone();
    let secrets = servers::referenced_variables(settings)?.into_iter().map(|(name, _)| name);
    let desktop = host::open_without(secrets.collect())?;
    let engine = Engine::new(desktop, host::refs_folder()?, timeout, gate)
        .with_commands(prepared.service, wait_mode);
    let catalogue = engine.catalogue();
    let _definitions = Definitions::watch(catalogue, &command_tools, wait_mode, prepared.session);
    let _servers = servers::offer(catalogue, settings)?;
    let server = McpServer::new(engine, &options)?;
    let keys = settings.get(&HALT_HOTKEY)?.filter(|_| host::has_display());
    let _hotkey = keys.as_deref().and_then(HotkeyProcess::start);
    match endpoint {
        Endpoint::Stdio => server.serve_stdio()?,
        Endpoint::Socket(path) => {
            server.serve_unix(path, || logging::note(&format!("serving at {}", path.display())))?
        }
        Endpoint::Http(web) => server.serve_http(web, |at| {
            let sse = if web.sse { " and /sse" } else { "" };
            logging::note(&match web.listen {
                ListenAddress::Tcp(_) => format!("serving at {at}/mcp{sse}"),
                ListenAddress::Unix(_) => format!("serving HTTP at {at}: /mcp{sse}"),
            });
            if web.sends_tokens_in_clear() {
                logging::warn(
                    "tokens cross the network unencrypted; set DESKHAND_HTTP_TLS_CERT and \
                     DESKHAND_HTTP_TLS_KEY",
                );
            }
        })?,
    }
    // A call that hangs may still use the engine, so the log is closed here.
    audit_log.close();
    Ok(())
}

/// Lets the server offer the fixtures of the conformance suite instead of tools, if `--conformance` is set.
#[cfg(feature = "conformance")]
fn with_fixtures(options: ServerOptions, matches: &ArgMatches) -> ServerOptions {
    ServerOptions { conformance: matches.get_flag("conformance"), ..options }
}

#[cfg(not(feature = "conformance"))]
fn with_fixtures(options: ServerOptions, _: &ArgMatches) -> ServerOptions {
    options
}

/// Runs `deskhand mcp tools`: lists the tools that would be served.
fn list_tools(settings: &Settings, output: Output) -> Result<ExitCode, CallFailure> {
    let (policy, command_tools) =
        (settings::policy(settings)?, commands::selected_tools(settings)?);
    let catalogue = Arc::new(Catalogue::all());
    Definitions::load(&catalogue, &command_tools, commands::wait_mode(settings)?);
    let _servers = servers::offer_connected(&catalogue, settings)?;
    let selection = selection(settings, &command_tools)?;
    let tools = deskhand_mcp::tool_declarations(&catalogue, &selection, policy)?;
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

fn selection(
    settings: &Settings,
    command_tools: &CommandTools,
) -> Result<ToolSelection, CallFailure> {
    let mut toolsets = settings.get(&TOOLSETS)?;
    let implied = [
        (Toolset::Cli, matches!(command_tools, CommandTools::Enabled(_))),
        (Toolset::Servers, servers::selected(settings)?.is_some()),
    ];
    for (set, _) in implied.into_iter().filter(|(_, is_enabled)| *is_enabled) {
        if toolsets.is_empty() {
            toolsets.push(Toolset::Ax);
        }
        if !toolsets.contains(&set) {
            toolsets.push(set);
        }
    }
    let mut without = settings.get(&EXCLUDE_TOOLS)?;
    without.extend(commands::disabled_tools(settings)?);
    Ok(ToolSelection { toolsets, only: settings.get(&TOOLS)?, exclude: without })
}
