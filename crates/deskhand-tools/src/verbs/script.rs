//! Scripts: what they can be written in, and what keeps one from being run.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_model::{Explain, clean::clean};
use deskhand_run::operation::{Step, Work};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::questions::LONGEST_SCRIPT;

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    AppleScript,
    Jxa,
    Shell,
    JavaScript,
}

impl Language {
    const ALL: [Self; 4] = [Self::AppleScript, Self::Jxa, Self::Shell, Self::JavaScript];

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::AppleScript => "applescript",
            Self::Jxa => "jxa",
            Self::Shell => "shell",
            Self::JavaScript => "javascript",
        }
    }

    /// The programs that run it, with what they are given before the script; any of them will do.
    fn programs(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::AppleScript => &[("osascript", &["-l", "AppleScript", "-e"])],
            Self::Jxa => &[("osascript", &["-l", "JavaScript", "-e"])],
            Self::Shell => &[("sh", &["-c"])],
            Self::JavaScript => &[("gjs", &["-c"]), ("osascript", &["-l", "JavaScript", "-e"])],
        }
    }
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
            Self::TooLong { .. } | Self::Unseen => "invalid_parameter",
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
            Self::Declined { next, .. } => next
                .clone()
                .unwrap_or_else(|| "do something else, or ask the person why".to_owned()),
        })
    }
}

/// The language of a script: the one asked for, or the system's own.
pub(crate) fn language(wanted: Option<Language>) -> Result<Language, Refused> {
    let available = || Language::ALL.into_iter().filter(|one| program(*one).is_some());
    match wanted {
        Some(wanted) if program(wanted).is_some() => Ok(wanted),
        Some(wanted) => Err(Refused::NoLanguage {
            wanted: wanted.word(),
            available: available().map(Language::word).collect(),
        }),
        None => available()
            .next()
            .ok_or(Refused::NoLanguage { wanted: Language::Shell.word(), available: Vec::new() }),
    }
}

/// Whether what a person would read is what would run.
pub(crate) fn reviewable(script: &str) -> Result<(), Refused> {
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
pub(crate) fn work(language: Language, script: String) -> Work {
    if language == Language::Shell {
        return Work::Shell { script, folder: PathBuf::new() };
    }
    let (program, before) = program(language).unwrap_or(("sh", &["-c"]));
    let before = before.iter().map(|&word| word.to_owned());
    Work::Steps(vec![Step {
        title: language.word().to_owned(),
        program: program.to_owned(),
        arguments: before.chain([script]).collect(),
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    }])
}

/// The program that runs a language here.
fn program(language: Language) -> Option<(&'static str, &'static [&'static str])> {
    language.programs().iter().copied().find(|(name, _)| is_installed(name))
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
        assert_eq!(language(Some(Language::Shell)).ok(), Some(Language::Shell));
        if is_installed("osascript") {
            return;
        }
        assert_eq!(language(None).ok(), Some(Language::Shell));
        let refused = language(Some(Language::AppleScript)).unwrap_err();
        assert_eq!(refused.code(), "unimplemented");
        assert!(refused.hint().is_some_and(|hint| hint.starts_with("there is: shell")));
    }
}
