//! Errors in settings: flags, environment variables and the configuration file.

use deskhand_engine::TextPosition;
use deskhand_model::{Advice, Explain};

use crate::trusted_file::TrustError;

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A flag or an environment variable has an invalid value.
    #[error("invalid value: {given}")]
    InvalidValue {
        /// The flag or variable with its value.
        given: String,
        /// A description of the accepted values.
        expects: &'static str,
    },
    /// A secret has an invalid value. The message does not repeat it.
    #[error("the value of {variable} is not {expects}")]
    InvalidSecret {
        /// The environment variable.
        variable: &'static str,
        /// A description of the accepted values.
        expects: &'static str,
    },
    /// The file has an unknown key.
    #[error("{file}:{position}: unknown setting `{key}`")]
    UnknownKey {
        /// The file.
        file: String,
        /// The position of the key.
        position: TextPosition,
        /// The key.
        key: String,
        /// A known key with a similar name.
        similar: Option<&'static str>,
    },
    /// A key in the file has an invalid value.
    #[error("{file}:{position}: invalid value for `{key}`: {value}")]
    InvalidFileValue {
        /// The file.
        file: String,
        /// The position of the value.
        position: TextPosition,
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// A description of the accepted values.
        expects: &'static str,
    },
    /// The file contains a secret.
    #[error("{file}:{position}: `{key}` is a secret, and secrets are not read from files")]
    SecretInFile {
        /// The file.
        file: String,
        /// The position of the key.
        position: TextPosition,
        /// The key.
        key: String,
        /// The environment variable that sets it, if the key is known.
        variable: Option<&'static str>,
    },
    /// The file contains a setting that only an environment variable can set.
    #[error("{file}:{position}: `{key}` can only be set by an environment variable")]
    VariableOnly {
        /// The file.
        file: String,
        /// The position of the key.
        position: TextPosition,
        /// The key.
        key: &'static str,
        /// The environment variable.
        variable: &'static str,
    },
    /// The file is not valid TOML.
    #[error("{file}:{position}: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// The position of the error.
        position: TextPosition,
        /// The parser's message.
        reason: String,
    },
    /// The file cannot be read, or another user can change it.
    #[error(transparent)]
    File(#[from] TrustError),
    /// A setting is set without another one that it needs.
    #[error("{set} is set, but {missing} is not")]
    Incomplete {
        /// The setting that is set.
        set: &'static str,
        /// The setting that is missing.
        missing: &'static str,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::InvalidValue { .. } | Self::InvalidSecret { .. } | Self::Incomplete { .. } => {
                "invalid_parameter"
            }
            Self::UnknownKey { .. }
            | Self::InvalidFileValue { .. }
            | Self::SecretInFile { .. }
            | Self::VariableOnly { .. }
            | Self::Syntax { .. } => "config_invalid",
            Self::File(error) => error.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::InvalidValue { expects, .. }
            | Self::InvalidSecret { expects, .. }
            | Self::InvalidFileValue { expects, .. } => Some(format!("expected {expects}").into()),
            Self::UnknownKey { similar: Some(similar), .. } => {
                Some(format!("did you mean `{similar}`?").into())
            }
            Self::UnknownKey { similar: None, .. } => {
                Some("`deskhand config show` lists all settings".into())
            }
            Self::SecretInFile { variable: Some(variable), .. } => {
                Some(format!("remove it from the file and set {variable}").into())
            }
            Self::SecretInFile { variable: None, .. } => {
                Some("remove it from the file; set secrets with environment variables".into())
            }
            Self::VariableOnly { variable, .. } => {
                Some(format!("remove it from the file and set {variable}").into())
            }
            Self::Syntax { .. } => Some("write settings as TOML: section.key = value".into()),
            Self::File(error) => error.advice(),
            Self::Incomplete { missing, .. } => Some(format!("set {missing} as well").into()),
        }
    }
}
