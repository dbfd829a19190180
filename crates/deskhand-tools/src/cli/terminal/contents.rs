//! The view of a terminal that callers get, and the conditions they can wait for.

use std::time::{Duration, Instant};

use deskhand_run::{
    operation::ExitReason,
    terminal::{
        EchoMode, ReadFormat, ReadRequest, ReadResult, ScreenSnapshot, Terminal, WaitCondition,
        WaitEnd,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Int, Render, Result, Style, StyledLine, StyledText};

/// The default quiet period before a terminal is read.
const QUIET: i64 = 150;

/// The default timeout.
const USUAL: i64 = 5;

/// Maximum size of one result in bytes.
const ROOM: usize = 24_000;

/// The quiet period in milliseconds.
pub(super) type QuietMillis = Int<1, 60_000>;

/// The timeout in seconds.
pub(super) type WaitSeconds = Int<1, 300>;

/// A number of lines or columns.
pub(super) type Dimension = Int<1, 500>;

/// The part of a terminal's contents to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TerminalView {
    /// New output as plain text, or the screen if a full-screen program such as a pager runs.
    #[default]
    New,
    /// All stored output as plain text.
    All,
    /// New output with escape sequences.
    Raw,
    /// The screen as a user sees it.
    Screen,
}

/// The contents of a terminal.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TerminalContents {
    /// The terminal id, for the other terminal tools.
    terminal_id: String,
    /// The command that runs in the terminal.
    command: String,
    /// The text, without escape sequences unless the caller requested them.
    text: String,
    /// The screen, if the caller requested it or a full-screen program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<ScreenContents>,
    /// The reason for reading now: `at_once`, `quiet`, `seen`, `ended`, `too_late` or `unwanted`.
    read_because: &'static str,
    /// Treatment of typed text: `shown` by the terminal, `hidden` because the program expects a
    /// secret, or `drawn` by the program.
    echo: &'static str,
    /// Bytes before `text` that were omitted.
    left_out_bytes: u64,
    /// Bytes in `text` that are not UTF-8.
    invalid_bytes: usize,
    /// Bytes of the input that the program did not read.
    #[serde(skip_serializing_if = "is_nothing")]
    pub(super) untyped_bytes: usize,
    /// The exit code, once the program has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

/// The screen of a terminal.
#[derive(Debug, Serialize, JsonSchema)]
struct ScreenContents {
    /// Its lines, up to the last one that is not empty.
    lines: Vec<String>,
    /// Line of the cursor, counted from 0.
    cursor_row: u16,
    /// Column of the cursor, counted from 0.
    cursor_column: u16,
    /// Number of lines.
    rows: u16,
    /// Number of columns.
    columns: u16,
}

/// The condition to wait for.
pub(super) struct WaitFor {
    wait: WaitCondition,
    until: Instant,
}

impl WaitFor {
    /// A pattern or a quiet period.
    pub(super) fn new(
        pattern: Option<&str>,
        quiet: Option<QuietMillis>,
        patience: Option<WaitSeconds>,
    ) -> Result<Self> {
        let quiet = quiet.map_or(QUIET, Int::get).unsigned_abs();
        let wait = match pattern {
            Some(pattern) => WaitCondition::pattern(pattern)?,
            None => WaitCondition::Quiet(Duration::from_millis(quiet)),
        };
        let seconds = patience.map_or(USUAL, Int::get).unsigned_abs();
        Ok(Self { wait, until: Instant::now() + Duration::from_secs(seconds) })
    }

    /// No condition.
    pub(super) fn not() -> Self {
        Self { wait: WaitCondition::None, until: Instant::now() }
    }
}

impl TerminalContents {
    /// Reads a terminal.
    pub(super) fn read(
        cx: &Context<'_>,
        terminal: &Terminal,
        form: TerminalView,
        waiting: &WaitFor,
    ) -> Self {
        let view = match form {
            TerminalView::New => ReadFormat::New,
            TerminalView::All => ReadFormat::All,
            TerminalView::Raw => ReadFormat::Raw,
            TerminalView::Screen => ReadFormat::Screen,
        };
        let reading = ReadRequest { format: view, max_bytes: ROOM };
        let was =
            terminal.read(reading, &waiting.wait, waiting.until, &|| cx.cancel.is_cancelled());
        let taken = (form == TerminalView::New)
            .then(|| terminal.screen_snapshot())
            .filter(|one| one.alternate_screen);
        Self::of(terminal, was, taken)
    }

    fn of(terminal: &Terminal, was: ReadResult, taken: Option<ScreenSnapshot>) -> Self {
        let (exit_code, signal) = match was.exit {
            Some(ExitReason::Exit(code)) => (Some(code), None),
            Some(ExitReason::Signal(signal)) => (None, Some(signal)),
            Some(ExitReason::NotStarted(_)) | None => (None, None),
        };
        let title = terminal.title();
        // What draws a whole screen makes no sense as text.
        let text = if taken.is_some() { String::new() } else { was.text };
        Self {
            terminal_id: terminal.id().to_owned(),
            command: title.strip_prefix("sh -c ").unwrap_or(title).to_owned(),
            text,
            screen: taken.or(was.screen).map(screen),
            read_because: match was.wait_end {
                WaitEnd::NotRequested => "at_once",
                WaitEnd::Quiet => "quiet",
                WaitEnd::Matched => "seen",
                WaitEnd::ProgramEnded => "ended",
                WaitEnd::TimedOut => "too_late",
                WaitEnd::Cancelled => "unwanted",
            },
            echo: match was.echo {
                EchoMode::Echoed => "shown",
                EchoMode::Hidden => "hidden",
                EchoMode::Application => "drawn",
            },
            left_out_bytes: was.omitted,
            invalid_bytes: was.invalid,
            untyped_bytes: 0,
            exit_code,
            signal,
        }
    }
}

fn is_nothing(bytes: &usize) -> bool {
    *bytes == 0
}

fn screen(picture: ScreenSnapshot) -> ScreenContents {
    ScreenContents {
        lines: picture.lines,
        cursor_row: picture.cursor_row,
        cursor_column: picture.cursor_column,
        rows: picture.size.rows,
        columns: picture.size.columns,
    }
}

impl Render for TerminalContents {
    fn render(&self) -> StyledText {
        let state = match (self.exit_code, self.signal) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "running".to_owned(),
        };
        let words = format!("{}: {}, {state}", self.terminal_id, self.command);
        let mut page = StyledText::default().line(StyledLine::new().with(Style::Faint, words));
        if self.left_out_bytes > 0 {
            let words = format!("{} earlier bytes omitted", self.left_out_bytes);
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        if self.invalid_bytes > 0 {
            let words =
                format!("{} bytes are not UTF-8 and appear as \u{fffd}", self.invalid_bytes);
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        if self.untyped_bytes > 0 {
            let words = format!(
                "{} bytes were not typed: the program does not read its input",
                self.untyped_bytes
            );
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        if self.read_because == "too_late" {
            let words = "the wait timed out";
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        let plain =
            |page: StyledText, line: &str| page.line(StyledLine::new().with(Style::Plain, line));
        page = self.text.lines().fold(page, plain);
        let drawn = self.screen.iter().flat_map(|screen| &screen.lines);
        drawn.fold(page, |page, line| plain(page, line))
    }
}
