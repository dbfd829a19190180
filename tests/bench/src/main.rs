//! `cargo xtask bench`: compares Deskhand with other tools on real apps. The peers are pyatspi and
//! dogtail for reading, xdotool, wmctrl, scrot, maim, import and xclip for actions, servers of the
//! official SDKs for MCP, and a plain shell for command-line tools.
//!
//! Prints tables and goals, and writes `out/bench.json`, and `out/bench-GROUP.json` for the other groups. A missed goal is reported but does not fail the
//! run.
#![allow(clippy::print_stdout, reason = "this program prints tables")]

mod app_round;
mod apps;
mod cli;
mod contender;
mod desktop;
mod error;
mod figures;
mod finds;
mod goals;
mod hands;
mod in_process;
mod json;
mod machine;
mod mcp;
mod page;
mod plot;
mod resource_usage;
mod table;
mod timing;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Result;
use crate::figures::Report;

/// Compare Deskhand with other tools on real apps.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    internal_command: Option<InternalCommand>,
    /// Only measure apps or tasks whose name contains one of these.
    names: Vec<String>,
    /// Only measure one group (default: all groups).
    #[arg(long)]
    only: Option<Group>,
    /// Number of runs of each contender on each app.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Number of private desktops to start.
    #[arg(long, default_value_t = 10)]
    desktops: usize,
    /// Rewrite docs/bench.md and its pictures from this run.
    #[arg(long)]
    docs: bool,
}

/// A group of measurements.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Reading apps, and starting private desktops.
    Eyes,
    /// Clicks, keys, screenshots, window lists and the clipboard.
    Hands,
    /// The MCP server.
    Mcp,
    /// Command-line tools.
    Cli,
    /// Finds in long lists.
    Finds,
    /// Whole trees as JSON.
    Json,
}

