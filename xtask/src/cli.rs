//! The command line of `cargo xtask`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::error::Result;
use crate::fuzz::{self, Report};
use crate::packages::{Group, Mode};
use crate::{check, coverage, demo, interop, lines, macos, packages, suite};

pub(crate) fn command() -> Command {
    Command::new("cargo xtask")
        .about("Development commands of the Deskhand repository")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("setup")
                .about("Install what the other commands need: Debian packages and MCP clients")
                .arg(
                    Arg::new("group")
                        .long("group")
                        .value_parser(PossibleValuesParser::new(group_names()))
                        .default_value("all")
                        .help("Group to install (default: all)"),
                )
                .arg(
                    Arg::new("dry-run")
                        .long("dry-run")
                        .action(ArgAction::SetTrue)
                        .help("List what is missing, without installing it"),
                ),
        )
        .subcommand(
            Command::new("demo")
                .about("Run a demo: work in two real apps over MCP while a simulated user types, and verify each effect"),
        )
        .subcommand(
            Command::new(demo::SCRIPT_COMMAND)
                .about("The part of the demo that runs on the private desktop")
                .hide(true)
                .arg(Arg::new("deskhand").required(true))
                .arg(Arg::new("out").required(true)),
        )
        .subcommand(rest("test", "Run all tests", "Arguments for the test runner"))
        .subcommand(rest(
            "bench",
            "Print the benchmark table; `actions` prints the matrix of actions",
            "Rows to print (default: all)",
        ))
        .subcommand(
            Command::new("check").about("Run the gates that every change must pass").arg(
                Arg::new("gates")
                    .num_args(0..)
                    .value_parser(PossibleValuesParser::new(check::names()))
                    .help("Gates to run (default: all)"),
            ),
        )
        .subcommand(
            Command::new("check-macos")
                .about("Type-check and lint the workspace for macOS on another system")
                .arg(
                    Arg::new("target")
                        .long("target")
                        .action(ArgAction::Append)
                        .value_parser(PossibleValuesParser::new(macos::TARGETS))
                        .help("Target to check (default: all)"),
                ),
        )
        .subcommand(Command::new("bless").about("Rewrite the golden files"))
        .subcommand(
            Command::new("lines").about("Count the lines of product code of each crate, without tests"),
        )
        .subcommand(
            Command::new("coverage")
                .about("Measure which lines of a crate its unit tests run")
                .arg(
                    Arg::new("package")
                        .short('p')
                        .long("package")
                        .required(true)
                        .help("Crate to measure"),
                )
                .arg(
                    Arg::new("at-least")
                        .long("at-least")
                        .value_parser(clap::value_parser!(u8).range(..=100))
                        .help("Fail if fewer percent of the lines run"),
                ),
        )
        .subcommand(
            Command::new("fuzz")
                .about("Run the fuzz targets, guided by coverage")
                .arg(Arg::new("target").help("Target to run (default: all)"))
                .arg(
                    Arg::new("seconds")
                        .long("seconds")
                        .value_parser(clap::value_parser!(u64).range(1..))
                        .default_value("60")
                        .help("Seconds for each target (default: 60)"),
                )
                .arg(
                    Arg::new("docs")
                        .long("docs")
                        .action(ArgAction::SetTrue)
                        .help("Write the results to docs/fuzz.md"),
                ),
        )
        .subcommand(rest(
            "soak",
            "Run a test that takes too long to run for every change",
            "Name of the test, and its options",
        ))
}

pub(crate) fn dispatch(matches: &ArgMatches) -> Result<()> {
    match matches.subcommand() {
        Some(("setup", given)) => setup(&groups(given), mode(given)),
        Some(("demo", _)) => demo::run(),
        Some((demo::SCRIPT_COMMAND, given)) => {
            demo::run_script(text(given, "deskhand").as_ref(), text(given, "out").as_ref())
        }
        Some(("test", given)) => suite::test(&words(given, "rest")),
        Some(("bench", given)) => suite::bench(&words(given, "rest")),
        Some(("check", given)) => check::run(&words(given, "gates")),
        Some(("check-macos", given)) => macos::run(&words(given, "target")),
        Some(("bless", _)) => suite::bless(),
        Some(("lines", _)) => lines::run(),
        Some(("coverage", given)) => {
            coverage::run(&text(given, "package"), given.get_one::<u8>("at-least").copied())
        }
        Some(("fuzz", given)) => {
            let seconds = given.get_one::<u64>("seconds").copied().unwrap_or(60);
            let report = if given.get_flag("docs") { Report::Docs } else { Report::Terminal };
            fuzz::run(given.get_one::<String>("target").map(String::as_str), seconds, report)
        }
        Some(("soak", given)) => suite::soak(&words(given, "rest")),
        // clap accepts no other commands.
        Some(_) | None => Ok(()),
    }
}

fn setup(groups: &[Group], mode: Mode) -> Result<()> {
    packages::ensure(groups, mode)?;
    if groups.contains(&Group::Interop) && mode == Mode::Install {
        return interop::ensure();
    }
    Ok(())
}

fn rest(name: &'static str, about: &'static str, help: &'static str) -> Command {
    Command::new(name).about(about).arg(
        Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true).help(help),
    )
}

fn group_names() -> Vec<&'static str> {
    Group::ALL.iter().map(|group| group.name()).chain(["all"]).collect()
}

fn groups(given: &ArgMatches) -> Vec<Group> {
    let name = text(given, "group");
    Group::ALL.into_iter().filter(|group| name == "all" || group.name() == name).collect()
}

fn mode(given: &ArgMatches) -> Mode {
    if given.get_flag("dry-run") { Mode::DryRun } else { Mode::Install }
}

fn text(given: &ArgMatches, name: &str) -> String {
    given.get_one::<String>(name).cloned().unwrap_or_default()
}

fn words(given: &ArgMatches, name: &str) -> Vec<String> {
    given.get_many::<String>(name).map(|all| all.cloned().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn test_arguments_keep_their_dashes() {
        let matches = command()
            .try_get_matches_from(["xtask", "test", "-p", "deskhand-model", "--no-capture"])
            .unwrap();
        let (_, given) = matches.subcommand().unwrap();
        assert_eq!(words(given, "rest"), ["-p", "deskhand-model", "--no-capture"]);
    }

    #[test]
    fn unknown_group_and_gate_are_refused() {
        for bad in [["xtask", "setup", "--group=fridge"], ["xtask", "check", "vibes"]] {
            assert!(command().try_get_matches_from(bad).is_err());
        }
    }

    #[test]
    fn all_means_every_group() {
        let matches = command().try_get_matches_from(["xtask", "setup"]).unwrap();
        let (_, given) = matches.subcommand().unwrap();
        assert_eq!(groups(given), Group::ALL);
    }
}
