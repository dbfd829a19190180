//! Two displays of different sizes, also with the main display on the right, so that the other has
//! negative coordinates. Clicks, moves and screenshots are checked with the X server and the app.
#![allow(clippy::unwrap_used, reason = "tests")]

use harness::inspect::{Rect, wait_until};
use harness::tree::Bounds;
use harness::{App, Program, TestDesktop};
use serde_json::Value;
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::ConnectionExt as _;

const FAULTS: App = App::Fixture("gtk3_faults.py", &[]);

/// A desktop with two displays, and the corner of the main display on the X screen.
fn two_displays(main: MainDisplay) -> (TestDesktop, (i32, i32)) {
    let stage = TestDesktop::with_displays(&["1280x800", "1024x768"]);
    if main == MainDisplay::Right {
        make_right_main(&stage);
    }
    let corner = match main {
        MainDisplay::Left => (0, 0),
        MainDisplay::Right => (1280, 0),
    };
    (stage, corner)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MainDisplay {
    Left,
    Right,
}

fn make_right_main(stage: &TestDesktop) {
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    x.randr_query_version(1, 5).unwrap().reply().unwrap();
    let monitors = x.randr_get_monitors(root, true).unwrap().reply().unwrap().monitors;
    let [left, right] = monitors.as_slice() else { panic!("{monitors:?}") };
    assert_eq!((left.x, right.x), (0, 1280));
    for monitor in [left, right] {
        x.randr_delete_monitor(root, monitor.name).unwrap().check().unwrap();
    }
    let (right, left) = (
        MonitorInfo { primary: true, outputs: left.outputs.clone(), ..right.clone() },
        MonitorInfo { primary: false, outputs: Vec::new(), ..left.clone() },
    );
    for monitor in [right, left] {
        x.randr_set_monitor(root, monitor).unwrap().check().unwrap();
    }
}

/// The centre of a button, from the tree.
fn button_centre(stage: &TestDesktop, program: &Program, title: &str) -> (i32, i32) {
    let tree = stage.tree(program);
    let button = tree.find(|one| one.title == title && one.kind == "button").unwrap();
    button.bounds.unwrap_or_else(|| panic!("{button:?}")).centre()
}

/// Formats a point as arguments. Coordinates may be negative.
fn point_args((x, y): (i32, i32)) -> [String; 2] {
    [x.to_string(), y.to_string()]
}

fn bounds(value: &Value) -> Bounds {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Moves the window of a program and checks its position with the X server.
fn move_window(stage: &TestDesktop, program: &Program, to: (i32, i32), corner: (i32, i32)) -> Rect {
    let [x, y] = point_args(to);
    stage.effect("window_move", &[&program.pid_text(), "--", &x, &y], "confirmed");
    let desk = stage.window_inspector();
    let window = desk.window_of(program.pid());
    let wanted = (to.0 + corner.0, to.1 + corner.1);
    let mut frame = desk.frame(window);
    let there = wait_until(|| {
        frame = desk.frame(window);
        (frame.x, frame.y) == wanted
    });
    assert!(there, "{frame:?} instead of {wanted:?}");
    frame
}

/// A window position on each display, relative to the main display.
fn positions(main: MainDisplay) -> [(i32, i32); 2] {
    match main {
        MainDisplay::Left => [(100, 80), (1280 + 200, 90)],
        MainDisplay::Right => [(200, 90), (-1280 + 100, 80)],
    }
}

fn check_moves_and_clicks(main: MainDisplay) {
    let (stage, corner) = two_displays(main);
    let program = stage.start(FAULTS);
    let mut count = 0;
    for position in positions(main) {
        move_window(&stage, &program, position, corner);
        let at = button_centre(&stage, &program, "Count");
        let [x, y] = point_args(at);
        stage.call("pointer_click", &["--", &x, &y]).expect_ok();
        count += 1;
        program.wait_for(&format!("count {count}"));
        let (x, y) = stage.window_inspector().pointer();
        assert_eq!((i32::from(x) - corner.0, i32::from(y) - corner.1), at);

        let pid = program.pid_text();
        let click = ["role:button title:Count", "--app", &pid, "--mode", "focus"];
        stage.call("click", &click).expect_ok();
        count += 1;
        program.wait_for(&format!("count {count}"));
        // Move the pointer away, so that the next click must move it again.
        stage.real_input().move_to((5, 5));
    }
}

#[test]
fn windows_move_and_clicks_land_with_the_main_display_on_the_left() {
    check_moves_and_clicks(MainDisplay::Left);
}

#[test]
fn windows_move_and_clicks_land_at_negative_coordinates() {
    check_moves_and_clicks(MainDisplay::Right);
}

#[test]
fn display_list_has_the_correct_frames() {
    for main in [MainDisplay::Left, MainDisplay::Right] {
        let (stage, corner) = two_displays(main);
        let list = stage.call("display_list", &[]).json();
        let mut frames: Vec<(Bounds, bool)> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (bounds(&one["frame"]), one["main"] == true))
            .collect();
        frames.sort_by_key(|(frame, _)| frame.x);
        let left = Bounds { x: -corner.0, y: 0, width: 1280, height: 800 };
        let right = Bounds { x: 1280 - corner.0, y: 0, width: 1024, height: 768 };
        let expected = vec![(left, main == MainDisplay::Left), (right, main == MainDisplay::Right)];
        assert_eq!(frames, expected, "{list}");
    }
}

/// The RGB colour of a pixel of the X screen.
fn pixel(stage: &TestDesktop, (x, y): (i32, i32)) -> [u8; 3] {
    use x11rb::protocol::xproto::ImageFormat;
    let connection = stage.info().connect_x11().unwrap();
    let root = connection.setup().roots[0].root;
    let (x, y) = (i16::try_from(x).unwrap(), i16::try_from(y).unwrap());
    let image = connection.get_image(ImageFormat::Z_PIXMAP, root, x, y, 1, 1, !0);
    let data = image.unwrap().reply().unwrap().data;
    [data[2], data[1], data[0]]
}

#[test]
fn screenshots_show_the_requested_display() {
    for main in [MainDisplay::Left, MainDisplay::Right] {
        let (stage, corner) = two_displays(main);
        let program = stage.start(FAULTS);
        for position in positions(main) {
            let frame = move_window(&stage, &program, position, corner);
            let file = stage.info().home.join("picture.png");
            let region =
                format!("--region={},{},{},{}", position.0, position.1, frame.width, frame.height);
            let output = ["--output", &file.display().to_string(), "--full", &region];
            stage.call("screenshot", &output).expect_ok();
            let image = decode_png(&file);
            assert_eq!((image.width, image.height), (frame.width, frame.height));
            for (dx, dy) in [(3, 3), (20, 10), (frame.width / 2, frame.height / 2), (30, 60)] {
                let actual = image.at(dx, dy);
                assert_eq!(actual, pixel(&stage, (frame.x + dx, frame.y + dy)), "at {dx},{dy}");
            }
        }
        for (name, width, height) in [("display-1", 1280, 800), ("display-2", 1024, 768)] {
            let file = stage.info().home.join("display.png");
            let output = ["--output", &file.display().to_string(), "--full", "--display", name];
            stage.call("screenshot", &output).expect_ok();
            let image = decode_png(&file);
            assert_eq!((image.width, image.height), (width, height), "{name}");
        }
    }
}

#[test]
fn point_on_no_display_is_refused() {
    let (stage, _) = two_displays(MainDisplay::Right);
    // Below the smaller display on the right, left of the left display, and right of the right
    // display.
    for point in [["500", "790"], ["-1300", "10"], ["1024", "10"]] {
        let outcome = stage.call("pointer_click", &["--", point[0], point[1]]);
        let error = outcome.error();
        assert_eq!(error["delivery"], "not_sent", "{outcome}");
    }
}

/// A decoded image.
struct Image {
    width: i32,
    height: i32,
    channels: usize,
    bytes: Vec<u8>,
}

impl Image {
    fn at(&self, x: i32, y: i32) -> [u8; 3] {
        let position = usize::try_from(y * self.width + x).unwrap() * self.channels;
        self.bytes[position..position + 3].try_into().unwrap()
    }
}

fn decode_png(file: &std::path::Path) -> Image {
    let file = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    Image {
        width: info.width.cast_signed(),
        height: info.height.cast_signed(),
        channels: info.color_type.samples(),
        bytes,
    }
}
