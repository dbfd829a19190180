//! Content of denied apps appears in no screenshot, resource, event or clipboard reply.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use harness::inspect::Rect;
use harness::mcp::{Elicitation, McpClient};
use harness::pixels::Pixels;
use harness::{App, TestDesktop};
use serde_json::json;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};

const SCREEN: Rect = Rect { x: 0, y: 0, width: 1920, height: 1080 };

fn take_screenshot(stage: &TestDesktop, arguments: &[&str]) -> (serde_json::Value, Pixels) {
    let path = stage.info().home.join("seen.png");
    let file = path.display().to_string();
    let words = [&["--output", &file, "--full", "--timeout", "20"], arguments].concat();
    let answer = stage.call("screenshot", &words).json();
    (answer, Pixels::read(&path, "png"))
}

#[test]
fn denied_window_is_black_in_screenshots() {
    let stage = TestDesktop::new();
    let calc = stage.start(App::Kcalc);
    let editor = stage.start(App::Mousepad);
    let desk = stage.window_inspector();
    let (denied, other) = (desk.window_of(calc.pid()), desk.window_of(editor.pid()));
    stage.call("window_move", &[&denied.to_string(), "200", "150"]).expect_ok();
    stage.call("window_move", &[&other.to_string(), "350", "250"]).expect_ok();
    let (denied_frame, other_frame) = (desk.frame(denied), desk.frame(other));
    let expected = stage.screen_capture().capture_when_still(SCREEN);
    assert!(expected.part(denied_frame).colours() > 3, "the denied window is blank");
    stage.write_app_rules("denied = [\"kcalc\"]");
    let (answer, captured) = take_screenshot(&stage, &[]);
    assert!(answer.to_string().contains("painted over"), "{answer}");
    let is_in = |room: Rect, x: i32, y: i32| {
        x >= room.x && x < room.x + room.width && y >= room.y && y < room.y + room.height
    };
    for x in denied_frame.x..denied_frame.x + denied_frame.width {
        for y in denied_frame.y..denied_frame.y + denied_frame.height {
            assert!(
                is_in(other_frame, x, y) || captured.at(x, y) == [0; 3],
                "the denied window is visible at {x},{y}"
            );
        }
    }
    assert!(expected.part(other_frame).colours() > 3);
    // A caret may blink between the two images.
    assert!(
        captured.part(other_frame).differing(&expected.part(other_frame), 8) < 300,
        "the window in front changed"
    );
    let region = format!("{},{},50,50", denied_frame.x, denied_frame.y);
    let (_, part) = take_screenshot(&stage, &["--region", &region]);
    assert!(part.rgb.iter().all(|byte| *byte == 0));
    stage.call("screenshot", &["--app", "kcalc"]).expect_error("app_blocked");
}

#[test]
fn flickering_denied_window_is_in_no_screenshot() {
    let stage = TestDesktop::new();
    let executable = std::fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
    stage.write_app_rules(&format!("denied = [{:?}]", executable.display().to_string()));
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let room = json!({ "x": 280, "y": 180, "w": 440, "h": 340 });
    let params = json!({ "name": "ax_screenshot", "arguments": { "region": room } });
    let (done, shown) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let flicker = {
        let (done, shown) = (Arc::clone(&done), Arc::clone(&shown));
        let connection = stage.info().connect_x11().unwrap();
        std::thread::spawn(move || flicker(&connection, &done, &shown))
    };
    let mut images = Vec::new();
    while images.len() < 24 || shown.load(Ordering::Relaxed) <= 10 {
        let mut ids: Vec<u64> = (0..4).map(|_| agent.begin("tools/call", &params)).collect();
        while !ids.is_empty() {
            let answer = agent.first_response(&ids);
            ids.retain(|id| answer["id"] != *id);
            let data = answer["result"]["content"][0]["data"].as_str();
            let data = data.unwrap_or_else(|| panic!("{answer}"));
            images.push(STANDARD.decode(data).unwrap());
        }
    }
    done.store(true, Ordering::Relaxed);
    flicker.join().unwrap();
    let path = stage.info().home.join("seen.png");
    let mut masked = 0;
    for (index, image) in images.iter().enumerate() {
        std::fs::write(&path, image).unwrap();
        let captured = Pixels::read(&path, "png");
        let is_secret = |pixel: &[u8]| pixel[0] > 200 && pixel[1] < 60 && pixel[2] > 200;
        let leaked = captured.rgb.chunks_exact(3).filter(|pixel| is_secret(pixel)).count();
        assert_eq!(leaked, 0, "image {index} of {} shows the denied window", images.len());
        masked += usize::from(captured.at(captured.width / 2, captured.height / 2) == [0; 3]);
    }
    assert!(masked > 0, "the window was never visible during a capture");
}

