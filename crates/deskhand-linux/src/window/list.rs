//! Lists windows. All requests are sent before the first reply is read.

use deskhand_model::{Rect, Window};
use x11rb::protocol::{
    randr::ConnectionExt as _,
    xproto::{AtomEnum, ConnectionExt as _, GetPropertyReply},
};

use super::{
    arrange::ICONIC,
    error::WindowError,
    ewmh,
    frame::{Frame, Insets},
    owner, unmanaged,
};
use crate::{
    apps::process,
    screen,
    x11::{X11Result, XServer},
};

/// The listed windows in stacking order.
struct WindowStack {
    /// The window ids, the frontmost last.
    ids: Vec<u32>,
    /// The focused window.
    active: Option<u32>,
    /// `true` if a window manager provides the list.
    managed: bool,
}

impl WindowStack {
    fn read(server: &XServer) -> X11Result<Self> {
        let XServer { connection, root, atoms, .. } = server;
        let request = |name| connection.get_property(false, *root, name, AtomEnum::ANY, 0, 65_536);
        let stacking = request(atoms._NET_CLIENT_LIST_STACKING)?;
        let unordered = request(atoms._NET_CLIENT_LIST)?;
        let active = request(atoms._NET_ACTIVE_WINDOW)?;
        let attributes = connection.get_window_attributes(*root)?;
        let mut ids = parse_u32_list(&stacking.reply()?);
        let unordered = parse_u32_list(&unordered.reply()?);
        if ids.is_empty() {
            // Some window managers provide no stacking order.
            ids = unordered;
        }
        let mut active = parse_u32_list(&active.reply()?).first().copied();
        let managed = ewmh::has_manager(&attributes.reply()?) && !ids.is_empty();
        if !managed {
            (ids, active) = unmanaged::list(server)?;
        }
        Ok(Self { ids, active, managed })
    }
}

/// Returns an error if a window is not listed. Programs unmap a window to close or hide it, and the
/// server may keep it for ever. Showing such a window would bring back what its program has put
/// away.
pub(super) fn ensure_listed(server: &XServer, window: u32) -> Result<(), WindowError> {
    if WindowStack::read(server)?.ids.contains(&window) { Ok(()) } else { Err(WindowError::Gone) }
}

/// Lists all top-level windows, the frontmost first.
pub(crate) fn list(server: &XServer) -> X11Result<Vec<Window>> {
    let XServer { connection, root, atoms, .. } = server;
    let monitors = connection.randr_get_monitors(*root, true)?;
    let WindowStack { ids, active, managed } = WindowStack::read(server)?;
    let origin = screen::origin_in(&monitors.reply()?);
    let property = |window, name, kind| connection.get_property(false, window, name, kind, 0, 4096);
    // Without an EWMH window manager, only `WM_STATE` says if a window is minimized.
    let state = if managed { atoms._NET_WM_STATE } else { atoms.WM_STATE };
    let mut requests = Vec::with_capacity(ids.len());
    for id in ids.iter().rev().copied() {
        requests.push((
            id,
            property(id, atoms._NET_WM_NAME, atoms.UTF8_STRING)?,
            // Old programs set only the old title property.
            property(id, AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?,
            property(id, atoms._NET_WM_PID, AtomEnum::CARDINAL.into())?,
            property(id, AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into())?,
            property(id, atoms._NET_FRAME_EXTENTS, AtomEnum::CARDINAL.into())?,
            property(id, atoms._GTK_FRAME_EXTENTS, AtomEnum::CARDINAL.into())?,
            property(id, state, AtomEnum::ANY.into())?,
            connection.get_geometry(id)?,
            connection.translate_coordinates(id, *root, 0, 0)?,
        ));
    }
    let mut windows = Vec::with_capacity(requests.len());
    for (id, name, old_name, pid, class, border, shadow, states, size, corner) in requests {
        // A window may close between two requests; then it is no longer listed.
        let (Ok(size), Ok(corner)) = (size.reply(), corner.reply()) else { continue };
        let (Ok(name), Ok(old_name)) = (name.reply(), old_name.reply()) else { continue };
        let (Ok(pid), Ok(class)) = (pid.reply(), class.reply()) else { continue };
        let (Ok(border), Ok(shadow), Ok(states)) = (border.reply(), shadow.reply(), states.reply())
        else {
            continue;
        };
        let bounds = Rect::new(
            i32::from(corner.dst_x) - origin.0,
            i32::from(corner.dst_y) - origin.1,
            size.width.into(),
            size.height.into(),
        );
        // A window manager that has ended may have left stale properties behind.
        let border = if managed {
            Insets::read(&border)
        } else {
            unmanaged::border(server, id).unwrap_or_default()
        };
        let frame = Frame { border, shadow: Insets::read(&shadow) };
        let states = parse_u32_list(&states);
        windows.push(Window {
            id: id.into(),
            title: Some(parse_text(&name))
                .filter(|t| !t.is_empty())
                .unwrap_or_else(|| parse_text(&old_name)),
            pid: pid.value32().and_then(|mut all| all.next()).unwrap_or(0),
            app: None,
            class: class_of(&class),
            frame: frame.around(bounds),
            bounds,
            z: windows.len() as u32,
            minimized: if managed {
                states.contains(&atoms._NET_WM_STATE_HIDDEN)
            } else {
                states.first() == Some(&ICONIC)
            },
            focused: active == Some(id),
        });
    }
    set_owners(server, &mut windows)?;
    for window in windows.iter_mut().filter(|window| window.pid != 0) {
        window.app = process::program_name(window.pid);
    }
    Ok(windows)
}

/// Sets the process ids. The server knows the process of a local connection, while programs may
/// claim any.
fn set_owners(server: &XServer, windows: &mut [Window]) -> X11Result<()> {
    let ids: Vec<u32> = windows.iter().filter_map(|window| u32::try_from(window.id).ok()).collect();
    for (window, pid) in windows.iter_mut().zip(owner::pids_of_windows(server, &ids)?) {
        if pid != 0 {
            window.pid = pid;
        }
    }
    Ok(())
}

fn parse_u32_list(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

fn parse_text(property: &GetPropertyReply) -> String {
    let bytes = &property.value;
    let is_latin = property.type_ == u32::from(AtomEnum::STRING) && str::from_utf8(bytes).is_err();
    let decoded: String = if is_latin {
        bytes.iter().copied().map(char::from).collect()
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    };
    decoded.trim_end_matches('\0').to_owned()
}

/// Returns the program's class, which is the second string in `WM_CLASS`.
fn class_of(property: &GetPropertyReply) -> String {
    let mut words = property.value.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.next_back().map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default()
}
