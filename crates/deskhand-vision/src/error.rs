//! What can go wrong with a picture.

use deskhand_model::Explain;

/// The result of work on a picture.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The number of bytes does not fit the size.
    #[error("{bytes} bytes are no picture of {width}x{height} pixels")]
    SizeMismatch {
        /// How many bytes there are.
        bytes: usize,
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// However small it is made, it takes more bytes than it may.
    #[error("even {width}x{height} pixels of it take {bytes} bytes; {most} are allowed")]
    TooManyBytes {
        /// The smallest size that was tried.
        width: u32,
        /// The smallest size that was tried.
        height: u32,
        /// What it takes.
        bytes: usize,
        /// What it may take.
        most: usize,
    },
    /// A codec refused it.
    #[error("it cannot be encode_within as {format}: {why}")]
    Codec {
        /// Which format.
        format: &'static str,
        /// What the codec says.
        why: String,
    },
    /// It cannot be scaled.
    #[error("it cannot be scaled to {width}x{height} pixels: {why}")]
    Scale {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
        /// What stands in the way.
        why: String,
    },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::SizeMismatch { .. } | Self::Scale { .. } => "internal",
            Self::TooManyBytes { .. } => "budget_too_small",
            Self::Codec { .. } => "unencodable",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::SizeMismatch { .. } | Self::Scale { .. } => {
                    "please report it with the command"
                }
                Self::TooManyBytes { .. } => {
                    "allow more with --max-bytes, or ask for a smaller region"
                }
                Self::Codec { .. } => "try --format png, or a smaller region",
            }
            .to_owned(),
        )
    }
}
