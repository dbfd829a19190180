//! `deskhand tools`: command-line tools defined by files, and the tools of other servers.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{Arg, ArgMatches, Command, ValueHint};
use deskhand::{
    commands,
    settings::{
        self, Settings,
        table::{TIMEOUT, commands::TOOLS_DIR},
    },
};
use deskhand_client::{ListTarget, ServerConfig};
use deskhand_engine::{CallFailure, Catalogue, Style, StyledLine, StyledSpan, StyledText};
use deskhand_run::mtdf::{self, CommandTool, Diagnostic, LoadedTools};
use serde_json::{Value, json};

use crate::{
    output::{Output, print_warning},
    timing::TOOL_LIST_TIMEOUT,
};

/// Returns the `tools` command.
pub(crate) fn command() -> Command {
    let tools_dir = || {
        Arg::new("tools-dir")
            .long("tools-dir")
            .value_name("PATH")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::DirPath)
            .help(settings::help(&TOOLS_DIR))
    };
    Command::new("tools")
        .about("Check and list command-line tools that files define, or list the tools of another server")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("schema").about("Print the JSON schema of definition files"))
        .subcommand(
            Command::new("validate")
                .about("Check definition files; report each error with its position and a suggestion")
                .after_help("Exits with 1 if a file has an error; warnings do not change the exit code.")
                .arg(
                    Arg::new("path")
                        .value_name("PATH")
                        .value_parser(clap::value_parser!(PathBuf))
                        .value_hint(ValueHint::AnyPath)
                        .help("File or folder to check (default: the tools folder)"),
                )
                .arg(tools_dir()),
        )
        .subcommand(
            Command::new("list")
                .about("List the tools that files define, or those of another MCP server")
                .arg(
                    Arg::new("server")
                        .long("server")
                        .value_name("URL|CMD")
                        .conflicts_with("tools-dir")
                        .help("URL of another server, or the command that starts it"),
                )
                .arg(tools_dir()),
        )
}

/// Runs a subcommand of `tools`.
pub(crate) fn run(
    matches: &ArgMatches,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    match matches.subcommand() {
        Some(("schema", _)) => Ok(output.print(&schema(), mtdf::schema())),
        Some(("validate", matches)) => {
            validate(matches.get_one::<PathBuf>("path").cloned(), settings, output)
        }
        Some(("list", matches)) => match matches.get_one::<String>("server") {
            Some(server) => list_remote(server, settings, output),
            None => list_defined(settings, output),
        },
        Some((_, _)) | None => Ok(ExitCode::from(2)),
    }
}

/// Returns the tools folder: the one that is set, or a default one that exists.
fn tools_folder(settings: &Settings) -> Result<PathBuf, CallFailure> {
    let folder = settings.get(&TOOLS_DIR)?;
    folder.or_else(commands::default_folder).ok_or_else(|| {
        CallFailure::new(
            "no_tools_folder",
            format!("this folder has no {}", commands::DEFAULT_FOLDERS.join(" or ")),
            "create one, or choose another folder with --tools-dir",
        )
    })
}

fn load(path: &Path) -> Result<LoadedTools, CallFailure> {
    let catalogue = Catalogue::all();
    let taken: Vec<&str> = catalogue.iter().map(|entry| entry.name()).collect();
    mtdf::validate(path, &taken).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        CallFailure::new("unreadable", message, "give the path of an existing file or folder")
    })
}

fn schema() -> StyledText {
    let text = serde_json::to_string_pretty(mtdf::schema()).unwrap_or_default();
    text.lines().fold(StyledText::default(), |page, line| {
        page.line(StyledLine::new().with(Style::Plain, line.to_owned()))
    })
}

fn validate(
    path: Option<PathBuf>,
    settings: &Settings,
    output: Output,
) -> Result<ExitCode, CallFailure> {
    let path = path.map_or_else(|| tools_folder(settings), Ok)?;
    let loaded = load(&path)?;
    let names: Vec<&str> = loaded.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut page = StyledText::default();
    for (findings, style, label) in
        [(&loaded.refused, Style::Warning, "error:"), (&loaded.warnings, Style::Value, "warning:")]
    {
        for finding in findings {
            page = add_finding(page, finding, style, label);
        }
    }
    let files = count_files(&loaded.refused);
    let (style, text) = match files {
        0 => (Style::Value, format!("OK: {}", count(names.len(), "tool"))),
        _ => (
            Style::Warning,
            format!("{} with errors, {} OK", count(files, "file"), count(names.len(), "tool")),
        ),
    };
    page = page.line(StyledLine::new().with(style, text));
    let data = json!({
        "tools": names, "refused": loaded.refused, "warnings": loaded.warnings,
    });
    let code = output.print(&page, &data);
    Ok(if loaded.refused.is_empty() { code } else { ExitCode::FAILURE })
}

