//! Screenshots of a fake system: two displays, a few windows, and images of one colour.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::*;
use crate::window::{
    fixture::{desktop, info},
    visible_windows,
};

/// The content of the fake system, and its errors.
struct FakeScreen {
    version: MacosVersion,
    can_record: bool,
    pointer: Option<(f64, f64)>,
    displays: Vec<CgDisplay>,
    /// The windows of each listing. The last one is repeated.
    windows: Mutex<Vec<Vec<WindowInfo>>>,
    /// The error of all captures.
    error: Option<CaptureError>,
    /// Windows without an image.
    blank: Vec<u32>,
    /// The duration of a capture.
    delay: Duration,
    requests: Mutex<Vec<(CaptureApi, ImageRequest)>>,
}

fn display(id: u32, x: f64, y: f64, width: usize, height: f64, scale: usize) -> CgDisplay {
    let bounds = Area::new(x, y, width as f64, height);
    CgDisplay { id, bounds, main: id == 1, points_wide: width, pixels_wide: width * scale }
}

fn fake_screen() -> FakeScreen {
    FakeScreen {
        version: MacosVersion { major: 15, minor: 1 },
        can_record: true,
        pointer: Some((-3.5, 10.25)),
        displays: vec![display(1, 0.0, 0.0, 40, 30.0, 2), display(2, -20.0, -5.0, 20, 10.0, 1)],
        windows: Mutex::new(vec![desktop()]),
        error: None,
        blank: Vec::new(),
        delay: Duration::ZERO,
        requests: Mutex::default(),
    }
}

impl Displays for FakeScreen {
    fn cg_displays(&self) -> Result<Vec<CgDisplay>> {
        Ok(self.displays.clone())
    }

    fn appkit_screens(&self) -> Vec<AppKitScreen> {
        Vec::new()
    }

    fn pointer(&self) -> Option<(f64, f64)> {
        self.pointer
    }
}

impl WindowListApi for FakeScreen {
    fn windows(&self, scope: WindowScope) -> Result<Vec<WindowInfo>> {
        let mut all = self.windows.lock();
        let now = if all.len() > 1 { all.remove(0) } else { all[0].clone() };
        let list_displays = |info: &WindowInfo| scope != WindowScope::One(0) && info.number != 0;
        Ok(now.into_iter().filter(list_displays).collect())
    }
}

impl ScreenApi for FakeScreen {
    fn version(&self) -> MacosVersion {
        self.version
    }

    fn can_record(&self) -> bool {
        self.can_record
    }

    fn program_to_allow(&self) -> String {
        "Terminal".to_owned()
    }

    fn capture(
        &self,
        api: CaptureApi,
        request: ImageRequest,
        _: Deadline,
    ) -> std::result::Result<Option<RawImage>, CaptureError> {
        std::thread::sleep(self.delay);
        self.requests.lock().push((api, request));
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let (colour, (width, height)) = match request {
            ImageRequest::DisplayPart { display, size, .. } => (display as u8, size),
            ImageRequest::Window { number, .. } if self.blank.contains(&number) => {
                return Ok(None);
            }
            ImageRequest::Window { number, size } => (number as u8, size),
        };
        let stride = width * 4 + 16;
        let data = vec![colour; stride * height];
        let info = 2 | 2 << 12;
        let (bits_per_component, bits_per_pixel) = (8, 32);
        Ok(Some(RawImage { width, height, stride, bits_per_component, bits_per_pixel, info, data }))
    }
}

fn test_deadline() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

fn screen(of: FakeScreen) -> MacScreen<FakeScreen> {
    MacScreen::new(Arc::new(of))
}

fn requests(screen: &MacScreen<FakeScreen>) -> Vec<(CaptureApi, ImageRequest)> {
    screen.system.requests.lock().clone()
}

#[test]
fn displays_and_pointer_are_reported() {
    let screen = screen(fake_screen());
    let all = screen.displays(test_deadline()).unwrap();
    assert_eq!(all.iter().map(|one| one.main).collect::<Vec<_>>(), [true, false]);
    assert_eq!(all[1].frame, Rect::new(-20, -5, 20, 10));
    assert_eq!(screen.pointer_position(test_deadline()), Ok((-4, 10)));
    let lost = FakeScreen { pointer: None, ..fake_screen() };
    assert!(matches!(
        self::screen(lost).pointer_position(test_deadline()),
        Err(Error::Unexpected { .. })
    ));
}

