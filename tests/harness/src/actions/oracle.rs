//! What the app itself tells: the lines of its log, read with a deadline.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cell::Wanted;
use super::server::Server;
use crate::Program;

/// How long a window may take to put itself back on a busy machine.
const RESET: Duration = Duration::from_secs(15);
/// After this a command is said again.
const LOST: Duration = Duration::from_secs(3);
/// How long a browser takes to tell accessibility what its page changed.
const RENDERED: Duration = Duration::from_millis(250);
/// How often the log is read.
const PAUSE: Duration = Duration::from_millis(10);

/// Events that say nothing about what an action did to a widget.
const ASIDE: [&str; 3] = ["focused", "scrolled", "opened"];

/// What the app told of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landed {
    /// What was asked for happened.
    Wholly,
    /// Something happened to the widget, and it is not what was asked for.
    Partly,
    /// Nothing happened to it.
    Not,
}

/// The log of one window.
pub struct Oracle {
    source: Source,
    /// How many lines were there when the window was last put back.
    mark: usize,
}

enum Source {
    File(PathBuf),
    Page(Server),
}

impl Oracle {
    pub(crate) fn file(path: &str) -> Self {
        Self { source: Source::File(PathBuf::from(path)), mark: 0 }
    }

    pub(crate) fn page(server: Server) -> Self {
        Self { source: Source::Page(server), mark: 0 }
    }

    fn lines(&self) -> Vec<Value> {
        match &self.source {
            Source::File(path) => {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                // The last line may be half written.
                let whole = text.rfind('\n').map_or("", |end| &text[..end]);
                let parse = |line| {
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
                };
                whole.lines().map(parse).collect()
            }
            Source::Page(server) => server.lines(),
        }
    }

    /// Tells the window to do something.
    pub fn say(&self, program: &mut Program, command: &str) {
        match &self.source {
            Source::File(_) => program.say(command),
            Source::Page(server) => server.say(command),
        }
    }

    /// Tells the window to put itself into a state, waits until it did, and forgets what came before.
    pub fn put(&mut self, program: &mut Program, command: &str) {
        let seen = self.lines().len();
        self.say(program, command);
        let end = Instant::now() + RESET;
        let mut again = Instant::now() + LOST;
        loop {
            let lines = self.lines();
            // A browser that opens its stream of commands anew misses what was said meanwhile.
            if Instant::now() > again {
                self.say(program, command);
                again = Instant::now() + LOST;
            }
            let done = lines[seen..].iter().any(|line| line["event"] == "reset");
            if done {
                if let Source::Page(_) = self.source {
                    std::thread::sleep(RENDERED);
                }
                self.mark = self.lines().len();
                return;
            }
            assert!(Instant::now() < end, "the window did not answer `{command}`");
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits for an event of this command, which is no part of what follows.
    pub fn await_event(&mut self, event: &str) {
        let end = Instant::now() + RESET;
        loop {
            let lines = self.lines();
            if lines[self.mark..].iter().any(|line| line["event"] == event) {
                self.mark = lines.len();
                return;
            }
            assert!(Instant::now() < end, "`{event}` did not happen: {lines:?}");
            std::thread::sleep(PAUSE);
        }
    }

    /// What the app told since it was last put back.
    pub fn told(&self) -> Vec<Value> {
        self.lines().split_off(self.mark)
    }

    /// Waits until the app tells what is wanted, at most so long.
    pub fn landed(&self, wanted: &Wanted, within: Duration) -> Landed {
        let end = Instant::now() + within;
        loop {
            if let Source::Page(server) = &self.source {
                server.say("look");
                std::thread::sleep(PAUSE);
            }
            let landed = judge(&self.told(), wanted);
            if landed == Landed::Wholly || Instant::now() > end {
                return landed;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// What the app told of other widgets.
    pub fn strays(&self, wanted: &Wanted) -> Vec<String> {
        let stray = |line: &&Value| line["widget"] != wanted.widget && !is_aside(line);
        self.told().iter().filter(stray).map(ToString::to_string).collect()
    }
}

fn is_aside(line: &Value) -> bool {
    line["event"].as_str().is_some_and(|event| ASIDE.contains(&event))
}

fn judge(lines: &[Value], wanted: &Wanted) -> Landed {
    let own: Vec<&Value> = lines.iter().filter(|line| line["widget"] == wanted.widget).collect();
    let mut same = own.iter().rev().filter(|line| line["event"] == wanted.event);
    if same.next().is_some_and(|last| wanted.value.fits(&last["value"])) {
        return Landed::Wholly;
    }
    if own.iter().any(|line| !is_aside(line)) { Landed::Partly } else { Landed::Not }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Told;
    use super::*;
    use serde_json::json;

    const WANTED: Wanted = Wanted { widget: "entry", event: "text", value: Told::Text("ab") };

    #[test]
    fn the_last_word_of_the_app_decides() {
        let line = |value: &str| json!({"widget": "entry", "event": "text", "value": value});
        assert_eq!(judge(&[], &WANTED), Landed::Not);
        assert_eq!(judge(&[line("a")], &WANTED), Landed::Partly);
        assert_eq!(judge(&[line("a"), line("ab")], &WANTED), Landed::Wholly);
        assert_eq!(judge(&[line("ab"), line("abb")], &WANTED), Landed::Partly);
    }

    #[test]
    fn focus_alone_is_no_effect_on_a_text() {
        let line = json!({"widget": "entry", "event": "focused", "value": null});
        assert_eq!(judge(&[line], &WANTED), Landed::Not);
    }
}
