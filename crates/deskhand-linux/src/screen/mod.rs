//! Monitors and pixels over X11.

mod grab;
mod monitors;
mod window;

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{Capture, Deadline, Display, Error, Pixels, Result, Screen, Shown};
use x11rb::protocol::xproto::ConnectionExt as _;

use self::window::Beside;
use crate::{
    window::shown,
    x11::{Grab, Server, Trouble, X11},
};

pub(crate) use monitors::{origin, origin_in};

/// Looks at the screen over X11.
pub(crate) struct XScreen {
    x11: Arc<X11>,
}

impl XScreen {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11 }
    }

    fn take(
        &self,
        of: Capture,
        beside: Beside,
        by: Deadline,
    ) -> Result<(Pixels, Option<Vec<Shown>>)> {
        let place = match of {
            Capture::Screen => None,
            Capture::Region(place) => Some(place),
            Capture::Window(id) => return window::capture(&self.x11, id, beside, by),
        };
        self.x11.run(by, move |server| match beside {
            Beside::Nothing => Ok(seen(server, place)?.map(|pixels| (pixels, None))),
            Beside::Everything => {
                let _grab = Grab::of(server)?;
                let all = shown(server)?;
                Ok(seen(server, place)?.map(|pixels| (pixels, Some(all))))
            }
        })?
    }
}

/// What can be seen in a place, or everywhere.
fn seen(server: &Server, place: Option<Rect>) -> std::result::Result<Result<Pixels>, Trouble> {
    if !grab::is_usual(server) {
        return Ok(Err(unusual()));
    }
    let (left, top) = origin(server)?;
    let place = match place {
        Some(place) => place.moved(left, top),
        None => monitors::frames(server)?.into_iter().fold(Rect::new(0, 0, 0, 0), Rect::union),
    };
    let pixels = grab::seen(server, place)?;
    Ok(pixels.map(|p| Pixels { rect: p.rect.moved(-left, -top), ..p }))
}

impl Screen for XScreen {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        self.x11.run(by, monitors::displays)
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        let pixels = self.capture(Capture::Region(Rect::new(x, y, 1, 1)), by)?;
        pixels.first().ok_or_else(|| Error::Unexpected {
            what: "the X server".to_owned(),
            why: "a picture without pixels".to_owned(),
        })
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.x11.run(by, |server| {
            let at = server.connection.query_pointer(server.root)?.reply()?;
            let (left, top) = origin(server)?;
            Ok((i32::from(at.root_x) - left, i32::from(at.root_y) - top))
        })
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Pixels> {
        Ok(self.take(of, Beside::Nothing, by)?.0)
    }

    fn capture_among(&self, of: Capture, by: Deadline) -> Result<(Pixels, Option<Vec<Shown>>)> {
        self.take(of, Beside::Everything, by)
    }
}

fn unusual() -> Error {
    Error::Unsupported {
        what: "taking a picture".to_owned(),
        why: "this X server does not have 24 or 32 bits a pixel".to_owned(),
    }
}
