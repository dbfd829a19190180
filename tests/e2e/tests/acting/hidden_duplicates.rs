//! Elements that are hidden and share their name with one that can act.

use harness::{App, TestDesktop};

#[test]
fn click_by_name_uses_the_menu_item_while_the_toolbar_is_off() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let arguments = ["click", "Save", "--app", &app.pid_text(), "--format", "json"];
    let clicked = stage.deskhand(&arguments).json();
    assert_eq!(clicked["effect"], "confirmed", "{clicked}");
    let windows = stage.windows();
    assert!(windows.iter().any(|window| window["title"] == "Save As"), "{windows:?}");
}
