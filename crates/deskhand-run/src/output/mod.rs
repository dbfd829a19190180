//! What programs print: kept within bounds, read page by page.

mod page;
mod shelf;
mod store;
mod text;

pub use page::{Excerpt, Page, Part, Start};
pub(crate) use shelf::Shelf;
pub(crate) use store::Store;
pub(crate) use text::{After, decoded};

/// How much of an operation's output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of its beginning kept in memory.
    pub head: usize,
    /// Bytes of its end kept in memory.
    pub tail: usize,
    /// Bytes kept on disk, from the beginning on, once memory does not hold all of it; 0 keeps none there.
    pub whole: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { head: 64 << 10, tail: 64 << 10, whole: 64 << 20 }
    }
}
