//! Entries of the window server's list (`CGWindowListCopyWindowInfo`), which also contains menus and the Dock.

use deskhand_model::Rect;
use deskhand_platform::{Opacity, Owner, Result, VisibleWindow};

use crate::screen::Area;

/// The layer of ordinary windows. Menus, the Dock and the menu bar are above it, the desktop is below.
pub(super) const NORMAL_LAYER: i32 = 0;

/// The layer of the pointer's window (`kCGCursorWindowLevel`), which takes no clicks and is in no screenshot.
const CURSOR_LAYER: i32 = i32::MAX - 17;

/// An entry of the window server's list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WindowInfo {
    /// Its `CGWindowID`.
    pub(crate) number: u32,
    pub(crate) layer: i32,
    pub(crate) bounds: Area,
    /// The opacity of the whole window, from 0 to 1.
    pub(crate) alpha: f64,
    pub(crate) pid: i32,
    /// The name of the app that owns it.
    pub(crate) app_name: Option<String>,
    /// The title, which needs the Screen Recording permission.
    pub(crate) title: Option<String>,
    pub(crate) on_screen: bool,
}

/// The windows to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowScope {
    /// The windows on screen, the frontmost first, including the desktop.
    OnScreen,
    /// All windows in no order, also minimized ones and those on other Spaces.
    All,
    /// The window with this number, wherever it is.
    One(u32),
}

/// Lists the windows of the window server.
pub(crate) trait WindowListApi: Send + Sync + 'static {
    fn windows(&self, scope: WindowScope) -> Result<Vec<WindowInfo>>;
}

impl WindowInfo {
    /// The pid, or 0 if the entry has an invalid one.
    pub(super) fn process_id(&self) -> u32 {
        u32::try_from(self.pid).unwrap_or(0)
    }

    pub(crate) fn rect(&self) -> Rect {
        self.bounds.rounded()
    }

    pub(super) fn owner(&self) -> Owner {
        Owner {
            pid: self.process_id(),
            claimed_pid: None,
            classes: self.app_name.iter().cloned().collect(),
        }
    }

    fn is_drawn(&self) -> bool {
        self.on_screen && self.alpha > 0.0 && self.layer < CURSOR_LAYER && !self.rect().is_empty()
    }
}

/// The visible windows of a list, in its order.
pub(crate) fn visible_windows(windows: &[WindowInfo]) -> Vec<VisibleWindow> {
    let each = windows.iter().filter(|info| info.is_drawn()).map(|info| VisibleWindow {
        id: info.number.into(),
        rect: info.rect(),
        // Windows have round corners and translucent materials. Some, such as the Dock's, cover the whole display
        // and are empty. The window server does not report which parts are opaque.
        opacity: Opacity::Translucent,
        owners: vec![info.owner()],
    });
    each.collect()
}

/// The possible receivers of a click at a point. The window server does not report which windows above the
/// normal layer pass clicks through, so this returns all down to the first ordinary one.
pub(super) fn owners_at(x: i32, y: i32, windows: &[WindowInfo]) -> Vec<Owner> {
    let mut owners: Vec<Owner> = Vec::new();
    let hit = |info: &&WindowInfo| info.is_drawn() && info.rect().contains(x, y);
    for info in windows.iter().filter(hit) {
        let owner = info.owner();
        if !owners.contains(&owner) {
            owners.push(owner);
        }
        if info.layer <= NORMAL_LAYER {
            break;
        }
    }
    owners
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A window on screen.
    pub(crate) fn info(number: u32, layer: i32, pid: i32, app: &str, bounds: Rect) -> WindowInfo {
        let app_name = Some(app.to_owned());
        let bounds = bounds.into();
        WindowInfo {
            number,
            layer,
            bounds,
            alpha: 1.0,
            pid,
            app_name,
            title: None,
            on_screen: true,
        }
    }
    /// Two windows, the Dock above them and the desktop below.
    pub(crate) fn desktop() -> Vec<WindowInfo> {
        let all = Rect::new(0, 0, 1440, 900);
        vec![
            info(90, i32::MAX - 17, 88, "Window Server", Rect::new(195, 95, 20, 20)),
            info(91, 24, 88, "Window Server", Rect::new(0, 0, 1440, 37)),
            info(92, 20, 300, "Dock", all),
            info(11, 0, 501, "TextEdit", Rect::new(100, 60, 600, 400)),
            info(12, 0, 502, "Safari", Rect::new(50, 37, 1200, 800)),
            info(93, -2_147_483_603, 400, "Finder", all),
            info(94, -2_147_483_624, 300, "Dock", all),
        ]
    }

    fn pids(owners: &[Owner]) -> Vec<u32> {
        owners.iter().map(|owner| owner.pid).collect()
    }

    #[test]
    fn a_click_may_go_to_a_window_or_to_one_above_it() {
        let all = desktop();
        assert_eq!(pids(&owners_at(200, 100, &all)), [300, 501]);
        assert_eq!(pids(&owners_at(1200, 700, &all)), [300, 502]);
        assert_eq!(
            pids(&owners_at(1300, 850, &all)),
            [300, 400],
            "the desktop belongs to the Finder"
        );
        assert_eq!(pids(&owners_at(600, 10, &all)), [88, 300, 400]);
        assert!(owners_at(-5, 10, &all).is_empty());
        assert_eq!(owners_at(200, 100, &all)[1].classes, ["TextEdit"]);
    }

    #[test]
    fn invisible_windows_are_not_listed_and_take_no_clicks() {
        let mut all = desktop();
        all[3].alpha = 0.0;
        all[4].on_screen = false;
        let ids: Vec<u64> = visible_windows(&all).iter().map(|one| one.id).collect();
        assert_eq!(ids, [91, 92, 93, 94]);
        assert_eq!(pids(&owners_at(200, 100, &all)), [300, 400]);
    }

    #[test]
    fn every_window_may_be_translucent() {
        assert!(visible_windows(&desktop()).iter().all(|one| one.opacity == Opacity::Translucent));
        let invalid = WindowInfo { pid: -1, ..desktop()[0].clone() };
        assert_eq!(invalid.process_id(), 0);
    }
}
