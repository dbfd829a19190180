//! Covered and off-screen windows are captured completely, and the desktop does not change.

use std::time::{Duration, Instant};

use harness::inspect::Rect;
use harness::{App, Program, TestDesktop};
use rustix::process::Signal;

use crate::take_screenshot;

const RED: [u8; 3] = [250, 10, 20];

/// The visible frame of a window, without the shadow that GTK draws inside it.
fn visible_frame(stage: &TestDesktop, window: u32) -> Rect {
    let desk = stage.window_inspector();
    let Rect { x, y, width, height } = desk.frame(window);
    let extents = desk.property(window, "_GTK_FRAME_EXTENTS");
    let sides: Vec<i32> = match extents.split_once('=') {
        Some((_, numbers)) => numbers.split(',').map(|side| side.trim().parse().unwrap()).collect(),
        None => vec![0; 4],
    };
    let [left, right, top, bottom] = sides[..] else { panic!("{extents}") };
    Rect { x: x + left, y: y + top, width: width - left - right, height: height - top - bottom }
}

/// Checks that a capture equals the window in front, also when it is covered or partly off-screen.
/// Up to 0.5 % of the pixels may differ because a caret may blink.
fn check_captures(stage: &TestDesktop, program: &Program, name: &str) {
    let eye = stage.screen_capture();
    let pid = program.pid_text();
    let window = stage.window_inspector().window_of(program.pid());
    let frame = visible_frame(stage, window);
    // Move the pointer away, because the element under it is drawn highlighted.
    stage.real_input().move_to((1919, 1079));
    let mut expected = eye.capture_when_still(frame);
    assert!(expected.colours() > 10, "{name} is blank");
    // Password fields are black in screenshots.
    for place in crate::password_masking::password_bounds(stage, program) {
        expected.blacken(crate::password_masking::relative_to(place, frame));
    }
    let capture = |what: &str| {
        let shot = take_screenshot(stage, "hidden.png", &["--app", &pid, "--full"]);
        assert_eq!((shot.pixels.width, shot.pixels.height), (frame.width, frame.height));
        let differing = shot.pixels.differing(&expected, 8);
        let share = 100.0 * differing as f64 / f64::from(frame.width * frame.height);
        assert!(share <= 0.5, "{name} {what}: {share:.2} % differ: {}", shot.answer);
        assert_eq!(shot.answer.get("notes"), None, "{name} {what}");
        shot
    };
    capture("in front");
    let before = eye.stacking_and_focus();
    let half = eye.cover(Rect { width: frame.width / 2, ..frame }, RED);
    capture("half covered");
    drop(half);
    let cover = eye.cover(frame, RED);
    let order = eye.stacking_and_focus();
    capture("covered");
    assert_eq!(eye.stacking_and_focus(), order, "{name}: the window order or focus changed");
    let visible = eye.capture(frame);
    assert!(
        visible.rgb.chunks_exact(3).all(|pixel| pixel == RED),
        "{name}: the window was uncovered"
    );
    drop(cover);
    assert_eq!(eye.stacking_and_focus(), before, "{name}: the window order or focus changed");
    stage.real_input().move_window(window, (-frame.width / 3, -frame.height / 3));
    let off = visible_frame(stage, window);
    assert!(off.x < 0 && off.y < 0, "{name} is not off the screen: {off:?}");
    assert_eq!(capture("off the screen").room(), off);
}

fn check_covered_window(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    check_captures(&stage, &program, &app.name());
}

#[test]
fn gtk3_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::Fixture("gtk3_long_list.py", &["50"]));
}

#[test]
fn gtk4_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::GnomeCalculator);
}

#[test]
fn qt5_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::Kcalc);
}

#[test]
fn chromium_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::Chromium("form.html"));
}

#[test]
fn firefox_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::Firefox("form.html"));
}

#[test]
fn swing_window_is_captured_when_covered_or_off_screen() {
    check_covered_window(App::SwingForm);
}

#[test]
fn frozen_program_is_reported_as_not_redrawn() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Kcalc);
    let window = stage.window_inspector().window_of(program.pid());
    let frame = stage.window_inspector().frame(window);
    let eye = stage.screen_capture();
    let expected = eye.capture_when_still(frame);
    let _cover = eye.cover(frame, RED);
    let pid = program.pid_text();
    program.signal(Signal::STOP);
    let id = window.to_string();
    let started = Instant::now();
    let shot = take_screenshot(&stage, "frozen.png", &["--window", &id, "--full"]);
    let elapsed = started.elapsed();
    program.signal(Signal::CONT);
    let notes = shot.answer["notes"].to_string();
    assert!(notes.contains("did not redraw"), "{}", shot.answer);
    let unsearched = shot.answer["unsearched"].to_string();
    assert!(unsearched.contains("password"), "{}", shot.answer);
    assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
    let after = take_screenshot(&stage, "thawed.png", &["--app", &pid, "--full"]);
    assert!(after.pixels.differing(&expected, 8) < 500, "{}", after.answer);
    assert_eq!(after.answer.get("notes"), None);
}

#[test]
fn minimized_and_closed_windows_are_refused_with_advice() {
    let stage = TestDesktop::new();
    let mut program = stage.start(App::Kcalc);
    let window = stage.window_inspector().window_of(program.pid()).to_string();
    stage.call("window_minimize", &[&window]).expect_ok();
    let refused = stage.call("screenshot", &["--window", &window]);
    let error = refused.expect_error("unfit");
    assert!(error["hint"].as_str().unwrap().contains("window restore"), "{error}");
    program.end();
    let gone = stage.call("screenshot", &["--window", &window]);
    gone.expect_error("window_not_found");
}
