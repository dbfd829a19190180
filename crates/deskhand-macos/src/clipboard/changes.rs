//! Word of changes, by counting: pasteboards tell nobody when they change, and count each change.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{Changes, Deadline, Result};

use super::{Board, PASTEBOARD};
use crate::patience::within;

/// The pause between two looks at the count, which costs the pasteboard server next to nothing.
const PAUSE: Duration = Duration::from_millis(50);
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(2);

/// Watches the count of changes.
pub(super) struct Counted<G> {
    board: Arc<G>,
    seen: isize,
}

impl<G: Board> Counted<G> {
    /// Begins to watch: what is there now is no change.
    pub(super) fn begin(board: Arc<G>, by: Deadline) -> Result<Self> {
        let seen = count(&board, by)?;
        Ok(Self { board, seen })
    }
}

fn count<G: Board>(board: &Arc<G>, by: Deadline) -> Result<isize> {
    let board = Arc::clone(board);
    within(by, PASTEBOARD, move || Ok(board.count()))
}

impl<G: Board> Changes for Counted<G> {
    fn next(&mut self, wait: Duration) -> Result<bool> {
        let end = Deadline::after(wait);
        loop {
            let now = count(&self.board, Deadline::after(LOOK))?;
            if now != self.seen {
                self.seen = now;
                return Ok(true);
            }
            if end.passed() {
                return Ok(false);
            }
            std::thread::sleep(end.left().min(PAUSE));
        }
    }
}
