//! `deskhand servers`: lists other MCP servers, and logs in to them.

mod remote_tools;
mod schema;

use std::{cell::RefCell, ffi::OsString, path::PathBuf, process::ExitCode, time::Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use deskhand::trusted_file::TrustError;
use deskhand_client::{
    Activation, Browser, BrowserOpened, Config, ConnectionState, ServerConfig, Servers,
    TokenStorage,
};
use deskhand_engine::{CallFailure, Style, StyledLine, StyledSpan, StyledText, Toolset};
use serde_json::{Value, json};

pub(crate) use self::remote_tools::{offer, offer_connected};
use crate::{
    output::{Output, print_note},
    settings::{
        self, SettingSource, Settings, config_file,
        table::{TIMEOUT, TOOLSETS, commands::MCP_CONFIG},
    },
    timing::{LOGIN_TIMEOUT, SERVER_STATUS_TIMEOUT},
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

/// Returns the configured servers and their token storage, or `None` if there is no file.
///
/// # Errors
///
/// If the file is invalid.
fn configured(settings: &Settings) -> Result<Option<(Config, TokenStorage)>, CallFailure> {
    let config = read(settings, &|name| std::env::var(name).ok())?;
    Ok(config.map(|config| (config, storage(settings))))
}

/// Returns the environment variables that the file refers to, with their values. They count as secrets,
/// because other values can be written in the file. Variables that each desktop sets are left out.
///
/// # Errors
///
/// If the file is invalid.
pub(crate) fn referenced_variables(
    settings: &Settings,
) -> Result<Vec<(String, OsString)>, CallFailure> {
    let referenced = RefCell::new(Vec::new());
    let lookup = |name: &str| {
        let value = std::env::var(name).ok()?;
        referenced.borrow_mut().push((name.to_owned(), OsString::from(&value)));
        Some(value)
    };
    read(settings, &lookup)?;
    let mut referenced = referenced.into_inner();
    referenced.retain(|(name, _)| !is_desktop_variable(name));
    Ok(referenced)
}

fn is_desktop_variable(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "DISPLAY", "WAYLAND_DISPLAY"];
    NAMES.contains(&name) || name.starts_with("XDG_") || name.starts_with("DBUS_")
}

fn read(
    settings: &Settings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Config>, CallFailure> {
    let configured = settings.get(&MCP_CONFIG)?;
    let path = configured.clone().unwrap_or_else(|| default_file(settings));
    let Some(text) = config_file::read_trusted(&path)? else {
        let file = path.display().to_string();
        let reason = "the file does not exist".to_owned();
        let missing = settings::Error::from(TrustError::Unreadable { file, reason });
        return if configured.is_some() { Err(missing.into()) } else { Ok(None) };
    };
    Ok(Some(Config::parse(&text, &path.display().to_string(), lookup)?))
}

/// Returns the servers whose tools are offered, or `None` if the settings select only other toolsets.
///
/// # Errors
///
/// If the file is invalid.
pub(crate) fn selected(settings: &Settings) -> Result<Option<(Config, TokenStorage)>, CallFailure> {
    let toolsets = settings.get(&TOOLSETS)?;
    let file_is_set = settings.resolve(&MCP_CONFIG)?.source != SettingSource::Default;
    let toolset_is_set = toolsets.contains(&Toolset::Servers);
    let is_selected = toolsets.is_empty() || toolset_is_set || file_is_set;
    if is_selected { configured(settings) } else { Ok(None) }
}

/// Returns the token storage.
pub(crate) fn storage(settings: &Settings) -> TokenStorage {
    TokenStorage::new(settings.folders().data.join("servers"))
}

fn default_file(settings: &Settings) -> PathBuf {
    settings.folders().config.join("mcp.json")
}

/// Runs a subcommand of `servers`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let configured = configured(settings)?;
    let (config, storage) = configured.unwrap_or_else(|| (Config::default(), storage(settings)));
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
        message(format!("no servers; add them to {}", default_file(settings).display()))
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
