//! One picture of several displays, which may have different numbers of pixels a point.

use deskhand_model::Rect;
use deskhand_platform::{Flaw, Pixels};

use super::raster::Tight;

/// What one display shows of a place.
#[derive(Debug)]
pub(super) struct Tile {
    /// Where it lies, in points.
    pub(super) place: Rect,
    pub(super) picture: Tight,
}

/// How many pixels a length has.
pub(super) fn pixels(points: i32, scale: f64) -> usize {
    (f64::from(points) * scale).round().max(1.0) as usize
}

/// A picture of a place, put together; black where no display is. It has as many pixels a point as the
/// finest of the displays, so that nothing of any is lost.
pub(super) fn put_together(place: Rect, scale: f64, tiles: Vec<Tile>) -> Pixels {
    let covered = tiles.iter().fold(vec![place], |left, tile| {
        left.into_iter().flat_map(|piece| piece.minus(tile.place)).collect()
    });
    let flaws = if covered.is_empty() { Vec::new() } else { vec![Flaw::Outside] };
    let sized = |rect, Tight { width, height, data }| {
        let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Pixels { rect, width: side(width), height: side(height), data, flaws }
    };
    match <[Tile; 1]>::try_from(tiles) {
        // The usual case: one display, and nothing of it has to be moved.
        Ok([only]) if only.place == place => sized(place, only.picture),
        Ok(tiles) => sized(place, painted(place, scale, &tiles)),
        Err(tiles) => sized(place, painted(place, scale, &tiles)),
    }
}

fn painted(place: Rect, scale: f64, tiles: &[Tile]) -> Tight {
    let (width, height) = (pixels(place.width, scale), pixels(place.height, scale));
    let mut data = vec![0; width * height * 4];
    for Tile { place: at, picture } in tiles {
        let edge = |points: i32, end: usize| {
            (f64::from(points) * scale).round().max(0.0).min(end as f64) as usize
        };
        let (left, right) = (edge(at.x - place.x, width), edge(at.right() - place.x, width));
        let (top, bottom) = (edge(at.y - place.y, height), edge(at.bottom() - place.y, height));
        if left >= right || top >= bottom || picture.width == 0 || picture.height == 0 {
            continue;
        }
        let (wide, high) = (right - left, bottom - top);
        let from = picture.data.chunks_exact(picture.width * 4).collect::<Vec<_>>();
        let lines = data.chunks_exact_mut(width * 4).skip(top).take(high);
        for (down, line) in lines.enumerate() {
            let Some(row) = from.get(down * picture.height / high) else { continue };
            let Some(line) = line.get_mut(left * 4..right * 4) else { continue };
            if wide == picture.width {
                line.copy_from_slice(row);
                continue;
            }
            for (along, pixel) in line.chunks_exact_mut(4).enumerate() {
                let source = along * picture.width / wide * 4;
                if let Some(colour) = row.get(source..source + 4) {
                    pixel.copy_from_slice(colour);
                }
            }
        }
    }
    Tight { width, height, data }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(place: Rect, scale: usize, colour: u8) -> Tile {
        let (width, height) = (place.width as usize * scale, place.height as usize * scale);
        Tile { place, picture: Tight { width, height, data: vec![colour; width * height * 4] } }
    }

    fn colour(pixels: &Pixels, x: usize, y: usize) -> u8 {
        pixels.data[(y * pixels.width as usize + x) * 4]
    }

    #[test]
    fn one_display_is_handed_on_as_it_is() {
        let place = Rect::new(-5, -5, 4, 3);
        let told = put_together(place, 2.0, vec![tile(place, 2, 9)]);
        assert_eq!((told.rect, told.width, told.height), (place, 8, 6));
        assert_eq!(told.data, vec![9; 8 * 6 * 4]);
        assert!(told.flaws.is_empty());
    }

    #[test]
    fn a_coarse_display_is_drawn_larger_beside_a_fine_one() {
        // A Retina display at 0,0 and a plain one left of it, lower by a point.
        let (fine, coarse) = (Rect::new(0, 0, 3, 3), Rect::new(-2, 1, 2, 2));
        let mut plain = tile(coarse, 1, 50);
        plain.picture.data[..4].fill(60);
        let place = fine.union(coarse);
        let told = put_together(place, 2.0, vec![tile(fine, 2, 200), plain]);
        assert_eq!((told.width, told.height), (10, 6));
        assert_eq!(told.data.len(), 10 * 6 * 4);
        assert_eq!(colour(&told, 0, 0), 0, "no display is there");
        assert_eq!([colour(&told, 0, 2), colour(&told, 1, 3)], [60; 2], "one pixel became four");
        assert_eq!(colour(&told, 2, 2), 50);
        assert_eq!(colour(&told, 4, 0), 200);
        assert_eq!(told.flaws, [Flaw::Outside]);
    }

    #[test]
    fn a_part_outside_every_display_is_black_and_said() {
        let told =
            put_together(Rect::new(-2, 0, 4, 1), 1.0, vec![tile(Rect::new(0, 0, 2, 1), 1, 7)]);
        assert_eq!([0, 1, 2, 3].map(|x| colour(&told, x, 0)), [0, 0, 7, 7]);
        assert_eq!(told.flaws, [Flaw::Outside]);
        let none = put_together(Rect::new(0, 0, 1, 1), 1.0, Vec::new());
        assert_eq!(none.data, [0; 4]);
    }

    #[test]
    fn a_picture_of_another_size_than_asked_for_still_fits() {
        // A display whose scale is no whole number of pixels.
        let place = Rect::new(0, 0, 3, 1);
        let odd = Tile { place, picture: Tight { width: 5, height: 2, data: vec![8; 40] } };
        let told = put_together(Rect::new(0, 0, 4, 1), 1.5, vec![odd]);
        assert_eq!((told.width, told.height), (6, 2));
        assert_eq!([colour(&told, 4, 1), colour(&told, 5, 1)], [8, 0]);
    }
}
