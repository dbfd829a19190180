//! Takes a picture and makes it fit: cut, masked, marked, written.

use deskhand_model::{Rect, Window};
use deskhand_platform::{Capture, Flaw};
use deskhand_vision::{Canvas, Fitted, Format, Limits, Mark, Picture, Wish, draw, fit};

use super::{
    aim::{self, Aim, Named},
    app,
    marks::{self, Pointed},
    secrets::{self, Secrets, Unsearched},
};
use crate::{Context, Error, Result};

/// What picture is wanted.
pub struct Wanted<'a> {
    pub named: Named<'a>,
    pub annotate: bool,
    pub format: Format,
    pub quality: u8,
    pub limits: Limits,
}

/// A picture that was taken.
pub struct Taken {
    pub fitted: Fitted,
    /// The place it shows.
    pub rect: Rect,
    pub masked: usize,
    pub unsearched: Vec<Unsearched>,
    pub notes: Vec<String>,
    pub window: Option<String>,
    pub marked: Option<usize>,
}

/// Takes it. A window that came or went while passwords were searched may have been in the picture
/// unsearched: another picture is taken then, between what was found before and what is found after.
pub fn take(cx: &Context<'_>, wanted: &Wanted<'_>) -> Result<Taken> {
    let aim = aim::at(cx, &wanted.named)?;
    let (taken, found) = once(cx, wanted, &aim, &[])?;
    let stand = |all: &[Window]| -> Vec<(u64, Rect)> {
        shown(&aim, all).iter().map(|window| (window.id, window.frame)).collect()
    };
    if stand(&aim::all(cx)?) == stand(&aim.windows) {
        return Ok(taken);
    }
    Ok(once(cx, wanted, &aim::at(cx, &wanted.named)?, &found)?.0)
}

/// Takes a picture, and finds the places of passwords in it; earlier ones are masked, too.
fn once(
    cx: &Context<'_>,
    wanted: &Wanted<'_>,
    aim: &Aim,
    earlier: &[Rect],
) -> Result<(Taken, Vec<Rect>)> {
    let screen = aim::screen(cx)?;
    let windows = shown(aim, &aim.windows);
    let tree = &*cx.desktop.tree;
    let pointed = if wanted.annotate { Some(pointed(cx, aim, wanted, &windows)?) } else { None };
    std::thread::scope(|scope| {
        // Looking for passwords takes longer than all the rest, so the rest is done meanwhile: most
        // pictures show none.
        let search = scope.spawn(|| secrets::search(tree, &windows, cx.by));
        let pixels = screen.capture(aim.of, cx.by).map_err(|error| refused(aim.of, error))?;
        let whole = Picture::new(pixels.width, pixels.height, &pixels.data)?;
        let (mut picture, rect) = match aim.part.and_then(|part| part.intersection(pixels.rect)) {
            Some(part) => {
                let place = inside(part, pixels.rect, whole.size());
                (whole.cut(place).unwrap_or(whole), part)
            }
            None => (whole, pixels.rect),
        };
        let wish = Wish { format: wanted.format, quality: wanted.quality, limits: wanted.limits };
        let paint = |canvas: &mut Canvas| {
            let marks = pointed.iter().flatten().filter_map(|one| mark(one, rect, canvas.size()));
            draw(canvas, &marks.collect::<Vec<_>>());
        };
        let mut fitted = fit(&picture, wish, &paint)?;
        let secrets = search.join().unwrap_or_else(|_| Secrets::failed());
        let fields = secrets.places(tree, &windows);
        let seen = |place: &Rect| place.intersection(rect);
        let masked = fields.iter().filter(|field| field.iter().any(|one| seen(one).is_some()));
        let masked = masked.count();
        let found: Vec<Rect> = fields.into_iter().flatten().collect();
        let places = found.iter().chain(earlier).filter_map(seen);
        let places: Vec<Rect> = places.map(|place| inside(place, rect, picture.size())).collect();
        if !places.is_empty() {
            picture.mask(&places);
            fitted = fit(&picture, wish, &paint)?;
        }
        let marked = pointed
            .as_ref()
            .map(|all| all.iter().filter(|one| one.place.intersection(rect).is_some()).count());
        let taken = Taken {
            fitted,
            rect,
            masked,
            unsearched: secrets.unsearched,
            notes: pixels.flaws.iter().map(|flaw| words(*flaw).to_owned()).collect(),
            window: aim.window.as_ref().map(|window| window.title.clone()),
            marked,
        };
        Ok((taken, found))
    })
}

