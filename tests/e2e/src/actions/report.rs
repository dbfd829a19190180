//! The table of a run: toolkit × action, and the shares that are promised.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::cell::{Reach, Situation};
use super::run::Row;

/// The least share of cells possible through accessibility that must be confirmed.
pub const CONFIRMED: f64 = 0.9;

const HEAD: [&str; 11] = [
    "toolkit",
    "action",
    "cells",
    "confirmed",
    "partial",
    "unverified",
    "no_effect",
    "refused",
    "failed",
    "lies",
    "disturbed",
];

/// Every cell of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The cells.
    pub rows: Vec<Row>,
}

impl Report {
    /// The cells whose answer is not what happened.
    pub fn lies(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.lie.is_some())
    }

    /// The cells that touched what is the person's.
    pub fn disturbing(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.disturbed.is_empty())
    }

    /// The cells that are possible through accessibility, or in focus mode by real input.
    pub fn possible(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.reach == Reach::Open)
    }

    /// The possible cells that were not confirmed.
    pub fn missed(&self) -> impl Iterator<Item = &Row> {
        self.possible().filter(|row| row.answer.word() != "confirmed")
    }

    /// Which share of the possible cells was confirmed.
    pub fn share(&self) -> f64 {
        let possible = self.possible().count();
        if possible == 0 { 1.0 } else { 1.0 - self.missed().count() as f64 / possible as f64 }
    }

    /// The counts under the head of the table, one line a toolkit and action, and one in all.
    pub fn lines(&self) -> Vec<Vec<String>> {
        let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            groups.entry((row.toolkit, row.case.action)).or_default().push(row);
        }
        let line = |toolkit: &str, action: &str, rows: &[&Row]| {
            let mut cells = vec![toolkit.to_owned(), action.to_owned()];
            cells.extend(counts(rows).map(|count| count.to_string()));
            cells
        };
        let mut lines: Vec<_> = groups
            .iter()
            .map(|((toolkit, action), rows)| line(toolkit.name(), action, rows))
            .collect();
        lines.push(line("all", "", &self.rows.iter().collect::<Vec<_>>()));
        lines
    }

    /// The counts by situation.
    pub fn situations(&self) -> Vec<Vec<String>> {
        let of = |situation: Situation| {
            let rows: Vec<&Row> =
                self.rows.iter().filter(|row| row.situation == situation).collect();
            let mut cells = vec![situation.name().to_owned(), String::new()];
            cells.extend(counts(&rows).map(|count| count.to_string()));
            cells
        };
        Situation::ALL.into_iter().map(of).collect()
    }

    /// What was promised and what was reached, in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} cells; {} lies; {} disturbed; {} possible, {:.1} % of them confirmed (goal: {:.0} %)",
            self.rows.len(),
            self.lies().count(),
            self.disturbing().count(),
            self.possible().count(),
            self.share() * 100.0,
            CONFIRMED * 100.0
        )
    }

    /// The table as the terminal shows it.
    pub fn terminal(&self) -> String {
        let mut text = String::new();
        let head: Vec<String> = HEAD.iter().map(|&word| word.to_owned()).collect();
        for line in [vec![head], self.lines(), self.situations()].concat() {
            for (at, (cell, head)) in line.iter().zip(HEAD).enumerate() {
                let width = if at < 2 { 12 } else { head.len() };
                let padded =
                    if at < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
                // Writing to a string cannot fail.
                let _ = write!(text, "{padded} ");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }

    /// The two tables for the docs.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (first, lines) in [("toolkit", self.lines()), ("situation", self.situations())] {
            let skip = usize::from(first == "situation");
            let mut head: Vec<&str> = HEAD.to_vec();
            head[0] = first;
            let pick = |cells: Vec<String>| {
                let kept = cells.into_iter().enumerate().filter(|(at, _)| *at != 1 || skip == 0);
                kept.map(|(_, cell)| cell).collect::<Vec<_>>().join(" | ")
            };
            let _ = writeln!(text, "| {} |", pick(head.iter().map(|&it| it.to_owned()).collect()));
            let _ = writeln!(text, "|---{}{}|", "|---".repeat(1 - skip), "|--:".repeat(9));
            for line in lines {
                let _ = writeln!(text, "| {} |", pick(line));
            }
            text.push('\n');
        }
        text
    }
}

fn counts(rows: &[&Row]) -> [usize; 9] {
    let word = |word: &str| rows.iter().filter(|row| row.answer.word() == word).count();
    [
        rows.len(),
        word("confirmed"),
        word("partial"),
        word("unverified"),
        word("no_effect"),
        word("refused"),
        word("failed") + word("garbled"),
        rows.iter().filter(|row| row.lie.is_some()).count(),
        rows.iter().filter(|row| !row.disturbed.is_empty()).count(),
    ]
}
