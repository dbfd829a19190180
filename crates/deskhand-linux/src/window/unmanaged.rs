//! Windows on desktops without a window list: no window manager runs, or one without EWMH.

use deskhand_model::Rect;
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window};

use super::{arrange::ICONIC, frame::Insets};
use crate::x11::{X11Result, XServer};

/// Maximum number of frames that a window manager puts around a window.
pub(super) const MAX_FRAME_DEPTH: usize = 3;

/// Lists the top-level windows, the frontmost last, and returns the focused one.
pub(super) fn list(server: &XServer) -> X11Result<(Vec<Window>, Option<Window>)> {
    let children = server.connection.query_tree(server.root)?.reply()?.children;
    let mut found = Vec::new();
    for child in children {
        match find_client(server, child, MAX_FRAME_DEPTH)? {
            Some(client) => found.push(client),
            None => {
                if is_plain_toplevel(server, child)? {
                    found.push(child);
                }
            }
        }
    }
    let focused = find_focused(server, &found)?;
    Ok((found, focused))
}

/// Returns the client window inside a frame. Window managers set `WM_STATE` on the windows they
/// manage.
pub(super) fn find_client(
    server: &XServer,
    window: Window,
    depth: usize,
) -> X11Result<Option<Window>> {
    // The window may close at any time; then it is no client.
    let Ok(state) = server.read_u32_list(window, server.atoms.WM_STATE) else { return Ok(None) };
    match state.first() {
        Some(0) => return Ok(None),
        Some(&ICONIC) => return Ok(Some(window)),
        Some(_) if is_mapped(server, window)? => return Ok(Some(window)),
        Some(_) | None => {}
    }
    if depth == 0 {
        return Ok(None);
    }
    let Ok(tree) = server.connection.query_tree(window)?.reply() else { return Ok(None) };
    for child in tree.children {
        if let Some(client) = find_client(server, child, depth - 1)? {
            return Ok(Some(client));
        }
    }
    Ok(None)
}

fn is_mapped(server: &XServer, window: Window) -> X11Result<bool> {
    let attributes = server.connection.get_window_attributes(window)?.reply();
    Ok(attributes.is_ok_and(|attributes| attributes.map_state != MapState::UNMAPPED))
}

/// Returns `true` if the window is a visible top-level. Menus and tooltips set override-redirect
/// and do not count.
fn is_plain_toplevel(server: &XServer, window: Window) -> X11Result<bool> {
    let attributes = server.connection.get_window_attributes(window)?.reply();
    Ok(attributes.is_ok_and(|attributes| {
        attributes.map_state == MapState::VIEWABLE && !attributes.override_redirect
    }))
}

/// Returns the window that has the focus or contains the focused window.
fn find_focused(server: &XServer, windows: &[Window]) -> X11Result<Option<Window>> {
    let mut window = server.connection.get_input_focus()?.reply()?.focus;
    // The values 0 and 1 mean no focus and focus that follows the pointer.
    while window > 1 && window != server.root {
        if windows.contains(&window) {
            return Ok(Some(window));
        }
        let Ok(tree) = server.connection.query_tree(window)?.reply() else { return Ok(None) };
        window = tree.parent;
    }
    Ok(None)
}

/// Returns the border around a window: its own, or that of its frames.
pub(super) fn border(server: &XServer, window: Window) -> X11Result<Insets> {
    let XServer { connection, root, .. } = server;
    let mut outermost = window;
    for _ in 0..=MAX_FRAME_DEPTH {
        let parent = connection.query_tree(outermost)?.reply()?.parent;
        if parent == *root || parent == x11rb::NONE {
            break;
        }
        outermost = parent;
    }
    let inner = connection.get_geometry(window)?;
    let corner = connection.translate_coordinates(window, *root, 0, 0)?;
    let outer = connection.get_geometry(outermost)?.reply()?;
    let (inner, corner) = (inner.reply()?, corner.reply()?);
    let own_border = 2 * i32::from(outer.border_width);
    Ok(Insets::between(
        Rect::new(
            outer.x.into(),
            outer.y.into(),
            i32::from(outer.width) + own_border,
            i32::from(outer.height) + own_border,
        ),
        Rect::new(
            corner.dst_x.into(),
            corner.dst_y.into(),
            inner.width.into(),
            inner.height.into(),
        ),
    ))
}
