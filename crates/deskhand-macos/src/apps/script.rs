//! The script interpreters of macOS.

use std::path::{Path, PathBuf};

use deskhand_platform::{Certainty, Interpreters, ProgramFile, ShebangArguments};

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
    shebang: ShebangArguments::Split,
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
) -> Vec<(PathBuf, Certainty)> {
    INTERPRETERS.scripts(&normalized(name), words, folder)
}

/// The key that identifies a program with these files.
pub(super) fn key(name: &str, files: &[ProgramFile]) -> Option<String> {
    INTERPRETERS.program_key(&normalized(name), files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_recognised_in_any_case() {
        for name in ["python3.12", "Python", "sh", "osascript", "ruby", "swift"] {
            assert!(INTERPRETERS.contains(&normalized(name)), "{name}");
        }
        for name in ["TextEdit", "Shortcuts", "pythonista", "SwiftUI"] {
            assert!(!INTERPRETERS.contains(&normalized(name)), "{name}");
        }
    }
}
