//! The commands of the MCP server.

mod install;
mod serving;

use std::{process::ExitCode, sync::Arc};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand_engine::{Catalogue, Engine, Failure, Mode, Page, Span, Style, Toolset};
use deskhand_mcp::{Options, Place, Selection, Server};
use serde_json::Value;

use self::serving::Way;
use crate::{
    commands::{self, Callers, Offered},
    definitions::Definitions,
    host,
    hotkey::Listener,
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

/// `deskhand mcp`.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("The MCP server: what agents start")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(server_options(
            Command::new("serve").about("Serve an agent on the standard streams"),
        ))
        .subcommand(commands::options(selecting(
            Command::new("tools").about("List the tools that would be served"),
        )))
        .subcommand(install::command())
}

/// The options of the server.
pub(crate) fn server_options(command: Command) -> Command {
    logging::options(commands::options(serving::options(selecting(command)))).arg(
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
                .value_parser(PossibleValuesParser::new(Mode::ALL.iter().map(|mode| mode.word())))
                .help(settings::help(&SECURITY_MODE)),
        )
}

/// Whether what is asked for works on a desktop.
pub(crate) fn needs_display(given: &ArgMatches) -> bool {
    given.subcommand_name() == Some("serve")
}

/// Whether none of the tools that are asked for needs a desktop.
pub(crate) fn is_for_commands(settings: &Settings) -> Result<bool, Failure> {
    let (chosen, only) = (settings.get(&TOOLSETS)?, settings.get(&TOOLS)?);
    Ok(only.is_empty() && chosen == [Toolset::Cli.word()])
}

/// The commands that work on no desktop.
pub(crate) fn aside(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    match given.subcommand() {
        Some(("install", words)) => install::run(words, output),
        Some((_, _)) => tools(settings, output),
        None => Ok(ExitCode::from(2)),
    }
}

/// Whether a server could be started as it is set up; to be asked before a desktop is.
pub(crate) fn check(settings: &Settings) -> Result<(), Failure> {
    settings::gate(settings)?;
    selection(settings, &commands::offered(settings)?)?;
    serving::way(settings).map(drop)
}

/// `deskhand mcp serve`: until the client goes.
pub(crate) fn serve(given: &ArgMatches, settings: &Settings) -> Result<ExitCode, Failure> {
    host::keep_memory();
    let way = serving::way(settings)?;
    let _logging = logging::start(settings)?;
    let served = serve_by(&way, given, settings);
    match &served {
        Ok(()) => tracing::info!("ended"),
        Err(failure) => tracing::error!(code = failure.code, "ended: {}", failure.message),
    }
    served.map(|()| ExitCode::SUCCESS)
}

fn serve_by(way: &Way, given: &ArgMatches, settings: &Settings) -> Result<(), Failure> {
    let offered = commands::offered(settings)?;
    let options = Options {
        selection: selection(settings, &offered)?,
        conformance: given.get_flag("conformance"),
        log_level: settings.get(&LOG_LEVEL)?,
    };
    let (gate, patience) = (settings::gate(settings)?, settings.get(&TIMEOUT)?);
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        by = way.word(),
        mode = gate.policy.mode.word(),
        touch = ?gate.policy.touch,
        toolsets = ?options.selection.toolsets,
        "starting"
    );
    settings.without_effect()?.iter().for_each(|words| logging::warned(words));
    commands::unheld(settings)?.into_iter().for_each(logging::warned);
    let callers = match way {
        Way::Streams | Way::Lines(_) => Callers::Own,
        Way::Http(_) => Callers::Many,
    };
    let prepared = commands::prepare(settings, callers, &offered)?;
    if let Way::Http(web) = way {
        prepared.check_served_by(web, settings)?;
    }
    if let Offered::Tools(_) = offered {
        let place = prepared.shop.scope().map(|scope| scope.display().to_string());
        let place = place.unwrap_or_else(|| "the first root of each client".to_owned());
        logging::told(&format!("command-line tools are on; commands run in {place}"));
    }
    let pace = prepared.pace;
    let journal = gate.journal.clone();
    let named = servers::variables(settings)?.into_iter().map(|(name, _)| name);
    let desktop = host::open_without(named.collect())?;
    let engine = Engine::new(desktop, host::refs_folder()?, patience, gate)
        .with_commands(prepared.shop, pace);
    let _definitions = Definitions::follow(engine.catalogue(), &offered, pace, prepared.tried);
    let _others = servers::offer(engine.catalogue(), settings)?;
    let server = Server::new(engine, &options)?;
    let keys = settings.get(&HALT_HOTKEY)?.filter(|_| host::has_display());
    let _listener = keys.as_deref().and_then(Listener::start);
    match way {
        Way::Streams => server.serve_stdio()?,
        Way::Lines(at) => {
            server.serve_unix(at, || logging::told(&format!("serving at {}", at.display())))?
        }
        Way::Http(web) => server.serve_http(web, |at| {
            let more = if web.sse { " and /sse" } else { "" };
            logging::told(&match web.at {
                Place::Address(_) => format!("serving at {at}/mcp{more}"),
                Place::Socket(_) => format!("serving HTTP at {at}: /mcp{more}"),
            });
            if web.shows_tokens() {
                logging::warned(
                    "tokens cross the network in clear: set DESKHAND_HTTP_TLS_CERT and \
                     DESKHAND_HTTP_TLS_KEY",
                );
            }
        })?,
    }
    // A call that hangs may hold the engine beyond this.
    journal.close();
    Ok(())
}

/// `deskhand mcp tools`: what would be served.
fn tools(settings: &Settings, output: Output) -> Result<ExitCode, Failure> {
    let (policy, offered) = (settings::policy(settings)?, commands::offered(settings)?);
    let pace = commands::pace(settings)?;
    let catalogue = Arc::new(Catalogue::all());
    Definitions::load(&catalogue, &offered, pace);
    let _others = servers::offer_settled(&catalogue, settings)?;
    let tools = deskhand_mcp::declarations(&catalogue, &selection(settings, &offered)?, policy)?;
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

fn selection(settings: &Settings, offered: &Offered) -> Result<Selection, Failure> {
    let chosen = settings.get(&TOOLSETS)?;
    let sets = Toolset::ALL.iter().copied();
    let mut toolsets: Vec<Toolset> =
        sets.filter(|set| chosen.iter().any(|word| word == set.word())).collect();
    let unasked = [
        (Toolset::Cli, matches!(offered, Offered::Tools(_))),
        (Toolset::Servers, servers::wanted(settings)?.is_some()),
    ];
    for (set, _) in unasked.into_iter().filter(|(_, is_there)| *is_there) {
        if toolsets.is_empty() {
            toolsets.push(Toolset::Ax);
        }
        if !toolsets.contains(&set) {
            toolsets.push(set);
        }
    }
    let mut without = settings.get(&EXCLUDE_TOOLS)?;
    without.extend(commands::withheld(settings)?);
    Ok(Selection { toolsets, only: settings.get(&TOOLS)?, without })
}
