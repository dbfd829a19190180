//! Detects clipboard changes by polling the change count. The pasteboard sends no notifications.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{ClipboardChanges, Deadline, Result};

use super::{PASTEBOARD, PasteboardApi};
use crate::{
    blocking::run_with_deadline,
    timing::{PASTEBOARD_POLL_INTERVAL, PASTEBOARD_TIMEOUT},
};

/// Polls the change count of the pasteboard.
pub(super) struct ChangeCountPoller<S> {
    board: Arc<S>,
    last_count: isize,
}

impl<S: PasteboardApi> ChangeCountPoller<S> {
    /// Starts at the current content.
    pub(super) fn new(board: Arc<S>, deadline: Deadline) -> Result<Self> {
        let last_count = change_count(&board, deadline)?;
        Ok(Self { board, last_count })
    }
}

fn change_count<S: PasteboardApi>(board: &Arc<S>, deadline: Deadline) -> Result<isize> {
    let board = Arc::clone(board);
    run_with_deadline(deadline, PASTEBOARD, move || Ok(board.change_count()))
}

impl<S: PasteboardApi> ClipboardChanges for ChangeCountPoller<S> {
    fn next(&mut self, wait: Duration) -> Result<bool> {
        let deadline = Deadline::after(wait);
        loop {
            let count = change_count(&self.board, Deadline::after(PASTEBOARD_TIMEOUT))?;
            if count != self.last_count {
                self.last_count = count;
                return Ok(true);
            }
            if deadline.has_passed() {
                return Ok(false);
            }
            std::thread::sleep(deadline.remaining().min(PASTEBOARD_POLL_INTERVAL));
        }
    }
}
