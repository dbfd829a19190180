//! Queries find elements of lists that are too long to be shown.

use std::time::{Duration, Instant};

use harness::{App, Program, TestDesktop};

#[test]
fn a_whole_name_is_found_at_the_end_of_a_list_and_a_missing_one_is_not() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Fixture("gtk3_long_list.py", &["3000"]));
    let pid = program.pid_text();
    let find = |query: &str| {
        stage.deskhand(&["find", query, "--app", &pid, "--format", "json", "--timeout", "20"])
    };
    let last = find("Row 2999").json();
    assert_eq!(last["title"], "Row 2999", "{last}");
    find("Row 3000").expect_error("no_match");
}

#[test]
fn the_last_of_many_buttons_is_pressed() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Fixture("many_buttons.py", &["qt6", "1500"]));
    let pid = program.pid_text();
    let outcome = stage.deskhand(&["click", "Button 1499", "--app", &pid, "--timeout", "20"]);
    outcome.expect_ok();
    program.wait_for("pressed 1499");
}

#[test]
fn a_name_inside_a_list_that_the_app_has_cached_is_found_and_a_missing_one_is_not() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Fixture("many_buttons.py", &["gtk3", "3000"]));
    let pid = program.pid_text();
    let find = |query: &str| {
        stage.deskhand(&["find", query, "--app", &pid, "--format", "json", "--timeout", "30"])
    };
    let last = find("Button 2999").json();
    assert_eq!((&last["title"], &last["kind"]), (&"Button 2999".into(), &"button".into()));
    let error = find("Button 3000").expect_error("no_match");
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(!hint.contains("not searched completely"), "{error}");
}

#[test]
fn chromium_cell_in_a_far_row_of_a_page_is_found() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Chromium("hundred_thousand.html?rows=3000"));
    wait_for_item(&stage, &program, "Row 0");
    let pid = program.pid_text();
    let find = |query: &str| {
        stage.deskhand(&["find", query, "--app", &pid, "--format", "json", "--timeout", "60"])
    };
    assert_eq!(find("role:cell title:'Row 2999'").json()["title"], "Row 2999");
    find("Row 3000").expect_error("no_match");
}

#[test]
fn libreoffice_cell_in_a_far_row_is_found_by_its_text() {
    let stage = TestDesktop::new();
    let file = stage.info().home.join("items.fods");
    let rows: String = (0..2_000).map(sheet_row).collect();
    std::fs::write(&file, format!("{SHEET_HEAD}{rows}{SHEET_FOOT}")).expect("the home is writable");
    let program = stage.start_with(App::Calc, |command| {
        command.arg(&file);
    });
    wait_for_item(&stage, &program, "Item 0");
    let find = ["find", "Item 1999", "--app", &program.pid_text(), "--timeout", "60"];
    let found = stage.deskhand(&[&find[..], &["--format", "json"]].concat()).json();
    assert_eq!((&found["title"], &found["value"]), (&"A2000".into(), &"Item 1999".into()));
}

/// Waits until an item at the top is in the tree: pages and documents take time to load.
fn wait_for_item(stage: &TestDesktop, program: &Program, item: &str) {
    let end = Instant::now() + Duration::from_secs(90);
    let find = ["find", item, "--app", &program.pid_text(), "--timeout", "10"];
    loop {
        let outcome = stage.deskhand(&find);
        if outcome.code == Some(0) {
            return;
        }
        assert!(Instant::now() < end, "{item} did not appear: {outcome}");
        std::thread::sleep(Duration::from_millis(500));
    }
}

const SHEET_HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Items">
"#;

const SHEET_FOOT: &str = "</table:table></office:spreadsheet></office:body></office:document>\n";

fn sheet_row(row: usize) -> String {
    format!(
        "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>Item {row}</text:p>\
         </table:table-cell></table:table-row>\n"
    )
}
