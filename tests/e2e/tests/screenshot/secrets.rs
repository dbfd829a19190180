//! Passwords are not in the pixels, whatever the toolkit draws.

use harness::desk::Room;
use harness::seen::Bounds;
use harness::{App, Program, Stage};

use crate::{SCREEN, take};

pub(crate) fn places(stage: &Stage, program: &Program) -> Vec<Bounds> {
    let tree = stage.tree(program);
    let fields = tree.elements.iter().filter(|one| one.kind == "password");
    fields.filter_map(|one| one.bounds.filter(|b| b.width > 0 && b.height > 0)).collect()
}

pub(crate) fn room(place: Bounds, from: Room) -> Room {
    let Bounds { x, y, width, height } = place;
    Room { x: x - from.x, y: y - from.y, width, height }
}

fn masked(app: App, fields: usize) {
    let stage = Stage::new();
    let program = stage.start(app);
    let places = places(&stage, &program);
    assert_eq!(places.len(), fields, "{places:?}");
    let eye = stage.eye();
    let truth = eye.see_still(SCREEN);
    let pid = program.pid_text();
    for arguments in [&["--full"][..], &["--app", &pid, "--full"][..]] {
        let shot = take(&stage, "masked.png", arguments);
        assert_eq!(shot.answer["masked"], fields, "{arguments:?}: {}", shot.answer);
        assert_eq!(shot.answer.get("unsearched"), None, "{}", shot.answer);
        let from = shot.room();
        for place in &places {
            let there = room(*place, SCREEN);
            assert!(truth.part(there).colours() > 3, "the field is drawn at {place:?}");
            let hidden = shot.pixels.part(room(*place, from));
            assert!(hidden.rgb.iter().all(|byte| *byte == 0), "{place:?} shows");
        }
        let most: i32 = places.iter().map(|place| place.width * place.height).sum();
        let differing = shot.pixels.differing(&truth.part(from), 8);
        assert!(differing as i32 <= most + 200, "only the fields are black: {differing} {most}");
    }
    let reduced = take(&stage, "reduced.png", &[]);
    assert_eq!(reduced.answer["masked"], fields);
    let scale = reduced.answer["scale"].as_f64().unwrap();
    for place in &places {
        let point = |at: i32| (f64::from(at) * scale) as i32;
        let inner = Room {
            x: point(place.x) + 1,
            y: point(place.y) + 1,
            width: point(place.width) - 3,
            height: point(place.height) - 3,
        };
        let hidden = reduced.pixels.part(inner);
        assert!(hidden.rgb.iter().all(|byte| *byte < 40), "{place:?} shows when reduced");
    }
}

#[test]
fn gtk3() {
    masked(App::Fixture("gtk3_passwords.py", &[]), 2);
}

#[test]
fn gtk4() {
    masked(App::Fixture("gtk4_passwords.py", &[]), 2);
}

#[test]
fn qt6() {
    masked(App::Fixture("qt6_dialog.py", &["20"]), 1);
}

#[test]
fn chromium() {
    masked(App::Chromium("form.html"), 1);
}

#[test]
fn firefox() {
    masked(App::Firefox("form.html"), 1);
}

#[test]
fn swing() {
    masked(App::SwingForm, 1);
}

#[test]
fn a_program_without_a_tree_is_named() {
    let stage = Stage::new();
    let _program = stage.launch(App::Xterm);
    harness::desk::until(|| !stage.windows().is_empty());
    let shot = take(&stage, "terminal.png", &[]);
    let unsearched = shot.answer["unsearched"][0].clone();
    assert_eq!(unsearched["app"], "XTerm", "{}", shot.answer);
    let window = take(&stage, "window.png", &["--app", "xterm"]);
    assert_eq!(window.answer["window"], "A terminal");
}
