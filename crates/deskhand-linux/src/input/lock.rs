//! Is the screen locked? A locker holds pointer and keyboard, so that nobody else hears them, and has
//! a window over everything: what is typed then goes into its password field.

use x11rb::{
    connection::Connection as _,
    protocol::{
        shape::{ConnectionExt as _, SK},
        xproto::{
            AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, GetGeometryReply, GrabMode,
            GrabStatus, MapState, Rectangle, Window, WindowClass,
        },
    },
};

use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// Who locks the screen, in words; `None` while nobody does.
pub(super) fn locker(server: &Server) -> Asked<Option<String>> {
    if !is_held(server)? {
        return Ok(None);
    }
    // Menus hold both as well, but cover nothing.
    let Server { connection, root, .. } = server;
    let screen = connection.get_geometry(*root)?.reply()?;
    let managed = managed(server)?;
    for window in connection.query_tree(*root)?.reply()?.children.into_iter().rev() {
        if managed.contains(&window) {
            return Ok(None);
        }
        if covers(server, window, &screen)? {
            return Ok(Some(name(server, window)?));
        }
    }
    Ok(None)
}

/// Whether another program holds both pointer and keyboard.
fn is_held(server: &Server) -> Asked<bool> {
    let Server { connection, root, .. } = server;
    let window = connection.generate_id()?;
    let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
    connection.create_window(0, window, *root, -1, -1, 1, 1, 0, class, 0, &nothing)?;
    // A window that is not shown cannot hold them: the server says so only if nobody else does, and
    // nothing changes either way.
    let (now, mode) = (x11rb::CURRENT_TIME, GrabMode::ASYNC);
    let keyboard = connection.grab_keyboard(false, window, now, mode, mode)?;
    let (none, mask) = (x11rb::NONE, EventMask::NO_EVENT);
    let pointer = connection.grab_pointer(false, window, mask, mode, mode, none, none, now)?;
    connection.destroy_window(window)?;
    let held = [keyboard.reply()?.status, pointer.reply()?.status];
    Ok(held == [GrabStatus::ALREADY_GRABBED; 2])
}

/// The children of the root that the window manager keeps windows in.
fn managed(server: &Server) -> Asked<Vec<Window>> {
    let Server { connection, root, atoms } = server;
    let mut outermost = Vec::new();
    for mut window in server.numbers(*root, atoms._NET_CLIENT_LIST)? {
        // A window that closed meanwhile lies over nothing.
        while let Ok(around) = connection.query_tree(window)?.reply() {
            if around.parent == *root {
                outermost.push(window);
                break;
            }
            window = around.parent;
        }
    }
    Ok(outermost)
}

/// Whether a window is shown, covers the whole screen and lets nothing through.
fn covers(server: &Server, window: Window, screen: &GetGeometryReply) -> Asked<bool> {
    let Server { connection, .. } = server;
    let asked = (connection.get_window_attributes(window)?, connection.get_geometry(window)?);
    let (Ok(shown), Ok(place)) = (asked.0.reply(), asked.1.reply()) else { return Ok(false) };
    if shown.map_state != MapState::VIEWABLE || !shown.override_redirect {
        return Ok(false);
    }
    let whole = |x: i16, y: i16, width: u16, height: u16| {
        let reaches = |from: i16, length: u16, end: u16| {
            from <= 0 && i32::from(from) + i32::from(length) >= i32::from(end)
        };
        reaches(x, width, screen.width) && reaches(y, height, screen.height)
    };
    if !whole(place.x, place.y, place.width, place.height) {
        return Ok(false);
    }
    // The window compositors draw on covers everything too; the pointer goes through it.
    let takes = connection.shape_get_rectangles(window, SK::INPUT)?.reply();
    let inside = |one: &Rectangle| {
        let (left, top) = (one.x.saturating_add(place.x), one.y.saturating_add(place.y));
        whole(left, top, one.width, one.height)
    };
    Ok(takes.is_ok_and(|takes| takes.rectangles.iter().any(inside)))
}

/// What a window is called.
fn name(server: &Server, window: Window) -> Asked<String> {
    for property in [AtomEnum::WM_CLASS, AtomEnum::WM_NAME] {
        let kind = AtomEnum::ANY;
        let asked = server.connection.get_property(false, window, property, kind, 0, 64)?.reply();
        // A window that is gone meanwhile has no name.
        let value = asked.map(|reply| reply.value).unwrap_or_default();
        let first = value.split(|byte| *byte == 0).next().unwrap_or_default();
        if !first.is_empty() {
            return Ok(format!("`{}`", String::from_utf8_lossy(first)));
        }
    }
    Ok("a window without a name".to_owned())
}
