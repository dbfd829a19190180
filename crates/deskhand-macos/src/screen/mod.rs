//! Displays and screenshots.
//!
//! Positions are in points, as everywhere on macOS (see `area.rs`). A screenshot of a Retina display has more
//! pixels than points.

mod area;
mod canvas;
mod capture_api;
mod displays;
mod raw_image;
mod visible_windows;

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{
    CaptureFlaw, CaptureTarget, Deadline, Display, Error, Pixels, Result, Screen, VisibleWindow,
};

pub(crate) use self::{
    area::Area,
    capture_api::{CaptureApi, MacosVersion},
    displays::{AppKitScreen, CgDisplay, scale_at},
    raw_image::RawImage,
};
use self::{
    canvas::{Tile, compose, to_pixels},
    raw_image::BgraImage,
};
use crate::{
    blocking::run_with_deadline,
    permission::PrivacyRight,
    window::{WindowInfo, WindowListApi, WindowScope},
};

/// Upper limit of pixels in a screenshot, half a gigabyte.
const MAX_PIXELS: f64 = (1 << 27) as f64;

/// The callee in errors.
const SERVER: &str = "the window server";

/// The system calls for screenshots.
pub(crate) trait ScreenApi: Displays {
    /// The version of macOS.
    fn version(&self) -> MacosVersion;

    /// Returns `true` if this process has the Screen Recording permission.
    fn can_record(&self) -> bool;

    /// The program that the user must allow in System Settings to give this process the permission.
    fn program_to_allow(&self) -> String;

    /// Takes a screenshot, or returns `None` if the system has no image of the target.
    fn capture(
        &self,
        api: CaptureApi,
        request: ImageRequest,
        deadline: Deadline,
    ) -> std::result::Result<Option<RawImage>, CaptureError>;
}

/// The system calls for displays.
pub(crate) trait Displays: Send + Sync + 'static {
    /// The displays as CoreGraphics reports them.
    fn cg_displays(&self) -> Result<Vec<CgDisplay>>;

    /// The displays as AppKit reports them.
    fn appkit_screens(&self) -> Vec<AppKitScreen>;

    /// The position of the pointer, if it is known.
    fn pointer(&self) -> Option<(f64, f64)>;
}

/// One image to capture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ImageRequest {
    /// A part of one display.
    DisplayPart {
        /// The `CGDirectDisplayID`.
        display: u32,
        /// The part, from the top left of the main display.
        area: Area,
        /// The same part, from the top left of its display.
        inside: Area,
        /// Width and height of the image in pixels.
        size: (usize, usize),
    },
    /// A window without its shadow.
    Window {
        number: u32,
        /// Width and height of the image in pixels.
        size: (usize, usize),
    },
}

/// The failure of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CaptureError {
    Timeout,
    /// An error of ScreenCaptureKit.
    Failed {
        code: isize,
        why: String,
    },
}

/// `SCStreamErrorUserDeclined`: the permission is missing.
const USER_DECLINED: isize = -3801;

/// The displays and screenshots of macOS.
pub(crate) struct MacScreen<S> {
    system: Arc<S>,
}

impl<S: ScreenApi + WindowListApi> MacScreen<S> {
    pub(crate) fn new(system: Arc<S>) -> Self {
        Self { system }
    }

    /// Runs a blocking operation until the deadline.
    fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        operation: impl FnOnce(&S) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let system = Arc::clone(&self.system);
        run_with_deadline(deadline, SERVER, move || operation(&system))
    }
}

impl<S: ScreenApi + WindowListApi> Screen for MacScreen<S> {
    fn displays(&self, deadline: Deadline) -> Result<Vec<Display>> {
        self.run(deadline, |system| list_displays(system))
    }

    fn pixel(&self, x: i32, y: i32, deadline: Deadline) -> Result<[u8; 3]> {
        let pixels = self.capture(CaptureTarget::Region(Rect::new(x, y, 1, 1)), deadline)?;
        pixels.first_pixel().ok_or_else(|| unexpected("it returned an image without pixels"))
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.run(deadline, |system| {
            pointer(system).ok_or_else(|| unexpected("it does not report the pointer's position"))
        })
    }

    fn capture(&self, of: CaptureTarget, deadline: Deadline) -> Result<Pixels> {
        self.run(deadline, move |system| match of {
            CaptureTarget::Screen => capture_area(system, None, deadline),
            CaptureTarget::Region(area) => capture_area(system, Some(area), deadline),
            CaptureTarget::Window(id) => capture_window(system, id, deadline),
        })
    }

    fn capture_with_windows(
        &self,
        of: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)> {
        let area = match of {
            CaptureTarget::Screen => None,
            CaptureTarget::Region(area) => Some(area),
            // A window is captured alone, so no other window is in its picture.
            CaptureTarget::Window(_) => return Ok((self.capture(of, deadline)?, None)),
        };
        self.run(deadline, move |system| {
            let take = || capture_area(system, area, deadline);
            let (pixels, windows) = visible_windows::capture_with_windows(system, deadline, take)?;
            Ok((pixels, Some(windows)))
        })
    }
}

/// All displays, the main one first.
pub(crate) fn list_displays(system: &impl Displays) -> Result<Vec<Display>> {
    Ok(displays::merge(&system.cg_displays()?, &system.appkit_screens()))
}

