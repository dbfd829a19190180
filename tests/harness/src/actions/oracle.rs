//! Reads the log in which an app reports what happened to its widgets.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::case::ExpectedEvent;
use super::page_server::PageServer;
use crate::Program;
use crate::timing::{LOG_POLL_INTERVAL, RENDER_DELAY, RESEND_INTERVAL, RESET_TIMEOUT};

/// Events that do not show the effect of an action on a widget.
const IGNORED_EVENTS: [&str; 3] = ["focused", "scrolled", "opened"];

/// The effect of an action according to the app's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActualEffect {
    /// The expected event occurred.
    Full,
    /// Something else happened to the widget.
    Partial,
    /// Nothing happened to the widget.
    None,
}

/// The log of one window.
pub struct Oracle {
    source: Source,
    /// The number of log lines at the last reset.
    start: usize,
}

enum Source {
    File(PathBuf),
    Server(PageServer),
}

impl Oracle {
    pub(crate) fn file(path: &str) -> Self {
        Self { source: Source::File(PathBuf::from(path)), start: 0 }
    }

    pub(crate) fn page(server: PageServer) -> Self {
        Self { source: Source::Server(server), start: 0 }
    }

    fn lines(&self) -> Vec<Value> {
        match &self.source {
            Source::File(path) => {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                // The last line may be incomplete.
                let whole = text.rfind('\n').map_or("", |end| &text[..end]);
                let parse = |line| {
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
                };
                whole.lines().map(parse).collect()
            }
            Source::Server(server) => server.lines(),
        }
    }

    /// Sends a command to the window.
    pub fn send_command(&self, program: &mut Program, command: &str) {
        match &self.source {
            Source::File(_) => program.write_line(command),
            Source::Server(server) => server.send_command(command),
        }
    }

    /// Sends a command that resets the window, waits until it is done, and forgets all earlier
    /// events.
    pub fn prepare(&mut self, program: &mut Program, command: &str) {
        let earlier_lines = self.lines().len();
        self.send_command(program, command);
        let end = Instant::now() + RESET_TIMEOUT;
        let mut again = Instant::now() + RESEND_INTERVAL;
        loop {
            let lines = self.lines();
            // A browser that reconnects its command stream misses commands sent in between.
            if Instant::now() > again {
                self.send_command(program, command);
                again = Instant::now() + RESEND_INTERVAL;
            }
            let done = lines[earlier_lines..].iter().any(|line| line["event"] == "reset");
            if done {
                if let Source::Server(_) = self.source {
                    std::thread::sleep(RENDER_DELAY);
                }
                self.start = self.lines().len();
                return;
            }
            assert!(Instant::now() < end, "the window did not react to `{command}`");
            std::thread::sleep(LOG_POLL_INTERVAL);
        }
    }

    /// Waits for an event caused by the preparation and excludes it from later results.
    pub fn await_event(&mut self, event: &str) {
        let end = Instant::now() + RESET_TIMEOUT;
        loop {
            let lines = self.lines();
            if lines[self.start..].iter().any(|line| line["event"] == event) {
                self.start = lines.len();
                return;
            }
            assert!(Instant::now() < end, "`{event}` did not happen: {lines:?}");
            std::thread::sleep(LOG_POLL_INTERVAL);
        }
    }

    /// Returns the events since the last reset.
    pub fn events(&self) -> Vec<Value> {
        self.lines().split_off(self.start)
    }

    /// Waits for the expected event and returns the effect.
    pub fn wait_for_effect(&self, expected: &ExpectedEvent, within: Duration) -> ActualEffect {
        let end = Instant::now() + within;
        loop {
            if let Source::Server(server) = &self.source {
                server.send_command("look");
                std::thread::sleep(LOG_POLL_INTERVAL);
            }
            let actual = judge(&self.events(), expected);
            if actual == ActualEffect::Full || Instant::now() > end {
                return actual;
            }
            std::thread::sleep(LOG_POLL_INTERVAL);
        }
    }

    /// Returns the events of other widgets since the last reset.
    pub fn other_widget_events(&self, expected: &ExpectedEvent) -> Vec<String> {
        let is_stray = |line: &&Value| line["widget"] != expected.widget && !is_ignored(line);
        self.events().iter().filter(is_stray).map(ToString::to_string).collect()
    }
}

fn is_ignored(line: &Value) -> bool {
    line["event"].as_str().is_some_and(|event| IGNORED_EVENTS.contains(&event))
}

fn judge(lines: &[Value], expected: &ExpectedEvent) -> ActualEffect {
    let own: Vec<&Value> = lines.iter().filter(|line| line["widget"] == expected.widget).collect();
    let mut same = own.iter().rev().filter(|line| line["event"] == expected.event);
    if same.next().is_some_and(|last| expected.value.matches(&last["value"])) {
        return ActualEffect::Full;
    }
    if own.iter().any(|line| !is_ignored(line)) {
        ActualEffect::Partial
    } else {
        ActualEffect::None
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::ExpectedValue;
    use super::*;
    use serde_json::json;

    const EXPECTED: ExpectedEvent =
        ExpectedEvent { widget: "entry", event: "text", value: ExpectedValue::Text("ab") };

    #[test]
    fn the_last_event_decides() {
        let line = |value: &str| json!({"widget": "entry", "event": "text", "value": value});
        assert_eq!(judge(&[], &EXPECTED), ActualEffect::None);
        assert_eq!(judge(&[line("a")], &EXPECTED), ActualEffect::Partial);
        assert_eq!(judge(&[line("a"), line("ab")], &EXPECTED), ActualEffect::Full);
        assert_eq!(judge(&[line("ab"), line("abb")], &EXPECTED), ActualEffect::Partial);
    }

    #[test]
    fn focus_alone_has_no_effect_on_text() {
        let line = json!({"widget": "entry", "event": "focused", "value": null});
        assert_eq!(judge(&[line], &EXPECTED), ActualEffect::None);
    }
}
