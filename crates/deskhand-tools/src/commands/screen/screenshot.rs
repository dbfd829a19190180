//! `screenshot`: captures the screen, a window, a region or an element.

use std::path::PathBuf;

use deskhand_model::Rect;
use deskhand_vision::{ImageFormat, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Image, Int, Render, Requirement, Result, Style, StyledLine, StyledText,
    Tool, ToolSpec,
    verbs::{
        self,
        capture::password_fields::UnsearchedApp,
        capture::target::CaptureSpec,
        capture::{CaptureRequest, CapturedImage},
    },
};

/// The limits that suit models and that every client accepts: longer side in pixels, size in bytes.
const MAX_SIDE_PX: u32 = 1568;
const MAX_BYTES: usize = 700_000;
/// Default quality: visually lossless, letters stay sharp.
const QUALITY: u8 = 85;

pub(crate) struct ScreenshotCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only this app's window, complete even if covered: its name, pid or desktop-file id.
    app: Option<String>,
    /// Only this window: its id from `windows`.
    window: Option<String>,
    /// Index of the app's window, counted from 0 (default: the frontmost).
    window_index: Option<Int<0, 10_000>>,
    /// Only this display: its number or name from `display list`.
    display: Option<String>,
    /// Only this region in global pixels: `x,y,width,height`. On a command line, write
    /// `--region=-9,0,9,9` if it starts with a minus.
    region: Option<String>,
    /// Only this element: a ref such as `e12`, or a query that matches exactly one.
    element: Option<String>,
    /// Pixels around the element to include, within its window.
    padding: Option<Int<0, 10_000>>,
    /// Draw a box with its ref around each control of the app.
    #[serde(default)]
    annotate: bool,
    /// The file format (default: from the name of the output file, else `png`).
    image_format: Option<ImageFormat>,
    /// Quality for jpeg and webp, from 1 to 100 (default: 85).
    quality: Option<Int<1, 100>>,
    /// Maximum width in pixels (default: 1568 for both sides if neither is given).
    max_width: Option<Int<1, 100_000>>,
    /// Maximum height in pixels.
    max_height: Option<Int<1, 100_000>>,
    /// Maximum size in bytes, met by reducing quality and dimensions (default: 700000).
    max_bytes: Option<Int<1_000, 1_000_000_000>>,
    /// Keep every pixel: no limits except those given.
    #[serde(default)]
    full: bool,
    /// Write the image to this file, replacing an existing one.
    output: Option<String>,
}

/// A captured image.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ScreenshotInfo {
    /// Id of the screenshot; other calls accept coordinates in its pixels together with the id.
    id: String,
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// File format.
    format: ImageFormat,
    /// Width in pixels.
    width: u32,
    /// Height in pixels.
    height: u32,
    /// Size of the file in bytes.
    bytes: usize,
    /// The captured rectangle in global pixels.
    rect: Rect,
    /// Image pixels per screen pixel; below 1 if the image was reduced.
    scale: f64,
    /// Reductions made to stay within the limits; empty if none.
    reduced: Vec<String>,
    /// Number of masked password fields.
    masked: usize,
    /// Apps that could not be searched for password fields, which may therefore be readable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsearched: Vec<UnsearchedApp>,
    /// Other differences from what a user sees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Title of the captured window.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    /// Number of elements that have a box with their ref.
    #[serde(skip_serializing_if = "Option::is_none")]
    marked: Option<usize>,
    #[serde(skip)]
    #[schemars(skip)]
    image: Option<Image>,
}

impl Render for ScreenshotInfo {
    fn render(&self) -> StyledText {
        let r = self.rect;
        let size = format!(
            "{}x{} {}, {} KB",
            self.width,
            self.height,
            self.format.word(),
            self.bytes.div_ceil(1000)
        );
        let place = format!("of {},{} {}x{}", r.x, r.y, r.width, r.height);
        let first = StyledLine::new()
            .with(Style::Handle, &self.id)
            .with(Style::Plain, size)
            .with(Style::Faint, place)
            .with(Style::Strong, self.path.clone().unwrap_or_default());
        let mut page = StyledText::default().line(first);
        let mut say = |style: Style, text: String| {
            let line = StyledLine { indent: 1, ..StyledLine::new() }.with(style, text);
            page = std::mem::take(&mut page).line(line);
        };
        for reduced in &self.reduced {
            say(Style::Faint, reduced.clone());
        }
        if let Some(marked) = self.marked {
            say(Style::Faint, format!("{marked} elements are marked with their ref"));
        }
        if self.masked > 0 {
            let fields = if self.masked == 1 { "field is" } else { "fields are" };
            say(Style::Plain, format!("{} password {fields} masked", self.masked));
        }
        for note in &self.notes {
            say(Style::Warning, note.clone());
        }
        for one in &self.unsearched {
            say(Style::Warning, format!("{}: {}", one.app, one.why));
        }
        page
    }

