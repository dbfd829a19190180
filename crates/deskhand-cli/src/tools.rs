//! `deskhand tools`: command-line tools declared in files, and the tools of other servers.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Arg, ArgMatches, Command, ValueHint};
use deskhand_client::{Server, Target};
use deskhand_engine::{Catalogue, Failure, Line, Page, Span, Style};
use deskhand_run::mtdf::{self, Callable, Loaded, Refusal};
use serde_json::{Value, json};

use crate::{
    commands,
    output::{Output, remark},
    servers,
    settings::{
        self, Settings,
        table::{TIMEOUT, commands::TOOLS_DIR},
    },
};

/// How long another server may take to list its tools.
const LOOK: Duration = Duration::from_secs(30);

/// `deskhand tools`.
pub(crate) fn command() -> Command {
    let folder = || {
        Arg::new("tools-dir")
            .long("tools-dir")
            .value_name("PATH")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::DirPath)
            .help(settings::help(&TOOLS_DIR))
    };
    Command::new("tools")
        .about("Command-line tools declared in files: check them, list them, print their schema")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("schema").about("Print the JSON schema of a definition"))
        .subcommand(
            Command::new("validate")
                .about("Check definitions, and say where each mistake is and what was meant")
                .after_help("Ends with 1 when a file is refused; a warning refuses nothing.")
                .arg(
                    Arg::new("path")
                        .value_name("PATH")
                        .value_parser(clap::value_parser!(PathBuf))
                        .value_hint(ValueHint::AnyPath)
                        .help("A file or a folder; the tools folder when absent"),
                )
                .arg(folder()),
        )
        .subcommand(
            Command::new("list")
                .about("List the tools that files declare, or those of another MCP server")
                .arg(
                    Arg::new("server")
                        .long("server")
                        .value_name("URL|CMD")
                        .conflicts_with("tools-dir")
                        .help("The address of another server, or the command that starts it"),
                )
                .arg(folder()),
        )
}

/// Runs a subcommand of `tools`.
pub(crate) fn run(
    given: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    match given.subcommand() {
        Some(("schema", _)) => Ok(output.answer(&schema(), mtdf::schema())),
        Some(("validate", words)) => {
            validate(words.get_one::<PathBuf>("path").cloned(), settings, output)
        }
        Some(("list", words)) => match words.get_one::<String>("server") {
            Some(server) => others(server, settings, output),
            None => ours(settings, output),
        },
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

/// The tools folder: the one that was chosen, or a usual one that is there.
fn folder(settings: &Settings) -> Result<PathBuf, Failure> {
    let chosen = settings.get(&TOOLS_DIR)?;
    chosen.or_else(commands::usual_folder).ok_or_else(|| {
        Failure::new(
            "no_tools_folder",
            format!("there is no {} here", commands::USUAL_FOLDERS.join(" or ")),
            "make one, or name another with --tools-dir",
        )
    })
}

fn read(path: &Path) -> Result<Loaded, Failure> {
    let catalogue = Catalogue::all();
    let taken: Vec<&str> = catalogue.iter().map(|entry| entry.name()).collect();
    mtdf::examine(path, &taken).map_err(|error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Failure::new("unreadable", message, "name a file or a folder that is there")
    })
}

fn schema() -> Page {
    let text = serde_json::to_string_pretty(mtdf::schema()).unwrap_or_default();
    text.lines().fold(Page::default(), |page, line| {
        page.line(Line::new().with(Style::Plain, line.to_owned()))
    })
}

fn validate(
    path: Option<PathBuf>,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, Failure> {
    let path = path.map_or_else(|| folder(settings), Ok)?;
    let loaded = read(&path)?;
    let names: Vec<&str> = loaded.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut page = Page::default();
    for (all, style, word) in
        [(&loaded.refused, Style::Warning, "error:"), (&loaded.warnings, Style::Value, "warning:")]
    {
        for one in all {
            page = told(page, one, style, word);
        }
    }
    let files = distinct(&loaded.refused);
    let (style, text) = match files {
        0 => (Style::Value, format!("sound: {}", count(names.len(), "tool"))),
        _ => (
            Style::Warning,
            format!("{} refused, {} left", count(files, "file"), count(names.len(), "tool")),
        ),
    };
    page = page.line(Line::new().with(style, text));
    let data = json!({
        "tools": names, "refused": loaded.refused, "warnings": loaded.warnings,
    });
    let written = output.answer(&page, &data);
    Ok(if loaded.refused.is_empty() { written } else { ExitCode::FAILURE })
}

fn told(page: Page, it: &Refusal, style: Style, word: &str) -> Page {
    let mut page =
        page.line(Line::new().with(style, word.to_owned()).with(Style::Plain, it.to_string()));
    if let Some(suggestion) = &it.suggestion {
        let next = Line::new().with(Style::Faint, "  next:".to_owned());
        page = page.line(next.with(Style::Plain, suggestion.clone()));
    }
    page
}

fn distinct(all: &[Refusal]) -> usize {
    let mut files: Vec<&Path> = all.iter().map(|one| one.file.as_path()).collect();
    files.dedup();
    files.len()
}

fn count(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        many => format!("{many} {word}s"),
    }
}

fn ours(settings: &Settings, output: Output) -> Result<ExitCode, Failure> {
    let loaded = read(&folder(settings)?)?;
    for one in &loaded.refused {
        remark(&format!("warning: {one}"));
    }
    let rows = loaded.tools.iter().map(|tool| {
        let file = tool.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        vec![
            span(Style::Strong, tool.name.clone()),
            span(Style::Plain, pace(tool).to_owned()),
            span(Style::Faint, file),
            span(Style::Plain, plain(&tool.summary)),
        ]
    });
    let page = if loaded.tools.is_empty() {
        said("no file declares a tool")
    } else {
        Page::default().table(vec!["NAME", "ANSWERS", "FILE", "WHAT IT DOES"], rows.collect())
    };
    let data: Vec<Value> = loaded.tools.iter().map(|tool| data(tool)).collect();
    Ok(output.answer(&page, &data))
}

fn pace(tool: &Callable) -> &'static str {
    match tool.synchronous {
        Some(true) => "at the end",
        Some(false) | None => "at once",
    }
}

