//! `deskhand servers`: lists other MCP servers, and logs in to them.

use std::{path::PathBuf, process::ExitCode, time::Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use deskhand::settings::{
    self, Settings,
    table::{TIMEOUT, commands::MCP_CONFIG},
};
use deskhand_client::{
    Activation, Browser, BrowserOpened, Config, ConnectionState, ServerConfig, Servers,
    TokenStorage,
};
use deskhand_engine::{CallFailure, Style, StyledLine, StyledSpan, StyledText};
use deskhand_server::{SERVER_STATUS_TIMEOUT, other_servers};
use serde_json::{Value, json};

use crate::{
    output::{Output, print_note},
    timing::LOGIN_TIMEOUT,
};

/// Returns the `servers` command.
pub(crate) fn command() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true).help("Name of the server");
    Command::new("servers")
        .about("List other MCP servers, whose tools are offered here, and log in to them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("mcp-config")
                .long("mcp-config")
                .value_name("PATH")
                .global(true)
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help(settings::help(&MCP_CONFIG)),
        )
        .subcommand(Command::new("list").about("List the servers and their states"))
        .subcommand(
            Command::new("login").about("Log in to a server in your browser").arg(name()).arg(
                Arg::new("show-link")
                    .long("show-link")
                    .action(ArgAction::SetTrue)
                    .help("Print the URL instead of opening a browser"),
            ),
        )
        .subcommand(
            Command::new("logout")
                .about("Log out of a server: delete its stored tokens")
                .arg(name()),
        )
}

/// Runs a subcommand of `servers`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let config = other_servers::configured(settings)?.unwrap_or_default();
    let storage = other_servers::token_storage(settings);
    match matches.subcommand() {
        Some(("list", _)) => list(&config, &storage, settings, output),
        Some(("login", matches)) => {
            let server = named_server(&config, matches)?;
            let browser = if matches.get_flag("show-link") { Browser::Show } else { Browser::Open };
            let timeout = settings.get(&TIMEOUT)?.unwrap_or(LOGIN_TIMEOUT);
            deskhand_client::login(server, &storage, browser, timeout, &show_address)?;
            let text = format!("logged in to {}", server.name);
            Ok(output.print(&message(text), &json!({ "server": server.name, "login": "done" })))
        }
        Some(("logout", matches)) => {
            let server = named_server(&config, matches)?;
            let forgotten = storage.delete(server)?;
            let name = &server.name;
            let text = if forgotten {
                format!("logged out of {name}")
            } else {
                format!("you were not logged in to {name}")
            };
            Ok(output.print(&message(text), &json!({ "forgotten": forgotten })))
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn named_server<'a>(
    config: &'a Config,
    matches: &ArgMatches,
) -> Result<&'a ServerConfig, CallFailure> {
    let name = matches.get_one::<String>("name").cloned().unwrap_or_default();
    Ok(config.server(&name)?)
}

fn show_address(address: &str, opened: BrowserOpened) {
    print_note(match opened {
        BrowserOpened::Yes => "Log in in your browser. If it did not open, open this URL:",
        BrowserOpened::No => "Open this URL to log in:",
    });
    print_note(address);
}

fn list(
    config: &Config,
    storage: &TokenStorage,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let servers = Servers::open(config, storage)?;
    let timeout = settings.get(&TIMEOUT)?.unwrap_or(SERVER_STATUS_TIMEOUT);
    servers.wait_until_connected(Instant::now() + timeout);
    let status = servers.status();
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    for server in &config.servers {
        let current = status.iter().find(|status| status.server == server.name);
        let (state, reason) = state_name(server, current.map(|status| &status.state));
        let tools = current.map_or(0, |status| status.tools);
        let login = storage.is_logged_in(server)?;
        data.push(json!({
            "name": server.name, "url": server.url, "prefix": server.prefix,
            "state": state, "why": reason, "tools": tools, "logged_in": login,
        }));
        let state = reason.map_or(state.to_owned(), |reason| format!("{state}: {reason}"));
        rows.push(vec![
            span(Style::Strong, server.name.clone()),
            span(Style::Plain, state),
            span(Style::Plain, tools.to_string()),
            span(Style::Plain, if login { "yes" } else { "-" }.to_owned()),
            span(Style::Faint, server.url.to_string()),
        ]);
    }
    for skipped in &config.skipped {
        let state = format!("not used: {}", skipped.reason);
        let empty = || span(Style::Plain, "-".to_owned());
        let name = span(Style::Strong, skipped.name.clone());
        rows.push(vec![name, span(Style::Plain, state), empty(), empty(), empty()]);
        data.push(json!({ "name": skipped.name, "state": "left_out", "why": skipped.reason }));
    }
    let page = if rows.is_empty() {
        message(format!(
            "no servers; add them to {}",
            other_servers::default_file(settings).display()
        ))
    } else {
        StyledText::default().table(vec!["NAME", "STATE", "TOOLS", "LOGIN", "URL"], rows)
    };
    Ok(output.print(&page, &Value::from(data)))
}

fn state_name(
    server: &ServerConfig,
    state: Option<&ConnectionState>,
) -> (&'static str, Option<String>) {
    match (server.activation, state) {
        (Activation::Disabled, _) => ("off", None),
        (Activation::Enabled, Some(ConnectionState::Connected)) => ("up", None),
        (Activation::Enabled, Some(ConnectionState::LoginRequired)) => ("login_needed", None),
        (Activation::Enabled, Some(ConnectionState::Disconnected(reason))) => {
            ("down", Some(reason.clone()))
        }
        (Activation::Enabled, Some(ConnectionState::Connecting) | None) => {
            ("connecting", Some("it has not answered yet".to_owned()))
        }
    }
}

fn span(style: Style, text: String) -> StyledSpan {
    StyledSpan { style, text }
}

fn message(text: String) -> StyledText {
    StyledText::default().line(StyledLine::new().with(Style::Plain, text))
}
