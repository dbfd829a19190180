//! Fuzzing entry points, one function for each parser. Each function accepts any bytes and panics
//! if the parser breaks an invariant.

pub use crate::apps::fuzzing::desktop_file;
