//! The complete command line: the commands of the tools and all other commands.

use clap::{
    Arg, ArgAction, Command, ValueHint,
    builder::{EnumValueParser, PossibleValuesParser},
};
use clap_complete::Shell;
use deskhand::settings::{self, table, values::OutputFormat};
use deskhand_engine::{Catalogue, ToolEntry};

use crate::{
    approvals, arguments, audit_log, check, commands, config, halt, host::PRIVATE_DESKTOPS, hotkey,
    mcp, servers, tools,
};

/// Help about exit codes.
const EXIT_CODES: &str = "Exit codes: 0 success, 1 not found or failed, 2 invalid command line.";

/// Help about private desktops, on platforms that have them.
const PRIVATE_DESKTOP: &str =
    "Without a display, commands run on a new private desktop, which is removed afterwards.";

/// Groups of commands, with their help.
const GROUPS: &[(&str, &str)] = &[
    ("window", "Focus, move, resize, minimize and close windows"),
    ("display", "List displays, and show the pointer position"),
    ("pointer", "Move, click, drag and scroll at screen coordinates"),
    ("clipboard", "Read, write and clear the clipboard, and list its history"),
];

/// An example for platforms with private desktops.
const PRIVATE_EXAMPLE: &str =
    "  deskhand desktop run -- bash          run a shell on a private desktop\n";

const EXAMPLES: &str = "  deskhand apps                         list running apps
  deskhand tree --app mousepad          print an app's elements, each with a ref
  deskhand find 'role:button Save'      find an element, or list the candidates
  deskhand attributes e12               print all attributes of the element e12
  deskhand watch --app mousepad         print changes in an app as they happen";

/// Returns the complete command line.
pub(crate) fn command() -> Command {
    build(|_| true)
}

/// Returns the command line with arguments only for the tools that `words` name: the schemas of all
/// tools take as long as reading a tree.
pub(crate) fn command_for(words: &[String]) -> Command {
    build(|entry| {
        let first = entry.command().split(' ').next();
        words.iter().any(|word| Some(word.as_str()) == first)
    })
}

/// Builds the command line, with arguments for the tools that `needs_arguments` selects.
fn build(needs_arguments: impl Fn(&ToolEntry) -> bool) -> Command {
    let tools = Catalogue::all();
    let tool_command = |entry: &ToolEntry| {
        if !needs_arguments(entry) {
            return arguments::bare_command(entry);
        }
        let command = arguments::command(entry);
        if deskhand::commands::runs_commands(entry) {
            commands::sandbox_options(command)
        } else {
            command
        }
    };
    Command::new("deskhand")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Read and control desktop apps through their accessibility trees")
        .after_help(after_help())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .display_order(900)
                .global(true)
                .value_parser(PossibleValuesParser::new(OutputFormat::ALL.map(OutputFormat::name)))
                .help(settings::help(&table::FORMAT)),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .display_order(901)
                .global(true)
                .value_name("DURATION")
                .value_parser(settings::duration_argument)
                .help(settings::help(&table::TIMEOUT)),
        )
        .subcommand(check::command())
        .subcommands(tools.commands().filter(|e| arguments::group(e).is_none()).map(tool_command))
        .subcommands(GROUPS.iter().map(|(name, about)| {
            let members = tools.commands().filter(|entry| arguments::group(entry) == Some(name));
            Command::new(*name)
                .about(*about)
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommands(members.map(tool_command))
        }))
        .subcommand(mcp::command())
        .subcommand(tools::command())
        .subcommand(config::command())
        .subcommand(approvals::command())
        .subcommand(servers::command())
        .subcommand(audit_log::command())
        .subcommand(halt::halt_command())
        .subcommand(halt::resume_command())
        .subcommands(PRIVATE_DESKTOPS.map(|_| desktop()))
        .subcommand(hotkey::command())
        .subcommand(
            Command::new("completions").about("Print a shell completion script").arg(
                Arg::new("shell")
                    .required(true)
                    .value_parser(EnumValueParser::<Shell>::new())
                    .help("Shell to print the script for"),
            ),
        )
}

/// Returns the text below the help: examples and exit codes.
fn after_help() -> String {
    let (example, private_desktop) = match PRIVATE_DESKTOPS {
        Some(_) => (PRIVATE_EXAMPLE, format!("\n{PRIVATE_DESKTOP}")),
        None => ("", String::new()),
    };
    format!("Examples:\n{example}{EXAMPLES}\n\n{EXIT_CODES}{private_desktop}")
}

fn desktop() -> Command {
    let name = |help: &'static str| Arg::new("name").value_name("NAME").help(help);
    let sizes = |command: Command| {
        command
            .arg(
                Arg::new("new-name")
                    .long("name")
                    .value_name("NAME")
                    .help("Name of the desktop (default: d1, d2, …)"),
            )
            .arg(
                Arg::new("size")
                    .long("size")
                    .value_name("WxH")
                    .conflicts_with("displays")
                    .help("Screen size in pixels (default: 1920x1080)"),
            )
            .arg(
                Arg::new("displays")
                    .long("displays")
                    .value_name("WxH,WxH")
                    .value_delimiter(',')
                    .help("Sizes of several displays, side by side; the first is the main one"),
            )
    };
    Command::new("desktop")
        .about("Start, list and stop private desktops, which are headless and separate from yours")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(sizes(
            Command::new("up").about("Start a desktop that runs until `desktop down`"),
        ))
        .subcommand(
            sizes(Command::new("run").about(
                "Run a command on a new desktop, remove the desktop, and exit with the command's code",
            ))
            .arg(
                Arg::new("command")
                    .required(true)
                    .num_args(1..)
                    .last(true)
                    .action(ArgAction::Append)
                    .value_parser(clap::value_parser!(std::ffi::OsString))
                    .value_hint(ValueHint::CommandWithArguments)
                    .help("Command to run, and its arguments"),
            ),
        )
        .subcommand(Command::new("list").about("List running desktops"))
        .subcommand(
            Command::new("env")
                .about("Print shell commands that put a shell on a desktop; use with eval \"$(…)\"")
                .arg(name("Name of the desktop").required(true)),
        )
        .subcommand(
            Command::new("down")
                .about("Stop a desktop and all programs on it")
                .arg(name("Name of the desktop").required_unless_present("all"))
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("name")
                        .help("Stop all desktops"),
                ),
        )
}

#[cfg(test)]
mod tests {
    use deskhand_engine::Catalogue;

    use super::{GROUPS, arguments, command};

    #[test]
    fn the_command_line_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn every_group_of_commands_has_help() {
        for entry in Catalogue::all().iter() {
            let known = arguments::group(entry)
                .is_none_or(|group| GROUPS.iter().any(|(name, _)| *name == group));
            assert!(known, "{}", entry.command());
        }
    }
}
