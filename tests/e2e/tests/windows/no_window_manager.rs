//! Without a window manager, windows are still listed and arranged with plain X11 requests, and the
//! reply states this.

use deskhand_linux::private::ComponentKind;
use harness::inspect::{WindowInspector, is_running, wait_until};
use harness::{App, TestDesktop};
use rustix::process::{Pid, Signal, kill_process};

use crate::{id, start_with_window};

/// Kills the window manager of the desktop.
fn kill_window_manager(stage: &TestDesktop) -> WindowInspector<'_> {
    let manager = stage.info().component(ComponentKind::WindowManager).unwrap();
    let pid = manager.process.pid;
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
    assert!(wait_until(|| !is_running(pid)));
    stage.window_inspector()
}

#[test]
fn windows_are_arranged_with_plain_x11_requests() {
    let stage = TestDesktop::new();
    let (_first, terminal) = start_with_window(&stage, App::Xterm);
    let (_second, editor) = start_with_window(&stage, App::Mousepad);
    let desk = kill_window_manager(&stage);
    let listed: Vec<u64> =
        stage.windows().iter().filter_map(|window| window["id"].as_u64()).collect();
    assert!(listed.contains(&terminal.into()) && listed.contains(&editor.into()), "{listed:?}");
    for window in [terminal, editor] {
        let answer = stage.effect("window_move", &[&id(window), "120", "90"], "confirmed");
        assert!(answer["way"].as_str().unwrap().contains("no window manager"), "{answer}");
        let frame = desk.frame(window);
        assert_eq!((frame.x, frame.y), (120, 90));
        stage.effect("window_resize", &[&id(window), "600", "400"], "confirmed");
        let frame = desk.frame(window);
        assert_eq!((frame.width, frame.height), (600, 400));
        stage.effect("window_minimize", &[&id(window)], "confirmed");
        assert!(!desk.is_shown(window));
        stage.effect("window_restore", &[&id(window)], "confirmed");
        assert!(desk.is_shown(window));
        stage.effect("window_focus", &[&id(window)], "confirmed");
    }
    let error = stage.call("window_maximize", &[&id(editor)]).expect_error("unfit");
    assert_eq!(error["delivery"], "not_sent", "{error}");
    stage.effect("window_close", &[&id(editor)], "confirmed");
    assert!(wait_until(|| !desk.exists(editor)));
}
