//! Sends input only after the guard admits its receiver. Check and send happen under one server
//! grab, so no window can take the receiver's place in between.
//!
//! One gap remains: a window manager may hold back a button press to raise a window, and the server
//! then delivers the press to whatever window is there by that time.

use std::{cell::Cell, sync::Arc, time::Duration};

use deskhand_platform::{CancelToken, Error, InputGuard, OwnerQuery};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

use crate::{
    window,
    x11::{ServerGrab, X11Error, X11Result, XServer},
};
/// Number of attempts when the receiving window changes between check and send.
const MAX_ATTEMPTS: usize = 10;

/// Sends the input of one operation, after asking the guard.
pub(super) struct GuardedSender {
    /// The guard to ask, or `None` if all input is allowed.
    guard: Option<Arc<dyn InputGuard>>,
    /// The windows that received the last key; the guard has already admitted them.
    last_focus: Cell<Option<FocusedWindows>>,
    /// The token that cancels the operation.
    cancel: CancelToken,
}

impl GuardedSender {
    pub(super) fn new(guard: Option<Arc<dyn InputGuard>>, cancel: CancelToken) -> Self {
        Self { guard, last_focus: Cell::new(None), cancel }
    }

    /// Waits for `time`, or until the operation is cancelled.
    pub(super) fn wait(&self, time: Duration) {
        self.cancel.sleep(time);
    }

    /// Runs `send` if the guard admits the current receiver.
    pub(super) fn send<T>(
        &self,
        server: &XServer,
        to: OwnerQuery,
        send: impl FnOnce(&XServer) -> X11Result<T>,
    ) -> X11Result<T> {
        if !self.cancel.is_active() {
            return Err(X11Error::refused(Error::InputCancelled));
        }
        let Some(guard) = &self.guard else { return send(server) };
        for _ in 0..MAX_ATTEMPTS {
            let window_chain = window::window_chain(server, to)?;
            let owners = window::owners_of_chain(server, &window_chain)?;
            guard.check(&owners).map_err(X11Error::refused)?;
            let _grab = ServerGrab::acquire(server)?;
            if window::window_chain(server, to)? == window_chain {
                return send(server);
            }
        }
        Err(X11Error::refused(Error::Unsupported {
            what: "sending input".to_owned(),
            why: "the windows that would receive it keep changing".to_owned(),
        }))
    }

    /// Sends a key to the focused window. The guard is not asked again while the focus stays the
    /// same.
    pub(super) fn send_key(
        &self,
        server: &XServer,
        send: impl Fn(&XServer) -> X11Result<()>,
    ) -> X11Result<()> {
        if self.guard.is_some() && self.cancel.is_active() && self.last_focus.get().is_some() {
            let _grab = ServerGrab::acquire(server)?;
            if focused_windows(server)? == self.last_focus.get() {
                return send(server);
            }
        }
        self.send(server, OwnerQuery::Keyboard, |server| {
            if self.guard.is_some() {
                self.last_focus.set(focused_windows(server)?);
            }
            send(server)
        })
    }
}

/// The focused window, and its child under the pointer, which receives the keys.
type FocusedWindows = (Window, Window);

/// Returns the windows that receive keys, or `None` if that depends on the pointer position.
fn focused_windows(server: &XServer) -> X11Result<Option<FocusedWindows>> {
    let XServer { connection, root, .. } = server;
    let focus = connection.get_input_focus()?.reply()?.focus;
    // The values 0 and 1 mean no focus and focus that follows the pointer.
    if focus <= 1 || focus == *root {
        return Ok(None);
    }
    // The window may close at any time; then it no longer has the focus.
    let inside = connection.query_pointer(focus)?.reply();
    Ok(inside.ok().map(|at| (focus, at.child)))
}
