//! Crops, masks, scales, annotates and encodes pictures within a size limit.
//!
//! This crate turns pixels into bytes and does no I/O.

mod canvas;
mod encode;
mod error;
mod fit;
mod font;
mod marks;
mod picture;

pub use canvas::{Canvas, Colour};
pub use encode::{Effort, EncodeOptions, ImageFormat, encode};
pub use error::{Error, Result};
pub use fit::{EncodedPicture, FitOptions, Limits, Reduction, fit};
pub use marks::{RefMark, draw_marks};
pub use picture::Picture;
