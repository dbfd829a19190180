//! A picture that can be drawn on.

use deskhand_model::Rect;

/// A colour as red, green and blue.
pub type Colour = [u8; 3];

/// A picture with three bytes per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Canvas {
    pub(crate) fn from_bgrx(width: u32, height: u32, bgrx: &[u8]) -> Self {
        let mut rgb = vec![0; bgrx.len() / 4 * 3];
        for (to, from) in rgb.chunks_exact_mut(3).zip(bgrx.chunks_exact(4)) {
            to.copy_from_slice(&[from[2], from[1], from[0]]);
        }
        Self { width, height, rgb }
    }

    /// Returns the width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Returns the bytes in the order red, green, blue, row by row.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Returns the rectangle of the whole canvas.
    pub fn bounds(&self) -> Rect {
        Rect::new(0, 0, self.width.cast_signed(), self.height.cast_signed())
    }

    /// Returns the colour of a pixel, or `None` if it lies outside.
    pub fn pixel(&self, x: i32, y: i32) -> Option<Colour> {
        let inside = self.bounds().contains(x, y);
        let at = (y.max(0) as usize * self.width as usize + x.max(0) as usize) * 3;
        match self.rgb.get(at..at + 3) {
            Some([red, green, blue]) if inside => Some([*red, *green, *blue]),
            _ => None,
        }
    }

    /// Fills a rectangle. Parts outside the canvas are ignored.
    pub fn fill(&mut self, rect: Rect, colour: Colour) {
        let Some(rect) = rect.intersection(self.bounds()) else { return };
        let stride = self.width as usize * 3;
        let (left_byte, width_bytes) = (rect.x as usize * 3, rect.width as usize * 3);
        let rows = self.rgb.chunks_exact_mut(stride);
        for row in rows.skip(rect.y as usize).take(rect.height as usize) {
            for pixel in row[left_byte..left_byte + width_bytes].chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Draws a border along the inside of a rectangle.
    pub fn draw_border(&mut self, rect: Rect, thickness: i32, colour: Colour) {
        let inner = Rect::new(
            rect.x + thickness,
            rect.y + thickness,
            rect.width - 2 * thickness,
            rect.height - 2 * thickness,
        );
        for piece in rect.subtract(inner) {
            self.fill(piece, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_outside_the_canvas_is_ignored() {
        let mut canvas = Canvas::from_bgrx(4, 3, &[0; 48]);
        canvas.fill(Rect::new(-5, -5, 7, 6), [9, 8, 7]);
        assert_eq!(canvas.pixel(1, 0), Some([9, 8, 7]));
        assert_eq!(canvas.pixel(2, 0), Some([0; 3]));
        assert_eq!(canvas.pixel(0, 1), Some([0; 3]));
        assert_eq!(canvas.pixel(-1, 0), None);
        assert_eq!(canvas.pixel(4, 0), None);
        canvas.draw_border(Rect::new(0, 0, 4, 3), 1, [1; 3]);
        assert_eq!(canvas.pixel(3, 2), Some([1; 3]));
        assert_eq!(canvas.pixel(1, 1), Some([0; 3]));
    }
}
