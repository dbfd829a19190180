//! The room on a recorded system: two displays, a few windows, pictures of one colour each.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use super::*;
use crate::window::{
    fixture::{desktop, pane},
    shown,
};

/// What a system answers.
struct Recorded {
    version: Version,
    leave: bool,
    pointer: Option<(f64, f64)>,
    monitors: Vec<Monitor>,
    /// The windows, look by look; the last list stays.
    panes: Mutex<Vec<Vec<Pane>>>,
    /// What comes instead of pictures.
    refusal: Option<Refusal>,
    /// Windows without a picture.
    blank: Vec<u32>,
    /// How long a picture takes.
    slow: Duration,
    asked: Mutex<Vec<(Road, Shot)>>,
}

fn monitor(id: u32, x: f64, y: f64, width: usize, height: f64, scale: usize) -> Monitor {
    let bounds = Area::new(x, y, width as f64, height);
    Monitor { id, bounds, main: id == 1, points_wide: width, pixels_wide: width * scale }
}

fn recorded() -> Recorded {
    Recorded {
        version: Version { major: 15, minor: 1 },
        leave: true,
        pointer: Some((-3.5, 10.25)),
        monitors: vec![monitor(1, 0.0, 0.0, 40, 30.0, 2), monitor(2, -20.0, -5.0, 20, 10.0, 1)],
        panes: Mutex::new(vec![desktop()]),
        refusal: None,
        blank: Vec::new(),
        slow: Duration::ZERO,
        asked: Mutex::default(),
    }
}

impl Displays for Recorded {
    fn monitors(&self) -> Result<Vec<Monitor>> {
        Ok(self.monitors.clone())
    }

    fn desks(&self) -> Vec<Desk> {
        Vec::new()
    }

    fn pointer(&self) -> Option<(f64, f64)> {
        self.pointer
    }
}

impl Panes for Recorded {
    fn panes(&self, reach: Reach) -> Result<Vec<Pane>> {
        let mut all = self.panes.lock().unwrap();
        let now = if all.len() > 1 { all.remove(0) } else { all[0].clone() };
        Ok(now.into_iter().filter(|pane| reach != Reach::One(0) && pane.number != 0).collect())
    }
}

impl Pictures for Recorded {
    fn version(&self) -> Version {
        self.version
    }

    fn may_record(&self) -> bool {
        self.leave
    }

    fn who(&self) -> String {
        "Terminal".to_owned()
    }

