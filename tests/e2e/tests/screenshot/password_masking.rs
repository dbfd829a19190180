//! Password fields are black in screenshots of every toolkit.

use harness::inspect::Rect;
use harness::tree::Bounds;
use harness::{App, Program, TestDesktop};

use crate::{SCREEN, take_screenshot};

pub(crate) fn password_bounds(stage: &TestDesktop, program: &Program) -> Vec<Bounds> {
    let tree = stage.tree(program);
    let fields = tree.elements.iter().filter(|one| one.kind == "password");
    fields.filter_map(|one| one.bounds.filter(|b| b.width > 0 && b.height > 0)).collect()
}

pub(crate) fn relative_to(bounds: Bounds, from: Rect) -> Rect {
    let Bounds { x, y, width, height } = bounds;
    Rect { x: x - from.x, y: y - from.y, width, height }
}

fn check_masking(app: App, fields: usize) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    let password_bounds = password_bounds(&stage, &program);
    assert_eq!(password_bounds.len(), fields, "{password_bounds:?}");
    let eye = stage.screen_capture();
    let expected = eye.capture_when_still(SCREEN);
    let pid = program.pid_text();
    for arguments in [&["--full"][..], &["--app", &pid, "--full"][..]] {
        let shot = take_screenshot(&stage, "masked.png", arguments);
        assert_eq!(shot.answer["masked"], fields, "{arguments:?}: {}", shot.answer);
        assert_eq!(shot.answer.get("unsearched"), None, "{}", shot.answer);
        let from = shot.room();
        for bounds in &password_bounds {
            let there = relative_to(*bounds, SCREEN);
            assert!(expected.part(there).colours() > 3, "no field is drawn at {bounds:?}");
            let hidden = shot.pixels.part(relative_to(*bounds, from));
            assert!(hidden.rgb.iter().all(|byte| *byte == 0), "the field at {bounds:?} is visible");
        }
        let masked_area: i32 =
            password_bounds.iter().map(|bounds| bounds.width * bounds.height).sum();
        let differing = shot.pixels.differing(&expected.part(from), 8);
        assert!(
            differing as i32 <= masked_area + 200,
            "{differing} pixels differ, expected at most {masked_area}"
        );
    }
    let reduced = take_screenshot(&stage, "reduced.png", &[]);
    assert_eq!(reduced.answer["masked"], fields);
    let scale = reduced.answer["scale"].as_f64().unwrap();
    for bounds in &password_bounds {
        let point = |at: i32| (f64::from(at) * scale) as i32;
        let inner = Rect {
            x: point(bounds.x) + 1,
            y: point(bounds.y) + 1,
            width: point(bounds.width) - 3,
            height: point(bounds.height) - 3,
        };
        let hidden = reduced.pixels.part(inner);
        assert!(
            hidden.rgb.iter().all(|byte| *byte < 40),
            "the field at {bounds:?} is visible in the reduced image"
        );
    }
}

#[test]
fn gtk3_password_is_masked() {
    check_masking(App::Fixture("gtk3_passwords.py", &[]), 2);
}

#[test]
fn gtk4_password_is_masked() {
    check_masking(App::Fixture("gtk4_passwords.py", &[]), 2);
}

#[test]
fn qt6_password_is_masked() {
    check_masking(App::Fixture("qt6_dialog.py", &["20"]), 1);
}

#[test]
fn chromium_password_is_masked() {
    check_masking(App::Chromium("form.html"), 1);
}

#[test]
fn firefox_password_is_masked() {
    check_masking(App::Firefox("form.html"), 1);
}

#[test]
fn swing_password_is_masked() {
    check_masking(App::SwingForm, 1);
}

/// The fields of the window below stay masked, and the dialog above them stays readable.
#[test]
fn dialog_above_a_password_is_not_masked() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &["dialog"]));
    let inspector = stage.window_inspector();
    let windows = inspector.windows_of(program.pid());
    let titled = |title: &str| {
        let found = windows.iter().find(|one| inspector.property(**one, "WM_NAME").contains(title));
        inspector.frame(*found.unwrap_or_else(|| panic!("no window {title}")))
    };
    let dialog = titled("A question");
    let covered = |bounds: &Bounds| {
        bounds.x < dialog.x + dialog.width
            && bounds.y < dialog.y + dialog.height
            && bounds.y + bounds.height > dialog.y
    };
    let fields = password_bounds(&stage, &program);
    assert!(fields.iter().any(covered), "the dialog {dialog:?} covers none of {fields:?}");
    let expected = stage.screen_capture().capture_when_still(SCREEN);
    let shot = take_screenshot(&stage, "dialog.png", &["--full"]);
    let differing = shot.pixels.part(dialog).differing(&expected.part(dialog), 8);
    assert_eq!(differing, 0, "a mask covers the dialog");
    for bounds in fields {
        let right = Rect {
            x: (dialog.x + dialog.width).max(bounds.x),
            y: bounds.y,
            width: bounds.x + bounds.width - (dialog.x + dialog.width).max(bounds.x),
            height: bounds.height,
        };
        assert!(right.width > 0, "the dialog covers the whole field");
        let hidden = shot.pixels.part(right);
        assert!(hidden.rgb.iter().all(|byte| *byte == 0), "the field at {bounds:?} is visible");
    }
}

#[test]
fn app_without_a_tree_is_reported_as_unsearched() {
    let stage = TestDesktop::new();
    let _program = stage.launch(App::Xterm);
    harness::inspect::wait_until(|| !stage.windows().is_empty());
    let shot = take_screenshot(&stage, "terminal.png", &[]);
    let unsearched = shot.answer["unsearched"][0].clone();
    assert_eq!(unsearched["app"], "xterm", "{}", shot.answer);
    let window = take_screenshot(&stage, "window.png", &["--app", "xterm"]);
    assert_eq!(window.answer["window"], "A terminal");
}
