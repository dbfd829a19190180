//! Errors of a call before anything runs.

use std::{io, path::PathBuf};

use deskhand_model::{Advice, Explain};

use super::source::shorten;

/// An error of a call to a tool from a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The arguments are not an object.
    #[error("the arguments must be an object of names and values")]
    NotAnObject,
    /// The tool has no such argument.
    #[error("`{tool}` takes no argument `{}`", shorten(name))]
    Unknown {
        /// The tool.
        tool: String,
        /// The argument.
        name: String,
        /// A similar name that the tool has.
        near: Option<String>,
        /// All names that the tool has.
        known: Vec<String>,
    },
    /// A required argument is missing.
    #[error("`{tool}` needs `{name}`")]
    Missing {
        /// The tool.
        tool: String,
        /// The argument.
        name: String,
    },
    /// The value has the wrong type.
    #[error("`{name}` must be {wanted}")]
    WrongType {
        /// The argument.
        name: String,
        /// The expected type.
        wanted: String,
    },
    /// The value is not one of the choices.
    #[error("`{name}` cannot be `{}`", shorten(value))]
    NotAChoice {
        /// The argument.
        name: String,
        /// Its value.
        value: String,
        /// The allowed values.
        choices: Vec<String>,
    },
    /// The program would take the value for an option.
    #[error(
        "`{name}` begins with `-`, and the program would take it for an option: `{}`",
        shorten(value)
    )]
    LooksLikeOption {
        /// The argument.
        name: String,
        /// Its value.
        value: String,
    },
    /// The value cannot be part of a command line.
    #[error("`{name}` contains a NUL byte, which a command line cannot")]
    ZeroByte {
        /// The argument.
        name: String,
    },
    /// The path leads out of the scope.
    #[error("`{name}` is outside the scope: `{}`", shorten(path))]
    Outside {
        /// The argument.
        name: String,
        /// The path as given.
        path: String,
        /// The scope.
        scope: PathBuf,
    },
    /// The working directory does not exist.
    #[error("`{}` is not a folder", shorten(path))]
    NoFolder {
        /// The path as given.
        path: String,
    },
    /// The scope cannot be used.
    #[error("the scope {} cannot be used", scope.display())]
    Scope {
        /// The scope.
        scope: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file argument could not be written.
    #[error("the file for `{name}` could not be written in {}", folder.display())]
    File {
        /// The argument.
        name: String,
        /// The folder of the file.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Returns how to correct the arguments.
    pub(crate) fn suggestion(&self) -> String {
        match self {
            Self::NotAnObject => "pass {} if there are none".to_owned(),
            Self::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Unknown { known, .. } if known.is_empty() => "it takes no arguments".to_owned(),
            Self::Unknown { known, .. } => format!("it takes {}", known.join(", ")),
            Self::Missing { name, .. } => format!("call it again with `{name}`"),
            Self::WrongType { name, .. } => {
                format!("call it again with another value for `{name}`")
            }
            Self::NotAChoice { choices, .. } => format!("pass one of {}", choices.join(", ")),
            Self::LooksLikeOption { .. } => {
                "pass options by their own names; write ./ before a file name that begins with `-`"
                    .to_owned()
            }
            Self::ZeroByte { .. } => "remove the NUL byte".to_owned(),
            Self::Outside { scope, .. } => {
                format!("choose a path inside {}; links must not lead out of it", scope.display())
            }
            Self::NoFolder { .. } => "name an existing folder inside the scope".to_owned(),
            Self::Scope { source, .. } => source.to_string(),
            Self::File { source, .. } => format!("{source}; make the scope writable"),
        }
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject
            | Self::Unknown { .. }
            | Self::Missing { .. }
            | Self::WrongType { .. }
            | Self::NotAChoice { .. }
            | Self::LooksLikeOption { .. }
            | Self::ZeroByte { .. }
            | Self::NoFolder { .. } => "invalid_parameter",
            Self::Outside { .. } => "outside_scope",
            Self::Scope { .. } => "invalid_scope",
            Self::File { .. } => "file_not_written",
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(self.suggestion().into())
    }
}
