//! `key`: key combinations arrive with their modifiers under every layout, and no key stays
//! pressed.

use harness::inspect::wait_until;
use harness::{App, Outcome, TestDesktop};
use rustix::process::Signal;
use x11rb::protocol::xinput::{
    ConnectionExt as _, HierarchyChange, HierarchyChangeData, HierarchyChangeDataAddMaster,
};

use harness::event_recorder::EventRecorder;

fn set_layout(stage: &TestDesktop, name: &str) {
    Outcome::of(stage.command("setxkbmap").args(["-layout", name])).expect_ok();
}

#[test]
fn key_combinations_arrive_in_order_and_every_key_is_released() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let done = stage.call("key", &["cmd+shift+p", "F5", "Return"]).json();
    assert_eq!((&done["effect"], &done["way"]), (&"unverified".into(), &"keyboard".into()));
    assert!(done["target"].as_str().unwrap().contains("Events"), "{done}");
    assert_eq!(
        app.key_summary(),
        [
            "down Control_L",
            "down control Shift_L",
            "down shift+control P",
            "up shift+control P",
            "up shift+control Shift_L",
            "up control Control_L",
            "down F5",
            "up F5",
            "down Return",
            "up Return",
        ]
    );
    assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
}

#[test]
fn key_is_held_for_the_requested_time() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let outcome = stage.call("key", &["Left", "--hold-ms", "300"]);
    outcome.expect_ok();
    assert!(outcome.elapsed.as_millis() >= 300);
    let received = app.take_events();
    let at = |kind: &str| {
        let one = received.iter().find(|one| one["event"] == kind && one["key"] == "Left").unwrap();
        one["time"].as_i64().unwrap()
    };
    let held_ms = at("key up") - at("key down");
    assert!((290..600).contains(&held_ms), "held for {held_ms} ms");
}

#[test]
fn shortcuts_work_in_layouts_without_their_letters() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    for name in ["us", "de", "ru", "us,ru"] {
        set_layout(&stage, name);
        app.clear_events();
        stage.call("key", &["ctrl+s", "@", "ß"]).expect_ok();
        let received = app.key_summary();
        assert!(received.contains(&"down control s".to_owned()), "{name}: {received:?}");
        assert!(received.iter().any(|one| one.ends_with(" at")), "{name}: {received:?}");
        assert!(received.iter().any(|one| one.ends_with(" ssharp")), "{name}: {received:?}");
        assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
        // The temporary remapping is undone: the user's own key produces the same letter as before.
        let symbol = if name == "ru" { 0x6d9 } else { 0x73 };
        app.clear_events();
        stage.real_input().press(symbol);
        let letter = if name == "ru" { "down Cyrillic_yeru" } else { "down s" };
        assert!(app.key_summary().contains(&letter.to_owned()), "{name}");
    }
}

#[test]
fn unknown_key_is_refused_with_suggestions() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let error = stage.call("key", &["ctrl+s", "pagedwn"]).expect_error("unknown_key");
    assert!(error["hint"].as_str().unwrap().contains("pagedown"), "{error}");
    assert_eq!(
        app.key_summary(),
        Vec::<String>::new(),
        "keys were sent although one of them is invalid"
    );
}

#[test]
fn keys_reach_a_named_app_in_background_and_focus_mode() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let front = stage.start(App::Mousepad);
    let before = (stage.window_inspector().active(), stage.window_inspector().pointer());
    let pid = app.program.pid_text();
    app.clear_events();
    let done = stage.call("key", &["ctrl+Home", "--app", &pid]).json();
    assert_eq!((&done["effect"], &done["way"]), (&"unverified".into(), &"second keyboard".into()));
    let received = app.key_summary();
    assert!(received.contains(&"down control Home".to_owned()), "{received:?}");
    assert_eq!(
        (stage.window_inspector().active(), stage.window_inspector().pointer()),
        before,
        "focus or pointer changed"
    );
    assert_eq!(app.master_keyboards(&stage), 1, "the second keyboard was not removed");
    stage.call("key", &["End", "--app", &pid, "--mode", "focus"]).expect_ok();
    assert!(app.key_summary().contains(&"down End".to_owned()));
    assert_ne!(stage.window_inspector().active(), before.0);
    drop(front);
}

#[test]
fn background_keys_are_refused_while_chromium_runs() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let browser = stage.start(App::Chromium("form.html"));
    app.clear_events();
    let pid = app.program.pid_text();
    let done = stage.effect("key", &["Home", "--app", &pid], "refused");
    assert!(done["escalation"].as_str().unwrap().contains("--mode focus"), "{done}");
    assert_eq!((app.key_summary(), app.master_keyboards(&stage)), (Vec::new(), 1));
    drop(browser);
}

#[test]
fn chromium_still_receives_user_keys_after_background_typing() {
    let stage = TestDesktop::new();
    let browser = stage.start(App::Chromium("form.html"));
    let (pid, name) = (browser.pid_text(), "role:textbox title:Name");
    let done =
        stage.effect("type", &["new", "--clear", "--into", name, "--app", &pid], "confirmed");
    assert_eq!(done["way"], "own keyboard");
    stage.real_input().type_text("47");
    let value = || stage.call("find", &[name, "--app", &pid]).json()["value"].clone();
    assert!(wait_until(|| value() == "new47"), "{}", value());
}

#[test]
fn background_keys_are_refused_while_an_app_does_not_respond() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let frozen = stage.start(App::Kcalc);
    frozen.signal(Signal::STOP);
    app.clear_events();
    let pid = app.program.pid_text();
    let done = stage.effect("key", &["Home", "--app", &pid], "refused");
    frozen.signal(Signal::CONT);
    let reason = done["escalation"].as_str().unwrap();
    assert!(reason.contains("KCalc") && reason.contains("does not respond"), "{done}");
    assert_eq!((app.key_summary(), app.master_keyboards(&stage)), (Vec::new(), 1));
    stage.effect("key", &["Home", "--app", &pid], "unverified");
    assert!(app.key_summary().contains(&"down Home".to_owned()));
}

#[test]
fn leftover_second_keyboard_is_removed() {
    let stage = TestDesktop::new();
    let app = EventRecorder::start(&stage);
    let x = stage.info().connect_x11().unwrap();
    x.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
    let name = b"deskhand".to_vec();
    let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name };
    let change = HierarchyChange { len: 4, data: HierarchyChangeData::AddMaster(add) };
    x.xinput_xi_change_hierarchy(&[change]).unwrap().check().unwrap();
    assert_eq!(app.master_keyboards(&stage), 2);
    stage.effect("key", &["Home"], "unverified");
    assert_eq!(app.master_keyboards(&stage), 1);
    assert!(app.key_summary().contains(&"down Home".to_owned()));
}
