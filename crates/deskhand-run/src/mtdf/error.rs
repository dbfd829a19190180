//! Why a call of a tool from a file was refused before anything ran.

use std::{io, path::PathBuf};

use deskhand_model::Explain;

use super::source::short;

/// Why a call was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Arguments that are no object.
    #[error("the arguments must be an object of names and values")]
    NotAnObject,
    /// An argument the tool does not take.
    #[error("`{tool}` takes no argument `{}`", short(name))]
    Unknown {
        /// The tool.
        tool: String,
        /// The argument.
        name: String,
        /// What may have been meant.
        near: Option<String>,
        /// All it takes.
        known: Vec<String>,
    },
    /// An argument that must be given.
    #[error("`{tool}` needs `{name}`")]
    Missing {
        /// The tool.
        tool: String,
        /// The argument.
        name: String,
    },
    /// A value of another kind.
    #[error("`{name}` must be {wanted}")]
    WrongType {
        /// The argument.
        name: String,
        /// What it must be.
        wanted: String,
    },
    /// A value that is none of those allowed.
    #[error("`{name}` cannot be `{}`", short(value))]
    NotAChoice {
        /// The argument.
        name: String,
        /// Its value.
        value: String,
        /// What is allowed.
        choices: Vec<String>,
    },
    /// A value the program would take for an option.
    #[error(
        "`{name}` begins with `-`, and the program would take it for an option: `{}`",
        short(value)
    )]
    LooksLikeOption {
        /// The argument.
        name: String,
        /// Its value.
        value: String,
    },
    /// A value that cannot be part of a command line.
    #[error("`{name}` holds a zero byte, which no command line can")]
    ZeroByte {
        /// The argument.
        name: String,
    },
    /// A path that leaves the scope.
    #[error("`{name}` leaves the scope: `{}`", short(path))]
    Outside {
        /// The argument.
        name: String,
        /// The path as it was given.
        path: String,
        /// The scope.
        scope: PathBuf,
    },
    /// A working directory that is none.
    #[error("`{}` is not a folder", short(path))]
    NoFolder {
        /// The path as it was given.
        path: String,
    },
    /// A scope that is not there.
    #[error("the scope {} cannot be used", scope.display())]
    Scope {
        /// The scope.
        scope: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file argument that could not be written.
    #[error("the file for `{name}` could not be written in {}", folder.display())]
    File {
        /// The argument.
        name: String,
        /// Where.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
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

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotAnObject => "pass {} when there are none".to_owned(),
            Self::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Unknown { known, .. } if known.is_empty() => "it takes none".to_owned(),
            Self::Unknown { known, .. } => format!("it takes {}", known.join(", ")),
            Self::Missing { name, .. } => format!("call it again with `{name}`"),
            Self::WrongType { name, .. } => format!("call it again with another `{name}`"),
            Self::NotAChoice { choices, .. } => format!("pass one of {}", choices.join(", ")),
            Self::LooksLikeOption { .. } => {
                "pass options by their own names; for a file of that name write ./ before it"
                    .to_owned()
            }
            Self::ZeroByte { .. } => "leave the zero byte out".to_owned(),
            Self::Outside { scope, .. } => {
                format!("stay inside {}; links that lead out of it do not help", scope.display())
            }
            Self::NoFolder { .. } => "name a folder inside the scope that exists".to_owned(),
            Self::Scope { source, .. } => format!("it says: {source}"),
            Self::File { source, .. } => format!("it says: {source}; make the scope writable"),
        })
    }
}
