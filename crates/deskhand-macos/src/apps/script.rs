//! The programs of macOS that run scripts.

use std::path::{Path, PathBuf};

use deskhand_platform::{FileOf, FirstLine, Interpreters, Sure};

/// Programs that run others written as text, or packed into a file.
const INTERPRETERS: Interpreters = Interpreters {
    names: &[
        "bash",
        "bun",
        "dash",
        "deno",
        "dotnet",
        "electron",
        "expect",
        "fish",
        "java",
        "ksh",
        "lua",
        "mono",
        "mono-sgen",
        "node",
        "osascript",
        "perl",
        "php",
        "pypy",
        "python",
        "ruby",
        "sh",
        "swift",
        "tclsh",
        "wish",
        "zsh",
    ],
    first_line: FirstLine::EachWord,
};

/// The name interpreters are known by: Python's own program is called `Python`.
fn known_as(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The scripts a command line names, if the program of this name is an interpreter.
pub(super) fn of(name: &str, words: &[String], folder: Option<&Path>) -> Vec<(PathBuf, Sure)> {
    INTERPRETERS.scripts(&known_as(name), words, folder)
}

/// What tells a program of this name and these files from every other one.
pub(super) fn key(name: &str, files: &[FileOf]) -> Option<String> {
    INTERPRETERS.key(&known_as(name), files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_known_whatever_the_case_of_its_name() {
        for name in ["python3.12", "Python", "sh", "osascript", "ruby", "swift"] {
            assert!(INTERPRETERS.has(&known_as(name)), "{name}");
        }
        for name in ["TextEdit", "Shortcuts", "pythonista", "SwiftUI"] {
            assert!(!INTERPRETERS.has(&known_as(name)), "{name}");
        }
    }
}
