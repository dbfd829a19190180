//! The pointer and the keyboard do what they say: the app under them tells what it got.
#![allow(clippy::unwrap_used, reason = "tests")]

mod key;

use harness::Stage;
use harness::witness::Witness;
use serde_json::json;

#[test]
fn a_move_is_confirmed_where_the_pointer_is() {
    let stage = Stage::new();
    let done = stage.call("pointer_move", &["300", "200"]).json();
    assert_eq!(done["effect"], "confirmed", "{done}");
    assert_eq!(done["evidence"][0]["after"], "300,200", "{done}");
    assert_eq!(stage.desk().pointer(), (300, 200));
    let at = stage.call("pointer_position", &[]).json();
    assert_eq!((&at["x"], &at["y"]), (&json!(300), &json!(200)));
    stage.call("pointer_move", &["40.6", "50", "--scaling-factor", "0.5"]).expect_ok();
    assert_eq!(stage.desk().pointer(), (81, 100));
}

#[test]
fn a_smooth_move_passes_the_points_between() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(50, 50);
    stage.call("pointer_move", &[&x.to_string(), &y.to_string()]).expect_ok();
    app.forget();
    let to = app.inside(450, 250);
    let arguments = [&to.0.to_string(), &to.1.to_string(), "--smooth", "--duration-ms", "200"];
    assert_eq!(stage.call("pointer_move", &arguments).json()["effect"], "confirmed");
    let way = app.events("motion");
    assert!(way.len() > 8, "{way:?}");
    let places: Vec<i64> = way.iter().map(|one| one["at"][0].as_i64().unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(way.last().unwrap()["at"], json!([to.0, to.1]));
}

#[test]
fn a_point_outside_every_display_is_refused_and_nothing_moves() {
    let stage = Stage::with_displays(&["800x600", "1024x768"]);
    stage.call("pointer_move", &["10", "10"]).expect_ok();
    for (x, y) in [("-1", "5"), ("1824", "5"), ("790", "600"), ("1e9", "1")] {
        let error = stage.call("pointer_move", &[x, y]).expect_error("out_of_bounds");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("0,0 800x600") && hint.contains("800,0 1024x768"), "{hint}");
        assert_eq!(error["delivery"], "not_sent");
        assert_eq!(stage.desk().pointer(), (10, 10));
    }
    let one_alone = stage.call("pointer_down", &["--x", "5"]);
    one_alone.expect_error("unfit");
}

#[test]
fn clicks_come_with_their_count_button_and_modifiers() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(120, 90);
    let at = [x.to_string(), y.to_string()];
    let click = |more: &[&str]| {
        let arguments: Vec<&str> =
            at.iter().map(String::as_str).chain(more.iter().copied()).collect();
        app.forget();
        let done = stage.call("pointer_click", &arguments).json();
        assert_eq!(done["effect"], "unverified", "{done}");
        assert!(done["target"].as_str().unwrap().contains("Events"), "{done}");
        app.until_quiet()
    };
    let once = click(&[]);
    let place = json!([x, y]);
    assert_eq!(app.short(&once), ["down 1", "up 1"]);
    assert!(once.iter().filter(|one| one["event"] != "motion").all(|one| one["at"] == place));
    assert_eq!(app.short(&click(&["--count", "2"])).join(" "), "down 1 up 1 down 1 double 1 up 1");
    let thrice = app.short(&click(&["--count", "3"])).join(" ");
    assert!(thrice.contains("triple 1"), "{thrice}");
    for (name, number) in [("middle", 2), ("right", 3), ("back", 8), ("forward", 9)] {
        let seen = app.short(&click(&["--button", name]));
        assert_eq!(seen, [format!("down {number}"), format!("up {number}")]);
    }
    let held = click(&["--modifiers", "cmd,shift"]);
    let down = held.iter().find(|one| one["event"] == "down").unwrap();
    assert_eq!(down["held"], json!(["shift", "control"]));
    assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
}

#[test]
fn a_button_stays_down_between_two_commands() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(200, 200);
    let done = stage.call("pointer_down", &["--x", &x.to_string(), "--y", &y.to_string()]).json();
    assert_eq!(
        (&done["effect"], &done["evidence"][0]["after"]),
        (&json!("confirmed"), &json!("down"))
    );
    assert_eq!(app.short(&app.until_quiet()), ["down 1"]);
    let done = stage.call("pointer_up", &[]).json();
    assert_eq!(
        (&done["effect"], &done["evidence"][0]["after"]),
        (&json!("confirmed"), &json!("up"))
    );
    assert_eq!(app.short(&app.until_quiet()), ["up 1"]);
}

