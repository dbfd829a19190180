//! From what the system finds to lines as a person reads them.

use deskhand_model::Rect;
use deskhand_platform::TextLine;

/// A piece of text as the system finds it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// What it says.
    pub(crate) text: String,
    /// How sure that is, between 0 and 1.
    pub(crate) confidence: f32,
    /// Left, bottom, width and height as parts of the picture's own; the origin is its lower left corner.
    pub(crate) place: [f64; 4],
}

impl Found {
    pub(crate) fn new(text: impl Into<String>, confidence: f32, place: [f64; 4]) -> Self {
        Self { text: text.into(), confidence, place }
    }
}

/// The lines that are sure enough, from the top, and in a row from the left. `shows` is the place on the
/// desktop the picture shows.
pub(crate) fn in_order(found: Vec<Found>, shows: Rect, least: f32) -> Vec<TextLine> {
    let sure =
        found.into_iter().filter(|one| one.confidence >= least && !one.text.trim().is_empty());
    let mut lines: Vec<TextLine> = sure
        .map(|one| TextLine {
            rect: on_desktop(one.place, shows),
            text: one.text,
            confidence: one.confidence,
        })
        .collect();
    lines.sort_by_key(|line| (line.rect.center().1, line.rect.x));
    let mut ordered: Vec<TextLine> = Vec::with_capacity(lines.len());
    let mut row: Vec<TextLine> = Vec::new();
    for line in lines {
        // Whose middle lies below the first of a row begins the next.
        let same = row.first().is_some_and(|first| line.rect.center().1 < first.rect.bottom());
        if !same {
            ordered.append(&mut read_across(row));
            row = Vec::new();
        }
        row.push(line);
    }
    ordered.append(&mut read_across(row));
    ordered
}

fn read_across(mut row: Vec<TextLine>) -> Vec<TextLine> {
    row.sort_by_key(|line| line.rect.x);
    row
}

/// The smallest whole rectangle on the desktop around a place in the picture.
fn on_desktop([left, bottom, width, height]: [f64; 4], shows: Rect) -> Rect {
    let part = |it: f64| if it.is_finite() { it.clamp(0.0, 1.0) } else { 0.0 };
    let (wide, high) = (f64::from(shows.width), f64::from(shows.height));
    // A hair of rounding must not make a line one pixel larger than it is.
    let (first, last) = (|it: f64| (it + 1e-6).floor() as i32, |it: f64| (it - 1e-6).ceil() as i32);
    let (x, right) = (first(part(left) * wide), last(part(left + width) * wide));
    let (y, below) =
        (first((1.0 - part(bottom + height)) * high), last((1.0 - part(bottom)) * high));
    Rect::new(x, y, (right - x).max(0), (below - y).max(0)).moved(shows.x, shows.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWS: Rect = Rect::new(-500, 100, 1000, 400);

    fn texts(found: Vec<Found>, least: f32) -> Vec<String> {
        in_order(found, SHOWS, least).into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn the_origin_moves_from_the_lower_left_of_the_picture_to_the_desktop() {
        assert_eq!(on_desktop([0.0, 0.0, 1.0, 1.0], SHOWS), SHOWS);
        assert_eq!(on_desktop([0.1, 0.75, 0.2, 0.05], SHOWS), Rect::new(-400, 180, 200, 20));
        assert_eq!(on_desktop([0.1004, 0.7506, 0.0101, 0.05], SHOWS), Rect::new(-400, 179, 11, 21));
        // Vision's boxes reach over the edge by a hair now and then.
        assert_eq!(on_desktop([-0.01, -0.02, 1.1, 1.1], SHOWS), SHOWS);
        assert!(on_desktop([f64::NAN, 0.0, 0.0, 0.0], SHOWS).is_empty());
    }

    #[test]
    fn rows_are_read_from_the_top_and_from_the_left() {
        let found = vec![
            Found::new("footer", 1.0, [0.4, 0.02, 0.2, 0.05]),
            Found::new("right", 1.0, [0.6, 0.905, 0.2, 0.05]),
            Found::new("left", 1.0, [0.0, 0.9, 0.2, 0.05]),
            Found::new("middle", 1.0, [0.3, 0.895, 0.2, 0.05]),
            Found::new("next", 1.0, [0.0, 0.84, 0.2, 0.05]),
        ];
        assert_eq!(texts(found, 0.0), ["left", "middle", "right", "next", "footer"]);
    }

    #[test]
    fn what_is_not_sure_enough_or_says_nothing_is_left_out() {
        let found = vec![
            Found::new("sure", 0.5, [0.0, 0.9, 0.1, 0.05]),
            Found::new("guess", 0.49, [0.2, 0.9, 0.1, 0.05]),
            Found::new(" \t", 1.0, [0.4, 0.9, 0.1, 0.05]),
        ];
        assert_eq!(texts(found, 0.5), ["sure"]);
        assert!(texts(Vec::new(), 0.0).is_empty());
    }
}
