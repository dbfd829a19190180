//! Monitors make sense, and pictures show what is there.

use deskhand_model::Rect;

use super::{
    AppUse, Check, Fault, Outcome, Part, Scene, ensure, eventually, soon, windows::NO_WINDOW,
};
use crate::{Capture, Error, Pixels};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "monitors_have_a_place_and_a_scale",
        covers: &["Screen::displays"],
        needs: &[Part::Screen],
        app: AppUse::Shared,
        run: displays,
    },
    Check {
        name: "a_picture_of_a_window_shows_it",
        covers: &["Screen::capture", "Screen::capture_among"],
        needs: &[Part::Screen, Part::Windows],
        app: AppUse::Shared,
        run: window,
    },
    Check {
        name: "a_picture_of_a_place_is_that_part_of_the_screen",
        covers: &["Screen::capture", "Screen::pixel"],
        needs: &[Part::Screen, Part::Windows],
        app: AppUse::Shared,
        run: region,
    },
    Check {
        name: "what_is_nowhere_has_no_picture",
        covers: &["Screen::capture"],
        needs: &[Part::Screen],
        app: AppUse::Shared,
        run: nowhere,
    },
];

fn displays(scene: &Scene<'_>) -> Outcome {
    let all = scene.screen()?.displays(soon())?;
    let mains = all.iter().filter(|display| display.main).count();
    ensure!(mains == 1, "{mains} of {} monitors are the main one", all.len());
    ensure!(all.first().is_some_and(|display| display.main), "the main one is not first: {all:?}");
    for display in &all {
        ensure!(!display.frame.is_empty(), "{display:?} takes no room");
        let inside = display.frame.meet(display.work_area) == display.work_area;
        ensure!(inside && !display.work_area.is_empty(), "{display:?} has no room for windows");
        ensure!(display.scale > 0.0 && display.scale.is_finite(), "{display:?} has no scale");
        let others = all.iter().filter(|other| other.frame.overlaps(display.frame)).count();
        ensure!(others == 1, "{display:?} overlaps another monitor");
    }
    Ok(())
}

/// Fails unless a picture has the size it says, and pixels for it.
fn sound(picture: &Pixels, of: Rect) -> Outcome {
    ensure!(picture.rect == of, "{of:?} was asked for, the picture shows {:?}", picture.rect);
    let (width, height) = (picture.width as usize, picture.height as usize);
    ensure!(
        picture.data.len() == width * height * 4,
        "{width} by {height} in {} bytes",
        picture.data.len()
    );
    // A picture has whole pixels for each unit of length, on dense screens several.
    let density = |pixels: u32, length: i32| f64::from(pixels) / f64::from(length.max(1));
    let (across, down) = (density(picture.width, of.width), density(picture.height, of.height));
    ensure!(across >= 0.99 && (across - down).abs() < 0.02, "{across} by {down} pixels a unit");
    Ok(())
}

fn colours(picture: &Pixels) -> usize {
    let mut all: Vec<&[u8]> = picture.data.chunks_exact(4).map(|pixel| &pixel[..3]).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn window(scene: &Scene<'_>) -> Outcome {
    let screen = scene.screen()?;
    let window = scene.to_front()?;
    eventually(|| {
        let picture = screen.capture(Capture::Window(window.id), soon())?;
        sound(&picture, window.frame)?;
        let colours = colours(&picture);
        Ok((colours < 3).then(|| format!("the picture has {colours} colours")))
    })?;
    let (picture, shown) = screen.capture_among(Capture::Screen, soon())?;
    ensure!(!picture.data.is_empty(), "the screen has no pixels");
    let Some(shown) = shown else {
        return Err(Fault::Failed("a picture of the screen does not say what is on it".to_owned()));
    };
    let there = shown.iter().any(|one| one.id == window.id);
    ensure!(there, "{window:?} is not among what the picture shows: {shown:?}");
    Ok(())
}

fn region(scene: &Scene<'_>) -> Outcome {
    let screen = scene.screen()?;
    let window = scene.to_front()?;
    let (x, y) = window.bounds.center();
    let place = Rect::new(x - 60, y - 40, 120, 80);
    eventually(|| {
        let part = screen.capture(Capture::Region(place), soon())?;
        let whole = screen.capture(Capture::Screen, soon())?;
        sound(&part, place)?;
        // Screens of several densities have no picture whose pixels are the same as those of each.
        let dense = whole.width as i32 / whole.rect.width.max(1);
        if dense * place.width != part.width as i32 {
            return Ok(None);
        }
        let (left, top) = ((place.x - whole.rect.x) * dense, (place.y - whole.rect.y) * dense);
        let row = |picture: &Pixels, left: usize, top: usize, line: usize| {
            let from = ((top + line) * picture.width as usize + left) * 4;
            picture.data[from..from + part.width as usize * 4].to_vec()
        };
        let rgb = |bytes: &[u8]| -> Vec<[u8; 3]> {
            bytes.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
        };
        let (left, top) = (left.unsigned_abs() as usize, top.unsigned_abs() as usize);
        let other = (0..part.height as usize)
            .find(|line| rgb(&row(&part, 0, 0, *line)) != rgb(&row(&whole, left, top, *line)));
        let pixel = screen.pixel(place.x, place.y, soon())?;
        let first = part.first();
        // A caret that blinks between two pictures makes them differ; not for long.
        Ok(match other {
            Some(line) => Some(format!("line {line} of {place:?} differs from the screen's")),
            None if first == Some(pixel) => None,
            None => Some(format!("the pixel is {pixel:?}, and {first:?} in the picture")),
        })
    })
}

fn nowhere(scene: &Scene<'_>) -> Outcome {
    let screen = scene.screen()?;
    let picture = screen.capture(Capture::Window(NO_WINDOW), soon());
    ensure!(matches!(picture, Err(Error::Gone { .. })), "no window, and {:?}", picture.map(drop));
    let far = Rect::new(-30_000, -30_000, 10, 10);
    let picture = screen.capture(Capture::Region(far), soon());
    ensure!(
        matches!(picture, Err(Error::Unsupported { .. })),
        "a place outside every monitor came to {:?}",
        picture.map(drop)
    );
    Ok(())
}
