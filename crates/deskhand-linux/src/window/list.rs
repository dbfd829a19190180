//! The list of windows. All questions go out before any answer is awaited.

use deskhand_model::{Rect, Window};
use x11rb::protocol::{
    randr::ConnectionExt as _,
    xproto::{AtomEnum, ConnectionExt as _, GetPropertyReply},
};

use super::{
    arrange::ICONIC,
    ewmh,
    fault::Fault,
    frame::{Frame, Sides},
    owner, unmanaged,
};
use crate::{
    apps::process,
    screen,
    x11::{Server, Trouble},
};

/// The windows that are listed.
struct Listed {
    /// The frontmost last.
    ids: Vec<u32>,
    /// The one that has the keyboard.
    active: Option<u32>,
    /// Whether a window manager keeps the list.
    managed: bool,
}

impl Listed {
    fn of(server: &Server) -> Result<Self, Trouble> {
        let Server { connection, root, atoms } = server;
        let numbers = |name| connection.get_property(false, *root, name, AtomEnum::ANY, 0, 65_536);
        let stacking = numbers(atoms._NET_CLIENT_LIST_STACKING)?;
        let known = numbers(atoms._NET_CLIENT_LIST)?;
        let active = numbers(atoms._NET_ACTIVE_WINDOW)?;
        let attributes = connection.get_window_attributes(*root)?;
        let mut ids = read(&stacking.reply()?);
        let known = read(&known.reply()?);
        if ids.is_empty() {
            // Some window managers keep no stacking order.
            ids = known;
        }
        let mut active = read(&active.reply()?).first().copied();
        let managed = ewmh::holds(&attributes.reply()?) && !ids.is_empty();
        if !managed {
            (ids, active) = unmanaged::windows(server)?;
        }
        Ok(Self { ids, active, managed })
    }
}

/// Fails when a window is none that is listed. A program that closes or hides one takes it off the screen
/// first, and the server knows it until it is destroyed, which may be never: whoever showed it then would
/// bring back what its program put away.
pub(super) fn ensure(server: &Server, window: u32) -> Result<(), Fault> {
    if Listed::of(server)?.ids.contains(&window) { Ok(()) } else { Err(Fault::Gone) }
}

/// Every top-level window, the frontmost first.
pub(crate) fn list(server: &Server) -> Result<Vec<Window>, Trouble> {
    let Server { connection, root, atoms } = server;
    let monitors = connection.randr_get_monitors(*root, true)?;
    let Listed { ids, active, managed } = Listed::of(server)?;
    let origin = screen::origin_in(&monitors.reply()?);
    let property = |window, name, kind| connection.get_property(false, window, name, kind, 0, 4096);
    // Who manages windows says so in one place, who does not in another.
    let state = if managed { atoms._NET_WM_STATE } else { atoms.WM_STATE };
    let mut asked = Vec::with_capacity(ids.len());
    for id in ids.iter().rev().copied() {
        asked.push((
            id,
            property(id, atoms._NET_WM_NAME, atoms.UTF8_STRING)?,
            // Old programs have a title of the old kind only.
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
    let mut windows = Vec::with_capacity(asked.len());
    for (id, name, old_name, pid, class, border, shadow, states, size, corner) in asked {
        // A window may close between the questions; it is then no longer in the list.
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
        // What a manager that is gone has left behind is not there any more.
        let border = if managed {
            Sides::read(&border)
        } else {
            unmanaged::border(server, id).unwrap_or_default()
        };
        let frame = Frame { border, shadow: Sides::read(&shadow) };
        let states = read(&states);
        windows.push(Window {
            id: id.into(),
            title: Some(text(&name)).filter(|t| !t.is_empty()).unwrap_or_else(|| text(&old_name)),
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
    find_owners(server, &mut windows)?;
    for window in windows.iter_mut().filter(|window| window.pid != 0) {
        window.app = process::program_name(window.pid);
    }
    Ok(windows)
}

/// The server knows the process behind a connection on this machine; programs may say anything.
fn find_owners(server: &Server, windows: &mut [Window]) -> Result<(), Trouble> {
    let ids: Vec<u32> = windows.iter().filter_map(|window| u32::try_from(window.id).ok()).collect();
    for (window, pid) in windows.iter_mut().zip(owner::processes(server, &ids)?) {
        if pid != 0 {
            window.pid = pid;
        }
    }
    Ok(())
}

fn read(property: &GetPropertyReply) -> Vec<u32> {
    property.value32().map(Iterator::collect).unwrap_or_default()
}

fn text(property: &GetPropertyReply) -> String {
    let bytes = &property.value;
    let is_latin = property.type_ == u32::from(AtomEnum::STRING) && str::from_utf8(bytes).is_err();
    let text = if is_latin {
        bytes.iter().copied().map(char::from).collect()
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    };
    text.trim_end_matches('\0').to_owned()
}

/// The second of the two words in WM_CLASS is the program's class.
fn class_of(property: &GetPropertyReply) -> String {
    let mut words = property.value.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.next_back().map(|word| String::from_utf8_lossy(word).into_owned()).unwrap_or_default()
}
