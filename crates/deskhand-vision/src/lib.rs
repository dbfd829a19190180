//! Pictures: cut, masked, scaled, marked and written in a format, within a number of bytes. Pure:
//! pixels in, bytes out. Where pixels come from is no business of this crate.

mod canvas;
mod encode;
mod error;
mod fit;
mod font;
mod marks;
mod picture;

pub use canvas::{Canvas, Colour};
pub use encode::{Coding, Effort, Format, encode};
pub use error::{Error, Result};
pub use fit::{Fitted, Limits, Reduction, Wish, fit};
pub use marks::{Mark, draw};
pub use picture::Picture;
