//! The Rust library: its example programs run on a headless machine, and each checks its effect by the
//! state of the app itself.

use std::process::Command;

use harness::{Outcome, outcome};

/// Runs an example program without a display. The program exits with an error if its effect is missing.
fn run_example(name: &str) {
    let program = outcome::binary().with_file_name("examples").join(name);
    assert!(
        program.exists(),
        "run `cargo build -p deskhand --examples` first: {}",
        program.display()
    );
    let state = tempfile::tempdir().unwrap_or_else(|error| panic!("no temporary folder: {error}"));
    let mut command = Command::new(&program);
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"] {
        command.env_remove(variable);
    }
    for variable in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
        command.env(variable, state.path().join(variable));
    }
    let outcome = Outcome::of(command.current_dir(state.path()));
    assert_eq!(outcome.code, Some(0), "{name}: {outcome}");
}

#[test]
fn calculator_example_computes_a_product() {
    run_example("calculator");
}

#[test]
fn fill_form_example_saves_the_typed_text() {
    run_example("fill_form");
}

#[test]
fn list_apps_example_lists_a_started_app() {
    run_example("list_apps");
}

#[test]
fn run_command_example_stays_in_its_scope() {
    run_example("run_command");
}

#[test]
fn screenshot_example_captures_a_window() {
    run_example("screenshot");
}

#[test]
fn watch_events_example_reports_a_change() {
    run_example("watch_events");
}
