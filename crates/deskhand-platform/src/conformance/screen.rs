//! Displays have valid geometry, and screenshots show the real content.

use deskhand_model::Rect;

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure,
    eventually, windows::NO_WINDOW,
};
use crate::{CaptureTarget, Error, Pixels};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "displays_have_a_valid_frame_and_scale",
        covers: &["Screen::displays"],
        requires: &[Capability::Screen],
        app: AppUse::Shared,
        run: displays,
    },
    ConformanceCheck {
        name: "a_screenshot_of_a_window_shows_it",
        covers: &["Screen::capture", "Screen::capture_with_windows"],
        requires: &[Capability::Screen, Capability::Windows],
        app: AppUse::Shared,
        run: window,
    },
    ConformanceCheck {
        name: "a_screenshot_of_a_region_matches_the_screen",
        covers: &["Screen::capture", "Screen::pixel"],
        requires: &[Capability::Screen, Capability::Windows],
        app: AppUse::Shared,
        run: region,
    },
    ConformanceCheck {
        name: "an_unknown_window_or_region_has_no_screenshot",
        covers: &["Screen::capture"],
        requires: &[Capability::Screen],
        app: AppUse::Shared,
        run: nowhere,
    },
];

fn displays(fixture: &Fixture<'_>) -> CheckResult {
    let all = fixture.screen()?.displays(call_deadline())?;
    let mains = all.iter().filter(|display| display.main).count();
    ensure!(mains == 1, "{mains} of {} displays are marked as main", all.len());
    ensure!(
        all.first().is_some_and(|display| display.main),
        "the main display is not first: {all:?}"
    );
    for display in &all {
        ensure!(!display.frame.is_empty(), "the frame of {display:?} is empty");
        let inside = display.frame.clipped_to(display.work_area) == display.work_area;
        ensure!(
            inside && !display.work_area.is_empty(),
            "the work area of {display:?} is empty or outside its frame"
        );
        ensure!(
            display.scale > 0.0 && display.scale.is_finite(),
            "the scale of {display:?} is invalid"
        );
        let others = all.iter().filter(|other| other.frame.overlaps(display.frame)).count();
        ensure!(others == 1, "{display:?} overlaps another display");
    }
    Ok(())
}

/// Checks that an image shows `rect` and has the matching number of pixels.
fn check_size(image: &Pixels, rect: Rect) -> CheckResult {
    ensure!(image.rect == rect, "requested {rect:?}, the image shows {:?}", image.rect);
    let (width, height) = (image.width as usize, image.height as usize);
    ensure!(
        image.data.len() == width * height * 4,
        "an image of {width} by {height} pixels has {} bytes",
        image.data.len()
    );
    // High-density displays have several pixels per unit of length.
    let density = |screen: u32, length: i32| f64::from(screen) / f64::from(length.max(1));
    let (across, down) = (density(image.width, rect.width), density(image.height, rect.height));
    ensure!(across >= 0.99 && (across - down).abs() < 0.02, "{across} by {down} pixels per unit");
    Ok(())
}

fn colours(image: &Pixels) -> usize {
    let mut all: Vec<&[u8]> = image.data.chunks_exact(4).map(|pixel| &pixel[..3]).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn window(fixture: &Fixture<'_>) -> CheckResult {
    let screen = fixture.screen()?;
    let window = fixture.focus_window()?;
    eventually(|| {
        let image = screen.capture(CaptureTarget::Window(window.id), call_deadline())?;
        check_size(&image, window.frame)?;
        let colours = colours(&image);
        Ok((colours < 3).then(|| format!("the image has {colours} colours")))
    })?;
    let (image, visible) = screen.capture_with_windows(CaptureTarget::Screen, call_deadline())?;
    ensure!(!image.data.is_empty(), "the image of the screen is empty");
    let Some(visible) = visible else {
        return Err(CheckError::Failed(
            "the screenshot of the screen comes without a window list".to_owned(),
        ));
    };
    let is_listed = visible.iter().any(|one| one.id == window.id);
    ensure!(is_listed, "{window:?} is not among the visible windows {visible:?}");
    Ok(())
}

fn region(fixture: &Fixture<'_>) -> CheckResult {
    let screen = fixture.screen()?;
    let window = fixture.focus_window()?;
    let (x, y) = window.bounds.center();
    let region = Rect::new(x - 60, y - 40, 120, 80);
    eventually(|| {
        let part = screen.capture(CaptureTarget::Region(region), call_deadline())?;
        let whole = screen.capture(CaptureTarget::Screen, call_deadline())?;
        check_size(&part, region)?;
        // With displays of different densities, an image of the whole screen is scaled.
        let scale = whole.width as i32 / whole.rect.width.max(1);
        if scale * region.width != part.width as i32 {
            return Ok(None);
        }
        let (left, top) = ((region.x - whole.rect.x) * scale, (region.y - whole.rect.y) * scale);
        let row = |image: &Pixels, left: usize, top: usize, line: usize| {
            let from = ((top + line) * image.width as usize + left) * 4;
            image.data[from..from + part.width as usize * 4].to_vec()
        };
        let rgb = |bytes: &[u8]| -> Vec<[u8; 3]> {
            bytes.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
        };
        let (left, top) = (left.unsigned_abs() as usize, top.unsigned_abs() as usize);
        let other = (0..part.height as usize)
            .find(|line| rgb(&row(&part, 0, 0, *line)) != rgb(&row(&whole, left, top, *line)));
        let pixel = screen.pixel(region.x, region.y, call_deadline())?;
        let first = part.first_pixel();
        // A blinking caret can make two images differ for a moment.
        Ok(match other {
            Some(line) => Some(format!("line {line} of {region:?} differs from the screen")),
            None if first == Some(pixel) => None,
            None => Some(format!("expected the pixel {first:?} of the image, got {pixel:?}")),
        })
    })
}

fn nowhere(fixture: &Fixture<'_>) -> CheckResult {
    let screen = fixture.screen()?;
    let image = screen.capture(CaptureTarget::Window(NO_WINDOW), call_deadline());
    ensure!(
        matches!(image, Err(Error::Gone { .. })),
        "expected `Gone` for a capture of an unknown window, got {:?}",
        image.map(drop)
    );
    let far = Rect::new(-30_000, -30_000, 10, 10);
    let image = screen.capture(CaptureTarget::Region(far), call_deadline());
    ensure!(
        matches!(image, Err(Error::Unsupported { .. })),
        "expected `Unsupported` for a region outside every display, got {:?}",
        image.map(drop)
    );
    Ok(())
}
