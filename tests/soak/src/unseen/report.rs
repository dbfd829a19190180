//! Tables of a run, for the terminal and for `docs/unseen.md`.

use std::fmt::Write;

use super::judge::StepClass;
use super::run::{AppRecord, StepRecord};

/// The maximum length of an answer in lists.
const MAX_ANSWER: usize = 220;

/// Counts of the steps of one app, or of all.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClassCounts {
    steps: usize,
    by_class: [usize; StepClass::ALL.len()],
    slow: usize,
}

impl ClassCounts {
    /// Counts steps.
    pub(crate) fn of<'a>(steps: impl Iterator<Item = &'a StepRecord>) -> Self {
        let mut counts = Self::default();
        for step in steps {
            counts.steps += 1;
            counts.slow += usize::from(step.slow);
            counts.by_class[step.class as usize] += 1;
        }
        counts
    }

    fn get(&self, class: StepClass) -> usize {
        self.by_class[class as usize]
    }

    fn done(&self) -> usize {
        self.get(StepClass::Done) + self.get(StepClass::DoneUnverified)
    }

    /// Returns the number of steps with a possible effect that were judged.
    fn possible(&self) -> usize {
        let undone = [
            StepClass::FalseConfirmed,
            StepClass::FalseNoEffect,
            StepClass::FalseRefused,
            StepClass::NotDone,
        ];
        self.done() + undone.into_iter().map(|class| self.get(class)).sum::<usize>()
    }

    /// Returns the sentence about a run.
    pub(crate) fn sentence(&self, apps: usize) -> String {
        let share = 100.0 * self.done() as f64 / self.possible().max(1) as f64;
        format!(
            "{apps} apps, {} steps: {} of {} possible effects done at the first query ({share:.1} %), \
             {} false confirmed, {} false no_effect, {} slow, {} blocked by an earlier failure, {} errors",
            self.steps,
            self.done(),
            self.possible(),
            self.get(StepClass::FalseConfirmed),
            self.get(StepClass::FalseNoEffect),
            self.slow,
            self.get(StepClass::Blocked),
            self.get(StepClass::Error),
        )
    }

    fn cells(&self) -> Vec<String> {
        let classes = StepClass::ALL.into_iter().map(|class| self.get(class));
        std::iter::once(self.steps).chain(classes).chain([self.slow]).map(dash_for_zero).collect()
    }
}

fn dash_for_zero(count: usize) -> String {
    if count == 0 { "–".to_owned() } else { count.to_string() }
}

/// Returns the rows of the table: one per app and the total.
fn rows(apps: &[AppRecord]) -> Vec<Vec<String>> {
    let heading = StepClass::ALL.into_iter().map(|class| class.heading().to_owned());
    let first = ["app", "toolkit", "steps"].map(str::to_owned);
    let mut rows = vec![first.into_iter().chain(heading).chain(["slow".to_owned()]).collect()];
    for app in apps {
        let mut row = vec![app.name.clone(), app.toolkit.clone()];
        row.extend(ClassCounts::of(app.steps.iter()).cells());
        rows.push(row);
    }
    let mut total = vec!["total".to_owned(), String::new()];
    total.extend(ClassCounts::of(apps.iter().flat_map(|app| &app.steps)).cells());
    rows.push(total);
    rows
}

/// Returns the table for the terminal.
pub(crate) fn terminal(apps: &[AppRecord]) -> String {
    let rows = rows(apps);
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Returns the section of a run for the docs.
pub(crate) fn markdown(label: &str, command: &str, apps: &[AppRecord]) -> String {
    let total = ClassCounts::of(apps.iter().flat_map(|app| &app.steps));
    let mut text = format!("## {label}\n\n`{command}`\n\n**{}.**\n\n", total.sentence(apps.len()));
    for (number, row) in rows(apps).iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if number == 0 {
            let _ = writeln!(text, "|---|---|{}", "--:|".repeat(row.len() - 2));
        }
    }
    text += &list(apps, "False answers", StepClass::is_false_answer);
    text += &list(apps, "Possible and not done", |class| {
        matches!(class, StepClass::FalseRefused | StepClass::NotDone)
    });
    text += &list(apps, "Not judged", |class| matches!(class, StepClass::Error));
    text
}

fn list(apps: &[AppRecord], heading: &str, chosen: impl Fn(StepClass) -> bool) -> String {
    let mut text = format!("\n### {heading}\n\n");
    let mut count = 0;
    for app in apps {
        for step in app.steps.iter().filter(|step| chosen(step.class)) {
            let _ = writeln!(text, "- {}", describe(app, step));
            count += 1;
        }
    }
    if count == 0 {
        text.push_str("None.\n");
    }
    text
}

/// Describes a step in one line.
pub(crate) fn describe(app: &AppRecord, step: &StepRecord) -> String {
    let answer: String = step.answer.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = answer.chars().take(MAX_ANSWER).collect();
    let ellipsis = if short.len() < answer.len() { "…" } else { "" };
    format!("{}, `{}`: {}; {short}{ellipsis}", app.name, step.command, step.class.heading())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(class: StepClass) -> StepRecord {
        StepRecord {
            command: "click OK".to_owned(),
            class,
            effect: "confirmed".to_owned(),
            answer: String::new(),
            elapsed_ms: 1,
            slow: false,
        }
    }

    #[test]
    fn the_share_ignores_vetoes_and_blocked_steps() {
        let steps = [
            step(StepClass::Done),
            step(StepClass::DoneUnverified),
            step(StepClass::FalseRefused),
            step(StepClass::NotDone),
            step(StepClass::Honest),
            step(StepClass::Blocked),
        ];
        let sentence = ClassCounts::of(steps.iter()).sentence(1);
        assert!(sentence.contains("2 of 4 possible effects done"), "{sentence}");
        assert!(sentence.contains("(50.0 %)"), "{sentence}");
    }

    #[test]
    fn every_class_has_its_own_column() {
        for (index, class) in StepClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }
}
