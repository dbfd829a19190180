//! Screenshots equal the screen pixel by pixel, compared with the X server and another image
//! library.
#![allow(clippy::unwrap_used, reason = "tests")]

mod annotations;
mod arguments;
mod covered_windows;
mod limits;
mod password_masking;

use std::path::PathBuf;

use harness::inspect::Rect;
use harness::pixels::Pixels;
use harness::{App, TestDesktop};
use serde_json::Value;

/// A screenshot: the reply of the tool and the pixels in its file.
pub(crate) struct Shot {
    pub(crate) answer: Value,
    pub(crate) pixels: Pixels,
}

/// Takes a screenshot into this file, with a timeout for a busy machine.
pub(crate) fn take_screenshot(stage: &TestDesktop, name: &str, arguments: &[&str]) -> Shot {
    let path = file(stage, name);
    let path_text = path.display().to_string();
    let words = [&["--output", &path_text, "--timeout", "20"], arguments].concat();
    let answer = stage.call("screenshot", &words).json();
    assert_eq!(answer["path"], path_text);
    let pixels = Pixels::read(&path, answer["format"].as_str().unwrap());
    assert_eq!(answer["width"], pixels.width);
    assert_eq!(answer["height"], pixels.height);
    assert_eq!(answer["bytes"], std::fs::metadata(&path).unwrap().len());
    assert!(answer.get("image").is_none(), "the reply must not repeat the image");
    Shot { answer, pixels }
}

pub(crate) fn file(stage: &TestDesktop, name: &str) -> PathBuf {
    stage.info().home.join(name)
}

impl Shot {
    /// The rectangle of the desktop that it shows.
    pub(crate) fn room(&self) -> Rect {
        let side = |name: &str| i32::try_from(self.answer["rect"][name].as_i64().unwrap()).unwrap();
        Rect { x: side("x"), y: side("y"), width: side("width"), height: side("height") }
    }
}

pub(crate) const SCREEN: Rect = Rect { x: 0, y: 0, width: 1920, height: 1080 };

#[test]
fn whole_screen_equals_the_x_server_image() {
    let stage = TestDesktop::new();
    let _program = stage.start(App::Kcalc);
    let expected = stage.screen_capture().capture_when_still(SCREEN);
    let shot = take_screenshot(&stage, "whole.png", &["--full"]);
    assert_eq!(shot.room(), SCREEN);
    assert_eq!(shot.answer["scale"], 1.0);
    assert_eq!(shot.answer["reduced"], serde_json::json!([]));
    assert!(expected.colours() > 50, "the screen is blank");
    assert_eq!(shot.pixels.differing(&expected, 0), 0);
}

#[test]
fn region_is_cut_from_the_screen_and_black_outside() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Kcalc);
    let eye = stage.screen_capture();
    let window: Rect =
        stage.window_inspector().frame(stage.window_inspector().window_of(program.pid()));
    let room = Rect { width: 120, height: 90, ..window };
    let region = format!("{},{},120,90", room.x, room.y);
    let shot = take_screenshot(&stage, "region.png", &["--region", &region]);
    assert_eq!(shot.room(), room);
    assert_eq!(shot.pixels.differing(&eye.capture_when_still(room), 0), 0);
    let shot = take_screenshot(&stage, "edge.png", &["--region=-40,-30,100,100"]);
    assert!(shot.answer["notes"][0].as_str().unwrap().contains("outside every display"));
    let black = shot.pixels.part(Rect { x: 0, y: 0, width: 100, height: 30 });
    assert!(black.rgb.iter().all(|byte| *byte == 0));
    let inside = Rect { x: 40, y: 30, width: 60, height: 70 };
    let expected = eye.capture(Rect { x: 0, y: 0, width: 60, height: 70 });
    assert_eq!(shot.pixels.part(inside).differing(&expected, 0), 0);
}

#[test]
fn element_is_captured_with_its_padding() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Kcalc);
    let eye = stage.screen_capture();
    let pid = program.pid_text();
    let tree = stage.tree(&program);
    let seven = tree.find(|one| one.kind == "button" && one.title == "7").unwrap();
    let bounds = seven.bounds.unwrap();
    for padding in [0, 12] {
        let text = padding.to_string();
        let arguments = ["--element", &seven.reference, "--app", &pid, "--padding", &text];
        let shot = take_screenshot(&stage, "element.png", &arguments);
        let room = Rect {
            x: bounds.x - padding,
            y: bounds.y - padding,
            width: bounds.width + 2 * padding,
            height: bounds.height + 2 * padding,
        };
        assert_eq!(shot.room(), room);
        assert_eq!(shot.pixels.differing(&eye.capture_when_still(room), 0), 0);
        assert!(shot.pixels.colours() > 3);
    }
    let arguments = ["--element", &seven.reference, "--app", &pid, "--padding", "9000"];
    let whole = take_screenshot(&stage, "wide.png", &arguments);
    let window = stage.window_inspector().frame(stage.window_inspector().window_of(program.pid()));
    assert_eq!(whole.room(), window, "padding must end at the window frame");
    let missing = stage.call("screenshot", &["--element", "No such button", "--app", &pid]);
    missing.expect_error("no_match");
}

#[test]
fn display_at_negative_coordinates_is_captured_in_place() {
    let stage = TestDesktop::with_displays(&["800x600", "1024x768"]);
    let eye = stage.screen_capture();
    eye.make_second_main();
    let program = stage.start(App::Kcalc);
    stage.real_input().move_window(stage.window_inspector().window_of(program.pid()), (100, 80));
    let left = Rect { x: 0, y: 0, width: 800, height: 600 };
    let expected = eye.capture_when_still(left);
    let shot = take_screenshot(&stage, "left.png", &["--display", "2"]);
    assert_eq!(shot.room(), Rect { x: -800, ..left });
    assert_eq!(shot.pixels.differing(&expected, 0), 0);
    assert!(expected.colours() > 50, "the window is not visible");
    let pid = program.pid_text();
    let window = take_screenshot(&stage, "window.png", &["--app", &pid]);
    let frame = stage.window_inspector().frame(stage.window_inspector().window_of(program.pid()));
    assert_eq!(window.room(), Rect { x: frame.x - 800, ..frame });
    assert_eq!(window.pixels.differing(&eye.capture_when_still(frame), 0), 0);
    let all = take_screenshot(&stage, "all.png", &["--full"]);
    assert_eq!(all.room(), Rect { x: -800, y: 0, width: 1824, height: 768 });
    assert!(all.answer["notes"][0].as_str().unwrap().contains("outside every display"));
    let below = all.pixels.part(Rect { x: 0, y: 600, width: 800, height: 168 });
    assert!(
        below.rgb.iter().all(|byte| *byte == 0),
        "the area outside every display must be black"
    );
    assert_eq!(all.pixels.part(left).differing(&expected, 0), 0);
}
