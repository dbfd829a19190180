//! The output of programs: stored within limits, read page by page.

mod decode;
mod page;
mod spill_folder;
mod store;

pub(crate) use decode::{Remaining, decode};
pub use page::{Excerpt, OutputPage, PageRequest, PageStart};
pub(crate) use spill_folder::SpillFolder;
pub(crate) use store::OutputStore;

/// The amount of output to keep of one operation, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// The beginning of the output, in memory.
    pub head: usize,
    /// The end of the output, in memory.
    pub tail: usize,
    /// The beginning of the output, on disk, if it does not fit into memory. 0 disables storage on disk.
    pub disk: u64,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { head: 64 << 10, tail: 64 << 10, disk: 64 << 20 }
    }
}
