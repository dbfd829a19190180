//! Measures whole processes that perform the same task, from start to exit.

use std::process::{Command, Stdio};
use std::time::Instant;

use harness::TestDesktop;

use super::figures::{CommandComparison, CommandFigures};
use crate::error::{Error, Result};
use crate::figures::Figures;

/// A command that takes part.
pub(crate) struct TestedCommand {
    arguments: Vec<String>,
    program: std::path::PathBuf,
}

impl TestedCommand {
    /// The built `deskhand`.
    pub(crate) fn ours(arguments: &[&str]) -> Self {
        Self { program: harness::outcome::binary(), ..Self::of("deskhand", arguments) }
    }

    /// Returns a command of another tool.
    pub(crate) fn of(program: &str, arguments: &[&str]) -> Self {
        let line = std::iter::once(&program).chain(arguments).map(|word| (*word).to_owned());
        Self { arguments: line.collect(), program: program.into() }
    }

    /// Returns the command line without long texts, folders and values of this run.
    fn line(&self) -> String {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        let mut before = "";
        for word in &self.arguments {
            arguments.push(match (before, word.rsplit_once('/')) {
                ("--into", _) => "REF",
                ("--app", _) => "PID",
                (_, Some((_, name))) => name,
                (_, None) if word.len() > 40 => "TEXT",
                (_, None) => word,
            });
            before = word;
        }
        arguments.join(" ")
    }

    /// Returns the duration in milliseconds, or `None` if the command failed.
    fn run(&self, desktop: &TestDesktop) -> Result<Option<f64>> {
        let mut process: Command = desktop.command(&self.program);
        process.args(&self.arguments[1..]).stdin(Stdio::null());
        process.stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let status = process.status().map_err(Error::system(self.arguments[0].as_str()))?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(status.success().then_some(ms))
    }
}

/// Runs the commands in turn. `check` runs after each command and returns `true` if it did its
/// task.
pub(crate) fn compare_commands(
    desktop: &TestDesktop,
    task: &str,
    goal: Option<f64>,
    rounds: usize,
    commands: &[TestedCommand],
    check: impl Fn() -> bool,
) -> Result<CommandComparison> {
    let side = |command: &TestedCommand| CommandFigures {
        line: command.line(),
        figures: Figures::default(),
    };
    let mut sides: Vec<CommandFigures> = commands.iter().map(side).collect();
    // The first run of each command reads its program from disk and is not counted.
    for round in 0..=rounds {
        for (command, side) in commands.iter().zip(&mut sides) {
            let ms = command.run(desktop)?.filter(|_| check());
            match ms {
                _ if round == 0 => {}
                Some(ms) => side.figures.ms.push(ms),
                None => side.figures.failed += 1,
            }
        }
    }
    Ok(CommandComparison { task: task.to_owned(), goal, sides, remarks: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_omits_values_of_the_run() {
        let long = "x".repeat(200);
        let command = TestedCommand::of("scrot", &["-o", "/some/folder/scrot.png", &long]);
        assert_eq!(command.line(), "scrot -o scrot.png TEXT");
        let command =
            TestedCommand::of("deskhand", &["type", &long, "--into", "e7", "--app", "4711"]);
        assert_eq!(command.line(), "deskhand type TEXT --into REF --app PID");
    }
}