fn add_finding(page: StyledText, finding: &Diagnostic, style: Style, label: &str) -> StyledText {
    let line = StyledLine::new().with(style, label.to_owned());
    let mut page = page.line(line.with(Style::Plain, finding.to_string()));
    if let Some(suggestion) = &finding.suggestion {
        let next = StyledLine::new().with(Style::Faint, "  next:".to_owned());
        page = page.line(next.with(Style::Plain, suggestion.clone()));
    }
    page
}

fn count_files(findings: &[Diagnostic]) -> usize {
    let mut files: Vec<&Path> = findings.iter().map(|finding| finding.file.as_path()).collect();
    files.dedup();
    files.len()
}

fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}

fn list_defined(settings: &Settings, output: Output) -> Result<ExitCode, CallFailure> {
    let loaded = load(&tools_folder(settings)?)?;
    for error in &loaded.refused {
        print_warning(&error.to_string());
    }
    let rows = loaded.tools.iter().map(|tool| {
        let file = tool.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        vec![
            span(Style::Strong, tool.name.clone()),
            span(Style::Plain, returns(tool).to_owned()),
            span(Style::Faint, file),
            span(Style::Plain, one_line(&tool.summary)),
        ]
    });
    let page = if loaded.tools.is_empty() {
        message("no file defines a tool")
    } else {
        StyledText::default().table(vec!["NAME", "RETURNS", "FILE", "DESCRIPTION"], rows.collect())
    };
    let data: Vec<Value> = loaded.tools.iter().map(|tool| data(tool)).collect();
    Ok(output.print(&page, &data))
}

/// Describes when a call of the tool returns.
fn returns(tool: &CommandTool) -> &'static str {
    match tool.synchronous {
        Some(true) => "when done",
        Some(false) | None => "at once",
    }
}

fn data(tool: &CommandTool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "synchronous": tool.synchronous.unwrap_or(false),
        "timeout_seconds": tool.timeout.map(|timeout| timeout.as_secs()),
        "install_instructions": tool.install_instructions,
        "file": tool.file,
        "inputSchema": tool.schema(),
    })
}

fn list_remote(server: &str, settings: &Settings, output: Output) -> Result<ExitCode, CallFailure> {
    let target = if server.starts_with("http://") || server.starts_with("https://") {
        ListTarget::Http(
            Box::new(ServerConfig::from_url(server)?),
            deskhand_server::other_servers::token_storage(settings),
        )
    } else {
        ListTarget::Command(split_command(server)?)
    };
    let timeout = settings.get(&TIMEOUT)?.unwrap_or(TOOL_LIST_TIMEOUT);
    let mut tools = deskhand_client::list_tools(&target, Instant::now() + timeout)?;
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let rows = tools.iter().map(|tool| {
        vec![
            span(Style::Strong, one_line(&tool.name)),
            span(Style::Plain, describe(&tool.description, tool.schema.get("properties"))),
        ]
    });
    let page = if tools.is_empty() {
        message("the server offers no tools")
    } else {
        StyledText::default().table(vec!["NAME", "DESCRIPTION"], rows.collect())
    };
    let data: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name, "description": tool.description, "inputSchema": tool.schema,
            })
        })
        .collect();
    Ok(output.print(&page, &data))
}

/// Splits a command into words with the quoting rules of a shell.
fn split_command(command: &str) -> Result<Vec<String>, CallFailure> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        let message = format!("`{command}` is neither a URL nor a command");
        CallFailure::new("invalid_parameter", message, "close all quotes, and start with a program")
    })
}

/// Returns a tool's description and the names of its arguments, on one line.
fn describe(description: &str, properties: Option<&Value>) -> String {
    let properties = properties.and_then(Value::as_object);
    let names: Vec<String> =
        properties.into_iter().flat_map(|all| all.keys()).map(|name| one_line(name)).collect();
    let description = one_line(description);
    if names.is_empty() { description } else { format!("{description} [{}]", names.join(" ")) }
}

/// Returns the first line of an untrusted text, without control characters.
fn one_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn span(style: Style, text: String) -> StyledSpan {
    StyledSpan { style, text }
}

fn message(text: &str) -> StyledText {
    StyledText::default().line(StyledLine::new().with(Style::Plain, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{describe, split_command};

    #[test]
    fn texts_of_other_servers_cannot_control_the_terminal() {
        let properties = json!({ "a": {}, "b\u{7}": {} });
        assert_eq!(describe("Read\u{1b}[2J\nmore", Some(&properties)), "Read?[2J [a b?]");
        assert_eq!(describe("Read", None), "Read");
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        assert_eq!(split_command("npx -y 'a b' c\\ d").unwrap(), ["npx", "-y", "a b", "c d"]);
        assert!(split_command("a 'b").is_err());
        assert!(split_command("  ").is_err());
    }
}
