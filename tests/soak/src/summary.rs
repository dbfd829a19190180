//! The result of a soak run.

use std::fmt::Write;

const WIDTH: usize = 90;

/// The result of a soak run, as a table.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The command that repeats it.
    pub(crate) command: String,
    /// The description of what is checked.
    pub(crate) claim: &'static str,
    /// The alternative text of a picture for the docs, and the path of its file.
    pub(crate) image: Option<(&'static str, &'static str)>,
    /// Names and values for the table.
    pub(crate) facts: Vec<(String, String)>,
    /// All failures.
    pub(crate) failures: Vec<String>,
}

impl Summary {
    /// Creates a result without values.
    pub(crate) fn new(name: &'static str, command: String, claim: &'static str) -> Self {
        Self { name, command, claim, image: None, facts: Vec::new(), failures: Vec::new() }
    }

    /// Adds a value.
    pub(crate) fn fact(&mut self, what: impl Into<String>, figure: impl ToString) {
        self.facts.push((what.into(), figure.to_string()));
    }

    /// Returns the table for the terminal.
    pub(crate) fn terminal(&self) -> String {
        let width = self.facts.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
        let mut text = format!("{}\n\n", wrap(self.claim));
        for (what, figure) in self.facts.iter().chain([&self.failure_count()]) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{what:<width$}  {figure}");
        }
        text
    }

    /// Returns the table as a section of the docs.
    pub(crate) fn markdown(&self) -> String {
        let image = self.image.map(|(what, at)| format!("![{what}]({at})\n\n"));
        let mut text = format!(
            "## {}\n\n{}\n\n`{}`\n\n{}| result | value |\n|---|---|\n",
            self.name,
            self.claim,
            self.command,
            image.unwrap_or_default()
        );
        for (what, figure) in self.facts.iter().chain([&self.failure_count()]) {
            let _ = writeln!(text, "| {what} | {figure} |");
        }
        text
    }

    fn failure_count(&self) -> (String, String) {
        ("failures".to_owned(), self.failures.len().to_string())
    }
}

/// Wraps text for a terminal.
fn wrap(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
