//! Pictures: cut, masked, scaled, marked and encode_within in a format, within a number of bytes. Pure:
//! pixels in, bytes out. Where pixels come from is no business of this crate.

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
