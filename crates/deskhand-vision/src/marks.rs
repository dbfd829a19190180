//! Draws boxes around elements, labelled with their refs.

use deskhand_model::Rect;

use crate::{Canvas, Colour, font};

/// An element to mark, in canvas pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMark {
    /// The rectangle of the element.
    pub bounds: Rect,
    /// The ref to write beside it.
    pub label: String,
}

/// Colours dark enough for white text and different enough to tell neighbours apart.
const COLOURS: [Colour; 6] =
    [[200, 0, 40], [0, 95, 200], [0, 120, 50], [150, 0, 170], [170, 85, 0], [0, 110, 120]];
const WHITE: Colour = [255; 3];
/// The space between the text of a label and its edge.
const PADDING: i32 = 2;
/// The space between two letters.
const LETTER_GAP: i32 = 1;

/// The cost of each contrast edge that a label covers.
const DETAIL_COST: i64 = 4;
/// The cost of each pixel of another label that a label covers.
const OVERLAP_COST: i64 = 50;

/// Draws all boxes first and then all labels, so that no box crosses a label.
pub fn draw_marks(canvas: &mut Canvas, marks: &[RefMark]) {
    let coloured = || marks.iter().zip(COLOURS.into_iter().cycle());
    let mut positions: Vec<Rect> = Vec::with_capacity(marks.len());
    for mark in marks {
        positions.push(label_position(mark, canvas, &positions));
    }
    for (mark, colour) in coloured() {
        // The white outline makes the box visible on a dark background.
        canvas.draw_border(expanded(mark.bounds, 1), 1, WHITE);
        canvas.draw_border(mark.bounds, 1, colour);
    }
    for ((mark, colour), label) in coloured().zip(positions) {
        canvas.fill(expanded(label, 1), WHITE);
        canvas.fill(label, colour);
        draw_text(canvas, &mark.label, label);
    }
}

fn expanded(bounds: Rect, by: i32) -> Rect {
    Rect::new(bounds.x - by, bounds.y - by, bounds.width + 2 * by, bounds.height + 2 * by)
}

/// Returns the width and height of a label.
fn label_size(label: &str) -> (i32, i32) {
    let letters = i32::try_from(label.chars().count()).unwrap_or(0);
    (letters * (font::WIDTH + LETTER_GAP) - LETTER_GAP + 2 * PADDING, font::HEIGHT + 2 * PADDING)
}

/// Returns the position for a label: beside its box or on a corner, where it covers the least
/// content and the fewest other labels.
fn label_position(mark: &RefMark, canvas: &Canvas, taken: &[Rect]) -> Rect {
    let (label_width, label_height) = label_size(&mark.label);
    let Rect { x, y, .. } = mark.bounds;
    let (right, bottom) = (mark.bounds.right(), mark.bounds.bottom());
    let (on_x, on_y) = (label_width / 2, label_height / 2);
    // In order of preference, for positions with equal cost.
    let positions = [
        (x, y - label_height - 1),
        (x, bottom + 1),
        (right - label_width, y - label_height - 1),
        (right - label_width, bottom + 1),
        (x - label_width - 1, y),
        (right + 1, y),
        (x - on_x, y - on_y),
        (right - on_x, y - on_y),
        (x - on_x, bottom - on_y),
        (right - on_x, bottom - on_y),
        (right - label_width, y),
        (x, y),
    ];
    let within = |at: i32, length: i32, size: i32| at.min(length - size - 1).max(1);
    let Rect { width, height, .. } = canvas.bounds();
    let positions = positions.map(|(x, y)| {
        Rect::new(
            within(x, width, label_width),
            within(y, height, label_height),
            label_width,
            label_height,
        )
    });
    let cost = |(order, label): &(i64, Rect)| {
        let area = expanded(*label, 1);
        let shared = taken.iter().filter_map(|other| expanded(*other, 1).intersection(area));
        let labels: i64 = shared.map(|it| i64::from(it.width) * i64::from(it.height)).sum();
        order + OVERLAP_COST * labels + DETAIL_COST * detail(canvas, area)
    };
    (0..).zip(positions).min_by_key(cost).map_or(positions[0], |(_, label)| label)
}

