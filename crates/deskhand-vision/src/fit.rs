//! A picture made to fit: no larger than asked for, in pixels and in bytes, and told how.

use std::fmt;

use crate::{Canvas, Effort, EncodeOptions, Error, ImageFormat, Picture, Result, encode};

/// How large a picture may be; `None` is any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels from left to right.
    pub width: Option<u32>,
    /// Pixels from top to bottom.
    pub height: Option<u32>,
    /// Bytes of the file.
    pub bytes: Option<usize>,
}

/// What is wished for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOptions {
    /// The format.
    pub format: ImageFormat,
    /// The quality to begin with, from 1 to 100.
    pub quality: u8,
    /// How large it may be.
    pub limits: Limits,
}

/// What was done to make a picture fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// It was made smaller.
    Scaled {
        /// Its width and height before.
        from: (u32, u32),
        /// And after.
        to: (u32, u32),
        /// Which limit asked for it.
        cause: LimitKind,
    },
    /// It was encode_within with less quality.
    Quality {
        /// What was wished for.
        from: u8,
        /// What it came to.
        to: u8,
    },
}

/// Which limit was in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// Width or height.
    Pixels,
    /// Bytes.
    Bytes,
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scaled { from, to, cause } => {
                let cause = match cause {
                    LimitKind::Pixels => "to stay within the size limit",
                    LimitKind::Bytes => "to stay within the byte limit",
                };
                write!(f, "scaled from {}x{} to {}x{} {cause}", from.0, from.1, to.0, to.1)
            }
            Self::Quality { from, to } => {
                write!(f, "quality lowered from {from} to {to} to stay within the byte limit")
            }
        }
    }
}

/// A picture that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPicture {
    /// The file.
    pub bytes: Vec<u8>,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// What was done to it.
    pub reductions: Vec<Reduction>,
}

/// Qualities to fall back to; letters in a picture of less can hardly be read.
const FALLBACK_QUALITIES: [u8; 3] = [70, 55, 40];
/// A picture with a side below this is no use to anybody.
const MIN_SIDE_PX: u32 = 16;

/// Makes a picture fit; `paint` draws on it once its size is known.
///
/// # Errors
///
/// When it cannot be made small enough, or not be encode_within.
pub fn fit(
    picture: &Picture<'_>,
    options: FitOptions,
    paint: &dyn Fn(&mut Canvas),
) -> Result<EncodedPicture> {
    let from = picture.size();
    let mut to = fit_within(from, options.limits);
    let mut cause = LimitKind::Pixels;
    let most = options.limits.bytes.unwrap_or(usize::MAX);
    loop {
        let mut canvas = picture.scaled(to.0, to.1)?;
        paint(&mut canvas);
        let (bytes, quality) = encode_within(&canvas, options, most)?;
        if bytes.len() <= most {
            let mut reductions = Vec::new();
            if to != from {
                reductions.push(Reduction::Scaled { from, to, cause });
            }
            if quality != options.quality {
                reductions.push(Reduction::Quality { from: options.quality, to: quality });
            }
            return Ok(EncodedPicture { bytes, width: to.0, height: to.1, reductions });
        }
        cause = LimitKind::Bytes;
        let smaller = smaller(to, most as f64 / bytes.len() as f64);
        if smaller.0.min(smaller.1) < MIN_SIDE_PX.min(from.0).min(from.1) || smaller == to {
            return Err(Error::TooManyBytes {
                width: to.0,
                height: to.1,
                bytes: bytes.len(),
                most,
            });
        }
        to = smaller;
    }
}

/// Writes a canvas within a number of bytes if it can be done without scaling, or as small as that
/// gets; with the quality it came to.
fn encode_within(canvas: &Canvas, options: FitOptions, most: usize) -> Result<(Vec<u8>, u8)> {
    let FitOptions { format, quality, .. } = options;
    let coding = |quality, effort| EncodeOptions { format, quality, effort };
    let mut best = encode(canvas, coding(quality, Effort::Quick))?;
    let mut used_quality = quality;
    if best.len() <= most {
        return Ok((best, used_quality));
    }
    if format.is_lossy() {
        for lower in FALLBACK_QUALITIES.into_iter().filter(|lower| *lower < quality) {
            (best, used_quality) = (encode(canvas, coding(lower, Effort::Quick))?, lower);
            if best.len() <= most {
                break;
            }
        }
    } else {
        let small = encode(canvas, coding(quality, Effort::Small))?;
        if small.len() < best.len() {
            best = small;
        }
    }
    Ok((best, used_quality))
}

/// The largest size of the same shape within the limits, and never larger than it is.
fn fit_within((width, height): (u32, u32), limits: Limits) -> (u32, u32) {
    let share =
        |side: u32, most: Option<u32>| most.map_or(1.0, |most| f64::from(most) / f64::from(side));
    let factor = share(width, limits.width).min(share(height, limits.height)).min(1.0);
    let side = |length: u32, most: Option<u32>| {
        let scaled = (f64::from(length) * factor).round() as u32;
        scaled.min(most.unwrap_or(u32::MAX)).max(1)
    };
    (side(width, limits.width), side(height, limits.height))
}

/// The next size to try when only so much of the bytes is allowed: bytes grow with the area.
fn smaller((width, height): (u32, u32), allowed: f64) -> (u32, u32) {
    let factor = (allowed.sqrt() * 0.97).clamp(0.25, 0.95);
    let side = |length: u32| ((f64::from(length) * factor) as u32).max(1);
    (side(width), side(height))
}

#[cfg(test)]
mod tests;
