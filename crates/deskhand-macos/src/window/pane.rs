//! Windows as the window server lists them: all of them, whatever they are for.

use deskhand_model::Rect;
use deskhand_platform::{Covering, Owner, Result, Shown};

use crate::screen::Area;

/// The layer ordinary windows are on; menus, the Dock and the menu bar are above, the desktop is below.
pub(super) const NORMAL: i32 = 0;

/// The layer of the pointer's own window (`kCGCursorWindowLevel`), which takes no clicks and is in no picture.
const POINTER: i32 = i32::MAX - 17;

/// One window of the window server's list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pane {
    /// Its `CGWindowID`.
    pub(crate) number: u32,
    pub(crate) layer: i32,
    pub(crate) bounds: Area,
    /// How opaque it is as a whole, from 0 to 1.
    pub(crate) alpha: f64,
    pub(crate) pid: i32,
    /// The name of the app it belongs to.
    pub(crate) owner: Option<String>,
    /// Its title; only told to programs that may record the screen.
    pub(crate) title: Option<String>,
    pub(crate) on_screen: bool,
}

/// Which windows are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those on the screen, the frontmost first, with those the desktop is made of.
    Shown,
    /// All there are, in no order: also minimized ones and those on other Spaces.
    All,
    /// One, wherever it is.
    One(u32),
}

/// Lists windows.
pub(crate) trait Panes: Send + Sync + 'static {
    /// The windows within a reach.
    fn panes(&self, reach: Reach) -> Result<Vec<Pane>>;
}

impl Pane {
    /// Its process; 0 when that makes no sense.
    pub(super) fn process(&self) -> u32 {
        u32::try_from(self.pid).unwrap_or(0)
    }

    pub(crate) fn room(&self) -> Rect {
        self.bounds.whole()
    }

    pub(super) fn owned_by(&self) -> Owner {
        Owner { pid: self.process(), says: None, classes: self.owner.iter().cloned().collect() }
    }

    fn is_drawn(&self) -> bool {
        self.on_screen && self.alpha > 0.0 && self.layer < POINTER && !self.room().is_empty()
    }
}

/// What is drawn of a list of windows, in its order.
pub(crate) fn shown(panes: &[Pane]) -> Vec<Shown> {
    let each = panes.iter().filter(|pane| pane.is_drawn()).map(|pane| Shown {
        id: pane.number.into(),
        room: pane.room(),
        // Windows have round corners, materials that shine through, and some, such as that of the Dock, span
        // the whole display with nothing in them; the window server does not tell which.
        covering: Covering::Partly,
        owners: vec![pane.owned_by()],
    });
    each.collect()
}

/// Whom a click at a point may go to: the window server does not tell which of the windows over the ordinary
/// ones let clicks through, so all down to the first ordinary one are named.
pub(super) fn owners_at(x: i32, y: i32, panes: &[Pane]) -> Vec<Owner> {
    let mut owners: Vec<Owner> = Vec::new();
    let hit = |pane: &&Pane| pane.is_drawn() && pane.room().contains(x, y);
    for pane in panes.iter().filter(hit) {
        let owner = pane.owned_by();
        if !owners.contains(&owner) {
            owners.push(owner);
        }
        if pane.layer <= NORMAL {
            break;
        }
    }
    owners
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A window on the screen.
    pub(crate) fn pane(number: u32, layer: i32, pid: i32, owner: &str, bounds: Rect) -> Pane {
        let owner = Some(owner.to_owned());
        let bounds = bounds.into();
        Pane { number, layer, bounds, alpha: 1.0, pid, owner, title: None, on_screen: true }
    }

    /// A desktop with two windows, the Dock over them and the desktop behind.
    pub(crate) fn desktop() -> Vec<Pane> {
        let all = Rect::new(0, 0, 1440, 900);
        vec![
            pane(90, i32::MAX - 17, 88, "Window Server", Rect::new(195, 95, 20, 20)),
            pane(91, 24, 88, "Window Server", Rect::new(0, 0, 1440, 37)),
            pane(92, 20, 300, "Dock", all),
            pane(11, 0, 501, "TextEdit", Rect::new(100, 60, 600, 400)),
            pane(12, 0, 502, "Safari", Rect::new(50, 37, 1200, 800)),
            pane(93, -2_147_483_603, 400, "Finder", all),
            pane(94, -2_147_483_624, 300, "Dock", all),
        ]
    }

    fn pids(owners: &[Owner]) -> Vec<u32> {
        owners.iter().map(|owner| owner.pid).collect()
    }

    #[test]
    fn a_click_may_go_to_what_lies_over_a_window_and_to_the_window() {
        let all = desktop();
        assert_eq!(pids(&owners_at(200, 100, &all)), [300, 501]);
        assert_eq!(pids(&owners_at(1200, 700, &all)), [300, 502]);
        assert_eq!(pids(&owners_at(1300, 850, &all)), [300, 400], "the desktop is the Finder's");
        assert_eq!(pids(&owners_at(600, 10, &all)), [88, 300, 400]);
        assert!(owners_at(-5, 10, &all).is_empty());
        assert_eq!(owners_at(200, 100, &all)[1].classes, ["TextEdit"]);
    }

    #[test]
    fn what_cannot_be_seen_is_not_shown_and_takes_no_click() {
        let mut all = desktop();
        all[3].alpha = 0.0;
        all[4].on_screen = false;
        let ids: Vec<u64> = shown(&all).iter().map(|one| one.id).collect();
        assert_eq!(ids, [91, 92, 93, 94]);
        assert_eq!(pids(&owners_at(200, 100, &all)), [300, 400]);
    }

    #[test]
    fn nobody_can_be_sure_that_a_window_covers_what_is_behind() {
        assert!(shown(&desktop()).iter().all(|one| one.covering == Covering::Partly));
        let odd = Pane { pid: -1, ..desktop()[0].clone() };
        assert_eq!(odd.process(), 0);
    }
}
