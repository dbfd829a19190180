//! Prints pages on a terminal: colours, aligned columns, and the user's pager for long pages.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write},
    process::{Command, Stdio},
};

use anstyle::{AnsiColor, Reset, Style as Ansi};
use deskhand_engine::{Style, StyledSpan, StyledText, TextBlock};
use terminal_size::{Height, Width, terminal_size};
use unicode_width::UnicodeWidthStr;

/// Colour output on a stream: on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    On,
    Off,
}

impl Colours {
    /// Returns `On` for terminals, unless `NO_COLOR` is set or `TERM` is `dumb`. `CLICOLOR_FORCE` turns
    /// colours on for every stream.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let on = forced || (stream.is_terminal() && set("NO_COLOR").is_none() && !dumb);
        if on { Self::On } else { Self::Off }
    }

    fn code(self, ansi: Ansi) -> String {
        match self {
            Self::On => ansi.render().to_string(),
            Self::Off => String::new(),
        }
    }

    pub(crate) fn error(self) -> String {
        self.code(AnsiColor::Red.on_default().bold())
    }

    pub(crate) fn faint(self) -> String {
        self.code(Ansi::new().dimmed())
    }

    pub(crate) fn end(self) -> String {
        match self {
            Self::On => Reset.render().to_string(),
            Self::Off => String::new(),
        }
    }

    fn paint(self, span: &StyledSpan) -> String {
        let ansi = match span.style {
            Style::Plain => return span.text.clone(),
            Style::Strong => Ansi::new().bold(),
            Style::Kind => AnsiColor::Cyan.on_default(),
            Style::Handle => AnsiColor::Yellow.on_default(),
            Style::Value => AnsiColor::Green.on_default(),
            Style::Faint => Ansi::new().dimmed(),
            Style::Warning => AnsiColor::Red.on_default(),
        };
        format!("{}{}{}", self.code(ansi), span.text, self.end())
    }
}

/// Shows a complete page, with the pager if it does not fit the screen.
pub(crate) fn show(page: &StyledText) -> io::Result<()> {
    let out = io::stdout();
    let text = lay_out(page, Colours::of(&out), width());
    match terminal_size() {
        Some((_, Height(rows))) if out.is_terminal() && text.lines().count() >= rows.into() => {
            page_through(&text)
        }
        Some(_) | None => out.lock().write_all(text.as_bytes()),
    }
}

/// Writes one page of a stream of pages.
pub(crate) fn write(page: &StyledText) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(lay_out(page, Colours::of(&io::stdout()), width()).as_bytes())?;
    out.flush()
}

/// Returns the width of the terminal; `None` if standard output is not a terminal.
fn width() -> Option<usize> {
    let (Width(columns), _) = terminal_size()?;
    io::stdout().is_terminal().then_some(columns.into())
}

fn page_through(text: &str) -> io::Result<()> {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    let pager = pager.unwrap_or_else(|| "less".to_owned());
    let mut words = pager.split_whitespace();
    let started = Command::new(words.next().unwrap_or("less"))
        .args(words)
        // F: exit if the text fits the screen; R: pass colours through; X: leave the text on the screen.
        .env("LESS", std::env::var("LESS").unwrap_or_else(|_| "FRX".to_owned()))
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        // Without a pager, the text is printed directly.
        return io::stdout().lock().write_all(text.as_bytes());
    };
    if let Some(mut input) = child.stdin.take() {
        // This fails if the user quits the pager early.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().map(drop)
}

fn lay_out(page: &StyledText, colours: Colours, width: Option<usize>) -> String {
    let mut text = String::new();
    for block in &page.blocks {
        match block {
            TextBlock::Line(line) => {
                let words: Vec<String> = line.spans.iter().map(|s| colours.paint(s)).collect();
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{:1$}{2}", "", line.indent * 2, words.join(" "));
            }
            TextBlock::Table { titles, rows } => {
                lay_out_table(&mut text, titles, rows, colours, width)
            }
        }
    }
    text
}

fn lay_out_table(
    text: &mut String,
    titles: &[&'static str],
    rows: &[Vec<StyledSpan>],
    colours: Colours,
    width: Option<usize>,
) {
    let columns: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.text.width()).chain([title.width()]).max().unwrap_or(0)
        })
        .collect();
    let header: Vec<StyledSpan> = titles
        .iter()
        .map(|title| StyledSpan { style: Style::Faint, text: (*title).to_owned() })
        .collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut used = 0;
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let last = at + 1 == row.len();
            // The last column is cut at the edge of the screen.
            let room = width.map(|width| width.saturating_sub(used + 1).max(8));
            let shown = match room {
                Some(room) if last => cut(&cell.text, room),
                Some(_) | None => cell.text.clone(),
            };
            let gap = if last { 0 } else { columns[at] - shown.width() + 2 };
            used += shown.width() + gap;
            line.push_str(&colours.paint(&StyledSpan { style: cell.style, text: shown }));
            line.push_str(&" ".repeat(gap));
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        if short.width() + c.to_string().width() + 1 > room {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> StyledText {
        let cell = |text: &str| StyledSpan { style: Style::Plain, text: text.to_owned() };
        let rows = rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect();
        StyledText::default().table(vec!["NAME", "TITLE"], rows)
    }

    #[test]
    fn columns_align_with_wide_characters() {
        let page = table(&[["mousepad", "a"], ["計算機", "b"]]);
        let text = lay_out(&page, Colours::Off, None);
        assert_eq!(text, "NAME      TITLE\nmousepad  a\n計算機    b\n");
    }

    #[test]
    fn the_last_column_is_cut_with_an_ellipsis() {
        let page = table(&[["app", "a very long title that does not fit"]]);
        let text = lay_out(&page, Colours::Off, Some(20));
        assert!(text.lines().all(|line| line.width() <= 20), "{text}");
        assert!(text.contains('…'));
    }

    #[test]
    fn without_colours_there_are_no_escape_sequences() {
        let page = table(&[["app", "title"]]);
        assert!(!lay_out(&page, Colours::Off, None).contains('\u{1b}'));
        assert!(lay_out(&page, Colours::On, None).contains('\u{1b}'));
    }
}
