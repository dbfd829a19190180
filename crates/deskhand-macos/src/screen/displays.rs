//! The displays: where they lie, and what menu bar and Dock leave of them.

use deskhand_model::Rect;
use deskhand_platform::Display;

use super::area::Area;

/// A display as CoreGraphics knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Monitor {
    /// Its `CGDirectDisplayID`.
    pub(crate) id: u32,
    /// Where it lies, from the top left of the main one.
    pub(crate) bounds: Area,
    /// Whether it is the main one, which has its corner at 0,0.
    pub(crate) main: bool,
    /// How many points its mode is wide, and how many pixels that is.
    pub(crate) points_wide: usize,
    pub(crate) pixels_wide: usize,
}

/// The same display as AppKit knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Desk {
    /// The `CGDirectDisplayID` it stands for.
    pub(crate) id: u32,
    /// What people call it.
    pub(crate) name: String,
    /// All of it, counted from the bottom left of the main display.
    pub(crate) frame: Area,
    /// What menu bar and Dock leave, counted alike.
    pub(crate) visible: Area,
}

impl Monitor {
    /// How many pixels a point takes.
    pub(crate) fn scale(&self) -> f64 {
        if self.points_wide == 0 || self.pixels_wide == 0 {
            return 1.0;
        }
        self.pixels_wide as f64 / self.points_wide as f64
    }

    /// Where it lies in whole points.
    pub(crate) fn frame(&self) -> Rect {
        self.bounds.whole()
    }
}

/// The displays, the main one first.
pub(super) fn joined(monitors: &[Monitor], desks: &[Desk]) -> Vec<Display> {
    let mut sorted: Vec<&Monitor> = monitors.iter().collect();
    sorted.sort_by_key(|monitor| !monitor.main);
    let each = sorted.into_iter().map(|monitor| {
        let desk = desks.iter().find(|desk| desk.id == monitor.id);
        Display {
            name: desk.map_or_else(|| format!("display {}", monitor.id), |desk| desk.name.clone()),
            frame: monitor.frame(),
            work_area: desk.map_or(monitor.frame(), |desk| work_area(monitor, desk)),
            scale: monitor.scale(),
            main: monitor.main,
        }
    });
    each.collect()
}

/// What is left of a display. AppKit hears of moved displays only where an app's event loop runs, so only
/// the room it keeps along each edge is taken from it, not the place.
fn work_area(monitor: &Monitor, desk: &Desk) -> Rect {
    // How high the main display is does not matter for what lies between the two.
    let (all, free) = (desk.frame.flipped(0.0), desk.visible.flipped(0.0));
    let (left, above) = ((free.x - all.x).max(0.0), (free.y - all.y).max(0.0));
    let right = (all.x + all.width - free.x - free.width).max(0.0);
    let below = (all.y + all.height - free.y - free.height).max(0.0);
    let Area { x, y, width, height } = monitor.bounds;
    let area = Area::new(x + left, y + above, width - left - right, height - above - below).whole();
    if area.is_empty() { monitor.frame() } else { area }
}

/// How many pixels a point takes in a place: as on the display most of it lies on.
pub(crate) fn scale_at(place: Rect, monitors: &[Monitor]) -> f64 {
    let shared = |monitor: &&Monitor| {
        let part = place.meet(monitor.frame());
        i64::from(part.width) * i64::from(part.height)
    };
    // Of equals the last counts; the main one is the best guess where nothing is shared.
    let mut sorted: Vec<&Monitor> = monitors.iter().collect();
    sorted.sort_by_key(|monitor| monitor.main);
    sorted.into_iter().max_by_key(shared).map_or(1.0, Monitor::scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(id: u32, bounds: Area, scale: usize) -> Monitor {
        let points_wide = bounds.width as usize;
        let main = (bounds.x, bounds.y) == (0.0, 0.0);
        Monitor { id, bounds, main, points_wide, pixels_wide: points_wide * scale }
    }

    /// A laptop with a menu bar of 37 points and a Dock of 70 below, and a display left of and above it with
    /// a menu bar of 25.
    fn pair() -> (Vec<Monitor>, Vec<Desk>) {
        let monitors = vec![
            monitor(7, Area::new(-1920.0, -180.0, 1920.0, 1080.0), 1),
            monitor(1, Area::new(0.0, 0.0, 1440.0, 900.0), 2),
        ];
        let desk = |id, name: &str, frame, visible| Desk { id, name: name.into(), frame, visible };
        let desks = vec![
            desk(
                1,
                "Built-in Retina Display",
                Area::new(0.0, 0.0, 1440.0, 900.0),
                Area::new(0.0, 70.0, 1440.0, 793.0),
            ),
            desk(
                7,
                "DELL U2412M",
                Area::new(-1920.0, 0.0, 1920.0, 1080.0),
                Area::new(-1920.0, 0.0, 1920.0, 1055.0),
            ),
        ];
        (monitors, desks)
    }

    #[test]
    fn bars_are_left_out_of_the_work_area() {
        let (monitors, desks) = pair();
        let displays = joined(&monitors, &desks);
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
    fn a_work_area_is_where_appkit_says_when_nothing_moved() {
        let (monitors, desks) = pair();
        for display in joined(&monitors, &desks) {
            let desk = desks.iter().find(|desk| desk.name == display.name).unwrap();
            assert_eq!(desk.visible.flipped(900.0).whole(), display.work_area);
        }
    }

    #[test]
    fn a_display_that_moved_keeps_its_bars() {
        let (mut monitors, desks) = pair();
        monitors[0].bounds = Area::new(1440.0, 0.0, 1920.0, 1080.0);
        let displays = joined(&monitors, &desks);
        assert_eq!(displays[1].work_area, Rect::new(1440, 25, 1920, 1055));
    }

    #[test]
    fn a_display_appkit_has_not_heard_of_is_there_as_a_whole() {
        let (monitors, desks) = pair();
        let displays = joined(&monitors, &desks[..1]);
        assert_eq!(displays[1].name, "display 7");
        assert_eq!(displays[1].work_area, displays[1].frame);
    }

    #[test]
    fn a_place_has_the_scale_of_the_display_it_is_on() {
        let (monitors, _) = pair();
        assert_eq!(scale_at(Rect::new(10, 10, 100, 100), &monitors), 2.0);
        assert_eq!(scale_at(Rect::new(-90, 10, 100, 100), &monitors), 1.0);
        assert_eq!(scale_at(Rect::new(9000, 10, 100, 100), &monitors), 2.0);
        assert_eq!(scale_at(Rect::new(0, 0, 1, 1), &[]), 1.0);
        let odd = Monitor { points_wide: 0, ..monitors[0].clone() };
        assert_eq!(odd.scale(), 1.0);
    }
}
