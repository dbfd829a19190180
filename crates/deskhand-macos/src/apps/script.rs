//! The script interpreters of macOS.

use std::path::{Path, PathBuf};

use deskhand_platform::{FileOf, FirstLine, Interpreters, Sure};

/// Programs that run scripts or packed programs.
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

/// The name of an interpreter in lower case: the executable of Python is called `Python`.
fn normalized(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The scripts that a command line names, if the program is an interpreter.
pub(super) fn scripts_of(
    name: &str,
    words: &[String],
    folder: Option<&Path>,
) -> Vec<(PathBuf, Sure)> {
    INTERPRETERS.scripts(&normalized(name), words, folder)
}

/// The key that identifies a program with these files.
pub(super) fn key(name: &str, files: &[FileOf]) -> Option<String> {
    INTERPRETERS.key(&normalized(name), files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_recognised_in_any_case() {
        for name in ["python3.12", "Python", "sh", "osascript", "ruby", "swift"] {
            assert!(INTERPRETERS.has(&normalized(name)), "{name}");
        }
        for name in ["TextEdit", "Shortcuts", "pythonista", "SwiftUI"] {
            assert!(!INTERPRETERS.has(&normalized(name)), "{name}");
        }
    }
}
