//! Queries find elements of lists that are too long to be shown.

use harness::{App, TestDesktop};

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
