//! Sorts recognized pieces of text into lines in reading order.

use deskhand_model::Rect;
use deskhand_platform::RecognizedLine;

/// A piece of text that Vision recognized.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextObservation {
    pub(crate) text: String,
    /// The confidence, between 0 and 1.
    pub(crate) confidence: f32,
    /// Left, bottom, width and height as fractions of the picture. The origin is its lower left corner.
    pub(crate) bounds: [f64; 4],
}

impl TextObservation {
    pub(crate) fn new(text: impl Into<String>, confidence: f32, bounds: [f64; 4]) -> Self {
        Self { text: text.into(), confidence, bounds }
    }
}

/// The lines with at least a minimum confidence, from top to bottom and left to right. `area` is the part of
/// the desktop that the picture shows.
pub(crate) fn in_reading_order(
    observations: Vec<TextObservation>,
    area: Rect,
    min_confidence: f32,
) -> Vec<RecognizedLine> {
    let confident = observations
        .into_iter()
        .filter(|one| one.confidence >= min_confidence && !one.text.trim().is_empty());
    let mut lines: Vec<RecognizedLine> = confident
        .map(|one| RecognizedLine {
            rect: on_desktop(one.bounds, area),
            text: one.text,
            confidence: one.confidence,
        })
        .collect();
    lines.sort_by_key(|line| (line.rect.center().1, line.rect.x));
    let mut ordered: Vec<RecognizedLine> = Vec::with_capacity(lines.len());
    let mut row: Vec<RecognizedLine> = Vec::new();
    for line in lines {
        // A line whose middle is below the first line of the row starts a new row.
        let same = row.first().is_some_and(|first| line.rect.center().1 < first.rect.bottom());
        if !same {
            ordered.append(&mut left_to_right(row));
            row = Vec::new();
        }
        row.push(line);
    }
    ordered.append(&mut left_to_right(row));
    ordered
}

fn left_to_right(mut row: Vec<RecognizedLine>) -> Vec<RecognizedLine> {
    row.sort_by_key(|line| line.rect.x);
    row
}

/// The smallest rectangle of whole points on the desktop around a part of the picture.
fn on_desktop([left, bottom, width, height]: [f64; 4], area: Rect) -> Rect {
    let part = |it: f64| if it.is_finite() { it.clamp(0.0, 1.0) } else { 0.0 };
    let (wide, high) = (f64::from(area.width), f64::from(area.height));
    // A rounding error must not make a line one point larger.
    let (first, last) = (|it: f64| (it + 1e-6).floor() as i32, |it: f64| (it - 1e-6).ceil() as i32);
    let (x, right) = (first(part(left) * wide), last(part(left + width) * wide));
    let (y, below) =
        (first((1.0 - part(bottom + height)) * high), last((1.0 - part(bottom)) * high));
    Rect::new(x, y, (right - x).max(0), (below - y).max(0)).moved(area.x, area.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect::new(-500, 100, 1000, 400);

    fn texts(observations: Vec<TextObservation>, min_confidence: f32) -> Vec<String> {
        let lines = in_reading_order(observations, AREA, min_confidence);
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn picture_coordinates_become_desktop_coordinates() {
        assert_eq!(on_desktop([0.0, 0.0, 1.0, 1.0], AREA), AREA);
        assert_eq!(on_desktop([0.1, 0.75, 0.2, 0.05], AREA), Rect::new(-400, 180, 200, 20));
        assert_eq!(on_desktop([0.1004, 0.7506, 0.0101, 0.05], AREA), Rect::new(-400, 179, 11, 21));
        // Vision's boxes sometimes extend slightly beyond the edge.
        assert_eq!(on_desktop([-0.01, -0.02, 1.1, 1.1], AREA), AREA);
        assert!(on_desktop([f64::NAN, 0.0, 0.0, 0.0], AREA).is_empty());
    }

    #[test]
    fn rows_are_read_from_the_top_and_from_the_left() {
        let found = vec![
            TextObservation::new("footer", 1.0, [0.4, 0.02, 0.2, 0.05]),
            TextObservation::new("right", 1.0, [0.6, 0.905, 0.2, 0.05]),
            TextObservation::new("left", 1.0, [0.0, 0.9, 0.2, 0.05]),
            TextObservation::new("middle", 1.0, [0.3, 0.895, 0.2, 0.05]),
            TextObservation::new("next", 1.0, [0.0, 0.84, 0.2, 0.05]),
        ];
        assert_eq!(texts(found, 0.0), ["left", "middle", "right", "next", "footer"]);
    }

    #[test]
    fn uncertain_and_blank_texts_are_left_out() {
        let found = vec![
            TextObservation::new("sure", 0.5, [0.0, 0.9, 0.1, 0.05]),
            TextObservation::new("guess", 0.49, [0.2, 0.9, 0.1, 0.05]),
            TextObservation::new(" \t", 1.0, [0.4, 0.9, 0.1, 0.05]),
        ];
        assert_eq!(texts(found, 0.5), ["sure"]);
        assert!(texts(Vec::new(), 0.0).is_empty());
    }
}
