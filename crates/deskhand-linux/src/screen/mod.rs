//! Displays and screen captures over X11.

mod monitors;
mod pixels;
mod timing;
mod window;

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{
    CaptureTarget, Deadline, Display, Error, Pixels, Result, Screen, VisibleWindow,
};
use x11rb::protocol::xproto::ConnectionExt as _;

use self::window::CaptureMode;
use crate::{
    window::list_visible,
    x11::{ServerGrab, X11Result, X11Thread, XServer},
};

pub(crate) use monitors::{origin, origin_in};

/// Reads displays and pixels over X11.
pub(crate) struct X11Screen {
    x11: Arc<X11Thread>,
}

impl X11Screen {
    pub(crate) fn new(x11: Arc<X11Thread>) -> Self {
        Self { x11 }
    }

    fn capture_in_mode(
        &self,
        of: CaptureTarget,
        mode: CaptureMode,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)> {
        let area = match of {
            CaptureTarget::Screen => None,
            CaptureTarget::Region(area) => Some(area),
            CaptureTarget::Window(id) => return window::capture(&self.x11, id, mode, deadline),
        };
        self.x11.run(deadline, move |server| match mode {
            CaptureMode::PixelsOnly => {
                Ok(capture_visible(server, area)?.map(|pixels| (pixels, None)))
            }
            CaptureMode::WithWindows => {
                let _grab = ServerGrab::acquire(server)?;
                let windows = list_visible(server)?;
                Ok(capture_visible(server, area)?.map(|pixels| (pixels, Some(windows))))
            }
        })?
    }
}

/// Captures the visible content of an area, or of all displays.
fn capture_visible(server: &XServer, area: Option<Rect>) -> X11Result<Result<Pixels>> {
    if !pixels::has_supported_format(server) {
        return Ok(Err(unsupported_format()));
    }
    let (left, top) = origin(server)?;
    let area = match area {
        Some(area) => area.moved(left, top),
        None => {
            monitors::monitor_frames(server)?.into_iter().fold(Rect::new(0, 0, 0, 0), Rect::union)
        }
    };
    let pixels = pixels::capture_visible(server, area)?;
    Ok(pixels.map(|p| Pixels { rect: p.rect.moved(-left, -top), ..p }))
}

impl Screen for X11Screen {
    fn displays(&self, deadline: Deadline) -> Result<Vec<Display>> {
        self.x11.run(deadline, monitors::displays)
    }

    fn pixel(&self, x: i32, y: i32, deadline: Deadline) -> Result<[u8; 3]> {
        let pixels = self.capture(CaptureTarget::Region(Rect::new(x, y, 1, 1)), deadline)?;
        pixels.first_pixel().ok_or_else(|| Error::Unexpected {
            what: "the X server".to_owned(),
            why: "the capture has no pixels".to_owned(),
        })
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.x11.run(deadline, |server| {
            let at = server.connection.query_pointer(server.root)?.reply()?;
            let (left, top) = origin(server)?;
            Ok((i32::from(at.root_x) - left, i32::from(at.root_y) - top))
        })
    }

    fn capture(&self, of: CaptureTarget, deadline: Deadline) -> Result<Pixels> {
        Ok(self.capture_in_mode(of, CaptureMode::PixelsOnly, deadline)?.0)
    }

    fn capture_with_windows(
        &self,
        of: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)> {
        self.capture_in_mode(of, CaptureMode::WithWindows, deadline)
    }
}

fn unsupported_format() -> Error {
    Error::Unsupported {
        what: "capturing the screen".to_owned(),
        why: "this X server does not use 32 bits per pixel".to_owned(),
    }
}
