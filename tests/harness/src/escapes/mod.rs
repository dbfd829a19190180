//! Attempts to get out of the scope, made by commands of the real server and judged by what is outside:
//! files, listeners, the table of processes.

mod ears;
mod place;
mod play;
mod race;
pub mod rows;

pub use place::{Hold, Place};
pub use play::{Outside, Player, Verdict};
pub use rows::{Attempt, Control, Net, Seen};