    fn take_image(&mut self) -> Option<Image> {
        self.image.take()
    }
}

impl Tool for ScreenshotCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "screenshot",
        command: "screenshot",
        about: "Capture the screen, a display, a region, a window (even a covered one) or an \
                element. Masks password fields and reports reductions.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    type Args = Args;
    type Output = ScreenshotInfo;

    fn run(cx: &Context<'_>, args: Args) -> Result<ScreenshotInfo> {
        let file = args.output.as_deref().map(std::path::absolute).transpose();
        let file = file.map_err(|error| bad(format!("output: {error}")))?;
        let wanted = args.wanted(file.as_ref())?;
        let taken = verbs::capture::capture(cx, &wanted)?;
        answer(cx, taken, wanted.format, file)
    }
}

fn answer(
    cx: &Context<'_>,
    taken: CapturedImage,
    format: ImageFormat,
    file: Option<PathBuf>,
) -> Result<ScreenshotInfo> {
    let CapturedImage { fitted, rect, .. } = taken;
    if let Some(file) = &file {
        std::fs::write(file, &fitted.bytes).map_err(|error| Error::File {
            path: file.display().to_string(),
            why: error.to_string(),
        })?;
    }
    Ok(ScreenshotInfo {
        id: verbs::capture::screenshot_ids::save(cx, rect, fitted.width, fitted.height)?,
        format,
        width: fitted.width,
        height: fitted.height,
        bytes: fitted.bytes.len(),
        rect,
        scale: f64::from(fitted.width) / f64::from(rect.width.max(1)),
        reduced: fitted.reductions.iter().map(ToString::to_string).collect(),
        masked: taken.masked,
        unsearched: taken.unsearched,
        notes: taken.notes,
        window: taken.window,
        marked: taken.marked,
        image: file.is_none().then(|| Image {
            bytes: fitted.bytes,
            mime: format.mime(),
            extension: format.word(),
        }),
        path: file.map(|file| file.display().to_string()),
    })
}

fn bad(why: String) -> Error {
    Error::BadArguments { tool: ScreenshotCommand::SPEC.name, why }
}

impl Args {
    fn wanted(&self, file: Option<&PathBuf>) -> Result<CaptureRequest<'_>> {
        let by_name = file.and_then(|file| file.extension()).and_then(|end| end.to_str());
        let format = self.image_format.or_else(|| ImageFormat::from_extension(by_name?));
        let side = |given: Option<Int<1, 100_000>>| given.map(|most| most.count() as u32);
        let (width, height) = (side(self.max_width), side(self.max_height));
        let usual = Some(MAX_SIDE_PX).filter(|_| !self.full && width.is_none() && height.is_none());
        let usual_bytes = Some(MAX_BYTES).filter(|_| !self.full);
        Ok(CaptureRequest {
            target: self.named()?,
            annotate: self.annotate,
            format: format.unwrap_or_default(),
            quality: self.quality.map_or(QUALITY, |quality| quality.get() as u8),
            limits: Limits {
                width: width.or(usual),
                height: height.or(usual),
                bytes: self.max_bytes.map(Int::count).or(usual_bytes),
            },
        })
    }

    fn named(&self) -> Result<CaptureSpec<'_>> {
        let targets = [
            ("display", self.display.is_some()),
            ("region", self.region.is_some()),
            ("element", self.element.is_some()),
            ("window", self.window.is_some() || self.window_index.is_some()),
        ];
        let given: Vec<&str> =
            targets.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if let [first, second, ..] = given[..] {
            return Err(bad(format!("{first} and {second} cannot be combined")));
        }
        let of_app = self.element.is_some() || self.window.is_some() || self.window_index.is_some();
        if let ([place], true, false) = (&given[..], self.app.is_some(), of_app) {
            return Err(bad(format!("app and {place} cannot be combined")));
        }
        if self.window_index.is_some() && (self.app.is_none() || self.window.is_some()) {
            return Err(bad("window_index requires app".to_owned()));
        }
        if self.padding.is_some() && self.element.is_none() {
            return Err(bad("padding requires element".to_owned()));
        }
        Ok(CaptureSpec {
            app: self.app.as_deref(),
            window: self.window.as_deref(),
            window_index: self.window_index.map(Int::count),
            display: self.display.as_deref(),
            region: self.region.as_deref().map(region).transpose()?,
            element: self.element.as_deref(),
            padding: self.padding.map_or(0, |padding| padding.get() as i32),
        })
    }
}

fn region(text: &str) -> Result<Rect> {
    let numbers: Option<Vec<i32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x, y, width, height]) if *width > 0 && *height > 0 => {
            Ok(Rect::new(*x, *y, *width, *height))
        }
        _ => Err(bad(format!(
            "region: `{text}` is not `x,y,width,height` with whole numbers and a size above 0"
        ))),
    }
}
