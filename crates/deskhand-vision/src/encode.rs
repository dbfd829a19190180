//! Encodes a canvas as an image file.

use std::{fmt::Display, io::Cursor};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiff::encoder::{TiffEncoder, colortype::RGB8};

use crate::{Canvas, Error, Result};

/// An image file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Format")] // The name in the tool schemas.
pub enum ImageFormat {
    /// Lossless.
    #[default]
    Png,
    /// Small for photos, but blurs text.
    Jpeg,
    /// Lossless, for programs that require it.
    Tiff,
    /// Smaller than JPEG at the same quality.
    Webp,
}

impl ImageFormat {
    /// Returns the name used in arguments and results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Tiff => "tiff",
            Self::Webp => "webp",
        }
    }

    /// Returns the media type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Tiff => "image/tiff",
            Self::Webp => "image/webp",
        }
    }

    /// Returns the format for a file extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "tif" | "tiff" => Some(Self::Tiff),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// Returns `true` if a lower quality makes the file smaller.
    pub fn is_lossy(self) -> bool {
        match self {
            Self::Jpeg | Self::Webp => true,
            Self::Png | Self::Tiff => false,
        }
    }
}

/// The trade-off between speed and file size. Only lossless formats use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Takes a few milliseconds.
    Quick,
    /// About a third smaller and ten times slower.
    Small,
}

/// Options for encoding a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodeOptions {
    /// The file format.
    pub format: ImageFormat,
    /// The quality from 1 to 100, for lossy formats.
    pub quality: u8,
    /// The trade-off between speed and file size.
    pub effort: Effort,
}

/// Encodes a canvas.
///
/// # Errors
///
/// Returns an error if the format does not support an image of this size.
pub fn encode(canvas: &Canvas, how: EncodeOptions) -> Result<Vec<u8>> {
    match how.format {
        ImageFormat::Png => png(canvas, how.effort),
        ImageFormat::Jpeg => jpeg(canvas, how.quality),
        ImageFormat::Tiff => tiff(canvas, how.effort),
        ImageFormat::Webp => webp(canvas, how.quality),
    }
}

/// Converts the error of a codec.
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
    // This error type does not implement `Display`.
    bytes.map(|bytes| bytes.to_vec()).map_err(|e| codec_error(ImageFormat::Webp)(format!("{e:?}")))
}
