//! `deskhand servers`: other MCP servers, how they are, and logging in to them.

mod foreign;
mod offered;

use std::{
    cell::RefCell,
    ffi::OsString,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use deskhand_client::{Browser, Config, Opened, Server, Servers, State, Storage, Use};
use deskhand_engine::{Failure, Line, Page, Span, Style, Toolset};
use serde_json::{Value, json};

pub(crate) use self::offered::{offer, offer_settled};
use crate::{
    output::{Output, remark},
    settings::{
        self, Settings, Source, file,
        table::{TIMEOUT, TOOLSETS, commands::MCP_CONFIG},
    },
};

/// How long a person may take in the browser.
const LOGIN: Duration = Duration::from_secs(300);
/// How long servers may take to say how they are.
const LOOK: Duration = Duration::from_secs(10);

/// `deskhand servers`.
pub(crate) fn command() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true).help("Which server");
    Command::new("servers")
        .about("Other MCP servers whose tools are offered here: list them, log in, log out")
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
        .subcommand(Command::new("list").about("List the servers, and how each is"))
        .subcommand(
            Command::new("login").about("Log in to a server in your browser").arg(name()).arg(
                Arg::new("show-link")
                    .long("show-link")
                    .action(ArgAction::SetTrue)
                    .help("Show the address instead of opening a browser"),
            ),
        )
        .subcommand(Command::new("logout").about("Forget the login to a server").arg(name()))
}

/// The servers that are set up, and where their tokens are; `None` when no file names any.
///
/// # Errors
///
/// When the file is no good.
pub(crate) fn found(settings: &Settings) -> Result<Option<(Config, Storage)>, Failure> {
    let config = read(settings, &|name| std::env::var(name).ok())?;
    Ok(config.map(|config| (config, storage(settings))))
}

/// The variables the file names, with what they hold: secrets, since everything else could stand in the
/// file. Those a desktop has of its own are left out.
///
/// # Errors
///
/// When the file is no good.
pub(crate) fn variables(settings: &Settings) -> Result<Vec<(String, OsString)>, Failure> {
    let named = RefCell::new(Vec::new());
    let variable = |name: &str| {
        let value = std::env::var(name).ok()?;
        named.borrow_mut().push((name.to_owned(), OsString::from(&value)));
        Some(value)
    };
    read(settings, &variable)?;
    let mut named = named.into_inner();
    named.retain(|(name, _)| !is_of_desktop(name));
    Ok(named)
}

fn is_of_desktop(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "DISPLAY", "WAYLAND_DISPLAY"];
    NAMES.contains(&name) || name.starts_with("XDG_") || name.starts_with("DBUS_")
}

