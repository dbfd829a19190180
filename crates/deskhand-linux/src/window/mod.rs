//! Top-level windows as the window manager lists them.

use std::sync::Arc;

use deskhand_model::{Rect, Window};
use deskhand_platform::{Deadline, Result, Windows};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, GetPropertyReply};

use crate::{
    screen,
    x11::{Server, Trouble, X11},
};

/// Lists windows over X11.
pub(crate) struct XWindows {
    x11: Arc<X11>,
}

impl XWindows {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11 }
    }
}

impl Windows for XWindows {
    fn list(&self, by: Deadline) -> Result<Vec<Window>> {
        self.x11.run(by, list)
    }
}

/// Every managed window, the frontmost first. All questions go out before any answer is awaited.
pub(crate) fn list(server: &Server) -> std::result::Result<Vec<Window>, Trouble> {
    let Server { connection, root, atoms } = server;
    let mut ids = server.numbers(*root, atoms._NET_CLIENT_LIST_STACKING)?;
    if ids.is_empty() {
        // Some window managers keep no stacking order.
        ids = server.numbers(*root, atoms._NET_CLIENT_LIST)?;
    }
    let active = server.numbers(*root, atoms._NET_ACTIVE_WINDOW)?.first().copied();
    let origin = screen::origin(server)?;
    let property = |window, name, kind| connection.get_property(false, window, name, kind, 0, 4096);
    let mut asked = Vec::with_capacity(ids.len());
    for id in ids.iter().rev().copied() {
        asked.push((
            id,
            property(id, atoms._NET_WM_NAME, atoms.UTF8_STRING)?,
            property(id, AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?,
            property(id, atoms._NET_WM_PID, AtomEnum::CARDINAL.into())?,
            property(id, AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into())?,
            property(id, atoms._NET_FRAME_EXTENTS, AtomEnum::CARDINAL.into())?,
            property(id, atoms._NET_WM_STATE, AtomEnum::ATOM.into())?,
            connection.get_geometry(id)?,
            connection.translate_coordinates(id, *root, 0, 0)?,
        ));
    }
    let mut windows = Vec::with_capacity(asked.len());
    for (id, name, old_name, pid, class, frame, state, size, corner) in asked {
        // A window may close between the questions; it is then no longer in the list.
        let (Ok(size), Ok(corner)) = (size.reply(), corner.reply()) else { continue };
        let (Ok(name), Ok(old_name), Ok(pid), Ok(class), Ok(frame), Ok(state)) = (
            name.reply(),
            old_name.reply(),
            pid.reply(),
            class.reply(),
            frame.reply(),
            state.reply(),
        ) else {
            continue;
        };
        let bounds = Rect::new(
            i32::from(corner.dst_x) - origin.0,
            i32::from(corner.dst_y) - origin.1,
            size.width.into(),
            size.height.into(),
        );
        windows.push(Window {
            id: id.into(),
            title: Some(text(&name)).filter(|name| !name.is_empty()).unwrap_or(text(&old_name)),
            pid: pid.value32().and_then(|mut all| all.next()).unwrap_or(0),
            app: None,
            class: class_of(&class),
            frame: framed(bounds, &frame),
            bounds,
            z: windows.len() as u32,
            minimized: state
                .value32()
                .is_some_and(|mut all| all.any(|atom| atom == atoms._NET_WM_STATE_HIDDEN)),
            focused: active == Some(id),
        });
    }
    Ok(windows)
}

fn text(property: &GetPropertyReply) -> String {
    String::from_utf8_lossy(&property.value).trim_end_matches('\0').to_owned()
}

/// The second of the two words in WM_CLASS is the program's class.
fn class_of(property: &GetPropertyReply) -> String {
    let mut words = property.value.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.next_back().map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default()
}

fn framed(bounds: Rect, extents: &GetPropertyReply) -> Rect {
    let sides: Vec<i32> =
        extents.value32().map(|all| all.map(|side| side as i32).collect()).unwrap_or_default();
    match sides[..] {
        [left, right, top, bottom] => Rect::new(
            bounds.x - left,
            bounds.y - top,
            bounds.width + left + right,
            bounds.height + top + bottom,
        ),
        _ => bounds,
    }
}
