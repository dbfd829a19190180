//! Screenshot ids, with which a later call can give coordinates in the pixels of a scaled
//! screenshot. They are stored beside the refs.

use std::{
    fs::OpenOptions,
    io::{self, Write},
    path::Path,
};

use deskhand_model::Rect;
use deskhand_platform::json_lines;
use serde::{Deserialize, Serialize};

use crate::{Context, Error, Result};

/// The number of screenshots that stay valid.
const MAX_SCREENSHOTS: usize = 100;
const FILE: &str = "shots.jsonl";

/// The area and scale of a screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScreenshotGeometry {
    /// The captured area, in global pixels.
    pub rect: Rect,
    /// The number of global pixels per image pixel, horizontally.
    pub scale_x: f64,
    /// The number of global pixels per image pixel, vertically.
    pub scale_y: f64,
}

impl ScreenshotGeometry {
    /// Returns the global pixel at the center of an image pixel; `None` outside the image.
    pub(crate) fn to_screen(self, x: f64, y: f64) -> Option<(i32, i32)> {
        let along = |at: f64, scale: f64, length: i32| {
            let place = ((at + 0.5) * scale).floor();
            // The last pixel of a scaled image may round to just outside.
            (at >= 0.0 && at * scale < f64::from(length)).then(|| (place as i32).min(length - 1))
        };
        let right = along(x, self.scale_x, self.rect.width)?;
        let down = along(y, self.scale_y, self.rect.height)?;
        Some((self.rect.x + right, self.rect.y + down))
    }
}

#[derive(Serialize, Deserialize)]
struct StoredScreenshot {
    #[serde(rename = "s")]
    number: u64,
    #[serde(flatten)]
    screenshot: ScreenshotGeometry,
}

/// Stores a screenshot of an area with the given size in pixels, and returns its id.
pub fn save(cx: &Context<'_>, rect: Rect, width: u32, height: u32) -> Result<String> {
    let scale = |length: i32, pixels: u32| f64::from(length) / f64::from(pixels.max(1));
    let screenshot = ScreenshotGeometry {
        rect,
        scale_x: scale(rect.width, width),
        scale_y: scale(rect.height, height),
    };
    let number = add(cx.state_dir, screenshot).map_err(|error| file_error(cx.state_dir, &error))?;
    Ok(format!("s{number}"))
}

/// Returns the screenshot with this id.
pub(crate) fn find(cx: &Context<'_>, id: &str) -> Result<ScreenshotGeometry> {
    let ScreenshotFile { records, .. } =
        read(cx.state_dir).map_err(|error| file_error(cx.state_dir, &error))?;
    let number = id.strip_prefix('s').and_then(|digits| digits.parse::<u64>().ok());
    let found = records.iter().find(|record| Some(record.number) == number);
    found.map(|record| record.screenshot).ok_or_else(|| Error::NoScreenshot {
        wanted: id.to_owned(),
        last: records.last().map(|record| format!("s{}", record.number)),
    })
}

fn file_error(folder: &Path, error: &io::Error) -> Error {
    Error::File { path: folder.join(FILE).display().to_string(), why: error.to_string() }
}

fn add(folder: &Path, screenshot: ScreenshotGeometry) -> io::Result<u64> {
    let path = folder.join(FILE);
    let _lock = json_lines::lock(&path)?;
    let ScreenshotFile { records, ends_complete } = read(folder)?;
    let number = records.last().map_or(1, |last| last.number + 1);
    let line = json_lines::to_lines([StoredScreenshot { number, screenshot }])?;
    if records.len() < 2 * MAX_SCREENSHOTS && ends_complete {
        OpenOptions::new().create(true).append(true).open(path)?.write_all(&line)?;
        return Ok(number);
    }
    let outdated = records.len().saturating_sub(MAX_SCREENSHOTS - 1);
    let mut all = json_lines::to_lines(&records[outdated..])?;
    all.extend(line);
    json_lines::replace(&path, &all)?;
    Ok(number)
}

/// The content of the file, the newest screenshot last.
struct ScreenshotFile {
    records: Vec<StoredScreenshot>,
    /// `false` if a writer left the last line unfinished. Such a line is ignored.
    ends_complete: bool,
}

fn read(folder: &Path) -> io::Result<ScreenshotFile> {
    let bytes = json_lines::read(&folder.join(FILE))?;
    let records = json_lines::parse(&bytes);
    Ok(ScreenshotFile { records, ends_complete: bytes.last().is_none_or(|byte| *byte == b'\n') })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screenshot(x: i32) -> ScreenshotGeometry {
        ScreenshotGeometry { rect: Rect::new(x, -50, 1920, 1080), scale_x: 1.25, scale_y: 1.25 }
    }

    fn place() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn image_pixels_convert_to_screen_points() {
        let screenshot = screenshot(-1920);
        assert_eq!(screenshot.to_screen(0.0, 0.0), Some((-1920, -50)));
        assert_eq!(screenshot.to_screen(100.0, 40.0), Some((-1920 + 125, 0)));
        assert_eq!(screenshot.to_screen(1535.0, 863.0), Some((-1, 1029)));
        assert_eq!(screenshot.to_screen(1536.0, 0.0), None);
        assert_eq!(screenshot.to_screen(-1.0, 0.0), None);
        let fine = ScreenshotGeometry { scale_x: 0.5, scale_y: 0.5, ..screenshot };
        assert_eq!(fine.to_screen(3839.0, 2159.0), Some((-1, 1029)));
    }

    #[test]
    fn ids_count_up_and_the_last_hundred_are_kept() {
        let folder = place();
        for wanted in 1..=450 {
            assert_eq!(add(folder.path(), screenshot(wanted)).unwrap(), wanted as u64);
        }
        let kept = read(folder.path()).unwrap().records;
        assert!(
            kept.len() >= MAX_SCREENSHOTS && kept.len() <= 2 * MAX_SCREENSHOTS,
            "{}",
            kept.len()
        );
        assert_eq!(
            kept.last().map(|last| (last.number, last.screenshot)),
            Some((450, screenshot(450)))
        );
        let oldest =
            kept.iter().find(|record| record.number == 351).map(|record| record.screenshot);
        assert_eq!(oldest, Some(screenshot(351)));
    }

    #[test]
    fn an_unfinished_line_is_skipped() {
        let folder = place();
        add(folder.path(), screenshot(1)).unwrap();
        let path = folder.path().join(FILE);
        OpenOptions::new().append(true).open(path).unwrap().write_all(b"{\"s\":2,\"re").unwrap();
        assert_eq!(add(folder.path(), screenshot(2)).unwrap(), 2);
        assert_eq!(add(folder.path(), screenshot(3)).unwrap(), 3);
        assert_eq!(read(folder.path()).unwrap().records.len(), 3);
    }

    #[test]
    fn concurrent_writers_get_different_ids() {
        let folder = place();
        let numbers: Vec<u64> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        (0..60)
                            .map(|_| add(folder.path(), screenshot(0)).unwrap())
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (1..=240).collect::<Vec<_>>());
    }
}
