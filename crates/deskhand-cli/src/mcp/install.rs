//! `deskhand mcp install`: the server in the settings of MCP clients.

use std::{env, path::PathBuf, process::ExitCode};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use deskhand_engine::{Failure, Line, Page, Style};
use deskhand_mcp::install::{self, Change, Client, Folders, Launch, Mode, Outcome, Place, Wish};
use serde_json::{Value, json};

use crate::{host, output::Output};

/// The word for every client that is there.
const ALL: &str = "all";

/// `deskhand mcp install`.
pub(crate) fn command() -> Command {
    let words = Client::ALL.iter().map(|client| client.word()).chain([ALL]);
    Command::new("install")
        .about("Put the server into the settings of an MCP client; all else there stays")
        .arg(
            Arg::new("client")
                .long("client")
                .value_name("CLIENT")
                .required(true)
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(words))
                .help("Which client; `all`: every one that is installed"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show what would change, write nothing"),
        )
        .arg(
            Arg::new("uninstall")
                .long("uninstall")
                .action(ArgAction::SetTrue)
                .help("Take the server out again"),
        )
}

/// What came of one client.
enum Row {
    Done(Place, Outcome),
    Absent(Client),
    Failed(Place, install::Error),
}

/// Edits the settings files of the clients that are asked for.
pub(crate) fn run(given: &ArgMatches, output: Output) -> Result<ExitCode, Failure> {
    let words: Vec<&String> = given.get_many("client").into_iter().flatten().collect();
    let everything = words.iter().any(|word| *word == ALL);
    let mode = if given.get_flag("dry-run") { Mode::DryRun } else { Mode::Write };
    let wish = if given.get_flag("uninstall") { Wish::Uninstall } else { Wish::Install(launch()?) };
    let folders = folders()?;
    let is_asked = |client: &Client| everything || words.iter().any(|word| *word == client.word());
    let mut rows = Vec::new();
    for client in Client::ALL.into_iter().filter(is_asked) {
        let named = words.iter().any(|word| *word == client.word());
        for place in client.places(&folders) {
            let made = named && matches!(wish, Wish::Install(_));
            if !place.is_here() && !made {
                rows.push(Row::Absent(client));
                continue;
            }
            match install::apply(&place, &wish, mode) {
                Ok(outcome) => rows.push(Row::Done(place, outcome)),
                // Where one client was asked for, this is the answer.
                Err(error) if words.len() == 1 && !everything => return Err(error.into()),
                Err(error) => rows.push(Row::Failed(place, error)),
            }
        }
    }
    let failed = rows.iter().any(|row| matches!(row, Row::Failed(..)));
    let page = rows.iter().fold(Page::default(), |page, row| shown(page, row, mode));
    let data: Vec<Value> = rows.iter().map(|row| data(row, mode)).collect();
    let written = output.answer(&page, &data);
    Ok(if failed { ExitCode::FAILURE } else { written })
}

fn shown(page: Page, row: &Row, mode: Mode) -> Page {
    let head = |client: &Client, words: &str| {
        let start = Line::new().with(Style::Strong, format!("{:14} ", client.word()));
        start.with(Style::Plain, words.to_owned())
    };
    match row {
        Row::Absent(client) => page.line(head(client, "not here: nothing to do")),
        Row::Failed(place, error) => {
            page.line(head(&place.client, &format!("left alone: {error}")))
        }
        Row::Done(place, outcome) => {
            let words = match (mode, outcome.change) {
                (_, Change::Nothing) => "as wanted already:",
                (Mode::Write, Change::Added) => "put in:",
                (Mode::Write, Change::Updated) => "put right:",
                (Mode::Write, Change::Removed) => "taken out:",
                (Mode::DryRun, Change::Added) => "would be put in:",
                (Mode::DryRun, Change::Updated) => "would be put right:",
                (Mode::DryRun, Change::Removed) => "would be taken out:",
            };
            let file = place.file.display();
            let mut page = page.line(head(&place.client, &format!("{words} {file}")));
            if let Some(backup) = &outcome.backup {
                let words = format!("{:14}  as it was: {}", "", backup.display());
                page = page.line(Line::new().with(Style::Faint, words));
            }
            let diff = if mode == Mode::DryRun { outcome.diff.as_str() } else { "" };
            diff.lines().fold(page, |page, line| page.line(Line::new().with(Style::Plain, line)))
        }
    }
}

fn data(row: &Row, mode: Mode) -> Value {
    match row {
        Row::Absent(client) => json!({ "client": client.word(), "change": "absent" }),
        Row::Failed(place, error) => json!({
            "client": place.client.word(),
            "file": place.file,
            "change": "failed",
            "error": error.to_string(),
        }),
        Row::Done(place, outcome) => json!({
            "client": place.client.word(),
            "file": place.file,
            "change": match outcome.change {
                Change::Added => "added",
                Change::Updated => "updated",
                Change::Removed => "removed",
                Change::Nothing => "nothing",
            },
            "written": mode == Mode::Write && outcome.change != Change::Nothing,
            "backup": outcome.backup,
            "diff": outcome.diff,
        }),
    }
}

/// How a client starts this very program.
fn launch() -> Result<Launch, Failure> {
    let own = env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    let command = own.ok_or_else(|| {
        told("this program cannot name its own file", "put it into a folder with a plain name")
    })?;
    Ok(Launch { command, args: ["mcp", "serve"].map(str::to_owned).to_vec() })
}

fn folders() -> Result<Folders, Failure> {
    let named = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let home = named("HOME").ok_or_else(|| {
        told("HOME names no folder, so that no settings can be found", "set HOME and try again")
    })?;
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    Ok(Folders {
        apps: host::app_settings(&home, &config),
        claude: named("CLAUDE_CONFIG_DIR"),
        codex: named("CODEX_HOME"),
        home,
        config,
    })
}

fn told(message: &str, hint: &str) -> Failure {
    Failure {
        code: "invalid_parameter".to_owned(),
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
        delivery: None,
        retry_after_ms: None,
    }
}
