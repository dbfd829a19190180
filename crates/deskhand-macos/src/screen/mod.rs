//! Monitors and pixels.
//!
//! Places are in points, as everywhere on macOS (see `area.rs`); a picture of a Retina display has more
//! pixels than the place it shows has points.

mod area;
mod canvas;
mod displays;
mod moment;
mod raster;
mod road;

use std::sync::Arc;

use deskhand_model::Rect;
use deskhand_platform::{Capture, Deadline, Display, Error, Flaw, Pixels, Result, Screen, Shown};

pub(crate) use self::{
    area::Area,
    displays::{Desk, Monitor, scale_at},
    raster::Raster,
    road::{Road, Version},
};
use self::{
    canvas::{Tile, pixels, put_together},
    raster::Tight,
};
use crate::{
    patience::within,
    permission::Right,
    window::{Pane, Panes, Reach},
};

/// The most pixels one picture may have: half a gigabyte of them.
const MOST: f64 = (1 << 27) as f64;

/// Who is asked about the screen.
const SERVER: &str = "the window server";

/// What this room needs of the system.
pub(crate) trait Pictures: Displays {
    /// The version of the system.
    fn version(&self) -> Version;

    /// Whether a person has allowed this program to record the screen.
    fn may_record(&self) -> bool;

    /// The program a person has to allow it to.
    fn who(&self) -> String;

    /// Takes a picture; `None` when the system has none of that.
    fn take(
        &self,
        road: Road,
        shot: Shot,
        by: Deadline,
    ) -> std::result::Result<Option<Raster>, Refusal>;
}

/// Tells where displays are.
pub(crate) trait Displays: Send + Sync + 'static {
    /// The displays as CoreGraphics knows them.
    fn monitors(&self) -> Result<Vec<Monitor>>;

    /// The displays as AppKit knows them.
    fn desks(&self) -> Vec<Desk>;

    /// Where the pointer is; `None` when nobody can tell.
    fn pointer(&self) -> Option<(f64, f64)>;
}

/// One picture the system is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shot {
    /// A part of what one display shows.
    Part {
        /// The display.
        display: u32,
        /// The part among all displays.
        place: Area,
        /// The same part counted from the corner of the display.
        inside: Area,
        /// How many pixels wide and high it is to be.
        size: (usize, usize),
    },
    /// A window alone, without its shadow.
    Window {
        /// Its number.
        number: u32,
        /// How many pixels wide and high it is to be.
        size: (usize, usize),
    },
}

/// Why the system took no picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It did not answer in time.
    Late,
    /// It answered with an error of ScreenCaptureKit.
    Error {
        /// Its code.
        code: isize,
        /// Its words.
        why: String,
    },
}

/// `SCStreamErrorUserDeclined`: a person has not allowed it.
const DECLINED: isize = -3801;

/// Looks at the screen over CoreGraphics and ScreenCaptureKit.
pub(crate) struct MacScreen<G> {
    ground: Arc<G>,
}

impl<G: Pictures + Panes> MacScreen<G> {
    pub(crate) fn new(ground: Arc<G>) -> Self {
        Self { ground }
    }

    /// Runs something that asks the system.
    fn ask<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&G) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let ground = Arc::clone(&self.ground);
        within(by, SERVER, move || job(&ground))
    }
}

impl<G: Pictures + Panes> Screen for MacScreen<G> {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        self.ask(by, |ground| listed(ground))
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        let pixels = self.capture(Capture::Region(Rect::new(x, y, 1, 1)), by)?;
        pixels.first().ok_or_else(|| unexpected("a picture without pixels"))
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.ask(by, |ground| pointer(ground).ok_or_else(|| unexpected("no place of the pointer")))
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Pixels> {
        self.ask(by, move |ground| match of {
            Capture::Screen => seen(ground, None, by),
            Capture::Region(place) => seen(ground, Some(place), by),
            Capture::Window(id) => window(ground, id, by),
        })
    }

    fn capture_among(&self, of: Capture, by: Deadline) -> Result<(Pixels, Option<Vec<Shown>>)> {
        let place = match of {
            Capture::Screen => None,
            Capture::Region(place) => Some(place),
            // A window is drawn by itself, so nothing else can be in its picture.
            Capture::Window(_) => return Ok((self.capture(of, by)?, None)),
        };
        self.ask(by, move |ground| {
            let (pixels, among) = moment::among(ground, by, || seen(ground, place, by))?;
            Ok((pixels, Some(among)))
        })
    }
}

/// The displays as the seam has them, the main one first.
pub(crate) fn listed(ground: &impl Displays) -> Result<Vec<Display>> {
    Ok(displays::joined(&ground.monitors()?, &ground.desks()))
}

/// The point the pointer is on; `None` when nobody can tell.
pub(crate) fn pointer(ground: &impl Displays) -> Option<(i32, i32)> {
    ground.pointer().map(|(x, y)| (x.floor() as i32, y.floor() as i32))
}

