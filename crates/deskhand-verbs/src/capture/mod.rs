//! Screenshots: takes, crops, masks, annotates and encodes them.

mod annotations;
pub mod password_fields;
pub mod screenshot_ids;
pub mod target;

use deskhand_model::{Advice, Rect, Step, Window};
use deskhand_platform::{CaptureFlaw, CaptureTarget};
use deskhand_vision::{
    Canvas, EncodedPicture, FitOptions, ImageFormat, Limits, Picture, RefMark, draw_marks, fit,
};

use self::{
    annotations::Annotation,
    password_fields::{PasswordFields, UnsearchedApp},
    target::{CapturePlan, CaptureSpec},
};
use crate::{Context, Error, Result, app, displays};

/// The screenshot that a caller wants.
pub struct CaptureRequest<'a> {
    /// The part of the desktop to capture.
    pub target: CaptureSpec<'a>,
    /// `true` to draw the refs of visible controls.
    pub annotate: bool,
    /// The image format.
    pub format: ImageFormat,
    /// The image quality, from 1 to 100, for lossy formats.
    pub quality: u8,
    /// The limits of the image size.
    pub limits: Limits,
}

/// A screenshot.
pub struct CapturedImage {
    /// The encoded image and its scale.
    pub fitted: EncodedPicture,
    /// The area of the desktop that it shows.
    pub rect: Rect,
    /// The number of masked password fields.
    pub masked: usize,
    /// The apps that could not be searched for password fields.
    pub unsearched: Vec<UnsearchedApp>,
    /// Remarks on flaws of the image.
    pub notes: Vec<String>,
    /// The title of the captured window, if a window was captured.
    pub window: Option<String>,
    /// The number of annotated controls, if annotations were requested.
    pub marked: Option<usize>,
}

/// Takes a screenshot with all password fields masked. If a window opened, closed or moved during
/// the search for password fields, the screenshot is taken again, and the fields found in both
/// searches are masked.
pub fn capture(cx: &Context<'_>, request: &CaptureRequest<'_>) -> Result<CapturedImage> {
    let plan = target::plan_capture(cx, &request.target)?;
    let (image, found) = capture_once(cx, request, &plan, &[])?;
    let frames = |all: &[Window]| -> Vec<(u64, Rect)> {
        visible_windows(&plan, all).iter().map(|window| (window.id, window.frame)).collect()
    };
    if frames(&target::list_windows(cx)?) == frames(&plan.windows) {
        return Ok(image);
    }
    Ok(capture_once(cx, request, &target::plan_capture(cx, &request.target)?, &found)?.0)
}

/// Takes one screenshot and returns the bounds of the password fields in it. The fields of an
/// earlier search are masked as well.
fn capture_once(
    cx: &Context<'_>,
    request: &CaptureRequest<'_>,
    plan: &CapturePlan,
    earlier: &[Rect],
) -> Result<(CapturedImage, Vec<Rect>)> {
    let screen = displays::screen(cx)?;
    let windows = visible_windows(plan, &plan.windows);
    let tree = &*cx.desktop.tree;
    let annotations =
        if request.annotate { Some(annotations(cx, plan, request, &windows)?) } else { None };
    std::thread::scope(|scope| {
        // The search for password fields takes longest, so the image is encoded in parallel. Most
        // images need no mask.
        let search =
            scope.spawn(|| password_fields::find_password_fields(tree, &windows, cx.deadline));
        let pixels = screen
            .capture(plan.source, cx.deadline)
            .map_err(|error| capture_error(plan.source, error))?;
        let whole = Picture::new(pixels.width, pixels.height, &pixels.data)?;
        let (mut picture, rect) = match plan.region.and_then(|part| part.intersection(pixels.rect))
        {
            Some(part) => {
                let place = to_pixels(part, pixels.rect, whole.size());
                (whole.crop(place).unwrap_or(whole), part)
            }
            None => (whole, pixels.rect),
        };
        let wish =
            FitOptions { format: request.format, quality: request.quality, limits: request.limits };
        let paint = |canvas: &mut Canvas| {
            let drawn =
                annotations.iter().flatten().filter_map(|one| mark(one, rect, canvas.size()));
            draw_marks(canvas, &drawn.collect::<Vec<_>>());
        };
        let mut fitted = fit(&picture, wish, &paint)?;
        let password_fields = search.join().unwrap_or_else(|_| PasswordFields::failed());
        let fields = password_fields.visible_bounds(tree, &windows, &plan.windows);
        let seen = |place: &Rect| place.intersection(rect);
        let masked = fields.iter().filter(|field| field.iter().any(|one| seen(one).is_some()));
        let masked = masked.count();
        let found: Vec<Rect> = fields.into_iter().flatten().collect();
        let mask_areas = found.iter().chain(earlier).filter_map(seen);
        let mask_areas: Vec<Rect> =
            mask_areas.map(|place| to_pixels(place, rect, picture.size())).collect();
        if !mask_areas.is_empty() {
            picture.mask(&mask_areas);
            fitted = fit(&picture, wish, &paint)?;
        }
        let marked = annotations
            .as_ref()
            .map(|all| all.iter().filter(|one| one.bounds.intersection(rect).is_some()).count());
        let image = CapturedImage {
            fitted,
            rect,
            masked,
            unsearched: password_fields.unsearched,
            notes: pixels.flaws.iter().map(|flaw| describe_flaw(*flaw).to_owned()).collect(),
            window: plan.window.as_ref().map(|window| window.title.clone()),
            marked,
        };
        Ok((image, found))
    })
}

