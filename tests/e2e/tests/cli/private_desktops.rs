//! Private desktops from the command line, and the desktop that a command starts when there is no
//! display.

use std::process::Command;

use harness::Outcome;
use harness::outcome::binary;

/// Runs `deskhand` without a display and with its own state folder.
struct NoDisplay {
    folder: tempfile::TempDir,
}

impl NoDisplay {
    fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("dh").tempdir().unwrap() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env("DESKHAND_DESKTOPS", self.folder.path().join("s"));
        for name in deskhand_platform::Folders::VARIABLES {
            command.env(name, self.folder.path().join(name));
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    /// Names of the running processes that belong to a desktop of this state folder.
    fn remaining_processes(&self) -> Vec<String> {
        let marker = format!("DESKHAND_DESKTOPS={}", self.folder.path().join("s").display());
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let named = entries.filter(|entry| {
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|one| one == marker.as_bytes())
        });
        let name = |entry: std::fs::DirEntry| {
            std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default()
        };
        named.map(name).filter(|name| !name.is_empty()).collect()
    }

    fn assert_nothing_left(&self) {
        assert_eq!(self.remaining_processes(), Vec::<String>::new());
        let list = self.run(&["desktop", "list", "--format", "json"]).json();
        assert_eq!(list, serde_json::json!([]));
    }
}

impl Drop for NoDisplay {
    fn drop(&mut self) {
        // Clean up after a test that failed half-way.
        let mut command = Command::new(binary());
        command
            .args(["desktop", "down", "--all"])
            .env("DESKHAND_DESKTOPS", self.folder.path().join("s"));
        let _ = command.output();
    }
}

#[test]
fn without_a_display_a_command_starts_a_private_desktop_and_reports_it() {
    let host = NoDisplay::new();
    for command in ["check", "apps", "windows"] {
        let outcome = host.run(&[command, "--format", "json"]);
        assert!(outcome.stderr.contains("private desktop"), "{outcome}");
        outcome.json();
        host.assert_nothing_left();
    }
    let outcome = host.run(&["find", "x", "--format", "json"]);
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(outcome.stderr.lines().last().unwrap().contains("\"error\""), "{outcome}");
    host.assert_nothing_left();
}

#[test]
fn failed_desktop_start_is_reported_as_not_sent() {
    let host = NoDisplay::new();
    let run = |words: &[&str]| {
        let mut command = host.command(words);
        Outcome::of(command.args(["--format", "json"]).env("PATH", host.folder.path())).error()
    };
    for words in [["click", "x"].as_slice(), &["pointer", "click", "1", "1"], &["key", "a"]] {
        let error = run(words);
        assert_eq!(error["delivery"], "not_sent", "{words:?}: {error}");
    }
    let error = run(&["windows"]);
    assert!(error["code"].is_string() && error["delivery"].is_null(), "{error}");
}

#[test]
fn desktop_run_returns_the_exit_code_and_leaves_no_processes() {
    let host = NoDisplay::new();
    for (script, code) in [("exit 7", 7), ("true", 0), ("kill -TERM $$", 143)] {
        let outcome = host.run(&["desktop", "run", "--", "sh", "-c", script]);
        assert_eq!(outcome.code, Some(code), "{outcome}");
        host.assert_nothing_left();
    }
    let detached =
        host.run(&["desktop", "run", "--", "sh", "-c", "setsid sleep 300 & setsid sleep 300 &"]);
    detached.expect_ok();
    host.assert_nothing_left();
    let missing = host.run(&["desktop", "run", "--", "no-such-program-anywhere"]);
    assert_eq!(missing.code, Some(1), "{missing}");
    assert!(missing.stderr.contains("no-such-program-anywhere"), "{missing}");
    host.assert_nothing_left();
}

#[test]
fn desktop_up_list_env_and_down_manage_the_same_desktops() {
    let host = NoDisplay::new();
    let up = host.run(&["desktop", "up", "--name", "one", "--displays", "800x600,640x480"]);
    assert!(up.expect_ok().text().contains("one"), "{up}");
    host.run(&["desktop", "up", "--size", "1024x768", "--format", "json"]).json();
    let list = host.run(&["desktop", "list", "--format", "json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 2, "{list}");
    let duplicate = host.run(&["desktop", "up", "--name", "one", "--format", "json"]);
    assert!(duplicate.error()["message"].as_str().unwrap().contains("one"), "{duplicate}");

    let one = list.as_array().unwrap().iter().find(|row| row["name"] == "one").unwrap();
    assert_eq!(one["displays"].as_array().unwrap().len(), 2, "{one}");
    let exports = host.run(&["desktop", "env", "one"]).expect_ok().text();
    let script =
        format!("{exports}\n{} windows --format json; echo \"$DISPLAY\"", binary().display());
    let mut shell = Command::new("bash");
    let inside = Outcome::of(shell.args(["-c", &script]));
    let output = inside.expect_ok().text();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines, ["[]", one["display"].as_str().unwrap()], "{inside}");

    host.run(&["desktop", "down", "one"]).expect_ok();
    let list = host.run(&["desktop", "list", "--format", "json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    host.run(&["desktop", "down", "--all"]).expect_ok();
    host.assert_nothing_left();
}

#[test]
fn app_on_a_new_desktop_is_found_by_a_command_on_it() {
    let host = NoDisplay::new();
    let binary = binary();
    let script = format!(
        "mousepad & i=0; until {0} find 'role:menu title:File' --app mousepad --format json; do \
         sleep 0.2; i=$((i+1)); [ $i -lt 100 ] || exit 9; done",
        binary.display()
    );
    let outcome = host.run(&["desktop", "run", "--", "sh", "-c", &script]);
    let found = outcome.json();
    assert_eq!(found["title"], "File", "{found}");
    host.assert_nothing_left();
}
