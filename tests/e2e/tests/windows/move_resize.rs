//! Moving and resizing windows. The frame gets the requested position and size, and clamped values
//! are reported.

use harness::{App, TestDesktop};

use crate::{evidence, id, start_with_window};

#[test]
fn frame_corner_moves_exactly_to_the_requested_point() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let apps = [
        App::Mousepad,
        App::Gtk3WidgetFactory,
        App::GnomeCalculator,
        App::Kcalc,
        App::Featherpad,
        App::Xterm,
    ];
    for app in apps {
        let (_program, window) = start_with_window(&stage, app);
        for (x, y) in [(300, 200), (0, 0), (-40, 31)] {
            let (to_x, to_y) = (x.to_string(), y.to_string());
            let answer = stage.effect("window_move", &[&id(window), &to_x, &to_y], "confirmed");
            let frame = desk.frame(window);
            assert_eq!((frame.x, frame.y), (x, y), "{}", app.name());
            assert_eq!(evidence(&answer, "corner of its frame").1, format!("{x},{y}"));
        }
    }
}

#[test]
fn minimized_window_is_restored_at_its_new_position() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (_program, window) = start_with_window(&stage, App::Mousepad);
    stage.effect("window_minimize", &[&id(window)], "confirmed");
    stage.effect("window_move", &[&id(window), "333", "222"], "confirmed");
    assert!(!desk.is_shown(window), "the window was restored");
    stage.effect("window_restore", &[&id(window)], "confirmed");
    let frame = desk.frame(window);
    assert_eq!((frame.x, frame.y), (333, 222));
}

#[test]
fn frame_gets_exactly_the_requested_size() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    for app in [App::Mousepad, App::GnomeCalculator, App::Featherpad] {
        let (_program, window) = start_with_window(&stage, app);
        for (width, height) in [(900, 700), (1001, 803)] {
            let (wide, high) = (width.to_string(), height.to_string());
            stage.effect("window_resize", &[&id(window), &wide, &high], "confirmed");
            let frame = desk.frame(window);
            assert_eq!((frame.width, frame.height), (width, height), "{}", app.name());
        }
    }
}

#[test]
fn clamped_size_is_reported() {
    let stage = TestDesktop::new();
    let desk = stage.window_inspector();
    let (_terminal, terminal) = start_with_window(&stage, App::Xterm);
    let answer = stage.effect("window_resize", &[&id(terminal), "701", "503"], "partial");
    let frame = desk.frame(terminal);
    assert_eq!(
        evidence(&answer, "size of its frame").1,
        format!("{}x{}", frame.width, frame.height)
    );
    assert_ne!((frame.width, frame.height), (701, 503));
    assert!(answer["escalation"].as_str().unwrap().contains("steps"), "{answer}");

    let (_editor, editor) = start_with_window(&stage, App::Mousepad);
    let answer = stage.effect("window_resize", &[&id(editor), "20", "20"], "partial");
    let frame = desk.frame(editor);
    assert_eq!(
        evidence(&answer, "size of its frame").1,
        format!("{}x{}", frame.width, frame.height)
    );
    assert!(answer["escalation"].as_str().unwrap().contains("at least"), "{answer}");
}

#[test]
fn windows_move_between_displays() {
    let stage = TestDesktop::with_displays(&["1024x768", "1280x1024"]);
    let desk = stage.window_inspector();
    let main = stage.info().displays[0].clone();
    let (_program, window) = start_with_window(&stage, App::Mousepad);
    for (x, y) in [(1100, 60), (20, 30)] {
        let (to_x, to_y) = (x.to_string(), y.to_string());
        stage.effect("window_move", &[&id(window), &to_x, &to_y], "confirmed");
        let frame = desk.frame(window);
        let origin = (main.x.cast_signed(), main.y.cast_signed());
        assert_eq!((frame.x - origin.0, frame.y - origin.1), (x, y));
    }
}

#[test]
fn invalid_positions_and_sizes_are_refused() {
    let stage = TestDesktop::new();
    let (_program, window) = start_with_window(&stage, App::Xterm);
    for arguments in [["40000", "5"], ["many", "5"]] {
        let outcome = stage.call("window_move", &[&id(window), arguments[0], arguments[1]]);
        assert_eq!(outcome.code, Some(2), "{outcome}");
    }
    let outcome = stage.call("window_resize", &[&id(window), "0", "5"]);
    assert_eq!(outcome.code, Some(2), "{outcome}");
}
