//! Lists everything that is drawn on the screen, including windows unknown to the window manager.

use deskhand_model::Rect;
use deskhand_platform::{Opacity, VisibleWindow};
use x11rb::protocol::{
    shape::ConnectionExt as _,
    xproto::{ConnectionExt as _, MapState, Window, WindowClass},
};

use super::{owner, unmanaged};
use crate::{
    screen,
    x11::{X11Result, XServer},
};

/// The color depth of windows that can be transparent.
const ALPHA_DEPTH: u8 = 32;

/// Lists all visible windows, the frontmost first.
pub(crate) fn list_visible(server: &XServer) -> X11Result<Vec<VisibleWindow>> {
    let XServer { connection, root, .. } = server;
    let (left, top) = screen::origin(server)?;
    let compositor = connection.intern_atom(false, b"_NET_WM_CM_S0")?.reply()?.atom;
    let opacity = connection.intern_atom(false, b"_NET_WM_WINDOW_OPACITY")?.reply()?.atom;
    // Without a compositor no window is transparent.
    let composited = connection.get_selection_owner(compositor)?.reply()?.owner != x11rb::NONE;
    let mut requests = Vec::new();
    for window in connection.query_tree(*root)?.reply()?.children.into_iter().rev() {
        requests.push((
            window,
            connection.get_window_attributes(window)?,
            connection.get_geometry(window)?,
            connection.shape_query_extents(window)?,
        ));
    }
    let mut all = Vec::new();
    for (window, attributes, geometry, shape) in requests {
        // A window that has closed is no longer drawn.
        let (Ok(attributes), Ok(geometry)) = (attributes.reply(), geometry.reply()) else {
            continue;
        };
        let is_drawn = attributes.class == WindowClass::INPUT_OUTPUT;
        if !is_drawn || attributes.map_state != MapState::VIEWABLE {
            continue;
        }
        let client = unmanaged::find_client(server, window, unmanaged::MAX_FRAME_DEPTH)?;
        let is_shaped = shape.reply().is_ok_and(|shape| shape.bounding_shaped);
        let has_opacity =
            |one: Window| server.read_u32_list(one, opacity).is_ok_and(|set| !set.is_empty());
        let is_translucent =
            geometry.depth == ALPHA_DEPTH || has_opacity(window) || client.is_some_and(has_opacity);
        let covers_partly = is_shaped || (composited && is_translucent);
        let border = 2 * i32::from(geometry.border_width);
        let chain: Vec<Window> = std::iter::once(window).chain(client).collect();
        all.push(VisibleWindow {
            id: client.unwrap_or(window).into(),
            rect: Rect::new(
                i32::from(geometry.x) - left,
                i32::from(geometry.y) - top,
                i32::from(geometry.width) + border,
                i32::from(geometry.height) + border,
            ),
            opacity: if covers_partly { Opacity::Translucent } else { Opacity::Opaque },
            owners: owner::owners_of_chain(server, &chain)?,
        });
    }
    Ok(all)
}
