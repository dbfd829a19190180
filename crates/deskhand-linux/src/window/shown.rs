//! Everything that is drawn on the screen, whether a window manager knows of it or not.

use deskhand_model::Rect;
use deskhand_platform::{Covering, Shown};
use x11rb::protocol::{
    shape::ConnectionExt as _,
    xproto::{ConnectionExt as _, MapState, Window, WindowClass},
};

use super::{owner, unmanaged};
use crate::{
    screen,
    x11::{Server, Trouble},
};

/// How many bits a pixel has in windows that can be transparent.
const WITH_ALPHA: u8 = 32;

/// What is drawn on the screen, the frontmost first.
pub(crate) fn shown(server: &Server) -> Result<Vec<Shown>, Trouble> {
    let Server { connection, root, .. } = server;
    let (left, top) = screen::origin(server)?;
    let manager = connection.intern_atom(false, b"_NET_WM_CM_S0")?.reply()?.atom;
    let faded = connection.intern_atom(false, b"_NET_WM_WINDOW_OPACITY")?.reply()?.atom;
    // Without a compositor nothing is transparent, whatever it could be.
    let composited = connection.get_selection_owner(manager)?.reply()?.owner != x11rb::NONE;
    let mut asked = Vec::new();
    for window in connection.query_tree(*root)?.reply()?.children.into_iter().rev() {
        asked.push((
            window,
            connection.get_window_attributes(window)?,
            connection.get_geometry(window)?,
            connection.shape_query_extents(window)?,
        ));
    }
    let mut all = Vec::new();
    for (window, attributes, geometry, shape) in asked {
        // One that closed meanwhile is not drawn any more.
        let (Ok(attributes), Ok(place)) = (attributes.reply(), geometry.reply()) else { continue };
        let drawn = attributes.class == WindowClass::INPUT_OUTPUT;
        if !drawn || attributes.map_state != MapState::VIEWABLE {
            continue;
        }
        let client = unmanaged::within(server, window, unmanaged::FRAMES)?;
        let shaped = shape.reply().is_ok_and(|shape| shape.bounding_shaped);
        let fades = |one: Window| server.numbers(one, faded).is_ok_and(|set| !set.is_empty());
        let through = place.depth == WITH_ALPHA || fades(window) || client.is_some_and(fades);
        let partly = shaped || (composited && through);
        let border = 2 * i32::from(place.border_width);
        let chain: Vec<Window> = std::iter::once(window).chain(client).collect();
        all.push(Shown {
            id: client.unwrap_or(window).into(),
            room: Rect::new(
                i32::from(place.x) - left,
                i32::from(place.y) - top,
                i32::from(place.width) + border,
                i32::from(place.height) + border,
            ),
            covering: if partly { Covering::Partly } else { Covering::Whole },
            owners: owner::of_chain(server, &chain)?,
        });
    }
    Ok(all)
}
