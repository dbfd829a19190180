//! The Rust library: its example programs run on a headless machine, and each checks its effect by the
//! state of the app itself.

use std::{fs, process::Command};

use harness::{Outcome, outcome};

/// Runs an example program without a display. The program exits with an error if its effect is missing.
fn run_example(name: &str) {
    let outcome = example_with_config(name, "");
    assert_eq!(outcome.code, Some(0), "{name}: {outcome}");
}

/// Runs an example program without a display, for a user with this `config.toml`.
fn example_with_config(name: &str, config: &str) -> Outcome {
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
    let folder = state.path().join("XDG_CONFIG_HOME/deskhand");
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("no folder: {error}"));
    fs::write(folder.join("config.toml"), config).unwrap_or_else(|error| panic!("{error}"));
    Outcome::of(command.current_dir(state.path()))
}

#[test]
fn calculator_example_computes_a_product() {
    run_example("calculator");
}

#[test]
fn a_session_is_in_the_security_mode_of_the_configuration_file() {
    // In safe mode the calculator may be used, and quitting it needs the consent of the user.
    let safe = example_with_config("calculator", "[server]\nsecurity_mode = \"safe\"\n");
    assert_eq!(safe.code, Some(1), "{safe}");
    assert!(String::from_utf8_lossy(&safe.stdout).contains("=: confirmed"), "{safe}");
    assert!(safe.stderr.contains("safe mode requires the consent of the user"), "{safe}");
    let sandboxed = example_with_config("calculator", "server.security_mode = \"sandboxed\"\n");
    assert_eq!(sandboxed.code, Some(1), "{sandboxed}");
    assert!(sandboxed.stderr.contains("`open` is not allowed in sandboxed mode"), "{sandboxed}");
}

#[test]
fn an_invalid_configuration_file_is_an_error() {
    let invalid = example_with_config("list_apps", "[server]\nsecurty_mode = \"safe\"\n");
    assert_eq!(invalid.code, Some(1), "{invalid}");
    assert!(invalid.stderr.contains("did you mean `server.security_mode`?"), "{invalid}");
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
