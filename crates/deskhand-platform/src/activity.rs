//! The activity of a program, as the operating system sees it.

use std::time::Duration;

/// The activity of all threads and processes of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramActivity {
    /// A thread computes, or it waits for something that may come at any time, such as a reply over
    /// the network.
    Busy,
    /// Every thread waits for an event of the desktop, or for one of these timers.
    Waiting {
        /// The timer of the main loop. Whenever the main loop has answered a call, it starts a new
        /// wait, and the timer is exact.
        main_timer: Option<Duration>,
        /// The shortest timer of all other threads. A part of it may have passed already.
        other_timer: Option<Duration>,
    },
}