fn read(
    settings: &Settings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Config>, Failure> {
    let chosen = settings.get(&MCP_CONFIG)?;
    let path = chosen.clone().unwrap_or_else(|| usual(settings));
    let Some(text) = file::text_of(&path)? else {
        let name = path.display().to_string();
        let missing =
            settings::Error::Unreadable { file: name, why: "there is no such file".to_owned() };
        return if chosen.is_some() { Err(missing.into()) } else { Ok(None) };
    };
    Ok(Some(Config::parse(&text, &path.display().to_string(), variable)?))
}

/// The servers whose tools are offered: those of a file that was named, or of the usual one unless other
/// sets of tools were asked for.
///
/// # Errors
///
/// When the file is no good.
pub(crate) fn wanted(settings: &Settings) -> Result<Option<(Config, Storage)>, Failure> {
    let chosen = settings.get(&TOOLSETS)?;
    let is_named = settings.find(&MCP_CONFIG)?.source != Source::Usual;
    let is_chosen = chosen.iter().any(|word| word == Toolset::Servers.word());
    if chosen.is_empty() || is_chosen || is_named { found(settings) } else { Ok(None) }
}

/// Where tokens are kept.
pub(crate) fn storage(settings: &Settings) -> Storage {
    Storage::new(settings.folders().data.join("servers"))
}

fn usual(settings: &Settings) -> PathBuf {
    settings.folders().config.join("mcp.json")
}

/// Runs a subcommand of `servers`.
pub(crate) fn run(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let found = found(settings)?;
    let (config, storage) = found.unwrap_or_else(|| (Config::default(), storage(settings)));
    match given.subcommand() {
        Some(("list", _)) => list(&config, &storage, settings, output),
        Some(("login", words)) => {
            let server = named(&config, words)?;
            let browser = if words.get_flag("show-link") { Browser::Show } else { Browser::Open };
            let patience = settings.get(&TIMEOUT)?.unwrap_or(LOGIN);
            deskhand_client::login(server, &storage, browser, patience, &shown)?;
            let text = format!("logged in to {}", server.name);
            Ok(output.answer(&said(text), &json!({ "server": server.name, "login": "done" })))
        }
        Some(("logout", words)) => {
            let server = named(&config, words)?;
            let was = storage.forget(server)?;
            let text = if was { "the login was forgotten" } else { "there was no login" };
            Ok(output.answer(&said(text.to_owned()), &json!({ "forgotten": was })))
        }
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

fn named<'a>(config: &'a Config, words: &ArgMatches) -> Result<&'a Server, Failure> {
    let name = words.get_one::<String>("name").cloned().unwrap_or_default();
    Ok(config.server(&name)?)
}

fn shown(address: &str, opened: Opened) {
    remark(match opened {
        Opened::Yes => "Log in in your browser. If it shows nothing, open this address:",
        Opened::No => "Open this address to log in:",
    });
    remark(address);
}

fn list(
    config: &Config,
    storage: &Storage,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let servers = Servers::open(config, storage)?;
    let patience = settings.get(&TIMEOUT)?.unwrap_or(LOOK);
    servers.settle(Instant::now() + patience);
    let status = servers.status();
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    for server in &config.servers {
        let now = status.iter().find(|one| one.server == server.name);
        let (word, why) = word(server, now.map(|now| &now.state));
        let tools = now.map_or(0, |now| now.tools);
        let login = storage.has(server)?;
        data.push(json!({
            "name": server.name, "url": server.url, "prefix": server.prefix,
            "state": word, "why": why, "tools": tools, "logged_in": login,
        }));
        let state = why.map_or(word.to_owned(), |why| format!("{word}: {why}"));
        rows.push(vec![
            span(Style::Strong, server.name.clone()),
            span(Style::Plain, state),
            span(Style::Plain, tools.to_string()),
            span(Style::Plain, if login { "yes" } else { "-" }.to_owned()),
            span(Style::Faint, server.url.to_string()),
        ]);
    }
    for left in &config.skipped {
        let state = format!("left out: {}", left.why);
        let empty = || span(Style::Plain, "-".to_owned());
        let name = span(Style::Strong, left.name.clone());
        rows.push(vec![name, span(Style::Plain, state), empty(), empty(), empty()]);
        data.push(json!({ "name": left.name, "state": "left_out", "why": left.why }));
    }
    let page = if rows.is_empty() {
        said(format!("no server is set up; name them in {}", usual(settings).display()))
    } else {
        Page::default().table(vec!["NAME", "STATE", "TOOLS", "LOGIN", "ADDRESS"], rows)
    };
    Ok(output.answer(&page, &Value::from(data)))
}

fn word(server: &Server, state: Option<&State>) -> (&'static str, Option<String>) {
    match (server.use_it, state) {
        (Use::Off, _) => ("off", None),
        (Use::On, Some(State::Up)) => ("up", None),
        (Use::On, Some(State::LoginNeeded)) => ("login_needed", None),
        (Use::On, Some(State::Down(why))) => ("down", Some(why.clone())),
        (Use::On, Some(State::Connecting) | None) => {
            ("connecting", Some("it has not answered yet".to_owned()))
        }
    }
}

fn span(style: Style, text: String) -> Span {
    Span { style, text }
}

fn said(text: String) -> Page {
    Page::default().line(Line::new().with(Style::Plain, text))
}
