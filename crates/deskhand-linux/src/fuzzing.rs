//! What fuzzing reaches of this crate: one function a parser. Each takes any bytes and panics when a
//! promise is broken.

pub use crate::apps::fuzzing::desktop_file;