/// Those of all windows of which anything can be in the picture.
fn shown(aim: &Aim, all: &[Window]) -> Vec<Window> {
    if let Some(of) = &aim.window {
        return all.iter().filter(|window| window.id == of.id).cloned().collect();
    }
    let part_of = |window: &Window| match aim.of {
        Capture::Region(place) => window.frame.intersection(place),
        Capture::Screen | Capture::Window(_) => Some(window.frame),
    };
    let seen = |window: &&Window| {
        let part = part_of(window).filter(|_| !window.minimized);
        part.is_some_and(|part| !secrets::is_covered(part, window.z, all))
    };
    all.iter().filter(seen).cloned().collect()
}

/// The elements to point at: of the app in the picture, or of the one in front.
fn pointed(
    cx: &Context<'_>,
    aim: &Aim,
    wanted: &Wanted<'_>,
    windows: &[Window],
) -> Result<Vec<Pointed>> {
    let of_window = aim.window.as_ref().map(|window| window.pid.to_string());
    let app = match &aim.app {
        Some(app) => app.clone(),
        None => app::meant(cx, of_window.as_deref().or(wanted.named.app))?,
    };
    let place = aim.part.or(match aim.of {
        Capture::Region(place) => Some(place),
        Capture::Window(_) => aim.window.as_ref().map(|window| window.frame),
        Capture::Screen => None,
    });
    marks::controls(cx, &app, place, aim.window.as_ref(), windows)
}

/// A place as pixels of a picture of another place; never less than it is.
fn inside(place: Rect, of: Rect, (width, height): (u32, u32)) -> Rect {
    let along = |at: i32, length: i32, pixels: u32| {
        let factor = f64::from(pixels) / f64::from(length.max(1));
        f64::from(at) * factor
    };
    let x = along(place.x - of.x, of.width, width).floor() as i32;
    let y = along(place.y - of.y, of.height, height).floor() as i32;
    let right = along(place.right() - of.x, of.width, width).ceil() as i32;
    let bottom = along(place.bottom() - of.y, of.height, height).ceil() as i32;
    Rect::new(x, y, right - x, bottom - y)
}

fn mark(one: &Pointed, rect: Rect, size: (u32, u32)) -> Option<Mark> {
    let place = one.place.intersection(rect)?;
    Some(Mark { place: inside(place, rect, size), label: one.label.clone() })
}

/// Why there are no pixels, with what to do about it.
fn refused(of: Capture, error: deskhand_platform::Error) -> Error {
    let deskhand_platform::Error::Unsupported { what, why } = error else {
        return error.into();
    };
    let instead = match of {
        Capture::Window(id) => format!("show it first: `deskhand window restore {id:#x}`"),
        Capture::Region(_) | Capture::Screen => "see `deskhand display list`".to_owned(),
    };
    Error::Unfit { what, why, instead }
}

fn words(flaw: Flaw) -> &'static str {
    match flaw {
        Flaw::Outside => "parts of it lie outside every display and are black",
        Flaw::Undrawn => {
            "its program did not draw what was hidden of its window in time: those parts may be \
             empty or old"
        }
        Flaw::Blocked => "windows of apps that security policy blocks are painted over",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_never_loses_a_pixel_when_it_is_reduced() {
        let screen = Rect::new(-1920, 0, 1920, 1080);
        let field = Rect::new(-1819, 101, 55, 21);
        assert_eq!(inside(field, screen, (1920, 1080)), Rect::new(101, 101, 55, 21));
        assert_eq!(inside(field, screen, (960, 540)), Rect::new(50, 50, 28, 11));
        assert_eq!(inside(field, screen, (3840, 2160)), Rect::new(202, 202, 110, 42));
    }
}
