//! Boxes and refs in a picture are those of the tree.

use harness::desk::Room;
use harness::{App, Stage};

use crate::{Shot, take};

/// The colours boxes have.
const COLOURS: [[u8; 3]; 6] =
    [[200, 0, 40], [0, 95, 200], [0, 120, 50], [150, 0, 170], [170, 85, 0], [0, 110, 120]];

/// Whether all four edges of a place have the same one of the colours, but where labels lie.
fn is_boxed(shot: &Shot, room: Room) -> bool {
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
fn every_visible_control_has_a_box_and_its_ref_is_known() {
    let stage = Stage::new();
    let program = stage.start(App::Kcalc);
    let pid = program.pid_text();
    let plain = take(&stage, "plain.png", &["--app", &pid, "--full"]);
    let marked = take(&stage, "marked.png", &["--app", &pid, "--full", "--annotate"]);
    assert_eq!(marked.room(), plain.room());
    let tree = stage.tree(&program);
    let from = marked.room();
    let buttons: Vec<_> = tree
        .elements
        .iter()
        .filter(|one| one.kind == "button" && one.is("showing") && one.bounds.is_some())
        .collect();
    assert!(buttons.len() >= 20, "{}", tree.summary());
    assert!(marked.answer["marked"].as_u64().unwrap() as usize >= buttons.len());
    for button in buttons {
        let b = button.bounds.unwrap();
        let room = Room { x: b.x - from.x, y: b.y - from.y, width: b.width, height: b.height };
        assert!(is_boxed(&marked, room), "{:?} {:?} at {room:?}", button.reference, button.title);
        assert!(!is_boxed(&plain, room), "{:?}", button.title);
    }
    let share = f64::from(marked.pixels.differing(&plain.pixels, 0) as u32)
        / f64::from(from.width * from.height);
    assert!(share < 0.5, "{share} of the picture is covered by marks");
    let screen = take(&stage, "screen.png", &["--annotate"]);
    assert_eq!(screen.answer["marked"], marked.answer["marked"], "the same app is in front");
}

#[test]
fn a_window_has_no_marks_of_another_one_in_front_of_it() {
    let stage = Stage::new();
    let program = stage.start(App::Designer);
    let pid = program.pid_text();
    let marked = |index: &str| {
        let arguments = ["--app", &pid, "--window-index", index, "--full"];
        let plain = take(&stage, "plain.png", &arguments);
        let marked = take(&stage, "marked.png", &[&arguments[..], &["--annotate"]].concat());
        (plain, marked)
    };
    let (_, dialog) = marked("0");
    let (plain, main) = marked("1");
    assert_eq!(dialog.answer["window"], "New Form \u{2014} Qt Designer", "{}", dialog.answer);
    let tree = stage.tree(&program);
    let room = main.room();
    // The dialog stands over the empty middle of the main window.
    let over = dialog.room();
    let over = Room { x: over.x - room.x, y: over.y - room.y, ..over };
    let tool = tree.find(|one| one.kind == "button" && one.title == "Create").unwrap();
    let b = tool.bounds.unwrap();
    let button = Room { x: b.x - room.x, y: b.y - room.y, width: b.width, height: b.height };
    assert!(over.x < button.x && button.x + button.width < over.x + over.width, "{button:?}");
    assert!(!is_boxed(&main, button), "it is no part of the main window");
    assert_eq!(main.pixels.part(button), plain.pixels.part(button));
    assert!(dialog.answer["marked"].as_u64() > Some(3), "{}", dialog.answer);
    assert!(main.answer["marked"].as_u64() > Some(20), "{}", main.answer);
}
