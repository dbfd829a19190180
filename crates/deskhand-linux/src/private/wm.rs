//! The window manager of a desktop.

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask};
use x11rb::rust_connection::RustConnection;

use super::components::ComponentStarter;
use super::ending;
use super::error::Result;
use super::info::ComponentKind;
use super::programs::Programs;
use super::timing::START_TIMEOUT;

/// The configuration. It binds no keys, so that all keys reach the program; the mouse works as
/// usual.
const CONFIG: &str = include_str!("openbox.xml");

/// Starts the window manager and waits until it manages the screen.
pub(super) fn start(
    starter: &ComponentStarter<'_>,
    programs: &Programs,
    display: &str,
    connection: &RustConnection,
) -> Result<()> {
    let dir = starter.dir();
    let program = &programs.openbox;
    let config = dir.wm_config();
    dir.write(&config, CONFIG.as_bytes())?;
    let config = config.display().to_string();
    let fail = |error: ReplyError| starter.failed(program, &error.to_string());
    let check = watch_root_properties(connection).map_err(fail)?;
    let arguments = ["--config-file", &config, "--sm-disable"];
    let started =
        starter.start(ComponentKind::WindowManager, program, &arguments, Some(display))?;
    let Some(handle) = ending::open_pidfd(started.process.pid)? else {
        return Err(starter.failed(program, "it ended"));
    };
    let deadline = Instant::now() + START_TIMEOUT;
    while !is_managing(connection, check).map_err(fail)? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(starter.failed(program, "it was not ready after 10 s"));
        }
        let timeout = Timespec::try_from(left).ok();
        let mut watched =
            [PollFd::new(connection.stream(), PollFlags::IN), PollFd::new(&handle, PollFlags::IN)];
        // An interrupted poll is repeated.
        let _ = poll(&mut watched, timeout.as_ref());
        if !watched[1].revents().is_empty() {
            return Err(starter.failed(program, "it ended"));
        }
    }
    Ok(())
}

/// Subscribes to property changes of the root window, and returns the atom that shows a running
/// manager.
fn watch_root_properties(connection: &RustConnection) -> Result<u32, ReplyError> {
    let root = connection.setup().roots[0].root;
    let events = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(root, &events)?.check()?;
    Ok(connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom)
}

fn is_managing(connection: &RustConnection, check: u32) -> Result<bool, ReplyError> {
    let root = connection.setup().roots[0].root;
    let property = connection.get_property(false, root, check, AtomEnum::WINDOW, 0, 1)?.reply()?;
    // The reply is newer than the events received before it.
    while connection.poll_for_event()?.is_some() {}
    Ok(property.value_len > 0)
}
