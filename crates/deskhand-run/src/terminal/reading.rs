//! What is read from a terminal, and what is waited for before.

use std::{
    sync::{MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_sandbox::Ended;
use regex::Regex;

use super::{Echo, Picture, Terminal, session::Inner};
use crate::{
    Error,
    output::{After, Page, Part, Start},
};

/// How often a waiter looks whether it should still wait.
const LOOK: Duration = Duration::from_millis(25);

/// What to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// In which form.
    pub view: View,
    /// The most bytes; the latest are shown.
    pub bytes: usize,
}

/// A form of what a terminal showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// What is new since the last reading, without escape sequences.
    New,
    /// All that is kept, without escape sequences.
    All,
    /// What is new, as it was printed.
    Raw,
    /// The screen as a person would see it.
    Screen,
}

/// What to wait for before reading.
#[derive(Debug, Clone)]
pub enum Wait {
    /// Nothing.
    Not,
    /// That something new was shown, and nothing more for this long.
    Quiet(Duration),
    /// That something new matches a pattern.
    Pattern(Regex),
}

/// Why waiting stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing was waited for.
    AtOnce,
    /// It was quiet long enough.
    Quiet,
    /// The pattern was seen.
    Seen,
    /// The program has ended.
    Ended,
    /// The time was over.
    TooLate,
    /// Whoever waited does not any more.
    Unwanted,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub text: String,
    /// Bytes before it that are left out here or were not kept.
    pub left_out: u64,
    /// Bytes in it that are no text.
    pub invalid: usize,
    /// The screen, when that was asked for.
    pub picture: Option<Picture>,
    /// Why it was read now.
    pub stopped: Stopped,
    /// What becomes of what is typed now.
    pub echo: Echo,
    /// How the program ended, when it has.
    pub ended: Option<Ended>,
}

impl Wait {
    /// Waits for a regular expression; `^` and `$` are ends of lines.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn pattern(text: &str) -> Result<Self, Error> {
        let compiled = regex::RegexBuilder::new(text).multi_line(true).size_limit(1 << 20).build();
        compiled.map(Self::Pattern).map_err(|why| Error::Pattern { why: why.to_string() })
    }
}

impl Terminal {
    /// Reads what was shown, after what is waited for has come, or the time is over, or `stop` says so.
    pub fn read(
        &self,
        reading: Reading,
        wait: &Wait,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Shown {
        let (mut inner, stopped) = self.waited(wait, until, stop);
        inner.used_at = Instant::now();
        let (plain, raw) = inner.read;
        let (plain_end, raw_end) = (inner.plain.total(), inner.raw.total());
        let page = |store, from: u64, end: u64| {
            let start = from.max(end.saturating_sub(reading.bytes as u64));
            let part = Part { start: Start::Byte(start), lines: None, bytes: reading.bytes };
            (Page::read(store, part, After::More), start - from)
        };
        let (page, skipped) = match reading.view {
            View::New => page(&inner.plain, plain, plain_end),
            View::All => page(&inner.plain, 0, plain_end),
            View::Raw => page(&inner.raw, raw, raw_end),
            View::Screen => page(&inner.plain, plain_end, plain_end),
        };
        let text = match reading.view {
            View::New | View::All => in_lines(&page.text),
            View::Raw | View::Screen => page.text,
        };
        let picture = (reading.view == View::Screen).then(|| inner.screen.picture());
        // A character that is begun is read with its rest.
        inner.read = match reading.view {
            View::New | View::All => (page.next, raw_end),
            View::Raw => (plain_end, page.next),
            View::Screen => (plain_end, raw_end),
        };
        let ended = inner.ended.clone();
        drop(inner);
        Shown {
            text,
            left_out: skipped + page.missing,
            invalid: page.invalid,
            picture,
            stopped,
            echo: self.echo(),
            ended,
        }
    }

    fn waited(
        &self,
        wait: &Wait,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> (MutexGuard<'_, Inner>, Stopped) {
        let mut inner = self.inner();
        let mut looked_at = None;
        loop {
            let mut left = until.saturating_duration_since(Instant::now());
            match wait {
                Wait::Not => return (inner, Stopped::AtOnce),
                Wait::Quiet(time) if inner.raw.total() > inner.read.1 => {
                    let quiet = inner.printed_at.elapsed();
                    if quiet >= *time {
                        return (inner, Stopped::Quiet);
                    }
                    left = left.min(*time - quiet);
                }
                Wait::Quiet(_) => {}
                Wait::Pattern(pattern) => {
                    let total = inner.plain.total();
                    if looked_at != Some(total) && pattern.is_match(&new_text(&inner)) {
                        return (inner, Stopped::Seen);
                    }
                    looked_at = Some(total);
                }
            }
            if inner.ended.is_some() {
                return (inner, Stopped::Ended);
            }
            if stop() {
                return (inner, Stopped::Unwanted);
            }
            if Instant::now() >= until {
                return (inner, Stopped::TooLate);
            }
            let waited = self.changed.wait_timeout(inner, left.min(LOOK));
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What was shown since the last reading, as far as it is kept.
fn new_text(inner: &Inner) -> String {
    let part = Part { start: Start::Byte(inner.read.0), lines: None, bytes: usize::MAX >> 1 };
    in_lines(&Page::read(&inner.plain, part, After::More).text)
}

/// A terminal's ends of lines as a file has them; what is drawn over a line stands below it.
fn in_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\r' {
            lines.push(letter);
            continue;
        }
        while letters.next_if_eq(&'\r').is_some() {}
        if letters.peek() != Some(&'\n') && letters.peek().is_some() && !lines.ends_with('\n') {
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_are_those_of_a_file() {
        assert_eq!(in_lines("one\r\ntwo\r\r\n\r\n"), "one\ntwo\n\n");
        assert_eq!(in_lines("10%\r20%\r\n\r>>> "), "10%\n20%\n>>> ");
        assert_eq!(in_lines("end\r"), "end");
    }
}
