//! Detects a locked screen. A screen locker grabs pointer and keyboard and covers the screen with a
//! window; typed text would go into its password field.

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

use crate::x11::{X11Result, XServer};
/// Returns the name of the program that locks the screen, or `None` if the screen is not locked.
pub(super) fn find_screen_locker(server: &XServer) -> X11Result<Option<String>> {
    if !is_input_grabbed(server)? {
        return Ok(None);
    }
    // Menus grab both as well, but do not cover the screen.
    let XServer { connection, root, .. } = server;
    let screen = connection.get_geometry(*root)?.reply()?;
    let managed = managed_toplevels(server)?;
    for window in connection.query_tree(*root)?.reply()?.children.into_iter().rev() {
        if managed.contains(&window) {
            return Ok(None);
        }
        if covers_screen(server, window, &screen)? {
            return Ok(Some(window_name(server, window)?));
        }
    }
    Ok(None)
}

/// Returns `true` if another program grabs both pointer and keyboard.
fn is_input_grabbed(server: &XServer) -> X11Result<bool> {
    let XServer { connection, root, .. } = server;
    let window = connection.generate_id()?;
    let (nothing, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
    connection.create_window(0, window, *root, -1, -1, 1, 1, 0, class, 0, &nothing)?;
    // An unmapped window cannot grab them. The server reports `ALREADY_GRABBED` before it checks
    // that, so the attempt never changes anything.
    let (now, mode) = (x11rb::CURRENT_TIME, GrabMode::ASYNC);
    let keyboard = connection.grab_keyboard(false, window, now, mode, mode)?;
    let (none, mask) = (x11rb::NONE, EventMask::NO_EVENT);
    let pointer = connection.grab_pointer(false, window, mask, mode, mode, none, none, now)?;
    connection.destroy_window(window)?;
    let status = [keyboard.reply()?.status, pointer.reply()?.status];
    Ok(status == [GrabStatus::ALREADY_GRABBED; 2])
}

/// Returns the children of the root window that contain managed windows.
fn managed_toplevels(server: &XServer) -> X11Result<Vec<Window>> {
    let XServer { connection, root, atoms, .. } = server;
    let mut outermost = Vec::new();
    for mut window in server.read_u32_list(*root, atoms._NET_CLIENT_LIST)? {
        // A window that has closed covers nothing.
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

/// Returns `true` if the window is visible, covers the whole screen and receives the pointer's
/// input.
fn covers_screen(server: &XServer, window: Window, screen: &GetGeometryReply) -> X11Result<bool> {
    let XServer { connection, .. } = server;
    let replies = (connection.get_window_attributes(window)?, connection.get_geometry(window)?);
    let (Ok(shown), Ok(geometry)) = (replies.0.reply(), replies.1.reply()) else {
        return Ok(false);
    };
    if shown.map_state != MapState::VIEWABLE || !shown.override_redirect {
        return Ok(false);
    }
    let whole = |x: i16, y: i16, width: u16, height: u16| {
        let reaches = |from: i16, length: u16, end: u16| {
            from <= 0 && i32::from(from) + i32::from(length) >= i32::from(end)
        };
        reaches(x, width, screen.width) && reaches(y, height, screen.height)
    };
    if !whole(geometry.x, geometry.y, geometry.width, geometry.height) {
        return Ok(false);
    }
    // A compositor's overlay window also covers the screen, but pointer input passes through it.
    let input_shape = connection.shape_get_rectangles(window, SK::INPUT)?.reply();
    let inside = |one: &Rectangle| {
        let (left, top) = (one.x.saturating_add(geometry.x), one.y.saturating_add(geometry.y));
        whole(left, top, one.width, one.height)
    };
    Ok(input_shape.is_ok_and(|input_shape| input_shape.rectangles.iter().any(inside)))
}

/// Returns the class or title of a window, in backticks.
fn window_name(server: &XServer, window: Window) -> X11Result<String> {
    for property in [AtomEnum::WM_CLASS, AtomEnum::WM_NAME] {
        let kind = AtomEnum::ANY;
        let reply = server.connection.get_property(false, window, property, kind, 0, 64)?.reply();
        // If the window has closed, it has no name.
        let value = reply.map(|reply| reply.value).unwrap_or_default();
        let first = value.split(|byte| *byte == 0).next().unwrap_or_default();
        if !first.is_empty() {
            return Ok(format!("`{}`", String::from_utf8_lossy(first)));
        }
    }
    Ok("a window without a name".to_owned())
}
