//! Reads the output of a terminal, optionally after waiting for a condition.

use std::time::{Duration, Instant};

use deskhand_sandbox::ExitReason;
use parking_lot::MutexGuard;
use regex::Regex;

use super::{EchoMode, ScreenSnapshot, Terminal, handle::TerminalData};
use crate::{
    Error,
    output::{OutputPage, PageRequest, PageStart, Remaining},
    timing::POLL_INTERVAL,
};

/// The output to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadRequest {
    /// The format.
    pub format: ReadFormat,
    /// Maximum number of bytes. Older output is omitted.
    pub max_bytes: usize,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFormat {
    /// New output since the last read, without escape sequences.
    New,
    /// All stored output, without escape sequences.
    All,
    /// New output, with escape sequences.
    Raw,
    /// The screen.
    Screen,
}

/// The condition to wait for before reading.
#[derive(Debug, Clone)]
pub enum WaitCondition {
    /// Read at once.
    None,
    /// Wait until there is new output, followed by a silence of this length.
    Quiet(Duration),
    /// Wait until new output matches this pattern.
    Pattern(Regex),
}

/// The event that ended the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// There was no wait.
    NotRequested,
    /// The terminal was silent long enough.
    Quiet,
    /// The pattern matched.
    Matched,
    /// The program has ended.
    ProgramEnded,
    /// The deadline has passed.
    TimedOut,
    /// The caller does not wait any longer.
    Cancelled,
}

/// The result of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResult {
    /// The text.
    pub text: String,
    /// The number of bytes before it that are omitted or not stored.
    pub omitted: u64,
    /// The number of bytes that are not valid UTF-8.
    pub invalid: usize,
    /// The screen, if requested.
    pub screen: Option<ScreenSnapshot>,
    /// The event that ended the wait.
    pub wait_end: WaitEnd,
    /// The current echo mode.
    pub echo: EchoMode,
    /// The exit reason of the program, if it has ended.
    pub exit: Option<ExitReason>,
}

impl WaitCondition {
    /// Creates a condition from a regular expression. `^` and `$` match at line boundaries.
    ///
    /// # Errors
    ///
    /// Fails if the expression is not valid.
    pub fn pattern(text: &str) -> Result<Self, Error> {
        let compiled = regex::RegexBuilder::new(text).multi_line(true).size_limit(1 << 20).build();
        compiled
            .map(Self::Pattern)
            .map_err(|reason| Error::InvalidPattern { reason: reason.to_string() })
    }
}

impl Terminal {
    /// Reads the output as soon as the condition is met, the deadline passes, or `should_stop` returns `true`.
    pub fn read(
        &self,
        request: ReadRequest,
        wait: &WaitCondition,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
    ) -> ReadResult {
        let (mut data, wait_end) = self.wait_for(wait, deadline, should_stop);
        data.last_used = Instant::now();
        let (plain, raw) = data.read;
        let (plain_end, raw_end) = (data.plain.total(), data.raw.total());
        let page = |store, from: u64, end: u64| {
            let start = from.max(end.saturating_sub(request.max_bytes as u64));
            let page_request = PageRequest {
                start: PageStart::Byte(start),
                max_lines: None,
                max_bytes: request.max_bytes,
            };
            (OutputPage::read(store, page_request, Remaining::More), start - from)
        };
        let (page, skipped) = match request.format {
            ReadFormat::New => page(&data.plain, plain, plain_end),
            ReadFormat::All => page(&data.plain, 0, plain_end),
            ReadFormat::Raw => page(&data.raw, raw, raw_end),
            ReadFormat::Screen => page(&data.plain, plain_end, plain_end),
        };
        let text = match request.format {
            ReadFormat::New | ReadFormat::All => normalize_lines(&page.text),
            ReadFormat::Raw | ReadFormat::Screen => page.text,
        };
        let screen = (request.format == ReadFormat::Screen).then(|| data.screen.snapshot());
        // An incomplete character is read again with its rest.
        data.read = match request.format {
            ReadFormat::New | ReadFormat::All => (page.next, raw_end),
            ReadFormat::Raw => (plain_end, page.next),
            ReadFormat::Screen => (plain_end, raw_end),
        };
        let exit = data.exit.clone();
        drop(data);
        ReadResult {
            text,
            omitted: skipped + page.missing,
            invalid: page.invalid,
            screen,
            wait_end,
            echo: self.echo(),
            exit,
        }
    }

    fn wait_for(
        &self,
        wait: &WaitCondition,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
    ) -> (MutexGuard<'_, TerminalData>, WaitEnd) {
        let mut data = self.data.lock();
        let mut checked_length = None;
        loop {
            let mut left = deadline.saturating_duration_since(Instant::now());
            match wait {
                WaitCondition::None => return (data, WaitEnd::NotRequested),
                WaitCondition::Quiet(time) if data.raw.total() > data.read.1 => {
                    let quiet = data.last_output.elapsed();
                    if quiet >= *time {
                        return (data, WaitEnd::Quiet);
                    }
                    left = left.min(*time - quiet);
                }
                WaitCondition::Quiet(_) => {}
                WaitCondition::Pattern(pattern) => {
                    let total = data.plain.total();
                    if checked_length != Some(total) && pattern.is_match(&unread_text(&data)) {
                        return (data, WaitEnd::Matched);
                    }
                    checked_length = Some(total);
                }
            }
            if data.exit.is_some() {
                return (data, WaitEnd::ProgramEnded);
            }
            if should_stop() {
                return (data, WaitEnd::Cancelled);
            }
            if Instant::now() >= deadline {
                return (data, WaitEnd::TimedOut);
            }
            self.changed.wait_for(&mut data, left.min(POLL_INTERVAL));
        }
    }
}

/// Returns the output since the last read, as far as it is stored.
fn unread_text(data: &TerminalData) -> String {
    let page_request = PageRequest {
        start: PageStart::Byte(data.read.0),
        max_lines: None,
        max_bytes: usize::MAX >> 1,
    };
    normalize_lines(&OutputPage::read(&data.plain, page_request, Remaining::More).text)
}

/// Converts line ends to `\n`. Text after a lone `\r`, which overwrites a line, goes to the next line.
fn normalize_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\r' {
            lines.push(character);
            continue;
        }
        while characters.next_if_eq(&'\r').is_some() {}
        if characters.peek() != Some(&'\n') && characters.peek().is_some() && !lines.ends_with('\n')
        {
            lines.push('\n');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_normalized() {
        assert_eq!(normalize_lines("one\r\ntwo\r\r\n\r\n"), "one\ntwo\n\n");
        assert_eq!(normalize_lines("10%\r20%\r\n\r>>> "), "10%\n20%\n>>> ");
        assert_eq!(normalize_lines("end\r"), "end");
    }
}
