//! Encodes a picture within limits on its size in pixels and bytes, and reports the reductions.

use std::fmt;

use crate::{Canvas, Effort, EncodeOptions, Error, ImageFormat, Picture, Result, encode};

/// The maximum size of an encoded picture; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum width in pixels.
    pub width: Option<u32>,
    /// The maximum height in pixels.
    pub height: Option<u32>,
    /// The maximum file size in bytes.
    pub bytes: Option<usize>,
}

/// Options for encoding a picture within limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOptions {
    /// The file format.
    pub format: ImageFormat,
    /// The initial quality, from 1 to 100.
    pub quality: u8,
    /// The maximum size.
    pub limits: Limits,
}

/// A reduction that was necessary to meet a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// The picture was scaled down.
    Scaled {
        /// The original width and height.
        from: (u32, u32),
        /// The new width and height.
        to: (u32, u32),
        /// The limit that made it necessary.
        cause: LimitKind,
    },
    /// The quality was lowered.
    Quality {
        /// The requested quality.
        from: u8,
        /// The quality that was used.
        to: u8,
    },
}

/// The kind of a size limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// Width or height.
    Pixels,
    /// File size.
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

/// An encoded picture that meets the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedPicture {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The reductions that were necessary, in order.
    pub reductions: Vec<Reduction>,
}

/// Lower qualities to try. Below the last one, text is hardly readable.
const FALLBACK_QUALITIES: [u8; 3] = [70, 55, 40];
/// A picture with a shorter side is useless.
const MIN_SIDE_PX: u32 = 16;

/// Encodes a picture within limits. `paint` draws on the scaled picture before it is encoded.
///
/// # Errors
///
/// Returns an error if the picture cannot be made small enough or cannot be encoded.
pub fn fit(
    picture: &Picture<'_>,
    options: FitOptions,
    paint: &dyn Fn(&mut Canvas),
) -> Result<EncodedPicture> {
    let from = picture.size();
    let mut to = fit_within(from, options.limits);
    let mut cause = LimitKind::Pixels;
    let max_bytes = options.limits.bytes.unwrap_or(usize::MAX);
    loop {
        let mut canvas = picture.scaled(to.0, to.1)?;
        paint(&mut canvas);
        let (bytes, quality) = encode_within(&canvas, options, max_bytes)?;
        if bytes.len() <= max_bytes {
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
        let smaller = smaller(to, max_bytes as f64 / bytes.len() as f64);
        if smaller.0.min(smaller.1) < MIN_SIDE_PX.min(from.0).min(from.1) || smaller == to {
            return Err(Error::TooManyBytes {
                width: to.0,
                height: to.1,
                bytes: bytes.len(),
                max_bytes,
            });
        }
        to = smaller;
    }
}

/// Encodes a canvas in at most `max_bytes` without scaling it, or as small as possible. Also
/// returns the quality that was used.
fn encode_within(canvas: &Canvas, options: FitOptions, max_bytes: usize) -> Result<(Vec<u8>, u8)> {
    let FitOptions { format, quality, .. } = options;
    let coding = |quality, effort| EncodeOptions { format, quality, effort };
    let mut best = encode(canvas, coding(quality, Effort::Quick))?;
    let mut used_quality = quality;
    if best.len() <= max_bytes {
        return Ok((best, used_quality));
    }
    if format.is_lossy() {
        for lower in FALLBACK_QUALITIES.into_iter().filter(|lower| *lower < quality) {
            (best, used_quality) = (encode(canvas, coding(lower, Effort::Quick))?, lower);
            if best.len() <= max_bytes {
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

/// Returns the largest size within the limits that keeps the aspect ratio. It never exceeds the
/// original size.
fn fit_within((width, height): (u32, u32), limits: Limits) -> (u32, u32) {
    let share =
        |side: u32, max: Option<u32>| max.map_or(1.0, |max| f64::from(max) / f64::from(side));
    let factor = share(width, limits.width).min(share(height, limits.height)).min(1.0);
    let side = |length: u32, max: Option<u32>| {
        let scaled = (f64::from(length) * factor).round() as u32;
        scaled.min(max.unwrap_or(u32::MAX)).max(1)
    };
    (side(width, limits.width), side(height, limits.height))
}

/// Returns the next size to try. The file size grows with the area, and `allowed` is the permitted
/// share of it.
fn smaller((width, height): (u32, u32), allowed: f64) -> (u32, u32) {
    let factor = (allowed.sqrt() * 0.97).clamp(0.25, 0.95);
    let side = |length: u32| ((f64::from(length) * factor) as u32).max(1);
    (side(width), side(height))
}

#[cfg(test)]
mod tests;
