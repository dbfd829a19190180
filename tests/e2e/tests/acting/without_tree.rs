//! Apps without an accessibility tree, menus that are closed, and pop-ups that no tree contains.

use harness::inspect::wait_until;
use harness::{App, TestDesktop};

/// Every command knows the app by the name that `windows` shows.
#[test]
fn app_without_a_tree_has_one_name_and_takes_typed_text() {
    let stage = TestDesktop::new();
    let _terminal = stage.launch(App::Xterm);
    assert!(wait_until(|| !stage.windows().is_empty()));
    assert_eq!(stage.windows()[0]["app"], "xterm");
    let apps = stage.apps();
    let listed = apps.iter().find(|app| app["name"] == "xterm").expect("xterm is listed");
    assert_eq!(listed["tree"], false, "{listed}");
    let tree = stage.call("tree", &["--app", "xterm"]).json();
    assert_eq!(tree["windows"][0]["title"], "A terminal", "{tree}");
    assert!(tree["note"].as_str().is_some_and(|note| note.contains("no accessibility tree")));
    stage.call("click", &["OK", "--app", "xterm"]).expect_error("no_tree");

    // Another window has the keyboard, and keeps it.
    let editor = stage.start(App::Mousepad);
    let front = stage.window_inspector().active();
    let path = stage.info().home.join("typed.txt");
    let command = format!("echo \"sum $((6*7))\" > {}\n", path.display());
    stage.effect("type", &[&command, "--app", "xterm"], "unverified");
    let written = || std::fs::read_to_string(&path).is_ok_and(|text| text == "sum 42\n");
    assert!(wait_until(written), "{:?}", std::fs::read_to_string(&path));
    assert_eq!(stage.window_inspector().active(), front);
    let holds = |value: &Option<serde_json::Value>| {
        value.as_ref().is_some_and(|value| value.to_string().contains("sum"))
    };
    let text = stage.tree(&editor).elements.iter().any(|one| holds(&one.value));
    assert!(!text, "the keys must not reach the focused window");
}

#[test]
fn item_of_a_closed_menu_is_clicked_in_focus_mode() {
    let stage = TestDesktop::new();
    let editor = stage.start(App::Mousepad);
    let pid = editor.pid_text();
    let query = "role:menuitem title:About";
    stage.effect("click", &[query, "--app", &pid, "--mode", "focus"], "confirmed");
    let titles = || {
        let inspector = stage.window_inspector();
        let windows = inspector.windows_of(editor.pid());
        windows.iter().map(|window| inspector.property(*window, "WM_NAME")).collect::<Vec<_>>()
    };
    assert!(wait_until(|| titles().iter().any(|title| title.contains("About"))), "{:?}", titles());
}
