//! Results of a matrix run, with tables and shares.

use super::case::{Feasibility, Situation};
use super::run::CaseResult;
use super::toolkit::Toolkit;

/// The smallest acceptable share of confirmed cases among the possible ones.
pub const MIN_CONFIRMED_SHARE: f64 = 0.9;

/// The column titles of the table of toolkits.
pub const TOOLKIT_COLUMNS: [&str; 8] =
    ["toolkit", "background", "covered", "minimized", "focus", "all", "wrong", "disturbed"];

/// The column titles of the table of actions.
pub const ACTION_COLUMNS: [&str; 9] = [
    "action",
    "cases",
    "confirmed",
    "partial",
    "unverified",
    "no_effect",
    "refused",
    "failed",
    "wrong",
];

/// The results of all cases of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// One result per case.
    pub rows: Vec<CaseResult>,
}

impl Report {
    /// Returns the results that contradict the app's log.
    pub fn wrong_answers(&self) -> impl Iterator<Item = &CaseResult> {
        self.rows.iter().filter(|row| row.wrong_answer.is_some())
    }

    /// Returns the results that disturbed the user.
    pub fn disturbing(&self) -> impl Iterator<Item = &CaseResult> {
        self.rows.iter().filter(|row| !row.disturbed.is_empty())
    }

    /// Returns the cases that can be confirmed: through accessibility or, in focus mode, by real
    /// input.
    pub fn possible(&self) -> impl Iterator<Item = &CaseResult> {
        self.rows.iter().filter(|row| row.is_possible())
    }

    /// Returns the possible cases that were not confirmed.
    pub fn missed(&self) -> impl Iterator<Item = &CaseResult> {
        self.rows.iter().filter(|row| row.is_missed())
    }

    /// Returns the share of possible cases that were confirmed, from 0 to 1.
    pub fn share(&self) -> f64 {
        let (confirmed, possible) = share(self.rows.iter());
        if possible == 0 { 1.0 } else { confirmed as f64 / possible as f64 }
    }

    /// Returns the confirmed and possible cases by toolkit and situation, as rows of the table of
    /// toolkits.
    pub fn toolkits(&self) -> Vec<Vec<String>> {
        let line = |name: &str, fits: &dyn Fn(&CaseResult) -> bool| {
            let of = |situation: Option<Situation>| {
                let here = |row: &&CaseResult| situation.is_none_or(|it| it == row.situation);
                fraction(share(self.rows.iter().filter(|row| fits(row)).filter(here)))
            };
            let mut cells = vec![name.to_owned()];
            cells.extend(Situation::ALL.map(|it| of(Some(it))));
            cells.push(of(None));
            cells.push(self.wrong_answers().filter(|row| fits(row)).count().to_string());
            cells.push(self.disturbing().filter(|row| fits(row)).count().to_string());
            cells
        };
        let has_rows = |toolkit: &Toolkit| self.rows.iter().any(|row| row.toolkit == *toolkit);
        let mut lines: Vec<_> = Toolkit::ALL
            .into_iter()
            .filter(has_rows)
            .map(|toolkit| line(toolkit.name(), &|row: &CaseResult| row.toolkit == toolkit))
            .collect();
        lines.push(line("all", &|_: &CaseResult| true));
        lines
    }

    /// Returns the number of answers by action, as rows of the table of actions.
    pub fn actions(&self) -> Vec<Vec<String>> {
        let mut names: Vec<&str> = self.rows.iter().map(|row| row.case.action).collect();
        names.sort_unstable();
        names.dedup();
        let line = |name: &str, rows: &[&CaseResult]| {
            let word = |word: &str| rows.iter().filter(|row| row.answer.word() == word).count();
            let counts = [
                rows.len(),
                word("confirmed"),
                word("partial"),
                word("unverified"),
                word("no_effect"),
                word("refused"),
                word("failed") + word("garbled"),
                rows.iter().filter(|row| row.wrong_answer.is_some()).count(),
            ];
            let mut cells = vec![name.to_owned()];
            cells.extend(counts.map(|count| count.to_string()));
            cells
        };
        let of = |name: &&str| {
            let rows: Vec<&CaseResult> =
                self.rows.iter().filter(|row| row.case.action == *name).collect();
            line(name, &rows)
        };
        let mut lines: Vec<_> = names.iter().map(of).collect();
        lines.push(line("all", &self.rows.iter().collect::<Vec<_>>()));
        lines
    }

    /// Returns the main figures in one line.
    pub fn summary(&self) -> String {
        format!(
            "{} cases; {} wrong answers; {} disturbed the user; {} possible, {:.1} % of them \
             confirmed (goal: {:.0} %)",
            self.rows.len(),
            self.wrong_answers().count(),
            self.disturbing().count(),
            self.possible().count(),
            self.share() * 100.0,
            MIN_CONFIRMED_SHARE * 100.0
        )
    }

    /// Returns both tables for the terminal.
    pub fn terminal(&self) -> String {
        format!(
            "{}\n{}",
            aligned(&TOOLKIT_COLUMNS, &self.toolkits()),
            aligned(&ACTION_COLUMNS, &self.actions())
        )
    }
}

impl CaseResult {
    /// Returns `true` if the case can be confirmed.
    pub fn is_possible(&self) -> bool {
        self.feasibility == Feasibility::Possible
    }

    /// Returns `true` if the case can be confirmed but was not.
    pub fn is_missed(&self) -> bool {
        self.is_possible() && self.answer.word() != "confirmed"
    }
}

/// Returns the number of confirmed and of possible cases.
fn share<'a>(rows: impl Iterator<Item = &'a CaseResult>) -> (usize, usize) {
    rows.filter(|row| row.is_possible())
        .fold((0, 0), |(confirmed, all), row| (confirmed + usize::from(!row.is_missed()), all + 1))
}

fn fraction((confirmed, possible): (usize, usize)) -> String {
    if possible == 0 { "–".to_owned() } else { format!("{confirmed}/{possible}") }
}

/// Formats a table with aligned columns: the first to the left, the others to the right.
fn aligned(head: &[&str], lines: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|&word| word.to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(lines).collect();
    let width = |at: usize| all.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for line in &all {
        for (at, cell) in line.iter().enumerate() {
            let padding = width(at) - cell.chars().count();
            let gap = " ".repeat(padding);
            let cell = if at == 0 { format!("{cell}{gap}") } else { format!("  {gap}{cell}") };
            text.push_str(&cell);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let lines = [vec!["GTK 3".to_owned(), "9/10".to_owned()], vec!["all".into(), "–".into()]];
        assert_eq!(
            aligned(&["toolkit", "all"], &lines),
            "toolkit   all\nGTK 3    9/10\nall         –\n"
        );
    }

    #[test]
    fn an_empty_run_has_a_full_share() {
        let report = Report::default();
        assert_eq!(report.share(), 1.0);
        assert!(report.summary().starts_with("0 cases; 0 wrong answers; 0 disturbed the user"));
    }
}
