//! `key`: shortcuts arrive with their modifiers, under every layout, and no key stays down.

use harness::desk::until;
use harness::{App, Outcome, Stage};
use rustix::process::Signal;
use x11rb::protocol::xinput::{
    ConnectionExt as _, HierarchyChange, HierarchyChangeData, HierarchyChangeDataAddMaster,
};

use harness::witness::Witness;

fn layout(stage: &Stage, name: &str) {
    Outcome::of(stage.command("setxkbmap").args(["-layout", name])).expect_ok();
}

#[test]
fn combinations_arrive_in_order_and_every_key_goes_up() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let done = stage.call("key", &["cmd+shift+p", "F5", "Return"]).json();
    assert_eq!((&done["effect"], &done["way"]), (&"unverified".into(), &"keyboard".into()));
    assert!(done["target"].as_str().unwrap().contains("Events"), "{done}");
    assert_eq!(
        app.keys(),
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
fn a_key_is_held_as_long_as_it_is_told() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let outcome = stage.call("key", &["Left", "--hold-ms", "300"]);
    outcome.expect_ok();
    assert!(outcome.elapsed.as_millis() >= 300);
    let seen = app.until_quiet();
    let at = |kind: &str| {
        let one = seen.iter().find(|one| one["event"] == kind && one["key"] == "Left").unwrap();
        one["time"].as_i64().unwrap()
    };
    let held = at("key up") - at("key down");
    assert!((290..600).contains(&held), "held for {held} ms");
}

#[test]
fn shortcuts_work_under_layouts_that_lack_their_letters() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    for name in ["us", "de", "ru", "us,ru"] {
        layout(&stage, name);
        app.forget();
        stage.call("key", &["ctrl+s", "@", "ß"]).expect_ok();
        let seen = app.keys();
        assert!(seen.contains(&"down control s".to_owned()), "{name}: {seen:?}");
        assert!(seen.iter().any(|one| one.ends_with(" at")), "{name}: {seen:?}");
        assert!(seen.iter().any(|one| one.ends_with(" ssharp")), "{name}: {seen:?}");
        assert_eq!(app.keys_down(&stage), Vec::<u8>::new());
        // The letter stands where it stood: a person's own key makes what it made before.
        let symbol = if name == "ru" { 0x6d9 } else { 0x73 };
        app.forget();
        stage.hand().press(symbol);
        let letter = if name == "ru" { "down Cyrillic_yeru" } else { "down s" };
        assert!(app.keys().contains(&letter.to_owned()), "{name}");
    }
}

#[test]
fn an_unknown_key_is_refused_with_those_that_come_near() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let error = stage.call("key", &["ctrl+s", "pagedwn"]).expect_error("unknown_key");
    assert!(error["hint"].as_str().unwrap().contains("pagedown"), "{error}");
    assert_eq!(app.keys(), Vec::<String>::new(), "nothing is sent when one of them is wrong");
}

#[test]
fn a_named_app_gets_its_keys_aside_or_in_front() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let front = stage.start(App::Mousepad);
    let before = (stage.desk().active(), stage.desk().pointer());
    let pid = app.program.pid_text();
    app.forget();
    let done = stage.call("key", &["ctrl+Home", "--app", &pid]).json();
    assert_eq!((&done["effect"], &done["way"]), (&"unverified".into(), &"second keyboard".into()));
    let seen = app.keys();
    assert!(seen.contains(&"down control Home".to_owned()), "{seen:?}");
    assert_eq!((stage.desk().active(), stage.desk().pointer()), before, "the person is left alone");
    assert_eq!(app.masters(&stage), 1, "while a second one is there Chromium hears no other");
    stage.call("key", &["End", "--app", &pid, "--mode", "focus"]).expect_ok();
    assert!(app.keys().contains(&"down End".to_owned()));
    assert_ne!(stage.desk().active(), before.0);
    drop(front);
}

#[test]
fn nobody_is_made_deaf_for_keys_aside() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let browser = stage.start(App::Chromium("form.html"));
    app.forget();
    let pid = app.program.pid_text();
    let done = stage.effect("key", &["Home", "--app", &pid], "refused");
    assert!(done["escalation"].as_str().unwrap().contains("--mode focus"), "{done}");
    assert_eq!((app.keys(), app.masters(&stage)), (Vec::new(), 1));
    drop(browser);
}

#[test]
fn chromium_hears_the_person_after_it_was_typed_into() {
    let stage = Stage::new();
    let browser = stage.start(App::Chromium("form.html"));
    let (pid, name) = (browser.pid_text(), "role:textbox title:Name");
    let done =
        stage.effect("type", &["new", "--clear", "--into", name, "--app", &pid], "confirmed");
    assert_eq!(done["way"], "own keyboard");
    stage.hand().type_text("47");
    let holds = || stage.call("find", &[name, "--app", &pid]).json()["value"].clone();
    assert!(until(|| holds() == "new47"), "{}", holds());
}

#[test]
fn an_app_that_does_not_respond_is_spared_a_new_keyboard() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let frozen = stage.start(App::Kcalc);
    frozen.signal(Signal::STOP);
    app.forget();
    let pid = app.program.pid_text();
    let done = stage.effect("key", &["Home", "--app", &pid], "refused");
    frozen.signal(Signal::CONT);
    let why = done["escalation"].as_str().unwrap();
    assert!(why.contains("KCalc") && why.contains("does not respond"), "{done}");
    assert_eq!((app.keys(), app.masters(&stage)), (Vec::new(), 1));
    stage.effect("key", &["Home", "--app", &pid], "unverified");
    assert!(app.keys().contains(&"down Home".to_owned()));
}

#[test]
fn a_keyboard_a_killed_program_left_is_removed() {
    let stage = Stage::new();
    let app = Witness::start(&stage);
    let x = stage.info().connect_x11().unwrap();
    x.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
    let name = b"deskhand".to_vec();
    let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name };
    let change = HierarchyChange { len: 4, data: HierarchyChangeData::AddMaster(add) };
    x.xinput_xi_change_hierarchy(&[change]).unwrap().check().unwrap();
    assert_eq!(app.masters(&stage), 2);
    stage.effect("key", &["Home"], "unverified");
    assert_eq!(app.masters(&stage), 1);
    assert!(app.keys().contains(&"down Home".to_owned()));
}
