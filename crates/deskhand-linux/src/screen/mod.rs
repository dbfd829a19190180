//! Monitors and pixels over X11.

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{Deadline, Display, Result, Screen};
use x11rb::protocol::{
    randr::ConnectionExt as _,
    xproto::{ConnectionExt as _, ImageFormat},
};

use crate::x11::{Server, Trouble, X11};

/// Looks at the screen over X11.
pub(crate) struct XScreen {
    x11: Arc<X11>,
}

impl XScreen {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11 }
    }
}

impl Screen for XScreen {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        self.x11.run(by, |server| {
            let mut displays = monitors(server)?;
            let origin = displays.first().map_or((0, 0), |main| (main.frame.x, main.frame.y));
            for display in &mut displays {
                display.frame = display.frame.moved(-origin.0, -origin.1);
            }
            Ok(displays)
        })
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        self.x11.run(by, move |server| {
            let (left, top) = origin(server)?;
            let (x, y) = (i16::try_from(x + left)?, i16::try_from(y + top)?);
            let image = server
                .connection
                .get_image(ImageFormat::Z_PIXMAP, server.root, x, y, 1, 1, u32::MAX)?
                .reply()?;
            // Little-endian blue, green, red on every TrueColor server in use.
            let mut bytes = image.data.into_iter();
            let mut next = || bytes.next().unwrap_or(0);
            let (blue, green, red) = (next(), next(), next());
            Ok([red, green, blue])
        })
    }
}

/// Where the main monitor begins on the X screen: our coordinates count from there.
pub(crate) fn origin(server: &Server) -> std::result::Result<(i32, i32), Trouble> {
    Ok(monitors(server)?.first().map_or((0, 0), |main| (main.frame.x, main.frame.y)))
}

/// The monitors in X coordinates, the main one first.
fn monitors(server: &Server) -> std::result::Result<Vec<Display>, Trouble> {
    let reply = server.connection.randr_get_monitors(server.root, true)?.reply()?;
    let mut displays = Vec::with_capacity(reply.monitors.len());
    for monitor in reply.monitors {
        let name = server.connection.get_atom_name(monitor.name)?.reply()?.name;
        displays.push(Display {
            name: String::from_utf8_lossy(&name).into_owned(),
            frame: Rect::new(
                monitor.x.into(),
                monitor.y.into(),
                monitor.width.into(),
                monitor.height.into(),
            ),
            main: monitor.primary,
        });
    }
    let none_is_main = displays.iter().all(|display| !display.main);
    if let Some(first) = displays.first_mut().filter(|_| none_is_main) {
        first.main = true;
    }
    displays.sort_by_key(|display| !display.main);
    Ok(displays)
}