    fn take(
        &self,
        road: Road,
        shot: Shot,
        _: Deadline,
    ) -> std::result::Result<Option<Raster>, Refusal> {
        std::thread::sleep(self.slow);
        self.asked.lock().unwrap().push((road, shot));
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let (colour, (width, height)) = match shot {
            Shot::Part { display, size, .. } => (display as u8, size),
            Shot::Window { number, .. } if self.blank.contains(&number) => return Ok(None),
            Shot::Window { number, size } => (number as u8, size),
        };
        let stride = width * 4 + 16;
        let data = vec![colour; stride * height];
        let info = 2 | 2 << 12;
        let (bits_per_component, bits_per_pixel) = (8, 32);
        Ok(Some(Raster { width, height, stride, bits_per_component, bits_per_pixel, info, data }))
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn screen(of: Recorded) -> MacScreen<Recorded> {
    MacScreen::new(Arc::new(of))
}

fn asked(screen: &MacScreen<Recorded>) -> Vec<(Road, Shot)> {
    screen.ground.asked.lock().unwrap().clone()
}

#[test]
fn displays_and_pointer_are_told() {
    let screen = screen(recorded());
    let all = screen.displays(soon()).unwrap();
    assert_eq!(all.iter().map(|one| one.main).collect::<Vec<_>>(), [true, false]);
    assert_eq!(all[1].frame, Rect::new(-20, -5, 20, 10));
    assert_eq!(screen.cursor(soon()), Ok((-4, 10)));
    let lost = Recorded { pointer: None, ..recorded() };
    assert!(matches!(self::screen(lost).cursor(soon()), Err(Error::Unexpected { .. })));
}

#[test]
fn the_whole_screen_is_put_together_of_its_displays() {
    let screen = screen(recorded());
    let told = screen.capture(Capture::Screen, soon()).unwrap();
    assert_eq!(told.rect, Rect::new(-20, -5, 60, 35));
    assert_eq!((told.width, told.height), (120, 70));
    assert_eq!(told.flaws, [Flaw::Outside]);
    let at = |x: usize, y: usize| told.data[(y * 120 + x) * 4];
    assert_eq!([at(0, 0), at(39, 19), at(40, 10), at(40, 9), at(0, 20)], [2, 2, 1, 0, 0]);
    let sizes: Vec<_> = asked(&screen)
        .into_iter()
        .map(|(road, shot)| match shot {
            Shot::Part { display, size, inside, .. } => (road, display, size, inside.x, inside.y),
            Shot::Window { .. } => panic!("a window was asked for"),
        })
        .collect();
    let kit = Road::CaptureKit;
    assert_eq!(sizes, [(kit, 1, (80, 60), 0.0, 0.0), (kit, 2, (20, 10), 0.0, 0.0)]);
}

#[test]
fn a_region_asks_only_the_displays_it_is_on() {
    let old = Recorded { version: Version { major: 13, minor: 6 }, ..recorded() };
    let screen = screen(old);
    let told = screen.capture(Capture::Region(Rect::new(-15, -2, 5, 4)), soon()).unwrap();
    assert_eq!((told.width, told.height, told.flaws.len()), (5, 4, 0));
    let place = Area::new(-15.0, -2.0, 5.0, 4.0);
    let inside = Area::new(5.0, 3.0, 5.0, 4.0);
    let shot = Shot::Part { display: 2, place, inside, size: (5, 4) };
    assert_eq!(asked(&screen), [(Road::WindowList, shot)]);
}

#[test]
fn a_point_of_a_fine_display_has_the_colour_of_its_first_pixel() {
    let screen = screen(recorded());
    assert_eq!(screen.pixel(3, 3, soon()), Ok([1, 1, 1]));
    assert!(matches!(screen.pixel(-1, 20, soon()), Err(Error::Unsupported { .. })));
}

#[test]
fn what_is_too_large_or_outside_is_not_even_asked_for() {
    let screen = screen(recorded());
    for place in [Rect::new(500, 500, 10, 10), Rect::new(0, 0, 0, 5), Rect::new(0, 0, 9_000, 9_000)]
    {
        let told = screen.capture(Capture::Region(place), soon());
        assert!(matches!(told, Err(Error::Unsupported { .. })), "{told:?}");
    }
    assert!(asked(&screen).is_empty());
}

#[test]
fn without_leave_no_picture_is_taken_and_the_error_says_whom_to_allow_it() {
    let screen = screen(Recorded { leave: false, ..recorded() });
    for of in [Capture::Screen, Capture::Region(Rect::new(0, 0, 5, 5)), Capture::Window(11)] {
        let Err(Error::NotAllowed { permission, who }) = screen.capture(of, soon()) else {
            panic!("{of:?}")
        };
        assert_eq!((permission.as_str(), who.as_str()), ("Screen Recording", "Terminal"));
    }
    assert!(asked(&screen).is_empty());
    let declined = Refusal::Error { code: DECLINED, why: "declined".to_owned() };
    let screen = self::screen(Recorded { refusal: Some(declined), ..recorded() });
    assert!(matches!(screen.capture(Capture::Screen, soon()), Err(Error::NotAllowed { .. })));
}

#[test]
fn a_window_is_taken_alone_in_the_pixels_of_its_display() {
    let panes = vec![pane(11, 0, 5, "TextEdit", Rect::new(30, 20, 20, 20))];
    let screen = screen(Recorded { panes: Mutex::new(vec![panes]), ..recorded() });
    let (told, among) = screen.capture_among(Capture::Window(11), soon()).unwrap();
    assert_eq!((told.rect, told.width, told.height), (Rect::new(30, 20, 20, 20), 40, 40));
    assert_eq!((told.data[0], told.data.len(), told.flaws.len()), (11, 6400, 0));
    assert_eq!(among, None);
    assert!(matches!(screen.capture(Capture::Window(99), soon()), Err(Error::Gone { .. })));
    assert!(matches!(screen.capture(Capture::Window(1 << 40), soon()), Err(Error::Gone { .. })));
}

#[test]
fn a_window_nobody_shows_is_old_or_not_there() {
    let hidden = Pane { on_screen: false, ..pane(11, 0, 5, "Notes", Rect::new(0, 0, 9, 9)) };
    let with = |blank: Vec<u32>, panes: Vec<Vec<Pane>>| {
        let screen = screen(Recorded { blank, panes: Mutex::new(panes), ..recorded() });
        screen.capture(Capture::Window(11), soon())
    };
    assert_eq!(with(vec![], vec![vec![hidden.clone()]]).unwrap().flaws, [Flaw::Undrawn]);
    let Err(Error::Unsupported { why, .. }) = with(vec![11], vec![vec![hidden.clone()]]) else {
        panic!("a picture of nothing")
    };
    assert!(why.contains("another Space"), "{why}");
    let shown = Pane { on_screen: true, ..hidden.clone() };
    let Err(Error::Unsupported { why, .. }) = with(vec![11], vec![vec![shown]]) else {
        panic!("a picture of nothing")
    };
    assert!(why.contains("does not let it be captured"), "{why}");
    let closed = with(vec![11], vec![vec![hidden.clone()], vec![]]);
    assert!(matches!(closed, Err(Error::Gone { .. })));
    let flat = Pane { bounds: Area::default(), ..hidden };
    assert!(matches!(with(vec![], vec![vec![flat]]), Err(Error::Unsupported { .. })));
}

#[test]
fn what_the_system_refuses_is_told() {
    let with = |refusal: Refusal| {
        screen(Recorded { refusal: Some(refusal), ..recorded() }).capture(Capture::Screen, soon())
    };
    assert!(matches!(with(Refusal::Late), Err(Error::Timeout { .. })));
    let Err(Error::Broken { why, .. }) = with(Refusal::Error { code: -3811, why: "no".into() })
    else {
        panic!("a refused picture")
    };
    assert_eq!(why, "no (-3811)");
}

#[test]
fn a_picture_taken_while_nothing_moved_has_what_was_listed() {
    let screen = screen(recorded());
    let (_, among) = screen.capture_among(Capture::Screen, soon()).unwrap();
    assert_eq!(among.unwrap(), shown(&desktop()));
    assert_eq!(asked(&screen).len(), 2);
}

#[test]
fn a_picture_is_taken_again_when_a_window_moved_meanwhile() {
    let moved = |by: i32| {
        let mut panes = desktop();
        panes[3].bounds.x += f64::from(by);
        panes
    };
    let panes = Mutex::new(vec![moved(0), moved(1), moved(1)]);
    let screen = screen(Recorded { panes, ..recorded() });
    let (_, among) = screen.capture_among(Capture::Region(Rect::new(0, 0, 9, 9)), soon()).unwrap();
    assert_eq!(among.unwrap(), shown(&moved(1)));
    assert_eq!(asked(&screen).len(), 2);
    // One that never rests may be at either place.
    let panes = Mutex::new((0..9).map(moved).collect());
    let screen = self::screen(Recorded { panes, ..recorded() });
    let (_, among) = screen.capture_among(Capture::Region(Rect::new(0, 0, 9, 9)), soon()).unwrap();
    assert_eq!(among.unwrap().len(), shown(&desktop()).len() + 1);
    assert_eq!(asked(&screen).len(), 3);
}

#[test]
fn a_system_that_hangs_is_left_at_the_deadline() {
    let screen = screen(Recorded { slow: Duration::from_secs(3), ..recorded() });
    let begun = Instant::now();
    let told = screen.capture(Capture::Screen, Deadline::after(Duration::from_millis(30)));
    assert!(matches!(told, Err(Error::Timeout { .. })));
    assert!(begun.elapsed() < Duration::from_secs(1));
}
