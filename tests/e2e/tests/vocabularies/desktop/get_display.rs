//! `get_display` matches the monitors that the X server reports.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use harness::TestDesktop;
use harness::mcp::{Elicitation, McpClient};
use serde_json::{Value, json};
use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, MonitorInfo};

fn monitors(stage: &TestDesktop) -> Vec<MonitorInfo> {
    let x = stage.info().connect_x11().unwrap();
    let root = x.setup().roots[0].root;
    x.randr_query_version(1, 5).unwrap().reply().unwrap();
    x.randr_get_monitors(root, true).unwrap().reply().unwrap().monitors
}

fn start(stage: &TestDesktop) -> McpClient {
    McpClient::start_with_env(stage, Elicitation::Unsupported, &[("DESKHAND_TOOLSETS", "desktop")])
}

/// The frame of a monitor; the main display is the left one and starts at 0,0.
fn frame(monitor: &MonitorInfo) -> Value {
    json!({ "x": monitor.x, "y": monitor.y, "width": monitor.width, "height": monitor.height })
}

#[test]
fn each_display_has_the_frame_of_its_monitor() {
    let stage = TestDesktop::with_displays(&["800x600", "1024x768"]);
    let mut agent = start(&stage);
    let monitors = monitors(&stage);
    assert_eq!(monitors.len(), 2, "{monitors:?}");
    for monitor in &monitors {
        let name = format!("displays/{}", monitor.name);
        let display = agent.ok("get_display", json!({ "name": name }));
        assert_eq!(display["name"], json!(name), "{display}");
        assert_eq!(display["frame"], frame(monitor), "{display}");
        assert_eq!(display["visible_frame"], frame(monitor), "{display}");
        assert_eq!(display["is_main"], json!(monitor.x == 0), "{display}");
        assert_eq!(display["scale"], json!(1.0), "{display}");
    }
}

#[test]
fn unknown_display_is_not_found_and_the_displays_are_listed() {
    let stage = TestDesktop::new();
    let mut agent = start(&stage);
    let known = format!("displays/{}", monitors(&stage)[0].name);
    let refused = agent.refused("get_display", json!({ "name": "displays/4294967295" }));
    assert!(refused.contains("NOT_FOUND") && refused.contains(&known), "{refused}");
    for wrong in ["1", "windows/1", "displays/"] {
        let refused = agent.refused("get_display", json!({ "name": wrong }));
        assert!(refused.contains("INVALID_ARGUMENT"), "{wrong}: {refused}");
    }
}
