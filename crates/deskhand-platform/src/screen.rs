//! Displays and screenshots.

use deskhand_model::Rect;

use crate::{Deadline, Result, VisibleWindow};

/// A display (monitor).
#[derive(Debug, Clone, PartialEq)]
pub struct Display {
    /// The number by which the system identifies it. It does not change while the display is connected.
    pub id: u32,
    /// The name of its connector, or the name it was given.
    pub name: String,
    /// Its area on the desktop.
    pub frame: Rect,
    /// The part of the frame that panels do not cover.
    pub work_area: Rect,
    /// The number of pixels per unit of length in programs that scale their content.
    pub scale: f64,
    /// It is the main display.
    pub main: bool,
}

/// Reads pixels of the screen.
pub trait Screen: Send + Sync {
    /// Lists the displays, the main one first.
    fn displays(&self, deadline: Deadline) -> Result<Vec<Display>>;

    /// Returns the colour at a point as red, green and blue.
    fn pixel(&self, x: i32, y: i32, deadline: Deadline) -> Result<[u8; 3]>;

    /// Returns the position of the pointer.
    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)>;

    /// Takes a screenshot without changing anything the user sees.
    ///
    /// # Errors
    ///
    /// `Gone` if the window no longer exists, `Unsupported` if it is not drawn now or the region
    /// is outside every display.
    fn capture(&self, target: CaptureTarget, deadline: Deadline) -> Result<Pixels>;

    /// Takes a screenshot and lists the windows that were visible at the same moment, frontmost
    /// first. The list is `None` if the image comes from the window's own buffer, which cannot
    /// contain other windows.
    ///
    /// # Errors
    ///
    /// The same as [`capture`](Self::capture).
    fn capture_with_windows(
        &self,
        target: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)>;
}

/// The target of a screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureTarget {
    /// The smallest rectangle around all displays.
    Screen,
    /// A region of the screen.
    Region(Rect),
    /// One window with its frame, even if it is covered or partly off screen.
    Window(u64),
}

/// An image as the platform returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// The area of the desktop it shows.
    pub rect: Rect,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Four bytes a pixel, row by row: blue, green, red, unused.
    pub data: Vec<u8>,
    /// The differences between the image and what the user sees.
    pub flaws: Vec<CaptureFlaw>,
}

impl Pixels {
    /// Returns the colour of the first pixel as red, green and blue.
    pub fn first_pixel(&self) -> Option<[u8; 3]> {
        self.data.first_chunk::<3>().map(|[blue, green, red]| [*red, *green, *blue])
    }
}

/// A difference between a screenshot and what the user sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureFlaw {
    /// Parts are outside every display and are black.
    OutsideDisplays,
    /// The program did not redraw covered parts of its window in time; they may be empty or
    /// outdated.
    NotRedrawn,
    /// Windows of apps that policy blocks are painted over.
    AppBlocked,
}