/// Counts the sharp brightness changes in a rectangle. Text has many, a plain background has none.
fn detail(canvas: &Canvas, bounds: Rect) -> i64 {
    let bright = |x: i32, y: i32| {
        canvas.pixel(x, y).map(|[r, g, b]| i32::from(r) + 2 * i32::from(g) + i32::from(b))
    };
    let step = |x: i32, y: i32| match (bright(x, y), bright(x + 1, y)) {
        (Some(one), Some(next)) => (one - next).abs() > 160,
        (None, _) | (_, None) => false,
    };
    let rows = bounds.y..bounds.bottom();
    rows.map(|y| (bounds.x..bounds.right()).filter(|x| step(*x, y)).count() as i64).sum()
}

fn draw_text(canvas: &mut Canvas, text: &str, bounds: Rect) {
    let (mut x, y) = (bounds.x + PADDING, bounds.y + PADDING);
    for letter in text.chars() {
        for (row, dots) in (0..).zip(font::letter(letter).into_iter().flatten()) {
            for (column, _) in (0..).zip(dots.bytes()).filter(|(_, dot)| *dot == b'#') {
                canvas.fill(Rect::new(x + column, y + row, 1, 1), WHITE);
            }
        }
        x += font::WIDTH + LETTER_GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Picture;

    fn canvas(width: u32, height: u32) -> Canvas {
        let bytes = vec![128; width as usize * height as usize * 4];
        Picture::new(width, height, &bytes).unwrap().scaled(width, height).unwrap()
    }

    fn mark(bounds: Rect, label: &str) -> RefMark {
        RefMark { bounds, label: label.to_owned() }
    }

    #[test]
    fn labels_of_neighbours_do_not_cover_each_other() {
        let canvas = canvas(600, 400);
        let mut taken: Vec<Rect> = Vec::new();
        for row in 0..5 {
            for column in 0..8 {
                let bounds = Rect::new(20 + column * 60, 40 + row * 40, 50, 20);
                let label = format!("e{}", 100 + row * 8 + column);
                let label = label_position(&mark(bounds, &label), &canvas, &taken);
                assert!(taken.iter().all(|other| !other.overlaps(label)), "{label:?}");
                taken.push(label);
            }
        }
    }

    #[test]
    fn a_label_stays_on_the_canvas() {
        let canvas = canvas(100, 60);
        let rects =
            [Rect::new(0, 0, 100, 60), Rect::new(-50, -50, 60, 60), Rect::new(95, 55, 20, 20)];
        for bounds in rects {
            let label = label_position(&mark(bounds, "e1234"), &canvas, &[]);
            assert_eq!(label.intersection(canvas.bounds()), Some(label), "{bounds:?}");
        }
    }

    #[test]
    fn a_label_does_not_cover_text() {
        let mut canvas = canvas(200, 100);
        let above = Rect::new(50, 20, 80, 18);
        for x in (above.x..above.right()).step_by(4) {
            canvas.fill(Rect::new(x, above.y, 2, above.height), [0; 3]);
        }
        let label = label_position(&mark(Rect::new(50, 40, 80, 30), "e10"), &canvas, &[]);
        assert!(!label.overlaps(above), "{label:?}");
    }

    #[test]
    fn a_mark_draws_white_text_on_its_colour_and_keeps_the_inside() {
        let mut canvas = canvas(200, 100);
        let mark = mark(Rect::new(50, 40, 80, 30), "e10");
        let label = label_position(&mark, &canvas, &[]);
        draw_marks(&mut canvas, &[mark]);
        assert_eq!(canvas.pixel(90, 55), Some([128; 3]));
        assert_eq!(canvas.pixel(50, 50), Some(COLOURS[0]));
        assert_eq!(canvas.pixel(49, 50), Some(WHITE));
        let inside = |wanted: Colour| {
            let rows = label.y..label.bottom();
            let points = rows.flat_map(|y| (label.x..label.right()).map(move |x| (x, y)));
            points.filter(|(x, y)| canvas.pixel(*x, *y) == Some(wanted)).count()
        };
        assert_eq!(inside(WHITE) + inside(COLOURS[0]), (label.width * label.height) as usize);
        assert!(inside(WHITE) > 60, "{}", inside(WHITE));
    }
}