/// What can be seen in a place, or everywhere; black where there is no display.
fn seen<G: Pictures>(ground: &G, place: Option<Rect>, by: Deadline) -> Result<Pixels> {
    allowed(ground)?;
    let monitors = ground.monitors()?;
    let whole = || monitors.iter().map(Monitor::frame).fold(Rect::new(0, 0, 0, 0), Rect::union);
    let place = place.unwrap_or_else(whole);
    let met: Vec<(&Monitor, Rect)> = monitors
        .iter()
        .filter_map(|monitor| Some((monitor, place.intersection(monitor.frame())?)))
        .collect();
    let scale = met.iter().map(|(monitor, _)| monitor.scale()).fold(0.0, f64::max);
    let refused = |why: &str| {
        let what = format!("a picture of {}x{} points there", place.width, place.height);
        Err(Error::Unsupported { what, why: why.to_owned() })
    };
    if met.is_empty() {
        return refused("it lies outside every display");
    }
    if f64::from(place.width) * f64::from(place.height) * scale * scale > MOST {
        return refused("that is more than 134 million pixels");
    }
    let mut tiles = Vec::with_capacity(met.len());
    for (monitor, part) in met {
        let own = monitor.scale();
        let shot = Shot::Part {
            display: monitor.id,
            place: part.into(),
            inside: Area::from(part).seen_from(monitor.bounds.x, monitor.bounds.y),
            size: (pixels(part.width, own), pixels(part.height, own)),
        };
        let picture = take(ground, shot, by)?;
        let picture = picture.ok_or_else(|| unexpected("no picture of a display"))?;
        tiles.push(Tile { place: part, picture });
    }
    Ok(put_together(place, scale, tiles))
}

/// One window with its frame, also where it is covered.
fn window<G: Pictures + Panes>(ground: &G, id: u64, by: Deadline) -> Result<Pixels> {
    allowed(ground)?;
    let pane = one(ground, id)?.ok_or_else(|| gone(id))?;
    let room = pane.room();
    let scale = scale_at(room, &ground.monitors()?);
    let size = (pixels(room.width, scale), pixels(room.height, scale));
    let picture = if room.is_empty() {
        None
    } else {
        take(ground, Shot::Window { number: pane.number, size }, by)?
    };
    let Some(Tight { width, height, data }) = picture else {
        // It may have closed since it was found.
        one(ground, id)?.ok_or_else(|| gone(id))?;
        let why = if pane.on_screen {
            "its program does not let it be captured"
        } else {
            "it is minimized, hidden or on another Space, and not drawn anywhere now"
        };
        let what = format!("a picture of window {id}");
        return Err(Error::Unsupported { what, why: why.to_owned() });
    };
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    // The window server keeps the last drawing of windows it does not show.
    let flaws = if pane.on_screen { Vec::new() } else { vec![Flaw::Undrawn] };
    Ok(Pixels { rect: room, width: side(width), height: side(height), data, flaws })
}

/// A window by its number; `None` when it is no longer there.
fn one(ground: &impl Panes, id: u64) -> Result<Option<Pane>> {
    let Ok(number) = u32::try_from(id) else { return Ok(None) };
    Ok(ground.panes(Reach::One(number))?.into_iter().find(|pane| pane.number == number))
}

fn take<G: Pictures>(ground: &G, shot: Shot, by: Deadline) -> Result<Option<Tight>> {
    match ground.take(Road::of(ground.version()), shot, by) {
        Ok(None) => Ok(None),
        Ok(Some(raster)) => {
            let odd = format!(
                "pixels of {} bits, {} a colour, kind {:#x}",
                raster.bits_per_pixel, raster.bits_per_component, raster.info
            );
            raster.tight().map(Some).ok_or_else(|| unexpected(&odd))
        }
        Err(Refusal::Late) => Err(Error::Timeout { what: SERVER.to_owned() }),
        Err(Refusal::Error { code: DECLINED, .. }) => Err(forbidden(ground)),
        Err(Refusal::Error { code, why }) => Err(Error::Broken {
            what: "ScreenCaptureKit".to_owned(),
            why: format!("{why} ({code})"),
        }),
    }
}

/// Pictures taken without leave show the desktop and no windows, so none is taken.
fn allowed<G: Pictures>(ground: &G) -> Result<()> {
    if ground.may_record() { Ok(()) } else { Err(forbidden(ground)) }
}

fn forbidden<G: Pictures>(ground: &G) -> Error {
    Right::ScreenRecording.refused(&ground.who())
}

fn gone(id: u64) -> Error {
    Error::Gone { what: format!("window {id}") }
}

fn unexpected(why: &str) -> Error {
    Error::Unexpected { what: SERVER.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests;