/// The position of the pointer in whole points, if it is known.
pub(crate) fn pointer(system: &impl Displays) -> Option<(i32, i32)> {
    system.pointer().map(|(x, y)| (x.floor() as i32, y.floor() as i32))
}

/// Captures an area, or all displays. It is black where there is no display.
fn capture_area<S: ScreenApi>(
    system: &S,
    area: Option<Rect>,
    deadline: Deadline,
) -> Result<Pixels> {
    check_permission(system)?;
    let displays = system.cg_displays()?;
    let whole = || displays.iter().map(CgDisplay::frame).fold(Rect::new(0, 0, 0, 0), Rect::union);
    let area = area.unwrap_or_else(whole);
    let parts: Vec<(&CgDisplay, Rect)> = displays
        .iter()
        .filter_map(|display| Some((display, area.intersection(display.frame())?)))
        .collect();
    let scale = parts.iter().map(|(display, _)| display.scale()).fold(0.0, f64::max);
    let refused = |why: &str| {
        let what = format!("a screenshot of {}x{} points there", area.width, area.height);
        Err(Error::Unsupported { what, why: why.to_owned() })
    };
    if parts.is_empty() {
        return refused("the area is outside all displays");
    }
    if f64::from(area.width) * f64::from(area.height) * scale * scale > MAX_PIXELS {
        return refused("it has more than 134 million pixels; choose a smaller area");
    }
    let mut tiles = Vec::with_capacity(parts.len());
    for (display, part) in parts {
        let own = display.scale();
        let request = ImageRequest::DisplayPart {
            display: display.id,
            area: part.into(),
            inside: Area::from(part).relative_to(display.bounds.x, display.bounds.y),
            size: (to_pixels(part.width, own), to_pixels(part.height, own)),
        };
        let image = capture(system, request, deadline)?;
        let image = image.ok_or_else(|| unexpected("it returned no image of a display"))?;
        tiles.push(Tile { area: part, image });
    }
    Ok(compose(area, scale, tiles))
}

/// Captures one window with its frame, even if it is covered.
fn capture_window<S: ScreenApi + WindowListApi>(
    system: &S,
    id: u64,
    deadline: Deadline,
) -> Result<Pixels> {
    check_permission(system)?;
    let info = find_window(system, id)?.ok_or_else(|| gone(id))?;
    let rect = info.rect();
    let scale = scale_at(rect, &system.cg_displays()?);
    let size = (to_pixels(rect.width, scale), to_pixels(rect.height, scale));
    let image = if rect.is_empty() {
        None
    } else {
        capture(system, ImageRequest::Window { number: info.number, size }, deadline)?
    };
    let Some(BgraImage { width, height, data }) = image else {
        // The window may have closed by now.
        find_window(system, id)?.ok_or_else(|| gone(id))?;
        let why = if info.on_screen {
            "its app does not allow it to be captured"
        } else {
            "it is minimized, hidden or on another Space, and macOS has no image of it"
        };
        let what = format!("a screenshot of window {id}");
        return Err(Error::Unsupported { what, why: why.to_owned() });
    };
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    // For a window that is not on screen, the window server returns its last image.
    let flaws = if info.on_screen { Vec::new() } else { vec![CaptureFlaw::NotRedrawn] };
    Ok(Pixels { rect, width: side(width), height: side(height), data, flaws })
}

/// The entry of a window in the window server's list.
fn find_window(system: &impl WindowListApi, id: u64) -> Result<Option<WindowInfo>> {
    let Ok(number) = u32::try_from(id) else { return Ok(None) };
    Ok(system.windows(WindowScope::One(number))?.into_iter().find(|info| info.number == number))
}

fn capture<S: ScreenApi>(
    system: &S,
    request: ImageRequest,
    deadline: Deadline,
) -> Result<Option<BgraImage>> {
    match system.capture(CaptureApi::for_version(system.version()), request, deadline) {
        Ok(None) => Ok(None),
        Ok(Some(image)) => {
            let unsupported = format!(
                "it returned an unsupported pixel format: {} bits per pixel, {} per component, info {:#x}",
                image.bits_per_pixel, image.bits_per_component, image.info
            );
            image.into_bgra().map(Some).ok_or_else(|| unexpected(&unsupported))
        }
        Err(CaptureError::Timeout) => Err(Error::Timeout { what: SERVER.to_owned() }),
        Err(CaptureError::Failed { code: USER_DECLINED, .. }) => Err(permission_error(system)),
        Err(CaptureError::Failed { code, why }) => Err(Error::Disconnected {
            what: "ScreenCaptureKit".to_owned(),
            why: format!("{why} ({code})"),
        }),
    }
}

/// Fails without the Screen Recording permission. Screenshots would show the desktop without windows.
fn check_permission<S: ScreenApi>(system: &S) -> Result<()> {
    if system.can_record() { Ok(()) } else { Err(permission_error(system)) }
}

fn permission_error<S: ScreenApi>(system: &S) -> Error {
    PrivacyRight::ScreenRecording.missing_error(&system.program_to_allow())
}

fn gone(id: u64) -> Error {
    Error::Gone { what: format!("window {id}") }
}

fn unexpected(why: &str) -> Error {
    Error::Unexpected { what: SERVER.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests;
