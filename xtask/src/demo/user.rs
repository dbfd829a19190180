//! A simulated user: types into a terminal with real key events while Deskhand works elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::demo::wait_for;
use crate::error::{Error, Result};
use crate::process;

const TITLE: &str = "The user types here";
const SENTENCE: &str = "the user keeps typing while Deskhand works in other windows ";
/// Pause between two key events in milliseconds, as of a fast typist.
const KEY_DELAY_MS: &str = "70";

/// The state of the desktop that belongs to the user, read with xdotool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserState {
    /// The window with the keyboard focus.
    pub(super) focus: String,
    /// The active window of the window manager.
    pub(super) active: String,
    /// The position of the pointer.
    pub(super) pointer: String,
}

impl UserState {
    /// Reads the state from the X server.
    pub(super) fn read() -> Result<Self> {
        let focus = xdotool(&["getwindowfocus"])?;
        let active = xdotool(&["getactivewindow"])?;
        let pointer = pointer_position(&xdotool(&["getmouselocation"])?);
        Ok(Self { focus, active, pointer })
    }

    /// Returns an error if the state differs from an earlier one.
    pub(super) fn must_equal(&self, before: &Self) -> Result<()> {
        if self == before {
            return Ok(());
        }
        Err(Error::Demo {
            problem: format!(
                "the user was disturbed: {before:?} before the call, {self:?} after it"
            ),
        })
    }
}

/// The user's terminal, which writes everything typed into a file. Killed when dropped.
pub(super) struct User {
    terminal: Child,
    file: PathBuf,
    stop: Arc<AtomicBool>,
    typist: Option<JoinHandle<Result<String>>>,
}

impl User {
    /// Opens the terminal, waits until it has the keyboard focus, and starts to type.
    pub(super) fn start(home: &Path) -> Result<Self> {
        let file = home.join("typed.txt");
        let terminal = Command::new("xterm")
            .args(["-title", TITLE, "-geometry", "98x12+440+560", "-e", "cat > typed.txt"])
            .current_dir(home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: "xterm".to_owned(), source })?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut user = Self { terminal, file, stop: Arc::clone(&stop), typist: None };
        wait_for("the user's terminal", || {
            let focused = process::capture(
                Command::new("xdotool").args(["getwindowfocus", "getwindowname"]),
            )?;
            Ok((focused.stdout.trim() == TITLE && user.file.exists()).then_some(()))
        })?;
        user.typist = Some(thread::spawn(move || type_until(&stop)));
        Ok(user)
    }

    /// Ends the typing and compares the file with the typed text. Returns the number of characters.
    pub(super) fn finish(&mut self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        let typist = self.typist.take().map(JoinHandle::join);
        let Some(Ok(typed)) = typist else {
            return Err(Error::Demo { problem: "the simulated user stopped typing".to_owned() });
        };
        let typed = typed?;
        xdotool(&["key", "--delay", KEY_DELAY_MS, "Return", "ctrl+d"])?;
        let expected = format!("{typed}\n");
        wait_for("the text that the user typed, without a change, in the user's file", || {
            let written = fs::read_to_string(&self.file).map_err(Error::file(&self.file))?;
            Ok((written == expected).then_some(()))
        })?;
        Ok(typed.chars().count())
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // These fail if the terminal has ended already.
        let _ = self.terminal.kill();
        let _ = self.terminal.wait();
    }
}

/// Types words until the flag is set, and returns the typed text.
fn type_until(stop: &AtomicBool) -> Result<String> {
    let mut typed = String::new();
    for word in SENTENCE.split_inclusive(' ').cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        xdotool(&["type", "--delay", KEY_DELAY_MS, word])?;
        typed.push_str(word);
    }
    Ok(typed)
}

fn xdotool(words: &[&str]) -> Result<String> {
    process::output(Command::new("xdotool").args(words)).map(|output| output.trim().to_owned())
}

/// Returns the position in `x:640 y:400 screen:0 window:123`.
fn pointer_position(location: &str) -> String {
    location.split(" screen:").next().unwrap_or(location).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(focus: &str) -> UserState {
        UserState { focus: focus.to_owned(), active: "7".to_owned(), pointer: String::new() }
    }

    #[test]
    fn changed_focus_is_an_error_with_both_windows() {
        assert!(state("7").must_equal(&state("7")).is_ok());
        let error = state("8").must_equal(&state("7")).unwrap_err().to_string();
        assert!(error.contains("focus: \"7\"") && error.contains("focus: \"8\""), "{error}");
    }

    #[test]
    fn pointer_position_has_no_window() {
        assert_eq!(pointer_position("x:640 y:400 screen:0 window:123"), "x:640 y:400");
    }
}