/// Maps and unmaps a magenta window in a loop, and counts how often.
fn flicker(connection: &impl Connection, done: &AtomicBool, shown: &AtomicUsize) {
    let window = connection.generate_id().unwrap();
    let root = connection.setup().roots[0].root;
    let attributes = CreateWindowAux::new().override_redirect(1).background_pixel(0xff_00ff);
    let class = WindowClass::INPUT_OUTPUT;
    connection
        .create_window(0, window, root, 300, 200, 400, 300, 0, class, 0, &attributes)
        .unwrap();
    let pause = || std::thread::sleep(Duration::from_millis(fastrand::u64(0..30)));
    while !done.load(Ordering::Relaxed) {
        connection.map_window(window).unwrap();
        connection.flush().unwrap();
        pause();
        connection.unmap_window(window).unwrap();
        connection.flush().unwrap();
        pause();
        shown.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn denied_app_has_no_connection_no_resources_and_no_notifications() {
    let stage = TestDesktop::new();
    let calc = stage.start(App::Kcalc);
    let editor = stage.start(App::Mousepad);
    stage.write_app_rules("denied = [\"org.kde.kcalc\"]\ndefault_write_blocked = false");
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let error = agent.refused("ax_connect", json!({ "app": "kcalc" }));
    assert!(error.contains("App 'kcalc' is blocked by security policy"), "{error}");
    for (tool, arguments) in [
        ("ax_get_tree", json!({ "app": "kcalc" })),
        ("ax_find", json!({ "app": "kcalc", "query": "7" })),
        ("ax_click", json!({ "app": "kcalc", "query": "7" })),
        ("ax_screenshot", json!({ "app": "kcalc" })),
        ("ax_list_windows", json!({ "app": "kcalc" })),
        ("ax_wait_idle", json!({ "app": "kcalc", "timeout_ms": 500 })),
    ] {
        let called = agent.call(tool, arguments);
        assert!(
            called.failed && called.text.contains("security policy"),
            "{tool}: {}",
            called.text
        );
    }
    let pid = calc.pid();
    for part in ["tree", "state", "window/0/tree", "query/7", "screenshot"] {
        let uri = format!("deskhand://app/{pid}/{part}");
        let answer = agent.request("resources/read", &json!({ "uri": uri }));
        assert!(answer.get("error").is_some(), "{uri}: {answer}");
        assert!(answer.get("result").is_none(), "{uri}: {answer}");
    }
    let uri = format!("deskhand://app/{pid}/tree");
    let subscribed = agent.request("resources/subscribe", &json!({ "uri": uri }));
    agent.ok("ax_connect", json!({ "app": editor.pid().to_string() }));
    press_seven(&stage, calc.pid());
    std::thread::sleep(Duration::from_millis(1_500));
    agent.ok("ax_list_apps", json!({}));
    let notified =
        agent.notifications.iter().filter(|note| note["params"]["uri"] == json!(uri)).count();
    assert_eq!(notified, 0, "{subscribed}: {:?}", agent.notifications);
}

/// Changes the display of the calculator with real input.
fn press_seven(stage: &TestDesktop, pid: u32) {
    let desk = stage.window_inspector();
    let window = desk.window_of(pid);
    let frame = desk.frame(window);
    stage.real_input().click((frame.x + frame.width / 2, frame.y + 5));
    stage.real_input().type_text("7");
}

#[test]
fn clipboard_content_of_a_denied_app_is_not_exposed() {
    let stage = TestDesktop::new();
    let mut app = stage.start_unread(App::Fixture("gtk4_clipboard.py", &[]));
    app.write_line(&json!({ "do": "set", "text": "hunter2" }).to_string());
    let read = || stage.call("clipboard_read", &[]);
    assert!(harness::inspect::wait_until(|| read().text().contains("hunter2")));
    stage.write_app_rules("denied = [\"**/gtk4_clipboard.py\"]");
    let error = read().expect_error("app_blocked");
    assert!(!error.to_string().contains("hunter2"), "{error}");
    stage.write_app_rules("denied = [\"mousepad\"]");
    assert!(read().text().contains("hunter2"));
}
