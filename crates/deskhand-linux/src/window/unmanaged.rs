//! Windows where nobody lists them: no window manager runs, or one from before there were lists.

use deskhand_model::Rect;
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window};

use super::{arrange::ICONIC, frame::Sides};
use crate::x11::{Server, Trouble};

/// How deep a manager may have put a window into frames of its own.
pub(super) const FRAMES: usize = 3;

/// The top-level windows, the frontmost last, and the one that has the keyboard.
pub(super) fn windows(server: &Server) -> Result<(Vec<Window>, Option<Window>), Trouble> {
    let children = server.connection.query_tree(server.root)?.reply()?.children;
    let mut found = Vec::new();
    for child in children {
        match within(server, child, FRAMES)? {
            Some(client) => found.push(client),
            None => {
                if stands_alone(server, child)? {
                    found.push(child);
                }
            }
        }
    }
    let focused = focused(server, &found)?;
    Ok((found, focused))
}

/// The window inside a frame: window managers mark those they manage.
pub(super) fn within(
    server: &Server,
    window: Window,
    depth: usize,
) -> Result<Option<Window>, Trouble> {
    // It may close at any moment, and is then no window any more.
    let Ok(state) = server.numbers(window, server.atoms.WM_STATE) else { return Ok(None) };
    match state.first() {
        Some(0) => return Ok(None),
        Some(&ICONIC) => return Ok(Some(window)),
        Some(_) if is_shown(server, window)? => return Ok(Some(window)),
        Some(_) | None => {}
    }
    if depth == 0 {
        return Ok(None);
    }
    let Ok(tree) = server.connection.query_tree(window)?.reply() else { return Ok(None) };
    for child in tree.children {
        if let Some(client) = within(server, child, depth - 1)? {
            return Ok(Some(client));
        }
    }
    Ok(None)
}

fn is_shown(server: &Server, window: Window) -> Result<bool, Trouble> {
    let attributes = server.connection.get_window_attributes(window)?.reply();
    Ok(attributes.is_ok_and(|attributes| attributes.map_state != MapState::UNMAPPED))
}

/// Menus and tooltips ask to be left alone by window managers; what is shown and does not is a
/// window.
fn stands_alone(server: &Server, window: Window) -> Result<bool, Trouble> {
    let attributes = server.connection.get_window_attributes(window)?.reply();
    Ok(attributes.is_ok_and(|attributes| {
        attributes.map_state == MapState::VIEWABLE && !attributes.override_redirect
    }))
}

/// The window that has the keyboard, or that holds what has it.
fn focused(server: &Server, windows: &[Window]) -> Result<Option<Window>, Trouble> {
    let mut window = server.connection.get_input_focus()?.reply()?.focus;
    // 0 and 1 stand for nobody and for whatever lies under the pointer.
    while window > 1 && window != server.root {
        if windows.contains(&window) {
            return Ok(Some(window));
        }
        let Ok(tree) = server.connection.query_tree(window)?.reply() else { return Ok(None) };
        window = tree.parent;
    }
    Ok(None)
}

/// The border around a window: its own, or that of the frames it was put into.
pub(super) fn border(server: &Server, window: Window) -> Result<Sides, Trouble> {
    let Server { connection, root, .. } = server;
    let mut outermost = window;
    for _ in 0..=FRAMES {
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
    let own = 2 * i32::from(outer.border_width);
    Ok(Sides::between(
        Rect::new(
            outer.x.into(),
            outer.y.into(),
            i32::from(outer.width) + own,
            i32::from(outer.height) + own,
        ),
        Rect::new(
            corner.dst_x.into(),
            corner.dst_y.into(),
            inner.width.into(),
            inner.height.into(),
        ),
    ))
}
