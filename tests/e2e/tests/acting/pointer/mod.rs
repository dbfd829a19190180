//! Pointer tools. The app under the pointer reports the events it received.
#![allow(clippy::unwrap_used, reason = "tests")]

mod key;

use harness::TestDesktop;
use harness::event_recorder::EventRecorder;
use serde_json::json;

#[test]
fn move_is_confirmed_and_the_pointer_is_there() {
    let stage = TestDesktop::new();
    let done = stage.call("pointer_move", &["300", "200"]).json();
    assert_eq!(done["effect"], "confirmed", "{done}");
    assert_eq!(done["evidence"][0]["after"], "300,200", "{done}");
    assert_eq!(stage.window_inspector().pointer(), (300, 200));
    let at = stage.call("pointer_position", &[]).json();
    assert_eq!((&at["x"], &at["y"]), (&json!(300), &json!(200)));
    stage.call("pointer_move", &["40.6", "50", "--scaling-factor", "0.5"]).expect_ok();
    assert_eq!(stage.window_inspector().pointer(), (81, 100));
}

#[test]
fn smooth_move_passes_intermediate_points() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(50, 50);
    stage.call("pointer_move", &[&x.to_string(), &y.to_string()]).expect_ok();
    app.clear_events();
    let to = app.inside(450, 250);
    let arguments = [&to.0.to_string(), &to.1.to_string(), "--smooth", "--duration-ms", "200"];
    assert_eq!(stage.call("pointer_move", &arguments).json()["effect"], "confirmed");
    let path = app.events("motion");
    assert!(path.len() > 8, "{path:?}");
    let x_positions: Vec<i64> = path.iter().map(|one| one["at"][0].as_i64().unwrap()).collect();
    assert!(x_positions.is_sorted(), "{x_positions:?}");
    assert_eq!(path.last().unwrap()["at"], json!([to.0, to.1]));
}

#[test]
fn point_outside_every_display_is_refused_and_nothing_moves() {
    let stage = TestDesktop::with_displays(&["800x600", "1024x768"]);
    stage.call("pointer_move", &["10", "10"]).expect_ok();
    for (x, y) in [("-1", "5"), ("1824", "5"), ("790", "600"), ("1e9", "1")] {
        let error = stage.call("pointer_move", &[x, y]).expect_error("out_of_bounds");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("0,0 800x600") && hint.contains("800,0 1024x768"), "{hint}");
        assert_eq!(error["delivery"], "not_sent");
        assert_eq!(stage.window_inspector().pointer(), (10, 10));
    }
    let x_without_y = stage.call("pointer_down", &["--x", "5"]);
    x_without_y.expect_error("unfit");
}

#[test]
fn clicks_have_the_requested_count_button_and_modifiers() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(120, 90);
    let at = [x.to_string(), y.to_string()];
    let click = |more: &[&str]| {
        let arguments: Vec<&str> =
            at.iter().map(String::as_str).chain(more.iter().copied()).collect();
        app.clear_events();
        let done = stage.call("pointer_click", &arguments).json();
        assert_eq!(done["effect"], "unverified", "{done}");
        assert!(done["target"].as_str().unwrap().contains("Events"), "{done}");
        app.take_events()
    };
    let once = click(&[]);
    let point = json!([x, y]);
    assert_eq!(app.button_summary(&once), ["down 1", "up 1"]);
    assert!(once.iter().filter(|one| one["event"] != "motion").all(|one| one["at"] == point));
    assert_eq!(
        app.button_summary(&click(&["--count", "2"])).join(" "),
        "down 1 up 1 down 1 double 1 up 1"
    );
    let triple = app.button_summary(&click(&["--count", "3"])).join(" ");
    assert!(triple.contains("triple 1"), "{triple}");
    for (name, number) in [("middle", 2), ("right", 3), ("back", 8), ("forward", 9)] {
        let received = app.button_summary(&click(&["--button", name]));
        assert_eq!(received, [format!("down {number}"), format!("up {number}")]);
    }
    let with_modifiers = click(&["--modifiers", "cmd,shift"]);
    let down = with_modifiers.iter().find(|one| one["event"] == "down").unwrap();
    assert_eq!(down["held"], json!(["shift", "control"]));
    assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
}

#[test]
fn button_stays_down_between_two_commands() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(200, 200);
    let done = stage.call("pointer_down", &["--x", &x.to_string(), "--y", &y.to_string()]).json();
    assert_eq!(
        (&done["effect"], &done["evidence"][0]["after"]),
        (&json!("confirmed"), &json!("down"))
    );
    assert_eq!(app.button_summary(&app.take_events()), ["down 1"]);
    let done = stage.call("pointer_up", &[]).json();
    assert_eq!(
        (&done["effect"], &done["evidence"][0]["after"]),
        (&json!("confirmed"), &json!("up"))
    );
    assert_eq!(app.button_summary(&app.take_events()), ["up 1"]);
}

