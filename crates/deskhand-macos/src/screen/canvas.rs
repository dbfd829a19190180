//! Composes one picture from several displays, which may have different scales.

use deskhand_model::Rect;
use deskhand_platform::{CaptureFlaw, Pixels};

use super::raw_image::BgraImage;

/// The part of a picture from one display.
#[derive(Debug)]
pub(super) struct Tile {
    /// Its area in points.
    pub(super) area: Rect,
    pub(super) image: BgraImage,
}

/// Converts a length to pixels.
pub(super) fn to_pixels(points: i32, scale: f64) -> usize {
    (f64::from(points) * scale).round().max(1.0) as usize
}

/// Composes a picture of an area, black where there is no display. It has the scale of the display with the most
/// pixels per point, so that no detail is lost.
pub(super) fn compose(area: Rect, scale: f64, tiles: Vec<Tile>) -> Pixels {
    let uncovered = tiles.iter().fold(vec![area], |left, tile| {
        left.into_iter().flat_map(|piece| piece.subtract(tile.area)).collect()
    });
    let flaws = if uncovered.is_empty() { Vec::new() } else { vec![CaptureFlaw::OutsideDisplays] };
    let into_pixels = |rect, BgraImage { width, height, data }| {
        let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Pixels { rect, width: side(width), height: side(height), data, flaws }
    };
    match <[Tile; 1]>::try_from(tiles) {
        // In the usual case the area is on one display, and nothing has to be copied.
        Ok([only]) if only.area == area => into_pixels(area, only.image),
        Ok(tiles) => into_pixels(area, draw(area, scale, &tiles)),
        Err(tiles) => into_pixels(area, draw(area, scale, &tiles)),
    }
}

fn draw(area: Rect, scale: f64, tiles: &[Tile]) -> BgraImage {
    let (width, height) = (to_pixels(area.width, scale), to_pixels(area.height, scale));
    let mut data = vec![0; width * height * 4];
    for Tile { area: at, image } in tiles {
        let edge = |points: i32, end: usize| {
            (f64::from(points) * scale).round().max(0.0).min(end as f64) as usize
        };
        let (left, right) = (edge(at.x - area.x, width), edge(at.right() - area.x, width));
        let (top, bottom) = (edge(at.y - area.y, height), edge(at.bottom() - area.y, height));
        if left >= right || top >= bottom || image.width == 0 || image.height == 0 {
            continue;
        }
        let (wide, high) = (right - left, bottom - top);
        let source_rows = image.data.chunks_exact(image.width * 4).collect::<Vec<_>>();
        let rows = data.chunks_exact_mut(width * 4).skip(top).take(high);
        for (y, row) in rows.enumerate() {
            let Some(source) = source_rows.get(y * image.height / high) else { continue };
            let Some(row) = row.get_mut(left * 4..right * 4) else { continue };
            if wide == image.width {
                row.copy_from_slice(source);
                continue;
            }
            for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                let start = x * image.width / wide * 4;
                if let Some(colour) = source.get(start..start + 4) {
                    pixel.copy_from_slice(colour);
                }
            }
        }
    }
    BgraImage { width, height, data }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(area: Rect, scale: usize, colour: u8) -> Tile {
        let (width, height) = (area.width as usize * scale, area.height as usize * scale);
        Tile { area, image: BgraImage { width, height, data: vec![colour; width * height * 4] } }
    }

    fn colour(pixels: &Pixels, x: usize, y: usize) -> u8 {
        pixels.data[(y * pixels.width as usize + x) * 4]
    }

    #[test]
    fn a_picture_of_one_display_is_not_changed() {
        let area = Rect::new(-5, -5, 4, 3);
        let pixels = compose(area, 2.0, vec![tile(area, 2, 9)]);
        assert_eq!((pixels.rect, pixels.width, pixels.height), (area, 8, 6));
        assert_eq!(pixels.data, vec![9; 8 * 6 * 4]);
        assert!(pixels.flaws.is_empty());
    }

    #[test]
    fn a_low_resolution_display_is_enlarged_beside_a_retina_display() {
        // A Retina display at 0,0 and a plain one left of it, lower by a point.
        let (retina, plain) = (Rect::new(0, 0, 3, 3), Rect::new(-2, 1, 2, 2));
        let mut plain_tile = tile(plain, 1, 50);
        plain_tile.image.data[..4].fill(60);
        let area = retina.union(plain);
        let pixels = compose(area, 2.0, vec![tile(retina, 2, 200), plain_tile]);
        assert_eq!((pixels.width, pixels.height), (10, 6));
        assert_eq!(pixels.data.len(), 10 * 6 * 4);
        assert_eq!(colour(&pixels, 0, 0), 0, "there is no display");
        assert_eq!(
            [colour(&pixels, 0, 2), colour(&pixels, 1, 3)],
            [60; 2],
            "one pixel became four"
        );
        assert_eq!(colour(&pixels, 2, 2), 50);
        assert_eq!(colour(&pixels, 4, 0), 200);
        assert_eq!(pixels.flaws, [CaptureFlaw::OutsideDisplays]);
    }

    #[test]
    fn a_part_outside_all_displays_is_black_and_reported() {
        let tiles = vec![tile(Rect::new(0, 0, 2, 1), 1, 7)];
        let pixels = compose(Rect::new(-2, 0, 4, 1), 1.0, tiles);
        assert_eq!([0, 1, 2, 3].map(|x| colour(&pixels, x, 0)), [0, 0, 7, 7]);
        assert_eq!(pixels.flaws, [CaptureFlaw::OutsideDisplays]);
        let none = compose(Rect::new(0, 0, 1, 1), 1.0, Vec::new());
        assert_eq!(none.data, [0; 4]);
    }

    #[test]
    fn a_tile_with_an_unexpected_size_is_scaled() {
        // The display's scale is not an integer.
        let area = Rect::new(0, 0, 3, 1);
        let odd = Tile { area, image: BgraImage { width: 5, height: 2, data: vec![8; 40] } };
        let pixels = compose(Rect::new(0, 0, 4, 1), 1.5, vec![odd]);
        assert_eq!((pixels.width, pixels.height), (6, 2));
        assert_eq!([colour(&pixels, 4, 1), colour(&pixels, 5, 1)], [8, 0]);
    }
}