#[test]
fn a_screenshot_of_all_displays_is_composed() {
    let screen = screen(fake_screen());
    let pixels = screen.capture(CaptureTarget::Screen, test_deadline()).unwrap();
    assert_eq!(pixels.rect, Rect::new(-20, -5, 60, 35));
    assert_eq!((pixels.width, pixels.height), (120, 70));
    assert_eq!(pixels.flaws, [CaptureFlaw::OutsideDisplays]);
    let at = |x: usize, y: usize| pixels.data[(y * 120 + x) * 4];
    assert_eq!([at(0, 0), at(39, 19), at(40, 10), at(40, 9), at(0, 20)], [2, 2, 1, 0, 0]);
    let sizes: Vec<_> = requests(&screen)
        .into_iter()
        .map(|(api, request)| match request {
            ImageRequest::DisplayPart { display, size, inside, .. } => {
                (api, display, size, inside.x, inside.y)
            }
            ImageRequest::Window { .. } => panic!("a window was captured"),
        })
        .collect();
    let kit = CaptureApi::ScreenCaptureKit;
    assert_eq!(sizes, [(kit, 1, (80, 60), 0.0, 0.0), (kit, 2, (20, 10), 0.0, 0.0)]);
}

#[test]
fn only_the_displays_of_a_region_are_captured() {
    let old = FakeScreen { version: MacosVersion { major: 13, minor: 6 }, ..fake_screen() };
    let screen = screen(old);
    let pixels =
        screen.capture(CaptureTarget::Region(Rect::new(-15, -2, 5, 4)), test_deadline()).unwrap();
    assert_eq!((pixels.width, pixels.height, pixels.flaws.len()), (5, 4, 0));
    let area = Area::new(-15.0, -2.0, 5.0, 4.0);
    let inside = Area::new(5.0, 3.0, 5.0, 4.0);
    let request = ImageRequest::DisplayPart { display: 2, area, inside, size: (5, 4) };
    assert_eq!(requests(&screen), [(CaptureApi::WindowList, request)]);
}

#[test]
fn a_point_of_a_retina_display_has_the_colour_of_its_first_pixel() {
    let screen = screen(fake_screen());
    assert_eq!(screen.pixel(3, 3, test_deadline()), Ok([1, 1, 1]));
    assert!(matches!(screen.pixel(-1, 20, test_deadline()), Err(Error::Unsupported { .. })));
}

#[test]
fn an_area_that_is_too_large_or_outside_is_rejected() {
    let screen = screen(fake_screen());
    for area in [Rect::new(500, 500, 10, 10), Rect::new(0, 0, 0, 5), Rect::new(0, 0, 9_000, 9_000)]
    {
        let result = screen.capture(CaptureTarget::Region(area), test_deadline());
        assert!(matches!(result, Err(Error::Unsupported { .. })), "{result:?}");
    }
    assert!(requests(&screen).is_empty());
}

#[test]
fn without_permission_the_error_names_it_and_the_program_to_allow() {
    let screen = screen(FakeScreen { can_record: false, ..fake_screen() });
    for of in [
        CaptureTarget::Screen,
        CaptureTarget::Region(Rect::new(0, 0, 5, 5)),
        CaptureTarget::Window(11),
    ] {
        let Err(Error::PermissionDenied { permission, program: who }) =
            screen.capture(of, test_deadline())
        else {
            panic!("{of:?}")
        };
        assert_eq!((permission.as_str(), who.as_str()), ("Screen Recording", "Terminal"));
    }
    assert!(requests(&screen).is_empty());
    let declined = CaptureError::Failed { code: USER_DECLINED, why: "declined".to_owned() };
    let screen = self::screen(FakeScreen { error: Some(declined), ..fake_screen() });
    assert!(matches!(
        screen.capture(CaptureTarget::Screen, test_deadline()),
        Err(Error::PermissionDenied { .. })
    ));
}

#[test]
fn a_window_is_captured_alone_at_the_scale_of_its_display() {
    let windows = vec![info(11, 0, 5, "TextEdit", Rect::new(30, 20, 20, 20))];
    let screen = screen(FakeScreen { windows: Mutex::new(vec![windows]), ..fake_screen() });
    let (pixels, windows) =
        screen.capture_with_windows(CaptureTarget::Window(11), test_deadline()).unwrap();
    assert_eq!((pixels.rect, pixels.width, pixels.height), (Rect::new(30, 20, 20, 20), 40, 40));
    assert_eq!((pixels.data[0], pixels.data.len(), pixels.flaws.len()), (11, 6400, 0));
    assert_eq!(windows, None);
    assert!(matches!(
        screen.capture(CaptureTarget::Window(99), test_deadline()),
        Err(Error::Gone { .. })
    ));
    assert!(matches!(
        screen.capture(CaptureTarget::Window(1 << 40), test_deadline()),
        Err(Error::Gone { .. })
    ));
}

