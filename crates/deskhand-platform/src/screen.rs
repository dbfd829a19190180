//! Monitors and pixels.

use deskhand_model::Rect;

use crate::{Deadline, Result, Shown};

/// One monitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Display {
    /// Its connector or given name.
    pub name: String,
    /// Where it lies.
    pub frame: Rect,
    /// The part of it that panels leave to windows.
    pub work_area: Rect,
    /// How many pixels one unit of length takes in programs that scale what they draw.
    pub scale: f64,
    /// Whether it is the main one.
    pub main: bool,
}

/// Looks at pixels.
pub trait Screen: Send + Sync {
    /// The monitors, the main one first.
    fn displays(&self, by: Deadline) -> Result<Vec<Display>>;

    /// The colour at a point, as red, green and blue.
    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]>;

    /// Where the pointer is.
    fn cursor(&self, by: Deadline) -> Result<(i32, i32)>;

    /// Takes a picture, without anything on the desktop changing for the person at it.
    ///
    /// # Errors
    ///
    /// `Gone` when there is no such window, `Unsupported` when it is not drawn anywhere now or the
    /// place lies outside every monitor.
    fn capture(&self, of: Capture, by: Deadline) -> Result<Pixels>;

    /// Takes a picture together with what is drawn on the screen in the same moment, the frontmost
    /// first; `None` when the picture is a drawing a window has of its own, where nothing else can be.
    ///
    /// # Errors
    ///
    /// As for a picture alone.
    fn capture_among(&self, of: Capture, by: Deadline) -> Result<(Pixels, Option<Vec<Shown>>)>;
}

/// What to take a picture of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    /// Everything: the smallest rectangle around all monitors.
    Screen,
    /// What can be seen in a place.
    Region(Rect),
    /// One window with its frame, also where it is covered or reaches off the screen.
    Window(u64),
}

/// A picture as the platform hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// The place it shows.
    pub rect: Rect,
    /// How many pixels wide it is.
    pub width: u32,
    /// How many pixels high it is.
    pub height: u32,
    /// Four bytes a pixel, row by row: blue, green, red, and one that means nothing.
    pub data: Vec<u8>,
    /// In which ways it is not what a person would see.
    pub flaws: Vec<Flaw>,
}

impl Pixels {
    /// The colour of the first pixel, as red, green and blue.
    pub fn first(&self) -> Option<[u8; 3]> {
        self.data.first_chunk::<3>().map(|[blue, green, red]| [*red, *green, *blue])
    }
}

/// Why a picture is not quite what a person would see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Parts lie outside every monitor and are black.
    Outside,
    /// The program did not draw what was hidden of its window in time, so these parts may be empty
    /// or old.
    Undrawn,
    /// Windows of apps that policy blocks are painted over.
    Blocked,
}
