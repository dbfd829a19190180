//! What callers are told about a terminal, and what they may wait for before.

use std::time::{Duration, Instant};

use deskhand_run::{
    operation::Ended,
    terminal::{Echo, Picture, Reading, Shown as Was, Stopped, Terminal, View, Wait},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Int, Line, Page, Result, Shown, Style};

/// How long a terminal is quiet before it is read, when nobody says.
const QUIET: i64 = 150;

/// How long to wait at the most, when nobody says.
const USUAL: i64 = 5;

/// The most bytes of one answer.
const ROOM: usize = 24_000;

/// Milliseconds a terminal must be quiet.
pub(super) type Quiet = Int<1, 60_000>;

/// Seconds to wait at the most.
pub(super) type Patience = Int<1, 300>;

/// Lines or columns of a terminal.
pub(super) type Side = Int<1, 500>;

/// A form of what a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    /// What is new as plain text, or the screen when a program such as a pager has taken all of it.
    #[default]
    New,
    /// Everything that is kept, as plain text.
    All,
    /// What is new, with escape sequences.
    Raw,
    /// The screen as a person would see it.
    Screen,
}

/// What a terminal shows.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Seen {
    /// Its id, for the other terminal tools.
    terminal_id: String,
    /// What runs in it.
    command: String,
    /// The text; escape sequences are taken out unless it was asked for as it is.
    text: String,
    /// The screen, when it was asked for or a program has taken all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<Screen>,
    /// Why it was read now: `at_once`, `quiet`, `seen`, `ended`, `too_late` or `unwanted`.
    read_because: &'static str,
    /// What becomes of what is typed: `shown` by the terminal, `hidden` when a secret is asked for, `drawn`
    /// by the program itself.
    echo: &'static str,
    /// Bytes before the text that are not shown.
    left_out_bytes: u64,
    /// Bytes in the text that are no text.
    invalid_bytes: usize,
    /// Bytes that were to be typed and the program did not take.
    #[serde(skip_serializing_if = "is_nothing")]
    pub(super) untyped_bytes: usize,
    /// The exit code, once the program has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

/// A screen.
#[derive(Debug, Serialize, JsonSchema)]
struct Screen {
    /// Its lines, to the last that is not empty.
    lines: Vec<String>,
    /// The line of the cursor, from 0.
    cursor_row: u16,
    /// The column of the cursor, from 0.
    cursor_column: u16,
    /// How many lines it has.
    rows: u16,
    /// How many columns it has.
    columns: u16,
}

/// What to wait for.
pub(super) struct Waiting {
    wait: Wait,
    until: Instant,
}

impl Waiting {
    /// For a pattern, or for quiet.
    pub(super) fn new(
        pattern: Option<&str>,
        quiet: Option<Quiet>,
        patience: Option<Patience>,
    ) -> Result<Self> {
        let quiet = quiet.map_or(QUIET, Int::get).unsigned_abs();
        let wait = match pattern {
            Some(pattern) => Wait::pattern(pattern)?,
            None => Wait::Quiet(Duration::from_millis(quiet)),
        };
        let seconds = patience.map_or(USUAL, Int::get).unsigned_abs();
        Ok(Self { wait, until: Instant::now() + Duration::from_secs(seconds) })
    }

    /// For nothing.
    pub(super) fn not() -> Self {
        Self { wait: Wait::Not, until: Instant::now() }
    }
}

impl Seen {
    /// Reads a terminal.
    pub(super) fn read(
        cx: &Context<'_>,
        terminal: &Terminal,
        form: Form,
        waiting: &Waiting,
    ) -> Self {
        let view = match form {
            Form::New => View::New,
            Form::All => View::All,
            Form::Raw => View::Raw,
            Form::Screen => View::Screen,
        };
        let reading = Reading { view, bytes: ROOM };
        let was = terminal.read(reading, &waiting.wait, waiting.until, &|| cx.stop.asked());
        let taken = (form == Form::New).then(|| terminal.picture()).filter(|one| one.whole_screen);
        Self::of(terminal, was, taken)
    }

    fn of(terminal: &Terminal, was: Was, taken: Option<Picture>) -> Self {
        let (exit_code, signal) = match was.ended {
            Some(Ended::Exit(code)) => (Some(code), None),
            Some(Ended::Signal(signal)) => (None, Some(signal)),
            Some(Ended::NotStarted(_)) | None => (None, None),
        };
        let title = terminal.title();
        // What draws a whole screen makes no sense as text.
        let text = if taken.is_some() { String::new() } else { was.text };
        Self {
            terminal_id: terminal.id().to_owned(),
            command: title.strip_prefix("sh -c ").unwrap_or(title).to_owned(),
            text,
            screen: taken.or(was.picture).map(screen),
            read_because: match was.stopped {
                Stopped::AtOnce => "at_once",
                Stopped::Quiet => "quiet",
                Stopped::Seen => "seen",
                Stopped::Ended => "ended",
                Stopped::TooLate => "too_late",
                Stopped::Unwanted => "unwanted",
            },
            echo: match was.echo {
                Echo::Shown => "shown",
                Echo::Hidden => "hidden",
                Echo::Drawn => "drawn",
            },
            left_out_bytes: was.left_out,
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

fn screen(picture: Picture) -> Screen {
    Screen {
        lines: picture.lines,
        cursor_row: picture.row,
        cursor_column: picture.column,
        rows: picture.size.rows,
        columns: picture.size.columns,
    }
}

impl Shown for Seen {
    fn page(&self) -> Page {
        let state = match (self.exit_code, self.signal) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "running".to_owned(),
        };
        let words = format!("{}: {}, {state}", self.terminal_id, self.command);
        let mut page = Page::default().line(Line::new().with(Style::Faint, words));
        if self.left_out_bytes > 0 {
            let words = format!("{} bytes before these are not shown", self.left_out_bytes);
            page = page.line(Line::new().with(Style::Warning, words));
        }
        if self.invalid_bytes > 0 {
            let words = format!("{} bytes are no text and stand as \u{fffd}", self.invalid_bytes);
            page = page.line(Line::new().with(Style::Warning, words));
        }
        if self.untyped_bytes > 0 {
            let words =
                format!("{} bytes were not typed: the program does not read", self.untyped_bytes);
            page = page.line(Line::new().with(Style::Warning, words));
        }
        if self.read_because == "too_late" {
            let words = "what was waited for did not come in time";
            page = page.line(Line::new().with(Style::Warning, words));
        }
        let plain = |page: Page, line: &str| page.line(Line::new().with(Style::Plain, line));
        page = self.text.lines().fold(page, plain);
        let drawn = self.screen.iter().flat_map(|screen| &screen.lines);
        drawn.fold(page, |page, line| plain(page, line))
    }
}
