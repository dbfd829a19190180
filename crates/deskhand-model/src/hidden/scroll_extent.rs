//! How far a page goes to the left of what is seen of it, and above: as far as there is something
//! without a long gap. What stands beyond the gap was put where nobody can scroll to.

use crate::{Index, Rect, Snapshot, State};

/// How far one can scroll back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScrollExtent {
    left: i32,
    top: i32,
}

impl ScrollExtent {
    pub(super) fn of(snapshot: &Snapshot, document: Index, room: Rect) -> Self {
        let all = || {
            let below = snapshot.subtree(document).skip(1).map(|at| snapshot.node(at));
            below.filter(|node| node.states.has(State::Visible)).filter_map(|node| node.bounds)
        };
        let across = all().map(|bounds| (bounds.x, bounds.right())).collect();
        let down = all().map(|bounds| (bounds.y, bounds.bottom())).collect();
        Self {
            left: farthest(room.x, room.width / 2, across),
            top: farthest(room.y, room.height / 2, down),
        }
    }

    /// Whether something lies beyond.
    pub(super) fn lost(self, bounds: Rect) -> bool {
        bounds.right() <= self.left || bounds.bottom() <= self.top
    }
}

/// The least that is reached from a start by stretches no farther apart than a gap.
fn farthest(start: i32, gap: i32, mut stretches: Vec<(i32, i32)>) -> i32 {
    stretches.sort_unstable_by_key(|(_, end)| std::cmp::Reverse(*end));
    let mut reached = start;
    for (from, end) in stretches {
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
    fn a_page_reaches_as_far_as_there_is_something() {
        assert_eq!(farthest(100, 400, vec![(100, 500), (-9000, -8900)]), 100);
        let scrolled: Vec<(i32, i32)> = (0..50).map(|row| (-row * 200, -row * 200 + 20)).collect();
        assert_eq!(farthest(100, 400, scrolled), -9800);
        assert_eq!(farthest(0, 400, vec![]), 0);
    }
}
