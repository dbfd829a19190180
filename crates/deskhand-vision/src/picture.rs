//! A picture as it was captured.

use std::borrow::Cow;

use deskhand_model::Rect;
use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::{Image, ImageRef},
};

use crate::{Canvas, Error, Result};

/// A captured picture with four bytes per pixel: blue, green, red and an unused one.
#[derive(Debug, Clone)]
pub struct Picture<'a> {
    width: u32,
    height: u32,
    bgrx: Cow<'a, [u8]>,
}

impl<'a> Picture<'a> {
    /// Creates a picture from its bytes, row by row.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of bytes does not match the size, or if the size is zero.
    pub fn new(width: u32, height: u32, bgrx: &'a [u8]) -> Result<Self> {
        let needed = width as usize * height as usize * 4;
        if needed == 0 || bgrx.len() != needed {
            return Err(Error::SizeMismatch { bytes: bgrx.len(), width, height });
        }
        Ok(Self { width, height, bgrx: Cow::Borrowed(bgrx) })
    }

    /// Returns the width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn bounds(&self) -> Rect {
        Rect::new(0, 0, self.width.cast_signed(), self.height.cast_signed())
    }

    /// Returns a part of the picture, clipped to its edges. Returns `None` if nothing is left.
    pub fn crop(&self, part: Rect) -> Option<Picture<'static>> {
        let part = part.intersection(self.bounds())?;
        let mut bytes = Vec::with_capacity(part.width as usize * part.height as usize * 4);
        let (left_byte, width_bytes) = (part.x as usize * 4, part.width as usize * 4);
        let rows = self.bgrx.chunks_exact(self.width as usize * 4);
        for row in rows.skip(part.y as usize).take(part.height as usize) {
            bytes.extend_from_slice(&row[left_byte..left_byte + width_bytes]);
        }
        let (width, height) = (part.width.cast_unsigned(), part.height.cast_unsigned());
        Some(Picture { width, height, bgrx: Cow::Owned(bytes) })
    }

    /// Blackens rectangles. Masking happens before scaling, so that no masked pixel affects its
    /// surroundings.
    pub fn mask(&mut self, rects: &[Rect]) {
        let bounds = self.bounds();
        let stride = self.width as usize * 4;
        for rect in rects.iter().filter_map(|rect| rect.intersection(bounds)) {
            let (left_byte, width_bytes) = (rect.x as usize * 4, rect.width as usize * 4);
            let rows = self.bgrx.to_mut().chunks_exact_mut(stride);
            for row in rows.skip(rect.y as usize).take(rect.height as usize) {
                row[left_byte..left_byte + width_bytes].fill(0);
            }
        }
    }

    /// Returns a scaled copy as a canvas.
    ///
    /// # Errors
    ///
    /// Returns an error if the new size is zero.
    pub fn scaled(&self, width: u32, height: u32) -> Result<Canvas> {
        if (width, height) == self.size() {
            return Ok(Canvas::from_bgrx(width, height, &self.bgrx));
        }
        let failed =
            |why: &dyn std::fmt::Display| Error::Scale { width, height, why: why.to_string() };
        let from = ImageRef::new(self.width, self.height, &self.bgrx, PixelType::U8x4)
            .map_err(|e| failed(&e))?;
        let mut to = Image::new(width, height, PixelType::U8x4);
        // CatmullRom keeps small text sharp without the ringing of Lanczos. The fourth byte is not
        // an alpha channel.
        let how = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
            .use_alpha(false);
        Resizer::new().resize(&from, &mut to, &how).map_err(|e| failed(&e))?;
        Ok(Canvas::from_bgrx(width, height, to.buffer()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture in which blue is the column and green is the row of each pixel.
    fn gradient(width: u8, height: u8) -> Vec<u8> {
        let pixel = |x, y| [x, y, 200, 99];
        (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
    }

    #[test]
    fn a_crop_keeps_its_pixels_and_stops_at_the_edge() {
        let bytes = gradient(20, 10);
        let picture = Picture::new(20, 10, &bytes).unwrap();
        let cropped = picture.crop(Rect::new(15, -3, 30, 5)).unwrap();
        assert_eq!(cropped.size(), (5, 2));
        let canvas = cropped.scaled(5, 2).unwrap();
        assert_eq!(canvas.pixel(0, 1), Some([200, 1, 15]));
        assert!(picture.crop(Rect::new(20, 0, 5, 5)).is_none());
    }

    #[test]
    fn masked_pixels_stay_black_when_scaled() {
        let bytes = vec![255; 100 * 100 * 4];
        let mut picture = Picture::new(100, 100, &bytes).unwrap();
        picture.mask(&[Rect::new(20, 20, 40, 40), Rect::new(90, 90, 100, 100)]);
        let full = picture.scaled(100, 100).unwrap();
        assert_eq!(full.pixel(20, 20), Some([0; 3]));
        assert_eq!(full.pixel(59, 59), Some([0; 3]));
        assert_eq!(full.pixel(60, 60), Some([255; 3]));
        assert_eq!(full.pixel(99, 99), Some([0; 3]));
        let half = picture.scaled(50, 50).unwrap();
        assert_eq!(half.pixel(20, 20), Some([0; 3]));
        assert_eq!(bytes[20 * 400 + 80], 255, "the source bytes are unchanged");
    }

    #[test]
    fn scaling_keeps_a_uniform_colour() {
        let bytes = [10, 20, 30, 0].repeat(64 * 48);
        let picture = Picture::new(64, 48, &bytes).unwrap();
        let small = picture.scaled(17, 13).unwrap();
        assert_eq!(small.size(), (17, 13));
        assert!(small.rgb().chunks_exact(3).all(|pixel| pixel == [30, 20, 10]));
    }

    #[test]
    fn a_wrong_number_of_bytes_is_refused() {
        assert!(Picture::new(2, 2, &[0; 15]).is_err());
        assert!(Picture::new(0, 2, &[]).is_err());
    }
}
