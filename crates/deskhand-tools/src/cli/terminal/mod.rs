//! Interactive terminals: `terminal_start`, `terminal_send`, `terminal_read`, `terminal_resize` and
//! `terminal_close`.

mod close;
mod contents;
mod read;
mod resize;
mod send;
mod start;

use crate::{BuiltinTool, ToolEntry};

/// Returns the terminal tools.
pub(super) fn all() -> Vec<BuiltinTool> {
    vec![
        ToolEntry::builtin::<start::TerminalStart>(),
        ToolEntry::builtin::<send::TerminalSend>(),
        ToolEntry::builtin::<read::TerminalRead>(),
        ToolEntry::builtin::<resize::TerminalResize>(),
        ToolEntry::builtin::<close::TerminalClose>(),
    ]
}
