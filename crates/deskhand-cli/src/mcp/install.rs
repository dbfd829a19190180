//! `deskhand mcp install`: adds the server to the settings of MCP clients.

use std::{env, path::PathBuf, process::ExitCode};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand_engine::{CallFailure, Style, StyledLine, StyledText};
use deskhand_mcp::install::{
    self, Change, Client, ConfigFile, Folders, InstallAction, InstallOutcome, Launch, WriteMode,
};
use serde_json::{Value, json};

use crate::{host, output::Output};

/// Selects every installed client.
const ALL: &str = "all";

/// Returns the `install` command.
pub(crate) fn command() -> Command {
    let names = Client::ALL.iter().map(|client| client.as_str()).chain([ALL]);
    Command::new("install")
        .about("Add the server to the settings of MCP clients, and leave their other settings unchanged")
        .arg(
            Arg::new("client")
                .long("client")
                .value_name("CLIENT")
                .required(true)
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(names))
                .help("Client to add the server to; `all` selects every installed client"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show the changes without writing them"),
        )
        .arg(
            Arg::new("uninstall")
                .long("uninstall")
                .action(ArgAction::SetTrue)
                .help("Remove the server from the settings"),
        )
}

/// The result for one client.
enum ClientResult {
    Done(ConfigFile, InstallOutcome),
    Absent(Client),
    Failed(ConfigFile, install::Error),
}

/// Edits the settings files of the selected clients.
pub(crate) fn run(matches: &ArgMatches, output: Output) -> Result<ExitCode, CallFailure> {
    let names: Vec<&String> = matches.get_many("client").into_iter().flatten().collect();
    let all = names.iter().any(|name| *name == ALL);
    let mode = if matches.get_flag("dry-run") { WriteMode::DryRun } else { WriteMode::Write };
    let uninstall = matches.get_flag("uninstall");
    let action =
        if uninstall { InstallAction::Uninstall } else { InstallAction::Install(launch()?) };
    let folders = folders()?;
    let is_named = |client: &Client| names.iter().any(|name| *name == client.as_str());
    let mut results = Vec::new();
    for client in Client::ALL.into_iter().filter(|client| all || is_named(client)) {
        for place in client.config_files(&folders) {
            if !place.is_installed() && (uninstall || !is_named(&client)) {
                results.push(ClientResult::Absent(client));
                continue;
            }
            match install::apply(&place, &action, mode) {
                Ok(outcome) => results.push(ClientResult::Done(place, outcome)),
                // With a single client, its error is the result of the command.
                Err(error) if names.len() == 1 && !all => return Err(error.into()),
                Err(error) => results.push(ClientResult::Failed(place, error)),
            }
        }
    }
    let failed = results.iter().any(|result| matches!(result, ClientResult::Failed(..)));
    let page =
        results.iter().fold(StyledText::default(), |page, result| add_lines(page, result, mode));
    let data: Vec<Value> = results.iter().map(|result| data(result, mode)).collect();
    let code = output.print(&page, &data);
    Ok(if failed { ExitCode::FAILURE } else { code })
}

fn add_lines(page: StyledText, result: &ClientResult, mode: WriteMode) -> StyledText {
    let head = |client: &Client, text: &str| {
        let start = StyledLine::new().with(Style::Strong, format!("{:14} ", client.as_str()));
        start.with(Style::Plain, text.to_owned())
    };
    match result {
        ClientResult::Absent(client) => page.line(head(client, "not installed; skipped")),
        ClientResult::Failed(place, error) => {
            page.line(head(&place.client, &format!("unchanged: {error}")))
        }
        ClientResult::Done(place, outcome) => {
            let label = match (mode, outcome.change) {
                (_, Change::Nothing) => "no change:",
                (WriteMode::Write, Change::Added) => "installed:",
                (WriteMode::Write, Change::Updated) => "updated:",
                (WriteMode::Write, Change::Removed) => "removed:",
                (WriteMode::DryRun, Change::Added) => "would be installed:",
                (WriteMode::DryRun, Change::Updated) => "would be updated:",
                (WriteMode::DryRun, Change::Removed) => "would be removed:",
            };
            let file = place.file.display();
            let mut page = page.line(head(&place.client, &format!("{label} {file}")));
            if let Some(backup) = &outcome.backup {
                let text = format!("{:14}  backup: {}", "", backup.display());
                page = page.line(StyledLine::new().with(Style::Faint, text));
            }
            let diff = if mode == WriteMode::DryRun { outcome.diff.as_str() } else { "" };
            diff.lines()
                .fold(page, |page, line| page.line(StyledLine::new().with(Style::Plain, line)))
        }
    }
}

fn data(result: &ClientResult, mode: WriteMode) -> Value {
    match result {
        ClientResult::Absent(client) => json!({ "client": client.as_str(), "change": "absent" }),
        ClientResult::Failed(place, error) => json!({
            "client": place.client.as_str(),
            "file": place.file,
            "change": "failed",
            "error": error.to_string(),
        }),
        ClientResult::Done(place, outcome) => json!({
            "client": place.client.as_str(),
            "file": place.file,
            "change": match outcome.change {
                Change::Added => "added",
                Change::Updated => "updated",
                Change::Removed => "removed",
                Change::Nothing => "nothing",
            },
            "written": mode == WriteMode::Write && outcome.change != Change::Nothing,
            "backup": outcome.backup,
            "diff": outcome.diff,
        }),
    }
}

/// Returns the command with which a client starts this program.
fn launch() -> Result<Launch, CallFailure> {
    let own = env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    let command = own.ok_or_else(|| {
        invalid("the path of this program is not UTF-8", "move it to another folder")
    })?;
    Ok(Launch { command, args: ["mcp", "serve"].map(str::to_owned).to_vec() })
}

fn folders() -> Result<Folders, CallFailure> {
    let folder = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let home = folder("HOME").ok_or_else(|| {
        invalid("HOME is not set to an absolute path", "set HOME, and run the command again")
    })?;
    let config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    Ok(Folders {
        apps: host::app_settings(&home, &config),
        claude: folder("CLAUDE_CONFIG_DIR"),
        codex: folder("CODEX_HOME"),
        home,
        config,
    })
}

fn invalid(message: &str, hint: &str) -> CallFailure {
    CallFailure {
        code: "invalid_parameter".to_owned(),
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
        delivery: None,
        retry_after_ms: None,
    }
}
