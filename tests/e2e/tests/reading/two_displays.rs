//! Two displays of different sizes, also with the main one on the right, so that the other has
//! negative coordinates: clicks, moves and pictures land, as the X server and the app tell.
#![allow(clippy::unwrap_used, reason = "tests")]

use harness::desk::{Room, until};
use harness::seen::Bounds;
use harness::{App, Program, Stage};
use serde_json::Value;
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};
use x11rb::protocol::xproto::ConnectionExt as _;

const FAULTS: App = App::Fixture("gtk3_faults.py", &[]);

/// Two displays of which the left or the right one is the main one; and where the corner of the
/// main one lies on the X screen.
fn two(main: Main) -> (Stage, (i32, i32)) {
    let stage = Stage::with_displays(&["1280x800", "1024x768"]);
    if main == Main::Right {
        make_right_main(&stage);
    }
    let corner = match main {
        Main::Left => (0, 0),
        Main::Right => (1280, 0),
    };
    (stage, corner)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Main {
    Left,
    Right,
}

fn make_right_main(stage: &Stage) {
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

/// The middle of a button, as the tree tells it.
fn middle(stage: &Stage, program: &Program, title: &str) -> (i32, i32) {
    let tree = stage.tree(program);
    let button = tree.find(|one| one.title == title && one.kind == "button").unwrap();
    button.bounds.unwrap_or_else(|| panic!("{button:?}")).centre()
}

/// A point in words; a coordinate may be negative.
fn words((x, y): (i32, i32)) -> [String; 2] {
    [x.to_string(), y.to_string()]
}

fn bounds(value: &Value) -> Bounds {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

/// Moves the window of a program and asks the X server where it is.
fn moved(stage: &Stage, program: &Program, to: (i32, i32), corner: (i32, i32)) -> Room {
    let [x, y] = words(to);
    stage.effect("window_move", &[&program.pid_text(), "--", &x, &y], "confirmed");
    let desk = stage.desk();
    let window = desk.window_of(program.pid());
    let wanted = (to.0 + corner.0, to.1 + corner.1);
    let mut frame = desk.frame(window);
    let there = until(|| {
        frame = desk.frame(window);
        (frame.x, frame.y) == wanted
    });
    assert!(there, "{frame:?} instead of {wanted:?}");
    frame
}

/// Points on either display to which the window goes, counted from the main one.
fn places(main: Main) -> [(i32, i32); 2] {
    match main {
        Main::Left => [(100, 80), (1280 + 200, 90)],
        Main::Right => [(200, 90), (-1280 + 100, 80)],
    }
}

fn windows_move_and_clicks_land(main: Main) {
    let (stage, corner) = two(main);
    let program = stage.start(FAULTS);
    let mut count = 0;
    for place in places(main) {
        moved(&stage, &program, place, corner);
        let at = middle(&stage, &program, "Count");
        let [x, y] = words(at);
        stage.call("pointer_click", &["--", &x, &y]).expect_ok();
        count += 1;
        program.wait_for(&format!("count {count}"));
        let (x, y) = stage.desk().pointer();
        assert_eq!((i32::from(x) - corner.0, i32::from(y) - corner.1), at);

        let pid = program.pid_text();
        let click = ["role:button title:Count", "--app", &pid, "--mode", "focus"];
        stage.call("click", &click).expect_ok();
        count += 1;
        program.wait_for(&format!("count {count}"));
        // The pointer moves away, so that the next place is hit anew.
        stage.hand().move_to((5, 5));
    }
}

#[test]
fn windows_move_and_clicks_land_with_the_main_display_on_the_left() {
    windows_move_and_clicks_land(Main::Left);
}

#[test]
fn windows_move_and_clicks_land_at_negative_coordinates() {
    windows_move_and_clicks_land(Main::Right);
}

#[test]
fn displays_are_told_with_their_places() {
    for main in [Main::Left, Main::Right] {
        let (stage, corner) = two(main);
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
        let told = vec![(left, main == Main::Left), (right, main == Main::Right)];
        assert_eq!(frames, told, "{list}");
    }
}

/// The colour of one pixel of the X screen, as three bytes.
fn pixel(stage: &Stage, (x, y): (i32, i32)) -> [u8; 3] {
    use x11rb::protocol::xproto::ImageFormat;
    let connection = stage.info().connect_x11().unwrap();
    let root = connection.setup().roots[0].root;
    let (x, y) = (i16::try_from(x).unwrap(), i16::try_from(y).unwrap());
    let image = connection.get_image(ImageFormat::Z_PIXMAP, root, x, y, 1, 1, !0);
    let data = image.unwrap().reply().unwrap().data;
    [data[2], data[1], data[0]]
}

#[test]
fn pictures_show_the_display_that_was_asked_for() {
    for main in [Main::Left, Main::Right] {
        let (stage, corner) = two(main);
        let program = stage.start(FAULTS);
        for place in places(main) {
            let frame = moved(&stage, &program, place, corner);
            let file = stage.info().home.join("picture.png");
            let region =
                format!("--region={},{},{},{}", place.0, place.1, frame.width, frame.height);
            let output = ["--output", &file.display().to_string(), "--full", &region];
            stage.call("screenshot", &output).expect_ok();
            let picture = decoded(&file);
            assert_eq!((picture.width, picture.height), (frame.width, frame.height));
            for (dx, dy) in [(3, 3), (20, 10), (frame.width / 2, frame.height / 2), (30, 60)] {
                let seen = picture.at(dx, dy);
                assert_eq!(seen, pixel(&stage, (frame.x + dx, frame.y + dy)), "at {dx},{dy}");
            }
        }
        for (name, width, height) in [("display-1", 1280, 800), ("display-2", 1024, 768)] {
            let file = stage.info().home.join("display.png");
            let output = ["--output", &file.display().to_string(), "--full", "--display", name];
            stage.call("screenshot", &output).expect_ok();
            let picture = decoded(&file);
            assert_eq!((picture.width, picture.height), (width, height), "{name}");
        }
    }
}

#[test]
fn a_point_on_no_display_is_refused() {
    let (stage, _) = two(Main::Right);
    // Below the smaller display on the right, and left of the left one.
    for point in [["500", "790"], ["-1300", "10"], ["1024", "10"]] {
        let outcome = stage.call("pointer_click", &["--", point[0], point[1]]);
        let error = outcome.error();
        assert_eq!(error["delivery"], "not_sent", "{outcome}");
    }
}

/// A picture in memory.
struct Picture {
    width: i32,
    height: i32,
    channels: usize,
    bytes: Vec<u8>,
}

impl Picture {
    fn at(&self, x: i32, y: i32) -> [u8; 3] {
        let place = usize::try_from(y * self.width + x).unwrap() * self.channels;
        self.bytes[place..place + 3].try_into().unwrap()
    }
}

fn decoded(file: &std::path::Path) -> Picture {
    let file = std::io::BufReader::new(std::fs::File::open(file).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    Picture {
        width: info.width.cast_signed(),
        height: info.height.cast_signed(),
        channels: info.color_type.samples(),
        bytes,
    }
}
