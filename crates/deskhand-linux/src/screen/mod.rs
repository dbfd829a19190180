//! Monitors and pixels over X11.

mod grab;
mod monitors;
mod recent;
mod window;

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{Capture, Deadline, Display, Error, Pixels, Result, Screen};
use x11rb::protocol::xproto::ConnectionExt as _;

use recent::Recent;

use crate::x11::{Server, Trouble, X11};

pub(crate) use monitors::{origin, origin_in};

/// Looks at the screen over X11.
pub(crate) struct XScreen {
    x11: Arc<X11>,
    recent: Recent,
}

impl XScreen {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11, recent: Recent::default() }
    }

    fn take(&self, of: Capture, by: Deadline) -> Result<Pixels> {
        match of {
            Capture::Screen => self.seen(by, |server| {
                let frames = monitors::frames(server)?;
                Ok(frames.into_iter().fold(Rect::new(0, 0, 0, 0), Rect::union))
            }),
            Capture::Region(place) => self.seen(by, move |server| {
                let (left, top) = origin(server)?;
                Ok(place.moved(left, top))
            }),
            Capture::Window(id) => window::capture(&self.x11, id, by),
        }
    }

    /// What can be seen in a place, which is found in X coordinates.
    fn seen(
        &self,
        by: Deadline,
        place: impl FnOnce(&Server) -> std::result::Result<Rect, Trouble> + Send + 'static,
    ) -> Result<Pixels> {
        self.x11.run(by, move |server| {
            if !grab::is_usual(server) {
                return Ok(Err(unusual()));
            }
            let (left, top) = origin(server)?;
            let pixels = grab::seen(server, place(server)?)?;
            Ok(pixels.map(|p| Pixels { rect: p.rect.moved(-left, -top), ..p }))
        })?
    }
}

impl Screen for XScreen {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        self.x11.run(by, monitors::displays)
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        let pixels = self.take(Capture::Region(Rect::new(x, y, 1, 1)), by)?;
        match pixels.data[..] {
            [blue, green, red, ..] => Ok([red, green, blue]),
            _ => Err(Error::Unexpected {
                what: "the X server".to_owned(),
                why: "a picture without pixels".to_owned(),
            }),
        }
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.x11.run(by, |server| {
            let at = server.connection.query_pointer(server.root)?.reply()?;
            let (left, top) = origin(server)?;
            Ok((i32::from(at.root_x) - left, i32::from(at.root_y) - top))
        })
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Arc<Pixels>> {
        self.recent.or_take(of, || self.take(of, by))
    }
}

fn unusual() -> Error {
    Error::Unsupported {
        what: "taking a picture".to_owned(),
        why: "this X server does not have 24 or 32 bits a pixel".to_owned(),
    }
}
