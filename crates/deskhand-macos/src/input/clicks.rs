//! Counts multiple clicks. On macOS the sender of a click has to count, apps do not.

use std::time::{Duration, Instant};

use deskhand_platform::Button;

use super::event::Point;

/// Maximum distance of two presses of a double click, as in AppKit's text views. macOS does not report it.
const MAX_DISTANCE: u32 = 5;

/// Counts clicks in a row.
#[derive(Debug, Default)]
pub(super) struct ClickCounter {
    last: Option<LastClick>,
}

#[derive(Debug)]
struct LastClick {
    button: Button,
    at: Point,
    when: Instant,
    count: u32,
}

impl ClickCounter {
    /// Counts a press: 1 for a single click, 2 for a double click, and so on.
    pub(super) fn press(
        &mut self,
        button: Button,
        at: Point,
        when: Instant,
        within: Duration,
    ) -> u32 {
        let near = |other: Point| {
            at.0.abs_diff(other.0) <= MAX_DISTANCE && at.1.abs_diff(other.1) <= MAX_DISTANCE
        };
        let follows = |last: &&LastClick| {
            last.button == button
                && near(last.at)
                && when.saturating_duration_since(last.when) <= within
        };
        let count = self.last.as_ref().filter(follows).map_or(1, |last| last.count + 1);
        self.last = Some(LastClick { button, at, when, count });
        count
    }

    /// The count of the press that is released.
    pub(super) fn release(&self, button: Button) -> u32 {
        self.last.as_ref().filter(|last| last.button == button).map_or(1, |last| last.count)
    }

    /// Makes the next press a single click, for example after a drag.
    pub(super) fn reset(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_millis(500);

    #[test]
    fn fast_presses_at_one_place_are_a_double_and_a_triple_click() {
        let (mut clicks, start) = (ClickCounter::default(), Instant::now());
        let mut press =
            |button, at, ms| clicks.press(button, at, start + Duration::from_millis(ms), WITHIN);
        assert_eq!(press(Button::Left, (10, 10), 0), 1);
        assert_eq!(press(Button::Left, (12, 14), 400), 2);
        assert_eq!(press(Button::Left, (12, 14), 800), 3);
        assert_eq!(press(Button::Left, (12, 14), 1301), 1, "too late");
        assert_eq!(press(Button::Left, (18, 14), 1400), 1, "too far");
        assert_eq!(press(Button::Right, (18, 14), 1500), 1, "another button");
    }

    #[test]
    fn a_release_has_the_count_of_its_press_and_a_drag_resets_it() {
        let (mut clicks, start) = (ClickCounter::default(), Instant::now());
        clicks.press(Button::Left, (1, 1), start, WITHIN);
        clicks.press(Button::Left, (1, 1), start, WITHIN);
        assert_eq!((clicks.release(Button::Left), clicks.release(Button::Right)), (2, 1));
        clicks.reset();
        assert_eq!(clicks.press(Button::Left, (1, 1), start, WITHIN), 1);
    }
}