#[test]
fn drag_presses_moves_and_releases() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (from, to) = (app.inside(100, 100), app.inside(400, 300));
    let numbers = [from.0, from.1, to.0, to.1].map(|one| one.to_string());
    let mut arguments: Vec<&str> = numbers.iter().map(String::as_str).collect();
    arguments.extend(["--duration-ms", "300"]);
    app.clear_events();
    let outcome = stage.call("pointer_drag", &arguments);
    assert_eq!(outcome.json()["effect"], "unverified");
    assert!(outcome.elapsed.as_millis() >= 300);
    let received = app.take_events();
    let buttons: Vec<_> = received.iter().filter(|one| one["event"] != "motion").collect();
    assert_eq!(
        (&buttons[0]["event"], &buttons[0]["at"]),
        (&json!("down"), &json!([from.0, from.1]))
    );
    assert_eq!((&buttons[1]["event"], &buttons[1]["at"]), (&json!("up"), &json!([to.0, to.1])));
    let dragged = received.iter().filter(|one| one["dragging"] == true).count();
    assert!(dragged > 8, "{dragged} motions with the button down");
}

#[test]
fn hover_stays_at_its_point_for_the_requested_time() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(60, 60);
    let arguments = [&x.to_string(), &y.to_string(), "--duration-ms", "250"];
    let outcome = stage.call("pointer_hover", &arguments);
    assert_eq!(outcome.json()["effect"], "confirmed");
    assert!(outcome.elapsed.as_millis() >= 250);
    assert_eq!(app.events("motion").last().unwrap()["at"], json!([x, y]));
}

#[test]
fn wheel_scrolls_by_notches_in_all_directions() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(60, 60);
    let at = [x.to_string(), y.to_string()];
    for (flag, amount, direction, count) in [
        ("--down", "3", "down", 3),
        ("--down", "-2", "up", 2),
        ("--right", "2", "right", 2),
        ("--right", "-1", "left", 1),
    ] {
        app.clear_events();
        stage.call("pointer_scroll", &[flag, amount, "--x", &at[0], "--y", &at[1]]).expect_ok();
        let received = app.events("scroll");
        assert_eq!(received.len(), count, "{received:?}");
        assert!(received.iter().all(|one| one["direction"] == direction), "{received:?}");
    }
    stage.call("pointer_scroll", &[]).expect_error("invalid_parameter");
}

#[test]
fn gestures_use_the_wheel_or_report_unimplemented() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let (x, y) = app.inside(60, 60);
    stage.call("pointer_move", &[&x.to_string(), &y.to_string()]).expect_ok();
    app.clear_events();
    let done = stage.call("pointer_gesture", &["zoom", "--scale", "1.3"]).json();
    assert_eq!(done["way"], "shortcut key and the wheel");
    let received = app.events("scroll");
    assert_eq!(received.len(), 3, "{received:?}");
    assert!(
        received.iter().all(|one| one["direction"] == "up" && one["held"] == json!(["control"]))
    );
    assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
    app.clear_events();
    let swipe = ["swipe", "--direction", "left", "--amount", "4"];
    assert_eq!(stage.call("pointer_gesture", &swipe).json()["way"], "wheel");
    let received = app.events("scroll");
    assert!(
        received.len() == 4 && received.iter().all(|one| one["direction"] == "right"),
        "{received:?}"
    );
    app.clear_events();
    stage.call("pointer_gesture", &["rotate"]).expect_error("unimplemented");
    assert_eq!(app.events("scroll").len(), 0);
}

#[test]
fn coordinates_can_refer_to_screenshot_pixels() {
    let stage = TestDesktop::new();
    let shot = stage.call("screenshot", &["--max-width", "480"]).json();
    let id =
        shot["id"].as_str().or(shot["screenshot"].as_str()).unwrap_or_else(|| panic!("{shot}"));
    stage.call("pointer_move", &["100", "100", "--screenshot", id]).expect_ok();
    let (x, y) = stage.window_inspector().pointer();
    assert!((400..404).contains(&x) && (400..404).contains(&y), "{x},{y}");
    stage.call("pointer_move", &["480", "1", "--screenshot", id]).expect_error("out_of_bounds");
    stage.call("pointer_move", &["1", "1", "--screenshot", "s999999"]).error();
}
