//! A canvas encode_within in a format.

use std::{fmt::Display, io::Cursor};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiff::encoder::{TiffEncoder, colortype::RGB8};

use crate::{Canvas, Error, Result};

/// A file format for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// Every pixel as it was.
    #[default]
    Png,
    /// Small for photos; letters get blurred.
    Jpeg,
    /// Every pixel as it was, for programs that want it.
    Tiff,
    /// Smaller than JPEG at the same quality.
    Webp,
}

impl ImageFormat {
    /// Its word, as arguments and answers spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Tiff => "tiff",
            Self::Webp => "webp",
        }
    }

    /// Its media type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Tiff => "image/tiff",
            Self::Webp => "image/webp",
        }
    }

    /// The format a file name ends in.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "tif" | "tiff" => Some(Self::Tiff),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// Whether fewer bytes can be had for less quality.
    pub fn is_lossy(self) -> bool {
        match self {
            Self::Jpeg | Self::Webp => true,
            Self::Png | Self::Tiff => false,
        }
    }
}

/// Whether to be quick or small; formats that lose nothing know the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// In a few milliseconds.
    Quick,
    /// About a third smaller, ten times slower.
    Small,
}

/// How a canvas is encode_within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// The format.
    pub format: ImageFormat,
    /// From 1 to 100, for formats that lose something.
    pub quality: u8,
    /// Quick or small.
    pub effort: Effort,
}

/// Writes a canvas.
///
/// # Errors
///
/// When the format cannot hold a picture of that size.
pub fn encode(canvas: &Canvas, how: EncodeOptions) -> Result<Vec<u8>> {
    match how.format {
        ImageFormat::Png => png(canvas, how.effort),
        ImageFormat::Jpeg => jpeg(canvas, how.quality),
        ImageFormat::Tiff => tiff(canvas, how.effort),
        ImageFormat::Webp => webp(canvas, how.quality),
    }
}

/// What a codec said, as our error.
fn codec_error<E: Display>(format: ImageFormat) -> impl Fn(E) -> Error {
    move |why| Error::Codec { format: format.word(), why: why.to_string() }
}

fn png(canvas: &Canvas, effort: Effort) -> Result<Vec<u8>> {
    let codec_error = codec_error(ImageFormat::Png);
    let (width, height) = canvas.size();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(match effort {
        Effort::Quick => png::Compression::Fast,
        Effort::Small => png::Compression::Balanced,
    });
    let mut writer = encoder.write_header().map_err(&codec_error)?;
    writer.write_image_data(canvas.rgb()).map_err(&codec_error)?;
    writer.finish().map_err(&codec_error)?;
    Ok(bytes)
}

fn jpeg(canvas: &Canvas, quality: u8) -> Result<Vec<u8>> {
    let (width, height) = canvas.size();
    let side = |length: u32| u16::try_from(length).map_err(codec_error(ImageFormat::Jpeg));
    let (width, height) = (side(width)?, side(height)?);
    let mut bytes = Vec::new();
    jpeg_encoder::Encoder::new(&mut bytes, quality)
        .encode(canvas.rgb(), width, height, jpeg_encoder::ColorType::Rgb)
        .map_err(codec_error(ImageFormat::Jpeg))?;
    Ok(bytes)
}

fn tiff(canvas: &Canvas, effort: Effort) -> Result<Vec<u8>> {
    let (width, height) = canvas.size();
    let mut bytes = Cursor::new(Vec::new());
    let how = match effort {
        Effort::Quick => tiff::encoder::Compression::Lzw,
        Effort::Small => tiff::encoder::Compression::Deflate(tiff::encoder::DeflateLevel::Balanced),
    };
    TiffEncoder::new(&mut bytes)
        .map(|encoder| encoder.with_compression(how))
        .and_then(|mut encoder| encoder.write_image::<RGB8>(width, height, canvas.rgb()))
        .map_err(codec_error(ImageFormat::Tiff))?;
    Ok(bytes.into_inner())
}

fn webp(canvas: &Canvas, quality: u8) -> Result<Vec<u8>> {
    let (width, height) = canvas.size();
    let encoder = webp::Encoder::from_rgb(canvas.rgb(), width, height);
    let bytes = encoder.encode_simple(false, f32::from(quality));
    // Its error has no words of its own.
    bytes.map(|bytes| bytes.to_vec()).map_err(|e| codec_error(ImageFormat::Webp)(format!("{e:?}")))
}
