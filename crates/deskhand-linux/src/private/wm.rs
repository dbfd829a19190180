//! The window manager of a desktop, with a configuration of our own.

use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask};
use x11rb::rust_connection::RustConnection;

use super::crew::{Crew, PATIENCE};
use super::ending;
use super::error::Result;
use super::info::Part;
use super::programs::Programs;

/// No key is bound, so every key reaches the program; the mouse does what people expect.
const CONFIG: &str = include_str!("openbox.xml");

/// Starts the window manager and waits until it manages the screen.
pub(super) fn start(
    crew: &Crew<'_>,
    programs: &Programs,
    display: &str,
    connection: &RustConnection,
) -> Result<()> {
    let place = crew.place();
    let program = &programs.openbox;
    let config = place.wm_config();
    place.write(&config, CONFIG.as_bytes())?;
    let config = config.display().to_string();
    let fail = |error: ReplyError| crew.failed(program, &error.to_string());
    let check = watch(connection).map_err(fail)?;
    let arguments = ["--config-file", &config, "--sm-disable"];
    let started = crew.start(Part::WindowManager, program, &arguments, Some(display))?;
    let Some(handle) = ending::open(started.process.pid)? else {
        return Err(crew.failed(program, "it ended"));
    };
    let deadline = Instant::now() + PATIENCE;
    while !manages(connection, check).map_err(fail)? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(crew.failed(program, "it is not ready after 10 s"));
        }
        let timeout = Timespec::try_from(left).ok();
        let mut watched =
            [PollFd::new(connection.stream(), PollFlags::IN), PollFd::new(&handle, PollFlags::IN)];
        // An interrupted wait goes round again.
        let _ = poll(&mut watched, timeout.as_ref());
        if !watched[1].revents().is_empty() {
            return Err(crew.failed(program, "it ended"));
        }
    }
    Ok(())
}

/// Asks for news of the root window's properties, and names the one that tells of a manager.
fn watch(connection: &RustConnection) -> Result<u32, ReplyError> {
    let root = connection.setup().roots[0].root;
    let news = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.change_window_attributes(root, &news)?.check()?;
    Ok(connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom)
}

fn manages(connection: &RustConnection, check: u32) -> Result<bool, ReplyError> {
    let root = connection.setup().roots[0].root;
    let property = connection.get_property(false, root, check, AtomEnum::WINDOW, 0, 1)?.reply()?;
    // The answer is newer than the news that came with it.
    while connection.poll_for_event()?.is_some() {}
    Ok(property.value_len > 0)
}
