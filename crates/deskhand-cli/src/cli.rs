//! The command line as a whole: the tools' own commands, and those around them.

use clap::{Arg, ArgAction, Command, ValueHint, builder::EnumValueParser};
use clap_complete::Shell;
use deskhand_engine::{Catalogue, Entry};

use crate::{
    approvals, arguments, audit_log, commands, doctor, halt,
    host::{KEEPER, PRIVATE},
    hotkey, mcp,
    output::Format,
    servers,
    settings::{self, table},
    tools,
};

/// What every command prints below its help.
const EXIT_CODES: &str =
    "Exit codes: 0 found or done, 1 not found or failed, 2 the command line is wrong.";

/// What is printed below that where there are private desktops.
const EMBEDDED: &str = "Where no display is set, a private desktop is started for the command and taken down after it.";

/// Commands that come in groups, and what each group is about.
const GROUPS: &[(&str, &str)] = &[
    ("window", "Windows: focus, move, resize, minimize, close"),
    ("display", "Monitors: where they lie, where the pointer is"),
    ("pointer", "The pointer by coordinates: move, click, drag, scroll"),
    ("clipboard", "What was copied: read, write, clear, history"),
];

/// The example where there are private desktops.
const PRIVATE_EXAMPLE: &str =
    "  deskhand desktop run -- bash          a shell on a private desktop\n";

const EXAMPLES: &str = "  deskhand apps                         what is running
  deskhand tree --app mousepad          what it shows, with a ref for each element
  deskhand find 'role:button Save'      one element, or the candidates
  deskhand attributes e12               everything about it
  deskhand watch --app mousepad         what happens in it, live";

/// The whole command line.
pub(crate) fn command() -> Command {
    built(|_| true)
}

/// The command line as far as the words given need it: schemas of tools nobody asked for cost as
/// much time as a look.
pub(crate) fn command_for(words: &[String]) -> Command {
    built(|entry| {
        let first = entry.command().split(' ').next();
        words.iter().any(|word| Some(word.as_str()) == first)
    })
}

/// The command line with the arguments of those tools that are wanted.
fn built(wanted: impl Fn(&Entry) -> bool) -> Command {
    let tools = Catalogue::all();
    let of_tool = |entry: &Entry| {
        if !wanted(entry) {
            return arguments::headline(entry);
        }
        let command = arguments::command(entry);
        if commands::is_command(entry) { commands::held_options(command) } else { command }
    };
    Command::new("deskhand")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Eyes and hands on a desktop: see any app through its accessibility tree.")
        .after_help(below())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .display_order(900)
                .global(true)
                .value_parser(EnumValueParser::<Format>::new())
                .help(settings::help(&table::FORMAT)),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .display_order(901)
                .global(true)
                .value_name("SECONDS")
                .value_parser(settings::time)
                .help(settings::help(&table::TIMEOUT)),
        )
        .subcommand(doctor::command())
        .subcommands(tools.commands().filter(|e| arguments::group(e).is_none()).map(of_tool))
        .subcommands(GROUPS.iter().map(|(name, about)| {
            let members = tools.commands().filter(|entry| arguments::group(entry) == Some(name));
            Command::new(*name)
                .about(*about)
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommands(members.map(of_tool))
        }))
        .subcommand(mcp::command())
        .subcommand(tools::command())
        .subcommand(settings::command())
        .subcommand(approvals::command())
        .subcommand(servers::command())
        .subcommand(audit_log::command())
        .subcommand(halt::halting())
        .subcommand(halt::resuming())
        .subcommands(PRIVATE.map(|_| desktop()))
        .subcommands(KEEPER.map(|keeper| {
            Command::new(keeper.word).hide(true).about("Own the clipboard until it changes")
        }))
        .subcommand(hotkey::command())
        .subcommand(
            Command::new("completions").about("Print the completion script of a shell").arg(
                Arg::new("shell")
                    .required(true)
                    .value_parser(EnumValueParser::<Shell>::new())
                    .help("The shell to complete for"),
            ),
        )
}

/// What stands below the help.
fn below() -> String {
    let (example, embedded) = match PRIVATE {
        Some(_) => (PRIVATE_EXAMPLE, format!("\n{EMBEDDED}")),
        None => ("", String::new()),
    };
    format!("Examples:\n{example}{EXAMPLES}\n\n{EXIT_CODES}{embedded}")
}

fn desktop() -> Command {
    let name = |help: &'static str| Arg::new("name").value_name("NAME").help(help);
    let sizes = |command: Command| {
        command
            .arg(
                Arg::new("new-name")
                    .long("name")
                    .value_name("NAME")
                    .help("What to call it; d1, d2, … when absent"),
            )
            .arg(
                Arg::new("size")
                    .long("size")
                    .value_name("WxH")
                    .conflicts_with("displays")
                    .help("The size of its screen; 1920x1080 when absent"),
            )
            .arg(
                Arg::new("displays")
                    .long("displays")
                    .value_name("WxH,WxH")
                    .value_delimiter(',')
                    .help("Several monitors side by side, the main one first"),
            )
    };
    Command::new("desktop")
        .about("Private desktops: headless, with nothing of yours in them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(sizes(
            Command::new("up").about("Start a desktop that stays until it is taken down"),
        ))
        .subcommand(
            sizes(Command::new("run").about(
                "Run a command on a fresh desktop, return its exit code, leave nothing behind",
            ))
            .arg(
                Arg::new("command")
                    .required(true)
                    .num_args(1..)
                    .last(true)
                    .action(ArgAction::Append)
                    .value_parser(clap::value_parser!(std::ffi::OsString))
                    .value_hint(ValueHint::CommandWithArguments)
                    .help("The command and its arguments"),
            ),
        )
        .subcommand(Command::new("list").about("List the desktops that are up"))
        .subcommand(
            Command::new("env")
                .about("Print shell exports that put a shell on a desktop: eval \"$(…)\"")
                .arg(name("Which desktop").required(true)),
        )
        .subcommand(
            Command::new("down")
                .about("Take a desktop down, with everything that runs on it")
                .arg(name("Which desktop").required_unless_present("all"))
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("name")
                        .help("Every desktop that is up"),
                ),
        )
}

#[cfg(test)]
mod tests {
    use deskhand_engine::Catalogue;

    use super::{GROUPS, arguments, command};

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_group_of_a_tool_has_words_of_its_own() {
        for entry in Catalogue::all().iter() {
            let known = arguments::group(entry)
                .is_none_or(|group| GROUPS.iter().any(|(name, _)| *name == group));
            assert!(known, "{}", entry.command());
        }
    }
}
