//! Interactive terminals: `terminal_start`, `terminal_send`, `terminal_read`, `terminal_resize` and
//! `terminal_close`.

mod close;
mod read;
mod resize;
mod seen;
mod send;
mod start;

use crate::Entry;

/// Returns the terminal tools.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::of::<start::Start>(),
        Entry::of::<send::Send>(),
        Entry::of::<read::Read>(),
        Entry::of::<resize::Resize>(),
        Entry::of::<close::Close>(),
    ]
}
