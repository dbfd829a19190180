//! Scripts: languages, interpreters and the checks before a script runs.

mod check;
mod syntax_error;

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_model::{Advice, Explain, clean::clean};
use deskhand_run::operation::{ProgramStep, Work};
use schemars::JsonSchema;
use serde::Deserialize;

use self::syntax_error::{SyntaxChecker, SyntaxError};
use crate::elicitation::questions::MAX_SCRIPT_CHARS;

pub use self::check::check_syntax;

/// The language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScriptLanguage {
    /// AppleScript.
    AppleScript,
    /// JavaScript for Automation, on macOS.
    Jxa,
    /// A POSIX shell script.
    Shell,
    /// JavaScript.
    JavaScript,
}

impl ScriptLanguage {
    const ALL: [Self; 4] = [Self::AppleScript, Self::Jxa, Self::Shell, Self::JavaScript];

    /// Returns the name of the language.
    pub fn word(self) -> &'static str {
        match self {
            Self::AppleScript => "applescript",
            Self::Jxa => "jxa",
            Self::Shell => "shell",
            Self::JavaScript => "javascript",
        }
    }

    /// Returns the interpreters of the language, in order of preference.
    fn interpreters(self) -> &'static [Interpreter] {
        const APPLESCRIPT: Interpreter = Interpreter {
            program: "osascript",
            before: &["-l", "AppleScript", "-e"],
            checker: SyntaxChecker::Osa("AppleScript"),
        };
        const AUTOMATION: Interpreter = Interpreter {
            program: "osascript",
            before: &["-l", "JavaScript", "-e"],
            checker: SyntaxChecker::Osa("JavaScript"),
        };
        const SHELL: Interpreter =
            Interpreter { program: "sh", before: &["-c"], checker: SyntaxChecker::Shell };
        const GJS: Interpreter =
            Interpreter { program: "gjs", before: &["-c"], checker: SyntaxChecker::Gjs };
        match self {
            Self::AppleScript => &[APPLESCRIPT],
            Self::Jxa => &[AUTOMATION],
            Self::Shell => &[SHELL],
            Self::JavaScript => &[GJS, AUTOMATION],
        }
    }
}

/// A program that runs scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpreter {
    /// The name of the program.
    program: &'static str,
    /// The arguments before the script.
    before: &'static [&'static str],
    /// The checker for its syntax.
    checker: SyntaxChecker,
}

/// The reason why a script does not run.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// No interpreter of the language is installed.
    #[error("no interpreter for {wanted} is installed")]
    NoLanguage {
        /// The requested language.
        wanted: &'static str,
        /// The available languages.
        available: Vec<&'static str>,
    },
    /// The script is too long for a review.
    #[error("the script has {length} characters, too many for a review")]
    TooLong {
        /// The number of characters.
        length: usize,
    },
    /// The script contains invisible characters, so a user would read something else than what
    /// runs.
    #[error("the script has invisible characters")]
    InvisibleCharacters,
    /// The script has a syntax error.
    #[error("the script has a syntax error: {0}")]
    Syntax(SyntaxError),
    /// The script was refused.
    #[error("the script was not run: {why}")]
    Declined {
        /// The reason.
        why: String,
        /// An alternative for the caller.
        next: Option<String>,
    },
}

impl Explain for ScriptError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoLanguage { .. } => "unimplemented",
            Self::TooLong { .. } | Self::InvisibleCharacters | Self::Syntax(_) => {
                "invalid_parameter"
            }
            Self::Declined { .. } => "consent_required",
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(Advice::from(match self {
            Self::NoLanguage { available, .. } => format!("available: {}", available.join(", ")),
            Self::TooLong { .. } => format!("use at most {MAX_SCRIPT_CHARS} characters"),
            Self::InvisibleCharacters => {
                "remove control characters and marks that change the text direction".to_owned()
            }
            Self::Syntax(_) => {
                "correct it and call again; it was not run, and the user was not asked".to_owned()
            }
            Self::Declined { next, .. } => {
                next.clone().unwrap_or_else(|| "do something else, or ask the user why".to_owned())
            }
        }))
    }
}

/// Returns the requested language, or the default one of the system, with its interpreter.
pub fn choose_language(
    wanted: Option<ScriptLanguage>,
) -> Result<(ScriptLanguage, Interpreter), ScriptError> {
    let found = |one: ScriptLanguage| interpreter(one).map(|interpreter| (one, interpreter));
    let available = || ScriptLanguage::ALL.into_iter().filter_map(found);
    match wanted {
        Some(wanted) => found(wanted).ok_or_else(|| ScriptError::NoLanguage {
            wanted: wanted.word(),
            available: available().map(|(one, _)| one.word()).collect(),
        }),
        None => available().next().ok_or(ScriptError::NoLanguage {
            wanted: ScriptLanguage::Shell.word(),
            available: Vec::new(),
        }),
    }
}

/// Checks that a user can read the script exactly as it runs.
pub fn check_reviewable(script: &str) -> Result<(), ScriptError> {
    let length = script.chars().count();
    if length > MAX_SCRIPT_CHARS {
        return Err(ScriptError::TooLong { length });
    }
    if clean(script, &mut |_| {}) != script {
        return Err(ScriptError::InvisibleCharacters);
    }
    Ok(())
}

/// Returns the work that runs a script.
pub fn build_work(language: ScriptLanguage, interpreter: Interpreter, script: String) -> Work {
    if language == ScriptLanguage::Shell {
        return Work::Shell { script, folder: PathBuf::new() };
    }
    let before = interpreter.before.iter().map(|&word| word.to_owned());
    Work::Steps(vec![ProgramStep {
        title: language.word().to_owned(),
        program: interpreter.program.to_owned(),
        arguments: before.chain([script]).collect(),
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }])
}

/// Returns the installed interpreter of a language.
fn interpreter(language: ScriptLanguage) -> Option<Interpreter> {
    language.interpreters().iter().copied().find(|one| is_installed(one.program))
}

/// Returns `true` if a program is in `PATH`.
fn is_installed(name: &str) -> bool {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_with_invisible_characters_are_refused() {
        for good in ["echo hi", "a\n\tb", "# Grüße 👩\u{200d}🔬", ""] {
            assert!(check_reviewable(good).is_ok(), "{good}");
        }
        for bad in ["a\u{1b}[2Kb", "a\u{202e}b", "a\u{200b}b", "a\0b"] {
            assert!(
                matches!(check_reviewable(bad), Err(ScriptError::InvisibleCharacters)),
                "{bad:?}"
            );
        }
        let long = "x".repeat(MAX_SCRIPT_CHARS + 1);
        assert!(matches!(check_reviewable(&long), Err(ScriptError::TooLong { .. })));
    }

    #[test]
    fn a_missing_language_is_refused_with_the_available_ones() {
        let of = |wanted| choose_language(wanted).ok().map(|(language, _)| language);
        assert_eq!(of(Some(ScriptLanguage::Shell)), Some(ScriptLanguage::Shell));
        if is_installed("osascript") {
            return;
        }
        assert_eq!(of(None), Some(ScriptLanguage::Shell));
        let refused = choose_language(Some(ScriptLanguage::AppleScript)).unwrap_err();
        assert_eq!(refused.code(), "unimplemented");
        let advice = format!("{:?}", refused.advice());
        assert!(advice.contains("available: shell"), "{advice}");
    }
}
