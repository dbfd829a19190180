//! `display_list`, `display_get` and `display_cursor` match the X server.
#![allow(clippy::unwrap_used, reason = "tests")]

use harness::inspect::wait_until;
use harness::{App, Outcome, TestDesktop};
use serde_json::json;

fn rect(x: i32, y: i32, width: i32, height: i32) -> serde_json::Value {
    json!({ "x": x, "y": y, "width": width, "height": height })
}

#[test]
fn single_display_is_the_main_display() {
    let stage = TestDesktop::new();
    let all = stage.call("display_list", &[]).json();
    assert_eq!(all.as_array().unwrap().len(), 1);
    let one = &all[0];
    assert_eq!(one["frame"], rect(0, 0, 1920, 1080));
    assert_eq!(one["visible"], rect(0, 0, 1920, 1080));
    assert_eq!(
        (&one["main"], &one["scale"], &one["number"]),
        (&json!(true), &json!(1.0), &json!(1))
    );
    let name = one["name"].as_str().unwrap();
    assert_eq!(&stage.call("display_get", &["1"]).json(), one);
    assert_eq!(&stage.call("display_get", &[name]).json(), one);
    let error = stage.call("display_get", &["2"]).expect_error("display_not_found");
    assert!(error["hint"].as_str().unwrap().contains(name), "{error}");
}

#[test]
fn display_left_of_the_main_one_has_negative_coordinates() {
    let stage = TestDesktop::with_displays(&["800x600", "1024x768"]);
    let all = stage.call("display_list", &[]).json();
    assert_eq!(all[0]["frame"], rect(0, 0, 800, 600));
    assert_eq!(all[1]["frame"], rect(800, 0, 1024, 768));
    let hand = stage.real_input();
    hand.move_to((900, 100));
    let cursor = stage.call("display_cursor", &[]).json();
    assert_eq!((&cursor["x"], &cursor["y"]), (&json!(900), &json!(100)));
    assert_eq!(cursor["display"]["number"], 2);
    stage.screen_capture().make_second_main();
    let all = stage.call("display_list", &[]).json();
    assert_eq!(all[0]["frame"], rect(0, 0, 1024, 768));
    assert_eq!((&all[0]["main"], &all[1]["main"]), (&json!(true), &json!(false)));
    assert_eq!(all[1]["frame"], rect(-800, 0, 800, 600));
    let cursor = stage.call("display_cursor", &[]).json();
    assert_eq!((&cursor["x"], &cursor["y"]), (&json!(100), &json!(100)));
    assert_eq!(cursor["display"]["number"], 1);
    hand.move_to((10, 20));
    let cursor = stage.call("display_cursor", &[]).json();
    assert_eq!((&cursor["x"], &cursor["y"]), (&json!(-790), &json!(20)));
    assert_eq!(cursor["display"]["number"], 2);
    hand.move_to((10, 700));
    let outside = stage.call("display_cursor", &[]).json();
    assert_eq!(outside["display"], json!(null), "the point is on no display");
}

/// The window reserves space at a screen edge, as docks do.
#[test]
fn panel_reduces_the_visible_area_of_its_display_only() {
    let stage = TestDesktop::with_displays(&["800x600", "1024x768"]);
    let _panel = stage.launch(App::Xterm);
    assert!(wait_until(|| !stage.windows().is_empty()), "the window did not appear");
    let id = stage.windows()[0]["id"].to_string();
    let strut = "0, 0, 30, 0, 0, 0, 0, 0, 800, 1823, 0, 0";
    let mut xprop = stage.command("xprop");
    xprop.args(["-id", &id, "-f", "_NET_WM_STRUT_PARTIAL", "32c"]);
    Outcome::of(xprop.args(["-set", "_NET_WM_STRUT_PARTIAL", strut])).expect_ok();
    let is_reduced = wait_until(|| {
        let all = stage.call("display_list", &[]).json();
        all[1]["visible"] == rect(800, 30, 1024, 738) && all[0]["visible"] == rect(0, 0, 800, 600)
    });
    assert!(is_reduced, "{}", stage.call("display_list", &[]).text());
}
