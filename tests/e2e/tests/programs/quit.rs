//! Quitting apps: normally, with a save dialog, and by force.

use harness::inspect::{is_running, wait_until};
use harness::{App, TestDesktop};
use rustix::process::Signal;

use crate::{open, pid};

#[test]
fn quit_app_has_ended() {
    let stage = TestDesktop::new();
    for app in ["mousepad", "gnome-calculator", "kcalc", "featherpad"] {
        let pid = pid(&open(&stage, &[app], "confirmed"));
        let answer = stage.effect("quit", &[app], "confirmed");
        assert!(answer["evidence"].to_string().contains("ended"), "{answer}");
        assert!(!is_running(pid), "{app}");
    }
}

#[test]
fn app_without_a_tree_is_quit_by_closing_its_window() {
    let stage = TestDesktop::new();
    let program = stage.launch(App::Xterm);
    stage.window_inspector().window_of(program.pid());
    stage.effect("quit", &["xterm"], "confirmed");
    assert!(!is_running(program.pid()));
}

#[test]
fn quit_closes_every_chromium_window() {
    let stage = TestDesktop::new();
    let file = |name: &str| {
        let path = stage.info().home.join(name);
        std::fs::write(&path, name).unwrap();
        path.display().to_string()
    };
    let profile = format!("--user-data-dir={}", stage.info().home.join("chromium").display());
    let browser = ["chromium", &profile, "--no-first-run", "--new-window"];
    let first = pid(&open(&stage, &[&browser[..], &[&file("a.html")]].concat(), "confirmed"));
    let second = pid(&open(&stage, &[&browser[..], &[&file("b.html")]].concat(), "confirmed"));
    assert_eq!(first, second);
    assert!(stage.window_inspector().windows_of(first).len() > 1);
    stage.effect("quit", &[&first.to_string()], "confirmed");
    assert!(!is_running(first));
    assert!(stage.window_inspector().windows_of(first).is_empty());
}

#[test]
fn save_dialog_is_reported_and_force_ends_the_app() {
    let stage = TestDesktop::new();
    let answer = open(&stage, &["mousepad"], "confirmed");
    let pid = pid(&answer);
    let window = u32::try_from(answer["window"].as_u64().unwrap()).unwrap();
    stage.effect("window_focus", &[&window.to_string()], "confirmed");
    std::thread::sleep(std::time::Duration::from_millis(300));
    stage.real_input().type_text("unsaved");
    let desk = stage.window_inspector();
    assert!(wait_until(|| desk.property(window, "_NET_WM_NAME").contains("\"*")));
    let answer = stage.effect("quit", &["mousepad"], "partial");
    assert!(answer["evidence"].to_string().contains("Save Changes"), "{answer}");
    assert!(is_running(pid) && desk.exists(window));
    let answer = stage.effect("quit", &["mousepad", "--force"], "confirmed");
    assert_eq!(answer["way"], "kill");
    assert!(!is_running(pid));
    assert!(wait_until(|| !desk.exists(window)));
}

#[test]
fn quit_of_a_frozen_app_has_no_effect_and_force_ends_it() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Kcalc);
    program.signal(Signal::STOP);
    let answer = stage.effect("quit", &[&program.pid_text()], "no_effect");
    assert!(answer["escalation"].as_str().unwrap().contains("--force"), "{answer}");
    assert!(is_running(program.pid()));
    stage.effect("quit", &[&program.pid_text(), "--force"], "confirmed");
    assert!(!is_running(program.pid()));
}

#[test]
fn quit_of_an_app_that_is_not_running_is_refused() {
    let stage = TestDesktop::new();
    let error = stage.call("quit", &["no-such-app"]).expect_error("app_not_running");
    assert_eq!(error["delivery"], "not_sent", "{error}");
}