#[test]
fn a_drag_presses_moves_and_lets_go() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (from, to) = (app.inside(100, 100), app.inside(400, 300));
    let numbers = [from.0, from.1, to.0, to.1].map(|one| one.to_string());
    let mut arguments: Vec<&str> = numbers.iter().map(String::as_str).collect();
    arguments.extend(["--duration-ms", "300"]);
    app.forget();
    let outcome = stage.call("pointer_drag", &arguments);
    assert_eq!(outcome.json()["effect"], "unverified");
    assert!(outcome.elapsed.as_millis() >= 300);
    let seen = app.until_quiet();
    let buttons: Vec<_> = seen.iter().filter(|one| one["event"] != "motion").collect();
    assert_eq!(
        (&buttons[0]["event"], &buttons[0]["at"]),
        (&json!("down"), &json!([from.0, from.1]))
    );
    assert_eq!((&buttons[1]["event"], &buttons[1]["at"]), (&json!("up"), &json!([to.0, to.1])));
    let dragged = seen.iter().filter(|one| one["dragging"] == true).count();
    assert!(dragged > 8, "{dragged} motions with the button down");
}

#[test]
fn hovering_rests_where_it_was_told() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(60, 60);
    let arguments = [&x.to_string(), &y.to_string(), "--duration-ms", "250"];
    let outcome = stage.call("pointer_hover", &arguments);
    assert_eq!(outcome.json()["effect"], "confirmed");
    assert!(outcome.elapsed.as_millis() >= 250);
    assert_eq!(app.events("motion").last().unwrap()["at"], json!([x, y]));
}

#[test]
fn the_wheel_turns_by_notches_both_ways() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(60, 60);
    let at = [x.to_string(), y.to_string()];
    for (flag, amount, direction, count) in [
        ("--down", "3", "down", 3),
        ("--down", "-2", "up", 2),
        ("--right", "2", "right", 2),
        ("--right", "-1", "left", 1),
    ] {
        app.forget();
        stage.call("pointer_scroll", &[flag, amount, "--x", &at[0], "--y", &at[1]]).expect_ok();
        let seen = app.events("scroll");
        assert_eq!(seen.len(), count, "{seen:?}");
        assert!(seen.iter().all(|one| one["direction"] == direction), "{seen:?}");
    }
    stage.call("pointer_scroll", &[]).expect_error("invalid_parameter");
}

#[test]
fn gestures_are_the_wheel_or_are_said_to_be_impossible() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let (x, y) = app.inside(60, 60);
    stage.call("pointer_move", &[&x.to_string(), &y.to_string()]).expect_ok();
    app.forget();
    let done = stage.call("pointer_gesture", &["zoom", "--scale", "1.3"]).json();
    assert_eq!(done["way"], "shortcut key and the wheel");
    let seen = app.events("scroll");
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen.iter().all(|one| one["direction"] == "up" && one["held"] == json!(["control"])));
    assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
    app.forget();
    let swipe = ["swipe", "--direction", "left", "--amount", "4"];
    assert_eq!(stage.call("pointer_gesture", &swipe).json()["way"], "wheel");
    let seen = app.events("scroll");
    assert!(seen.len() == 4 && seen.iter().all(|one| one["direction"] == "right"), "{seen:?}");
    app.forget();
    stage.call("pointer_gesture", &["rotate"]).expect_error("unimplemented");
    assert_eq!(app.events("scroll").len(), 0);
}

#[test]
fn places_can_be_named_in_a_screenshots_own_pixels() {
    let stage = Stage::new();
    let shot = stage.call("screenshot", &["--max-width", "480"]).json();
    let id =
        shot["id"].as_str().or(shot["screenshot"].as_str()).unwrap_or_else(|| panic!("{shot}"));
    stage.call("pointer_move", &["100", "100", "--screenshot", id]).expect_ok();
    let (x, y) = stage.desk().pointer();
    assert!((400..404).contains(&x) && (400..404).contains(&y), "{x},{y}");
    stage.call("pointer_move", &["480", "1", "--screenshot", id]).expect_error("out_of_bounds");
    stage.call("pointer_move", &["1", "1", "--screenshot", "s999999"]).error();
}