fn data(tool: &Callable) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.about,
        "synchronous": tool.synchronous.unwrap_or(false),
        "timeout_seconds": tool.timeout.map(|timeout| timeout.as_secs()),
        "install_instructions": tool.install_instructions,
        "file": tool.file,
        "inputSchema": tool.schema(),
    })
}

fn others(server: &str, settings: &Settings, output: Output) -> Result<ExitCode, Failure> {
    let target = if server.starts_with("http://") || server.starts_with("https://") {
        Target::Http(Box::new(Server::at(server)?), servers::storage(settings))
    } else {
        Target::Command(words(server)?)
    };
    let patience = settings.get(&TIMEOUT)?.unwrap_or(LOOK);
    let mut tools = deskhand_client::list(&target, Instant::now() + patience)?;
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let rows = tools.iter().map(|tool| {
        vec![
            span(Style::Strong, plain(&tool.name)),
            span(Style::Plain, what(&tool.description, tool.schema.get("properties"))),
        ]
    });
    let page = if tools.is_empty() {
        said("the server offers no tool")
    } else {
        Page::default().table(vec!["NAME", "WHAT IT DOES"], rows.collect())
    };
    let data: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name, "description": tool.description, "inputSchema": tool.schema,
            })
        })
        .collect();
    Ok(output.answer(&page, &data))
}

/// The words of a command, by the quotes a shell knows.
fn words(command: &str) -> Result<Vec<String>, Failure> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        let message = format!("`{command}` is neither an address nor a command");
        Failure::new("invalid_parameter", message, "close the quotes, or name a program")
    })
}

/// What a tool does and takes, in a line.
fn what(about: &str, takes: Option<&Value>) -> String {
    let takes = takes.and_then(Value::as_object);
    let names: Vec<String> =
        takes.into_iter().flat_map(|all| all.keys()).map(|name| plain(name)).collect();
    if names.is_empty() { plain(about) } else { format!("{} [{}]", plain(about), names.join(" ")) }
}

/// The first line, without what would move the cursor: others wrote it.
fn plain(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn span(style: Style, text: String) -> Span {
    Span { style, text }
}

fn said(text: &str) -> Page {
    Page::default().line(Line::new().with(Style::Plain, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{what, words};

    #[test]
    fn words_of_other_servers_cannot_steer_the_terminal() {
        let takes = json!({ "a": {}, "b\u{7}": {} });
        assert_eq!(what("Look\u{1b}[2J\nmore", Some(&takes)), "Look?[2J [a b?]");
        assert_eq!(what("Look", None), "Look");
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        assert_eq!(words("npx -y 'a b' c\\ d").unwrap(), ["npx", "-y", "a b", "c d"]);
        assert!(words("a 'b").is_err());
        assert!(words("  ").is_err());
    }
}
