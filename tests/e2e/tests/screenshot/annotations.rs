//! Annotated screenshots: boxes and labels match the elements of the tree.

use harness::inspect::Rect;
use harness::{App, TestDesktop};

use crate::{Shot, take_screenshot};

/// The colours of annotation boxes.
const COLOURS: [[u8; 3]; 6] =
    [[200, 0, 40], [0, 95, 200], [0, 120, 50], [150, 0, 170], [170, 85, 0], [0, 110, 120]];

/// Returns `true` if at least half of the edge pixels of a rectangle have one annotation colour.
/// Labels may cover the rest.
fn is_boxed(shot: &Shot, room: Rect) -> bool {
    let points = (room.x..room.x + room.width)
        .flat_map(|x| [(x, room.y), (x, room.y + room.height - 1)])
        .chain(
            (room.y..room.y + room.height)
                .flat_map(|y| [(room.x, y), (room.x + room.width - 1, y)]),
        );
    let points: Vec<_> = points.collect();
    COLOURS.iter().any(|colour| {
        let drawn = points.iter().filter(|(x, y)| shot.pixels.at(*x, *y) == *colour).count();
        drawn * 10 >= points.len() * 5
    })
}

#[test]
fn every_visible_control_has_a_box() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Kcalc);
    let pid = program.pid_text();
    let plain = take_screenshot(&stage, "plain.png", &["--app", &pid, "--full"]);
    let annotated = take_screenshot(&stage, "marked.png", &["--app", &pid, "--full", "--annotate"]);
    assert_eq!(annotated.room(), plain.room());
    let tree = stage.tree(&program);
    let from = annotated.room();
    let buttons: Vec<_> = tree
        .elements
        .iter()
        .filter(|one| one.kind == "button" && one.is("showing") && one.bounds.is_some())
        .collect();
    assert!(buttons.len() >= 20, "{}", tree.summary());
    assert!(annotated.answer["marked"].as_u64().unwrap() as usize >= buttons.len());
    for button in buttons {
        let b = button.bounds.unwrap();
        let room = Rect { x: b.x - from.x, y: b.y - from.y, width: b.width, height: b.height };
        assert!(
            is_boxed(&annotated, room),
            "{:?} {:?} at {room:?}",
            button.reference,
            button.title
        );
        assert!(!is_boxed(&plain, room), "{:?}", button.title);
    }
    let share = f64::from(annotated.pixels.differing(&plain.pixels, 0) as u32)
        / f64::from(from.width * from.height);
    assert!(share < 0.5, "annotations cover {share} of the image");
    let screen = take_screenshot(&stage, "screen.png", &["--annotate"]);
    assert_eq!(
        screen.answer["marked"], annotated.answer["marked"],
        "the screen must annotate the app in front"
    );
}

#[test]
fn window_has_no_annotations_of_a_window_in_front() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Designer);
    let pid = program.pid_text();
    let annotated = |index: &str| {
        let arguments = ["--app", &pid, "--window-index", index, "--full"];
        let plain = take_screenshot(&stage, "plain.png", &arguments);
        let annotated =
            take_screenshot(&stage, "marked.png", &[&arguments[..], &["--annotate"]].concat());
        (plain, annotated)
    };
    let (_, dialog) = annotated("0");
    let (plain, main) = annotated("1");
    assert_eq!(dialog.answer["window"], "New Form \u{2014} Qt Designer", "{}", dialog.answer);
    let tree = stage.tree(&program);
    let room = main.room();
    // The dialog covers the empty middle of the main window.
    let dialog_area = dialog.room();
    let dialog_area = Rect { x: dialog_area.x - room.x, y: dialog_area.y - room.y, ..dialog_area };
    let tool = tree.find(|one| one.kind == "button" && one.title == "Create").unwrap();
    let b = tool.bounds.unwrap();
    let button = Rect { x: b.x - room.x, y: b.y - room.y, width: b.width, height: b.height };
    assert!(
        dialog_area.x < button.x && button.x + button.width < dialog_area.x + dialog_area.width,
        "{button:?}"
    );
    assert!(!is_boxed(&main, button), "a button of the dialog is annotated in the main window");
    assert_eq!(main.pixels.part(button), plain.pixels.part(button));
    assert!(dialog.answer["marked"].as_u64() > Some(3), "{}", dialog.answer);
    assert!(main.answer["marked"].as_u64() > Some(20), "{}", main.answer);
}
