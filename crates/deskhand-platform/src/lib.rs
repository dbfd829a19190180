//! The seam between what every platform has and how one of them does it. Data crosses it, handles
//! do not: above nobody knows the operating system, below nobody knows a protocol.

mod deadline;
mod desktop;
mod error;
mod extent;

pub use deadline::Deadline;
pub use desktop::{Desktop, Display, Events, Screen, Tree, Windows};
pub use error::{Error, Result};
pub use extent::{Extent, Facets};
