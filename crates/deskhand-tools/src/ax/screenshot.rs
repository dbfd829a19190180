//! `ax_screenshot`: captures the screen, a window or a region of either.

use deskhand_model::Rect;
use deskhand_vision::{ImageFormat, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core;
use crate::{
    Context, Effect, Image, Int, Offer, Render, Requirement, Result, StyledText, Tool, ToolSpec,
    verbs::{
        self,
        capture::target::CaptureSpec,
        capture::{self, CaptureRequest},
    },
};

/// The limits that suit models and that every client accepts: longer side in pixels, size in bytes.
const MAX_SIDE_PX: u32 = 1568;
const MAX_BYTES: usize = 700_000;

pub(crate) struct AxScreenshot;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Default: the whole screen
    app: Option<String>,
    /// 0 is the frontmost window of the app
    #[serde(default = "front")]
    window_index: Int<0, 10_000>,
    /// Region of the window or screen
    region: Option<ImageRegion>,
}

fn front() -> Int<0, 10_000> {
    Int::of(0)
}

/// A region of an image, in pixels from its top left corner.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImageRegion {
    x: i32,
    y: i32,
    w: Int<1, 100_000>,
    h: Int<1, 100_000>,
}

/// A captured image.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ScreenshotResult {
    id: String,
    width: u32,
    height: u32,
    scale: f64,
    rect: Vec<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    image: Option<Image>,
}

impl Render for ScreenshotResult {
    fn render(&self) -> StyledText {
        super::as_data(self)
    }

    fn take_image(&mut self) -> Option<Image> {
        self.image.take()
    }
}

impl Tool for AxScreenshot {
    const SPEC: ToolSpec = ToolSpec {
        name: "ax_screenshot",
        command: "",
        about: "Capture the screen or an app's window, even a covered one. `rect` and `scale` map \
                its pixels to the screen.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    const OFFER: Option<Offer> = core("Capture screenshot");
    type Args = Args;
    type Output = ScreenshotResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<ScreenshotResult> {
        let window = match &args.app {
            Some(app) => Some(window(cx, app, args.window_index.count())?),
            None => None,
        };
        let region = args.region.as_ref().map(|part| {
            let at = |number: Int<1, 100_000>| number.get() as i32;
            Rect::new(part.x, part.y, at(part.w), at(part.h))
        });
        let named = CaptureSpec { window: window.as_deref(), region, ..CaptureSpec::default() };
        let limits =
            Limits { width: Some(MAX_SIDE_PX), height: Some(MAX_SIDE_PX), bytes: Some(MAX_BYTES) };
        let format = ImageFormat::default();
        let wanted = CaptureRequest { target: named, annotate: false, format, quality: 85, limits };
        let taken = capture::capture(cx, &wanted)?;
        let (fitted, rect) = (taken.fitted, taken.rect);
        let mut notes: Vec<String> = fitted.reductions.iter().map(ToString::to_string).collect();
        if taken.masked > 0 {
            notes.push(format!("{} password fields are masked", taken.masked));
        }
        notes.extend(taken.notes);
        notes.extend(taken.unsearched.iter().map(|one| format!("{}: {}", one.app, one.why)));
        Ok(ScreenshotResult {
            id: verbs::capture::screenshot_ids::save(cx, rect, fitted.width, fitted.height)?,
            width: fitted.width,
            height: fitted.height,
            scale: f64::from(fitted.width) / f64::from(rect.width.max(1)),
            rect: vec![rect.x, rect.y, rect.width, rect.height],
            notes,
            image: Some(Image {
                bytes: fitted.bytes,
                mime: format.mime(),
                extension: format.word(),
            }),
        })
    }
}

/// Returns the id of a window of an app.
fn window(cx: &Context<'_>, app: &str, index: usize) -> Result<String> {
    let window = verbs::windows::get_by_index(cx, app, index)?;
    Ok(format!("{:#x}", window.id))
}
