//! Windows are seen whole where nobody can see them, and nothing on the desk changes by that.

use std::time::{Duration, Instant};

use harness::desk::Room;
use harness::{App, Program, Stage};
use rustix::process::Signal;

use crate::take;

const RED: [u8; 3] = [250, 10, 20];

/// The frame a person sees: without the shadow a program draws around itself inside its window.
fn visible(stage: &Stage, window: u32) -> Room {
    let desk = stage.desk();
    let Room { x, y, width, height } = desk.frame(window);
    let told = desk.property(window, "_GTK_FRAME_EXTENTS");
    let sides: Vec<i32> = match told.split_once('=') {
        Some((_, numbers)) => numbers.split(',').map(|side| side.trim().parse().unwrap()).collect(),
        None => vec![0; 4],
    };
    let [left, right, top, bottom] = sides[..] else { panic!("{told}") };
    Room { x: x + left, y: y + top, width: width - left - right, height: height - top - bottom }
}

/// A picture of the window is what it was in front, wherever it is now; a caret may blink.
fn assert_alike(stage: &Stage, program: &Program, name: &str) {
    let eye = stage.eye();
    let pid = program.pid_text();
    let window = stage.desk().window_of(program.pid());
    let frame = visible(stage, window);
    // What lies under the pointer is drawn another way.
    stage.hand().move_to((1919, 1079));
    let mut truth = eye.see_still(frame);
    assert!(truth.colours() > 10, "{name} shows something");
    // Password fields are black in our pictures.
    for place in crate::secrets::places(stage, program) {
        truth.blacken(crate::secrets::room(place, frame));
    }
    let alike = |what: &str| {
        let shot = take(stage, "hidden.png", &["--app", &pid, "--full"]);
        assert_eq!((shot.pixels.width, shot.pixels.height), (frame.width, frame.height));
        let differing = shot.pixels.differing(&truth, 8);
        let share = 100.0 * differing as f64 / f64::from(frame.width * frame.height);
        assert!(share <= 0.5, "{name} {what}: {share:.2} % differ: {}", shot.answer);
        assert_eq!(shot.answer.get("notes"), None, "{name} {what}");
        shot
    };
    alike("in front");
    let before = eye.order();
    let half = eye.cover(Room { width: frame.width / 2, ..frame }, RED);
    alike("half covered");
    drop(half);
    let cover = eye.cover(frame, RED);
    let order = eye.order();
    alike("covered");
    assert_eq!(eye.order(), order, "{name}: order and keyboard stay");
    let seen = eye.see(frame);
    assert!(seen.rgb.chunks_exact(3).all(|pixel| pixel == RED), "{name}: it stays covered");
    drop(cover);
    assert_eq!(eye.order(), before, "{name}: order and keyboard stay");
    stage.hand().move_window(window, (-frame.width / 3, -frame.height / 3));
    let off = visible(stage, window);
    assert!(off.x < 0 && off.y < 0, "{name} is off the screen: {off:?}");
    assert_eq!(alike("off the screen").room(), off);
}

fn hidden(app: App) {
    let stage = Stage::new();
    let program = stage.start(app);
    assert_alike(&stage, &program, &app.name());
}

#[test]
fn gtk3() {
    hidden(App::Fixture("gtk3_long_list.py", &["50"]));
}

#[test]
fn gtk4() {
    hidden(App::GnomeCalculator);
}

#[test]
fn qt5() {
    hidden(App::Kcalc);
}

#[test]
fn chromium() {
    hidden(App::Chromium("form.html"));
}

#[test]
fn firefox() {
    hidden(App::Firefox("form.html"));
}

#[test]
fn swing() {
    hidden(App::SwingForm);
}

#[test]
fn a_frozen_program_is_said_not_to_have_drawn() {
    let stage = Stage::new();
    let program = stage.start(App::Kcalc);
    let window = stage.desk().window_of(program.pid());
    let frame = stage.desk().frame(window);
    let eye = stage.eye();
    let truth = eye.see_still(frame);
    let _cover = eye.cover(frame, RED);
    let pid = program.pid_text();
    program.signal(Signal::STOP);
    let id = window.to_string();
    let begun = Instant::now();
    let shot = take(&stage, "frozen.png", &["--window", &id, "--full"]);
    let elapsed = begun.elapsed();
    program.signal(Signal::CONT);
    let notes = shot.answer["notes"].to_string();
    assert!(notes.contains("did not redraw"), "{}", shot.answer);
    let unsearched = shot.answer["unsearched"].to_string();
    assert!(unsearched.contains("password"), "{}", shot.answer);
    assert!(elapsed < Duration::from_secs(6), "{elapsed:?}");
    let after = take(&stage, "thawed.png", &["--app", &pid, "--full"]);
    assert!(after.pixels.differing(&truth, 8) < 500, "{}", after.answer);
    assert_eq!(after.answer.get("notes"), None);
}

#[test]
fn minimized_and_closed_windows_are_refused_with_advice() {
    let stage = Stage::new();
    let mut program = stage.start(App::Kcalc);
    let window = stage.desk().window_of(program.pid()).to_string();
    stage.call("window_minimize", &[&window]).expect_ok();
    let refused = stage.call("screenshot", &["--window", &window]);
    let error = refused.expect_error("unfit");
    assert!(error["hint"].as_str().unwrap().contains("window restore"), "{error}");
    program.end();
    let gone = stage.call("screenshot", &["--window", &window]);
    gone.expect_error("window_not_found");
}
