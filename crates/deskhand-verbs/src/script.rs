//! Scripts: what they can be written in, and what keeps one from being run.

mod check;
mod complaint;

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_model::{Explain, clean::clean};
use deskhand_run::operation::{Step, Work};
use schemars::JsonSchema;
use serde::Deserialize;

use self::complaint::{Complaint, Reads};
use crate::questions::LONGEST_SCRIPT;

pub use self::check::check;

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    AppleScript,
    Jxa,
    Shell,
    JavaScript,
}

impl Language {
    const ALL: [Self; 4] = [Self::AppleScript, Self::Jxa, Self::Shell, Self::JavaScript];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::AppleScript => "applescript",
            Self::Jxa => "jxa",
            Self::Shell => "shell",
            Self::JavaScript => "javascript",
        }
    }

    /// What can run it; any of these will do.
    fn runners(self) -> &'static [Runner] {
        const APPLESCRIPT: Runner = Runner {
            program: "osascript",
            before: &["-l", "AppleScript", "-e"],
            reads: Reads::Osa("AppleScript"),
        };
        const AUTOMATION: Runner = Runner {
            program: "osascript",
            before: &["-l", "JavaScript", "-e"],
            reads: Reads::Osa("JavaScript"),
        };
        const SHELL: Runner = Runner { program: "sh", before: &["-c"], reads: Reads::Shell };
        const GJS: Runner = Runner { program: "gjs", before: &["-c"], reads: Reads::Gjs };
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
pub struct Runner {
    /// Its name.
    program: &'static str,
    /// What it is given before the script.
    before: &'static [&'static str],
    /// Who finds out beforehand whether it could.
    reads: Reads,
}

/// Why a script is not run.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Nothing here runs the language.
    #[error("nothing here runs {wanted}")]
    NoLanguage {
        /// What was asked for.
        wanted: &'static str,
        /// What there is.
        available: Vec<&'static str>,
    },
    /// A person could not read all of it.
    #[error("the script has {length} characters, more than a person can review")]
    TooLong {
        /// How many.
        length: usize,
    },
    /// A person would read something else than what runs.
    #[error("the script has characters that cannot be seen")]
    Unseen,
    /// It is no script of its language.
    #[error("the script cannot be read: {complaint}")]
    Unreadable {
        /// What is wrong, and where.
        complaint: Complaint,
    },
    /// It may not run.
    #[error("the script was not run: {why}")]
    Declined {
        /// Why.
        why: String,
        /// What to do instead.
        next: Option<String>,
    },
}

impl Explain for Refused {
    fn code(&self) -> &'static str {
        match self {
            Self::NoLanguage { .. } => "unimplemented",
            Self::TooLong { .. } | Self::Unseen | Self::Unreadable { .. } => "invalid_parameter",
            Self::Declined { .. } => "consent_required",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoLanguage { available, .. } => format!("there is: {}", available.join(", ")),
            Self::TooLong { .. } => format!("keep it below {LONGEST_SCRIPT} characters"),
            Self::Unseen => {
                "write it without control characters and marks that change the direction".to_owned()
            }
            Self::Unreadable { .. } => {
                "correct it and call again; nothing of it was run and nobody was asked".to_owned()
            }
            Self::Declined { next, .. } => next
                .clone()
                .unwrap_or_else(|| "do something else, or ask the person why".to_owned()),
        })
    }
}

/// The language of a script, the one asked for or the system's own, and what runs it.
pub fn language(wanted: Option<Language>) -> Result<(Language, Runner), Refused> {
    let found = |one: Language| runner(one).map(|runner| (one, runner));
    let available = || Language::ALL.into_iter().filter_map(found);
    match wanted {
        Some(wanted) => found(wanted).ok_or_else(|| Refused::NoLanguage {
            wanted: wanted.word(),
            available: available().map(|(one, _)| one.word()).collect(),
        }),
        None => available()
            .next()
            .ok_or(Refused::NoLanguage { wanted: Language::Shell.word(), available: Vec::new() }),
    }
}

/// Whether what a person would read is what would run.
pub fn reviewable(script: &str) -> Result<(), Refused> {
    let length = script.chars().count();
    if length > LONGEST_SCRIPT {
        return Err(Refused::TooLong { length });
    }
    if clean(script, &mut |_| {}) != script {
        return Err(Refused::Unseen);
    }
    Ok(())
}

/// What is to be run for a script.
pub fn work(language: Language, runner: Runner, script: String) -> Work {
    if language == Language::Shell {
        return Work::Shell { script, folder: PathBuf::new() };
    }
    let before = runner.before.iter().map(|&word| word.to_owned());
    Work::Steps(vec![Step {
        title: language.word().to_owned(),
        program: runner.program.to_owned(),
        arguments: before.chain([script]).collect(),
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }])
}

/// What runs a language here.
fn runner(language: Language) -> Option<Runner> {
    language.runners().iter().copied().find(|one| is_installed(one.program))
}

/// Whether there is a program of a name where commands look for them.
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
    fn a_script_runs_only_as_a_person_would_read_it() {
        for good in ["echo hi", "a\n\tb", "# Grüße 👩\u{200d}🔬", ""] {
            assert!(reviewable(good).is_ok(), "{good}");
        }
        for bad in ["a\u{1b}[2Kb", "a\u{202e}b", "a\u{200b}b", "a\0b"] {
            assert!(matches!(reviewable(bad), Err(Refused::Unseen)), "{bad:?}");
        }
        let long = "x".repeat(LONGEST_SCRIPT + 1);
        assert!(matches!(reviewable(&long), Err(Refused::TooLong { .. })));
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        let of = |wanted| language(wanted).ok().map(|(language, _)| language);
        assert_eq!(of(Some(Language::Shell)), Some(Language::Shell));
        if is_installed("osascript") {
            return;
        }
        assert_eq!(of(None), Some(Language::Shell));
        let refused = language(Some(Language::AppleScript)).unwrap_err();
        assert_eq!(refused.code(), "unimplemented");
        assert!(refused.hint().is_some_and(|hint| hint.starts_with("there is: shell")));
    }
}
