//! Measures how far a page extends to the left of and above its visible area.
//!
//! The page extends as far as there are elements without a long gap. Elements beyond such a gap
//! were placed where no scrolling leads.

use crate::{Index, Rect, Snapshot, State};

/// The left and top ends of the scrollable area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScrollExtent {
    left: i32,
    top: i32,
}

impl ScrollExtent {
    pub(super) fn of(snapshot: &Snapshot, document: Index, viewport: Rect) -> Self {
        let all = || {
            let below = snapshot.subtree(document).skip(1).map(|at| snapshot.node(at));
            below.filter(|node| node.states.has(State::Visible)).filter_map(|node| node.bounds)
        };
        let across = all().map(|bounds| (bounds.x, bounds.right())).collect();
        let down = all().map(|bounds| (bounds.y, bounds.bottom())).collect();
        Self {
            left: farthest(viewport.x, viewport.width / 2, across),
            top: farthest(viewport.y, viewport.height / 2, down),
        }
    }

    /// Returns `true` if the rectangle lies outside the scrollable area.
    pub(super) fn excludes(self, bounds: Rect) -> bool {
        bounds.right() <= self.left || bounds.bottom() <= self.top
    }
}

/// Returns the lowest coordinate that is reachable from `start` through intervals with gaps of at
/// most `gap`.
fn farthest(start: i32, gap: i32, mut intervals: Vec<(i32, i32)>) -> i32 {
    intervals.sort_unstable_by_key(|(_, end)| std::cmp::Reverse(*end));
    let mut reached = start;
    for (from, end) in intervals {
        if end < reached.saturating_sub(gap) {
            break;
        }
        reached = reached.min(from);
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_extends_as_far_as_its_elements_without_a_long_gap() {
        assert_eq!(farthest(100, 400, vec![(100, 500), (-9000, -8900)]), 100);
        let scrolled: Vec<(i32, i32)> = (0..50).map(|row| (-row * 200, -row * 200 + 20)).collect();
        assert_eq!(farthest(100, 400, scrolled), -9800);
        assert_eq!(farthest(0, 400, vec![]), 0);
    }
}
