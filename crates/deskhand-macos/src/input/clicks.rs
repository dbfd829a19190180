//! How many clicks in a row a press is: on a Mac whoever sends the press has to count, apps do not.

use std::time::{Duration, Instant};

use deskhand_platform::Button;

use super::event::Place;

/// How far apart two presses of a double click may be. The system does not tell; this is what its own
/// text views allow.
const APART: u32 = 5;

/// The presses so far.
#[derive(Debug, Default)]
pub(super) struct Clicks {
    last: Option<Click>,
}

#[derive(Debug)]
struct Click {
    button: Button,
    at: Place,
    when: Instant,
    count: u32,
}

impl Clicks {
    /// Counts a press: 1 for the first, 2 for one that makes it a double click, and so on.
    pub(super) fn press(
        &mut self,
        button: Button,
        at: Place,
        when: Instant,
        within: Duration,
    ) -> u32 {
        let near =
            |other: Place| at.0.abs_diff(other.0) <= APART && at.1.abs_diff(other.1) <= APART;
        let follows = |last: &&Click| {
            last.button == button
                && near(last.at)
                && when.saturating_duration_since(last.when) <= within
        };
        let count = self.last.as_ref().filter(follows).map_or(1, |last| last.count + 1);
        self.last = Some(Click { button, at, when, count });
        count
    }

    /// The count of the press that a release belongs to.
    pub(super) fn release(&self, button: Button) -> u32 {
        self.last.as_ref().filter(|last| last.button == button).map_or(1, |last| last.count)
    }

    /// Forgets: what was pressed was dragged away, and the next press is a first one.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_millis(500);

    #[test]
    fn presses_soon_and_near_make_a_double_and_a_triple_click() {
        let (mut clicks, start) = (Clicks::default(), Instant::now());
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
    fn a_release_belongs_to_its_press_and_a_drag_ends_the_row() {
        let (mut clicks, start) = (Clicks::default(), Instant::now());
        clicks.press(Button::Left, (1, 1), start, WITHIN);
        clicks.press(Button::Left, (1, 1), start, WITHIN);
        assert_eq!((clicks.release(Button::Left), clicks.release(Button::Right)), (2, 1));
        clicks.forget();
        assert_eq!(clicks.press(Button::Left, (1, 1), start, WITHIN), 1);
    }
}
