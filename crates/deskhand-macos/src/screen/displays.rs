//! The displays, their positions and work areas.

use deskhand_model::Rect;
use deskhand_platform::Display;

use super::area::Area;

/// A display as CoreGraphics reports it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CgDisplay {
    /// The `CGDirectDisplayID`.
    pub(crate) id: u32,
    /// The bounds, from the top left of the main display.
    pub(crate) bounds: Area,
    /// `true` for the main display, whose corner is at 0,0.
    pub(crate) main: bool,
    /// The width of its mode in points.
    pub(crate) points_wide: usize,
    /// The same width in pixels.
    pub(crate) pixels_wide: usize,
}

/// A display as AppKit reports it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AppKitScreen {
    /// The `CGDirectDisplayID`.
    pub(crate) id: u32,
    /// The localized name.
    pub(crate) name: String,
    /// The bounds, from the bottom left of the main display.
    pub(crate) frame: Area,
    /// The bounds without the menu bar and the Dock.
    pub(crate) visible: Area,
}

impl CgDisplay {
    /// The number of pixels per point.
    pub(crate) fn scale(&self) -> f64 {
        if self.points_wide == 0 || self.pixels_wide == 0 {
            return 1.0;
        }
        self.pixels_wide as f64 / self.points_wide as f64
    }

    /// The bounds in whole points.
    pub(crate) fn frame(&self) -> Rect {
        self.bounds.rounded()
    }
}

/// Merges both reports. The main display comes first.
pub(super) fn merge(displays: &[CgDisplay], screens: &[AppKitScreen]) -> Vec<Display> {
    let mut sorted: Vec<&CgDisplay> = displays.iter().collect();
    sorted.sort_by_key(|display| !display.main);
    let each = sorted.into_iter().map(|display| {
        let screen = screens.iter().find(|screen| screen.id == display.id);
        Display {
            id: display.id,
            name: screen
                .map_or_else(|| format!("display {}", display.id), |screen| screen.name.clone()),
            frame: display.frame(),
            work_area: screen.map_or(display.frame(), |screen| work_area(display, screen)),
            scale: display.scale(),
            main: display.main,
        }
    });
    each.collect()
}

/// The work area of a display. AppKit notices moved displays only with a running event loop, so only the
/// margins come from it, not the position.
fn work_area(display: &CgDisplay, screen: &AppKitScreen) -> Rect {
    // The margins do not depend on the height of the main display.
    let (all, free) = (screen.frame.flip_vertically(0.0), screen.visible.flip_vertically(0.0));
    let (left, above) = ((free.x - all.x).max(0.0), (free.y - all.y).max(0.0));
    let right = (all.x + all.width - free.x - free.width).max(0.0);
    let below = (all.y + all.height - free.y - free.height).max(0.0);
    let Area { x, y, width, height } = display.bounds;
    let area =
        Area::new(x + left, y + above, width - left - right, height - above - below).rounded();
    if area.is_empty() { display.frame() } else { area }
}

/// The scale of the display that contains most of an area.
pub(crate) fn scale_at(area: Rect, displays: &[CgDisplay]) -> f64 {
    let shared = |display: &&CgDisplay| {
        let part = area.clipped_to(display.frame());
        i64::from(part.width) * i64::from(part.height)
    };
    // `max_by_key` returns the last of equal elements, so the main display wins if no display contains the area.
    let mut sorted: Vec<&CgDisplay> = displays.iter().collect();
    sorted.sort_by_key(|display| display.main);
    sorted.into_iter().max_by_key(shared).map_or(1.0, CgDisplay::scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(id: u32, bounds: Area, scale: usize) -> CgDisplay {
        let points_wide = bounds.width as usize;
        let main = (bounds.x, bounds.y) == (0.0, 0.0);
        CgDisplay { id, bounds, main, points_wide, pixels_wide: points_wide * scale }
    }

    /// A laptop with a menu bar of 37 points and a Dock of 70 at the bottom. Left of it and higher, a display with a
    /// menu bar of 25.
    fn pair() -> (Vec<CgDisplay>, Vec<AppKitScreen>) {
        let displays = vec![
            display(7, Area::new(-1920.0, -180.0, 1920.0, 1080.0), 1),
            display(1, Area::new(0.0, 0.0, 1440.0, 900.0), 2),
        ];
        let screen =
            |id, name: &str, frame, visible| AppKitScreen { id, name: name.into(), frame, visible };
        let screens = vec![
            screen(
                1,
                "Built-in Retina Display",
                Area::new(0.0, 0.0, 1440.0, 900.0),
                Area::new(0.0, 70.0, 1440.0, 793.0),
            ),
            screen(
                7,
                "DELL U2412M",
                Area::new(-1920.0, 0.0, 1920.0, 1080.0),
                Area::new(-1920.0, 0.0, 1920.0, 1055.0),
            ),
        ];
        (displays, screens)
    }

    #[test]
    fn the_work_area_excludes_menu_bar_and_dock() {
        let (displays, screens) = pair();
        let displays = merge(&displays, &screens);
        assert_eq!(displays[0].name, "Built-in Retina Display");
        assert!(displays[0].main && !displays[1].main);
        assert_eq!(displays[0].frame, Rect::new(0, 0, 1440, 900));
        assert_eq!(displays[0].work_area, Rect::new(0, 37, 1440, 793));
        assert_eq!(displays[0].scale, 2.0);
        assert_eq!(displays[1].frame, Rect::new(-1920, -180, 1920, 1080));
        assert_eq!(displays[1].work_area, Rect::new(-1920, -155, 1920, 1055));
        assert_eq!(displays[1].scale, 1.0);
    }

    #[test]
    fn the_work_area_is_that_of_appkit_if_no_display_moved() {
        let (displays, screens) = pair();
        for display in merge(&displays, &screens) {
            let screen = screens.iter().find(|screen| screen.name == display.name).unwrap();
            assert_eq!(screen.visible.flip_vertically(900.0).rounded(), display.work_area);
        }
    }

    #[test]
    fn a_display_that_moved_keeps_its_margins() {
        let (mut displays, screens) = pair();
        displays[0].bounds = Area::new(1440.0, 0.0, 1920.0, 1080.0);
        let displays = merge(&displays, &screens);
        assert_eq!(displays[1].work_area, Rect::new(1440, 25, 1920, 1055));
    }

    #[test]
    fn a_display_that_appkit_does_not_know_has_no_margins() {
        let (displays, screens) = pair();
        let displays = merge(&displays, &screens[..1]);
        assert_eq!(displays[1].name, "display 7");
        assert_eq!(displays[1].work_area, displays[1].frame);
    }

    #[test]
    fn an_area_has_the_scale_of_its_display() {
        let (displays, _) = pair();
        assert_eq!(scale_at(Rect::new(10, 10, 100, 100), &displays), 2.0);
        assert_eq!(scale_at(Rect::new(-90, 10, 100, 100), &displays), 1.0);
        assert_eq!(scale_at(Rect::new(9000, 10, 100, 100), &displays), 2.0);
        assert_eq!(scale_at(Rect::new(0, 0, 1, 1), &[]), 1.0);
        let odd = CgDisplay { points_wide: 0, ..displays[0].clone() };
        assert_eq!(odd.scale(), 1.0);
    }
}
