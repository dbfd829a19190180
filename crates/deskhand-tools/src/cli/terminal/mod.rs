//! Programs that ask: `terminal_start`, `terminal_send`, `terminal_read`, `terminal_resize` and
//! `terminal_close`.

mod close;
mod read;
mod resize;
mod seen;
mod send;
mod start;

use crate::Entry;

/// The tools of terminals.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::of::<start::Start>(),
        Entry::of::<send::Send>(),
        Entry::of::<read::Read>(),
        Entry::of::<resize::Resize>(),
        Entry::of::<close::Close>(),
    ]
}
