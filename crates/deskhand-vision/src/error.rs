//! The errors of this crate.

use deskhand_model::{Advice, Explain, Step};

/// The result of an operation on a picture.
pub type Result<T> = std::result::Result<T, Error>;

/// An error while processing a picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The number of bytes does not match the size in pixels.
    #[error("{bytes} bytes do not match a picture of {width}x{height} pixels")]
    SizeMismatch {
        /// The number of bytes.
        bytes: usize,
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// The picture exceeds the byte limit even at its smallest size.
    #[error(
        "the picture takes {bytes} bytes even at {width}x{height} pixels; the limit is {max_bytes}"
    )]
    TooManyBytes {
        /// The width of the smallest size that was tried.
        width: u32,
        /// The height of the smallest size that was tried.
        height: u32,
        /// The file size at that size.
        bytes: usize,
        /// The maximum file size.
        max_bytes: usize,
    },
    /// The picture could not be encoded.
    #[error("cannot encode the picture as {format}: {why}")]
    Codec {
        /// The name of the format.
        format: &'static str,
        /// The message of the codec.
        why: String,
    },
    /// The picture could not be scaled.
    #[error("cannot scale the picture to {width}x{height} pixels: {why}")]
    Scale {
        /// The requested width in pixels.
        width: u32,
        /// The requested height in pixels.
        height: u32,
        /// The reason.
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

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::SizeMismatch { .. } | Self::Scale { .. } => {
                "this is a bug: please report it with the command you ran".into()
            }
            Self::TooManyBytes { .. } => Advice::from("raise ")
                .step(Step::Argument("max_bytes"))
                .text(", or capture a smaller region"),
            Self::Codec { .. } => Advice::from("try ")
                .step(Step::Argument("format"))
                .text(" png, or capture a smaller region"),
        })
    }
}