/// Internal commands that this program runs in child processes.
#[derive(Subcommand)]
enum InternalCommand {
    /// Read an app in this process and print the figures.
    #[command(hide = true)]
    Inside(in_process::Arguments),
    /// Run a command and print its time and memory.
    #[command(hide = true)]
    Measured(resource_usage::Arguments),
    /// Click one element with each tool and print the figures.
    #[command(hide = true)]
    Clicks(hands::click_process::Arguments),
    /// Click buttons with each kind of effect and print the figures.
    #[command(hide = true)]
    Evidence(hands::evidence_process::Arguments),
    /// Start plain shells and print the figures.
    #[command(hide = true)]
    Spawns(cli::spawns::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.internal_command {
        Some(InternalCommand::Inside(internal_command)) => in_process::run(internal_command),
        Some(InternalCommand::Measured(internal_command)) => resource_usage::run(internal_command),
        Some(InternalCommand::Clicks(internal_command)) => {
            hands::click_process::run(internal_command)
        }
        Some(InternalCommand::Evidence(internal_command)) => {
            hands::evidence_process::run(internal_command)
        }
        Some(InternalCommand::Spawns(internal_command)) => cli::spawns::run(internal_command),
        None => bench(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let wanted = |group: Group| arguments.only.is_none_or(|only| only == group);
    let eyes = if wanted(Group::Eyes) { Some(bench_reading(arguments)?) } else { None };
    let hands = if wanted(Group::Hands) { Some(bench_actions(arguments)?) } else { None };
    let mcp = if wanted(Group::Mcp) { Some(bench_mcp(arguments)?) } else { None };
    let cli = if wanted(Group::Cli) { Some(bench_cli(arguments)?) } else { None };
    let finds = if wanted(Group::Finds) { Some(bench_finds(arguments)?) } else { None };
    let json = if wanted(Group::Json) { Some(bench_json(arguments)?) } else { None };
    if arguments.docs {
        let path = root().join("docs/bench.md");
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        error::write(&path, &page::merge_sections(&old, eyes, [hands, mcp, cli, finds, json]))?;
        println!("rewrote docs/bench.md");
    }
    Ok(())
}

/// Measures reading and returns its part of the page.
fn bench_reading(arguments: &Arguments) -> Result<String> {
    let machine = machine::describe();
    let entries = apps::chosen(&arguments.names);
    let progress = progress((entries.len() * app_round::steps(arguments.rounds) + 1) as u64);
    progress.set_message("private desktops");
    let up_ms = desktop::up_times(arguments.desktops)?;
    progress.inc(1);
    let mut rows = Vec::new();
    for entry in &entries {
        rows.push(app_round::measure_app(entry, arguments.rounds, &progress)?);
    }
    progress.finish_and_clear();

    let report = Report { machine, rounds: arguments.rounds, up_ms, rows };
    let goals = goals::judge(&report);
    print!("{}", table::terminal(&report));
    print_goals(&goals);
    write_samples("out/bench.json", &report)?;
    if arguments.docs {
        let picture = "docs/images/bench-first-look.svg";
        error::write(&root().join(picture), &plot::first_look(&report.rows))?;
    }
    Ok(page::page(&report, &goals))
}

/// Measures actions and returns their section of the page.
fn bench_actions(arguments: &Arguments) -> Result<String> {
    let progress = progress(0);
    let machine = machine::describe();
    let report = hands::measure(machine, &arguments.names, arguments.rounds, &progress)?;
    progress.finish_and_clear();
    let goals = hands::judge(&report);
    print!("{}", hands::terminal(&report));
    print_goals(&goals);
    write_samples("out/bench-hands.json", &report)?;
    Ok(hands::page::section(&report, &goals))
}

/// Measures the MCP server and returns its section of the page.
fn bench_mcp(arguments: &Arguments) -> Result<String> {
    let progress = progress(0);
    let report = mcp::measure(machine::describe(), arguments.rounds, &progress)?;
    progress.finish_and_clear();
    let goals = mcp::judge(&report);
    print!("{}", mcp::terminal(&report));
    print_goals(&goals);
    write_samples("out/bench-mcp.json", &report)?;
    if arguments.docs {
        let picture = "docs/images/bench-mcp.svg";
        error::write(&root().join(picture), &mcp::plot::messages(&report))?;
    }
    Ok(mcp::page::section(&report, &goals))
}

/// Measures command-line tools and returns their section of the page.
fn bench_cli(arguments: &Arguments) -> Result<String> {
    let progress = progress(0);
    let report = cli::measure(machine::describe(), arguments.rounds, &progress)?;
    progress.finish_and_clear();
    let goals = cli::judge(&report);
    print!("{}", cli::terminal(&report));
    print_goals(&goals);
    write_samples("out/bench-cli.json", &report)?;
    if arguments.docs {
        let picture = "docs/images/bench-cli.svg";
        error::write(&root().join(picture), &cli::plot::command(&report))?;
    }
    Ok(cli::page::section(&report, &goals))
}

/// Measures finds in long lists and returns their section of the page.
fn bench_finds(arguments: &Arguments) -> Result<String> {
    let progress = progress(0);
    let report = finds::measure(machine::describe(), &arguments.names, &progress)?;
    progress.finish_and_clear();
    print!("{}", finds::page::table(&report));
    write_samples("out/bench-finds.json", &report)?;
    Ok(finds::page::section(&report))
}

/// Measures whole trees as JSON and returns their section of the page.
fn bench_json(arguments: &Arguments) -> Result<String> {
    let progress = progress(0);
    let report = json::measure(machine::describe(), &arguments.names, arguments.rounds, &progress)?;
    progress.finish_and_clear();
    print!("{}", json::table(&report));
    write_samples("out/bench-json.json", &report)?;
    Ok(json::section(&report))
}

fn print_goals(goals: &[goals::Goal]) {
    println!();
    for goal in goals {
        println!("{goal}");
    }
}

fn write_samples(path: &str, report: &impl serde::Serialize) -> Result<()> {
    error::write(&root().join(path), &serde_json::to_string_pretty(report)?)?;
    println!("\nall samples: {path}\n");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn progress(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
