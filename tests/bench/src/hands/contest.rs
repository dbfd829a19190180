//! Tasks that whole processes do in turn: the time from start to end, as a person waits for it.

use std::process::{Command, Stdio};
use std::time::Instant;

use harness::Stage;

use super::figures::{Contest, Side};
use crate::error::{Error, Result};
use crate::figures::Figures;

/// A command that takes part.
pub(crate) struct Entrant {
    words: Vec<String>,
    program: std::path::PathBuf,
}

impl Entrant {
    /// The built `deskhand`.
    pub(crate) fn ours(words: &[&str]) -> Self {
        Self { program: harness::outcome::binary(), ..Self::of("deskhand", words) }
    }

    /// A peer.
    pub(crate) fn of(program: &str, words: &[&str]) -> Self {
        let line = std::iter::once(&program).chain(words).map(|word| (*word).to_owned());
        Self { words: line.collect(), program: program.into() }
    }

    /// As a person would write it, without long texts, folders and numbers of this run.
    fn line(&self) -> String {
        let mut words = Vec::with_capacity(self.words.len());
        let mut before = "";
        for word in &self.words {
            words.push(match (before, word.rsplit_once('/')) {
                ("--into", _) => "REF",
                ("--app", _) => "PID",
                (_, Some((_, name))) => name,
                (_, None) if word.len() > 40 => "TEXT",
                (_, None) => word,
            });
            before = word;
        }
        words.join(" ")
    }

    /// The whole process, in milliseconds; `None` when it failed.
    fn run(&self, stage: &Stage) -> Result<Option<f64>> {
        let mut command: Command = stage.command(&self.program);
        command.args(&self.words[1..]).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        let status = command.status().map_err(Error::system(self.words[0].as_str()))?;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        Ok(status.success().then_some(ms))
    }
}

/// Lets the entrants take turns; `check` runs after each and says whether it did its task.
pub(crate) fn hold(
    stage: &Stage,
    task: &str,
    goal: Option<f64>,
    rounds: usize,
    entrants: &[Entrant],
    check: impl Fn() -> bool,
) -> Result<Contest> {
    let side = |entrant: &Entrant| Side { line: entrant.line(), figures: Figures::default() };
    let mut sides: Vec<Side> = entrants.iter().map(side).collect();
    // The first of each reads its program from the disk, and is no part of the figures.
    for round in 0..=rounds {
        for (entrant, side) in entrants.iter().zip(&mut sides) {
            let ms = entrant.run(stage)?.filter(|_| check());
            match ms {
                _ if round == 0 => {}
                Some(ms) => side.figures.ms.push(ms),
                None => side.figures.failed += 1,
            }
        }
    }
    Ok(Contest { task: task.to_owned(), goal, sides, remarks: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_a_person_writes_it() {
        let long = "x".repeat(200);
        let entrant = Entrant::of("scrot", &["-o", "/some/folder/scrot.png", &long]);
        assert_eq!(entrant.line(), "scrot -o scrot.png TEXT");
        let entrant = Entrant::of("deskhand", &["type", &long, "--into", "e7", "--app", "4711"]);
        assert_eq!(entrant.line(), "deskhand type TEXT --into REF --app PID");
    }
}