#[test]
fn a_window_that_is_not_on_screen_has_an_old_image_or_none() {
    let hidden = WindowInfo { on_screen: false, ..info(11, 0, 5, "Notes", Rect::new(0, 0, 9, 9)) };
    let with = |blank: Vec<u32>, windows: Vec<Vec<WindowInfo>>| {
        let screen = screen(FakeScreen { blank, windows: Mutex::new(windows), ..fake_screen() });
        screen.capture(CaptureTarget::Window(11), test_deadline())
    };
    assert_eq!(with(vec![], vec![vec![hidden.clone()]]).unwrap().flaws, [CaptureFlaw::NotRedrawn]);
    let Err(Error::Unsupported { why, .. }) = with(vec![11], vec![vec![hidden.clone()]]) else {
        panic!("a capture without an image")
    };
    assert!(why.contains("another Space"), "{why}");
    let shown = WindowInfo { on_screen: true, ..hidden.clone() };
    let Err(Error::Unsupported { why, .. }) = with(vec![11], vec![vec![shown]]) else {
        panic!("a capture without an image")
    };
    assert!(why.contains("does not allow it to be captured"), "{why}");
    let closed = with(vec![11], vec![vec![hidden.clone()], vec![]]);
    assert!(matches!(closed, Err(Error::Gone { .. })));
    let flat = WindowInfo { bounds: Area::default(), ..hidden };
    assert!(matches!(with(vec![], vec![vec![flat]]), Err(Error::Unsupported { .. })));
}

#[test]
fn errors_of_the_system_are_reported() {
    let with = |error: CaptureError| {
        screen(FakeScreen { error: Some(error), ..fake_screen() })
            .capture(CaptureTarget::Screen, test_deadline())
    };
    assert!(matches!(with(CaptureError::Timeout), Err(Error::Timeout { .. })));
    let Err(Error::Disconnected { why, .. }) =
        with(CaptureError::Failed { code: -3811, why: "no".into() })
    else {
        panic!("a failed capture")
    };
    assert_eq!(why, "no (-3811)");
}

#[test]
fn a_screenshot_lists_the_windows_in_it() {
    let screen = screen(fake_screen());
    let (_, windows) = screen.capture_with_windows(CaptureTarget::Screen, test_deadline()).unwrap();
    assert_eq!(windows.unwrap(), visible_windows(&desktop()));
    assert_eq!(requests(&screen).len(), 2);
}

#[test]
fn the_capture_is_repeated_if_a_window_moved() {
    let moved = |offset: i32| {
        let mut windows = desktop();
        windows[3].bounds.x += f64::from(offset);
        windows
    };
    let area = CaptureTarget::Region(Rect::new(0, 0, 9, 9));
    let windows = Mutex::new(vec![moved(0), moved(1), moved(1)]);
    let screen = screen(FakeScreen { windows, ..fake_screen() });
    let (_, windows) = screen.capture_with_windows(area, test_deadline()).unwrap();
    assert_eq!(windows.unwrap(), visible_windows(&moved(1)));
    assert_eq!(requests(&screen).len(), 2);
    // A window that keeps moving may be at either position.
    let windows = Mutex::new((0..9).map(moved).collect());
    let screen = self::screen(FakeScreen { windows, ..fake_screen() });
    let (_, windows) = screen.capture_with_windows(area, test_deadline()).unwrap();
    assert_eq!(windows.unwrap().len(), visible_windows(&desktop()).len() + 1);
    assert_eq!(requests(&screen).len(), 3);
}

#[test]
fn a_capture_that_hangs_is_abandoned_at_the_deadline() {
    let screen = screen(FakeScreen { delay: Duration::from_secs(3), ..fake_screen() });
    let start = Instant::now();
    let result = screen.capture(CaptureTarget::Screen, Deadline::after(Duration::from_millis(30)));
    assert!(matches!(result, Err(Error::Timeout { .. })));
    assert!(start.elapsed() < Duration::from_secs(1));
}