/// Returns the windows that may be visible in the image.
fn visible_windows(plan: &CapturePlan, all: &[Window]) -> Vec<Window> {
    if let Some(of) = &plan.window {
        return all.iter().filter(|window| window.id == of.id).cloned().collect();
    }
    let part_of = |window: &Window| match plan.source {
        CaptureTarget::Region(place) => window.frame.intersection(place),
        CaptureTarget::Screen | CaptureTarget::Window(_) => Some(window.frame),
    };
    let seen = |window: &&Window| {
        let part = part_of(window).filter(|_| !window.minimized);
        part.is_some_and(|part| !password_fields::is_covered(part, window.z, all))
    };
    all.iter().filter(seen).cloned().collect()
}

/// Returns the controls to annotate, of the captured app or of the app in front.
fn annotations(
    cx: &Context<'_>,
    plan: &CapturePlan,
    request: &CaptureRequest<'_>,
    windows: &[Window],
) -> Result<Vec<Annotation>> {
    let of_window = plan.window.as_ref().map(|window| window.pid.to_string());
    let app = match &plan.app {
        Some(app) => app.clone(),
        None => app::resolve_app(cx, of_window.as_deref().or(request.target.app))?,
    };
    let place = plan.region.or(match plan.source {
        CaptureTarget::Region(place) => Some(place),
        CaptureTarget::Window(_) => plan.window.as_ref().map(|window| window.frame),
        CaptureTarget::Screen => None,
    });
    annotations::visible_controls(cx, &app, place, plan.window.as_ref(), windows)
}

/// Converts an area into pixels of an image of another area, rounded outwards.
fn to_pixels(place: Rect, of: Rect, (width, height): (u32, u32)) -> Rect {
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

fn mark(one: &Annotation, rect: Rect, size: (u32, u32)) -> Option<RefMark> {
    let place = one.bounds.intersection(rect)?;
    Some(RefMark { bounds: to_pixels(place, rect, size), label: one.label.clone() })
}

/// Converts a capture error and adds advice.
fn capture_error(of: CaptureTarget, error: deskhand_platform::Error) -> Error {
    let deskhand_platform::Error::Unsupported { what, why } = error else {
        return error.into();
    };
    let instead = match of {
        CaptureTarget::Window(id) => {
            Advice::from("show it first: ").step(Step::RestoreWindow { id: Some(id) })
        }
        CaptureTarget::Region(_) | CaptureTarget::Screen => Advice::new().step(Step::ListDisplays),
    };
    Error::NotApplicable { what, why, instead }
}

fn describe_flaw(flaw: CaptureFlaw) -> &'static str {
    match flaw {
        CaptureFlaw::OutsideDisplays => "parts of it lie outside every display and are black",
        CaptureFlaw::NotRedrawn => {
            "the program did not redraw the hidden parts of its window in time: they may be \
             empty or old"
        }
        CaptureFlaw::AppBlocked => "windows of apps that security policy blocks are painted over",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_rounded_outwards_when_scaled() {
        let screen = Rect::new(-1920, 0, 1920, 1080);
        let field = Rect::new(-1819, 101, 55, 21);
        assert_eq!(to_pixels(field, screen, (1920, 1080)), Rect::new(101, 101, 55, 21));
        assert_eq!(to_pixels(field, screen, (960, 540)), Rect::new(50, 50, 28, 11));
        assert_eq!(to_pixels(field, screen, (3840, 2160)), Rect::new(202, 202, 110, 42));
    }
}
