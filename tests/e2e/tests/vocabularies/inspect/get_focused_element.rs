//! `get_focused_element` returns the element that receives keyboard input. The app itself tells: the text
//! that the X server's keyboard types is in the value of that element.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use harness::inspect::wait_until;
use harness::mcp::{Elicitation, McpClient};
use harness::{App, Outcome, TestDesktop};
use serde_json::json;

fn start(stage: &TestDesktop) -> McpClient {
    McpClient::start_with_env(stage, Elicitation::Unsupported, &[("DESKHAND_TOOLSETS", "inspect")])
}

#[test]
fn focused_element_of_the_desktop_receives_typed_keys() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let mut agent = start(&stage);
    let focused = agent.ok("get_focused_element", json!({}));
    assert_eq!(focused["hasFocus"], json!(true), "{focused}");
    let element = &focused["element"];
    assert_eq!(element["role"], json!("TextArea"), "{focused}");
    let path = element["path"].as_str().unwrap();
    assert!(path.starts_with(&format!("app({})/", program.pid())), "{focused}");
    assert!(element["actions"].is_array(), "{focused}");
    Outcome::of(stage.command("xdotool").args(["type", "hello"])).expect_ok();
    let received =
        wait_until(|| agent.ok("get_focused_element", json!({}))["element"]["value"] == "hello");
    assert!(received, "{}", agent.ok("get_focused_element", json!({})));
    let of_app = agent.ok("get_focused_element", json!({ "app": program.pid_text() }));
    // The title of the window, which is part of the path, now marks the text as modified.
    let path = path.replace("'Untitled", "'*Untitled");
    assert_eq!(of_app["element"]["path"], json!(path), "{of_app}");
}

#[test]
fn desktop_without_windows_has_no_focus() {
    let stage = TestDesktop::new();
    let mut agent = start(&stage);
    let focused = agent.ok("get_focused_element", json!({}));
    assert_eq!(focused, json!({ "element": null, "hasFocus": false }));
}
