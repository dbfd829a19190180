//! What can be wrong with settings.

use deskhand_engine::Spot;
use deskhand_model::Explain;

/// A setting that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// A flag or a variable has a value that means nothing.
    #[error("{what} is not understood")]
    Unfit {
        /// The flag or variable with its value.
        what: String,
        /// What it takes.
        takes: &'static str,
    },
    /// A secret has a value that means nothing; it is not repeated.
    #[error("{name} does not hold {takes}")]
    UnfitSecret {
        /// The variable.
        name: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// The file has a key there is not.
    #[error("{file}:{spot}: there is no setting `{key}`")]
    Unknown {
        /// The file.
        file: String,
        /// Where in it.
        spot: Spot,
        /// The key.
        key: String,
        /// The key that may be meant.
        near: Option<&'static str>,
    },
    /// The file has a value that means nothing.
    #[error("{file}:{spot}: `{key}` cannot be {value}")]
    Wrong {
        /// The file.
        file: String,
        /// Where in it.
        spot: Spot,
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What it takes.
        takes: &'static str,
    },
    /// The file has a secret in it.
    #[error("{file}:{spot}: `{key}` is a secret, and secrets are not read from files")]
    Secret {
        /// The file.
        file: String,
        /// Where in it.
        spot: Spot,
        /// The key.
        key: String,
        /// The variable it belongs into, where it is known.
        variable: Option<&'static str>,
    },
    /// The file has something that only a variable can set.
    #[error("{file}:{spot}: `{key}` says where this file is, so it cannot stand in it")]
    Elsewhere {
        /// The file.
        file: String,
        /// Where in it.
        spot: Spot,
        /// The key.
        key: &'static str,
        /// The variable it belongs into.
        variable: &'static str,
    },
    /// The file is no TOML.
    #[error("{file}:{spot}: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// Where in it.
        spot: Spot,
        /// What is wrong there.
        why: String,
    },
    /// The file cannot be read.
    #[error("{file} cannot be read: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        why: String,
    },
    /// Others than the person can change the file.
    #[error("{file} is not trusted: {why}")]
    Unsafe {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two settings that go together do not.
    #[error("{one} is set and {other} is not")]
    Half {
        /// The one that is set.
        one: &'static str,
        /// The one that is missing.
        other: &'static str,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unfit { .. } | Self::UnfitSecret { .. } | Self::Half { .. } => {
                "invalid_parameter"
            }
            Self::Unknown { .. }
            | Self::Wrong { .. }
            | Self::Secret { .. }
            | Self::Elsewhere { .. }
            | Self::Syntax { .. } => "config_invalid",
            Self::Unreadable { .. } => "config_unreadable",
            Self::Unsafe { .. } => "config_unsafe",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unfit { takes, .. }
            | Self::UnfitSecret { takes, .. }
            | Self::Wrong { takes, .. } => Some(format!("give {takes}")),
            Self::Unknown { near: Some(near), .. } => Some(format!("`{near}` may be meant")),
            Self::Unknown { near: None, .. } => {
                Some("`deskhand config show` lists the settings there are".to_owned())
            }
            Self::Secret { variable: Some(variable), .. } => {
                Some(format!("take it out of the file and set the variable {variable}"))
            }
            Self::Secret { variable: None, .. } => {
                Some("take it out of the file; secrets are set by variables".to_owned())
            }
            Self::Elsewhere { variable, .. } => Some(format!("set the variable {variable}")),
            Self::Syntax { .. } => Some("write section.key = value as TOML has it".to_owned()),
            Self::Unreadable { .. } => None,
            Self::Unsafe { file, .. } => Some(format!("make it yours alone: chmod 600 {file}")),
            Self::Half { other, .. } => Some(format!("set {other} as well")),
        }
    }
}
