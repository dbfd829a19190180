//! Private desktops from the command line, and the one a command starts for itself.

use std::process::Command;

use harness::Outcome;
use harness::outcome::binary;

/// A command in a place where no display is, with a state folder that no other test uses.
struct Bare {
    folder: tempfile::TempDir,
}

impl Bare {
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

    /// The processes that still carry the mark of a desktop of this folder.
    fn left(&self) -> Vec<String> {
        let wanted = format!("DESKHAND_DESKTOPS={}", self.folder.path().join("s").display());
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let named = entries.filter(|entry| {
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes())
        });
        let name = |entry: std::fs::DirEntry| {
            std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default()
        };
        named.map(name).filter(|name| !name.is_empty()).collect()
    }

    fn assert_nothing_left(&self) {
        assert_eq!(self.left(), Vec::<String>::new());
        let list = self.run(&["desktop", "list", "--format", "json"]).json();
        assert_eq!(list, serde_json::json!([]));
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // A test that failed half-way leaves nothing either.
        let mut command = Command::new(binary());
        command
            .args(["desktop", "down", "--all"])
            .env("DESKHAND_DESKTOPS", self.folder.path().join("s"));
        let _ = command.output();
    }
}

#[test]
fn where_no_display_is_a_command_starts_a_desktop_for_itself_and_says_so() {
    let bare = Bare::new();
    for command in ["check", "apps", "windows"] {
        let outcome = bare.run(&[command, "--format", "json"]);
        assert!(outcome.stderr.contains("private desktop"), "{outcome}");
        outcome.json();
        bare.assert_nothing_left();
    }
    let outcome = bare.run(&["find", "x", "--format", "json"]);
    assert_eq!(outcome.code, Some(1), "{outcome}");
    assert!(outcome.stderr.lines().last().unwrap().contains("\"error\""), "{outcome}");
    bare.assert_nothing_left();
}

#[test]
fn where_no_desktop_comes_up_nothing_was_sent() {
    let bare = Bare::new();
    let run = |words: &[&str]| {
        let mut command = bare.command(words);
        Outcome::of(command.args(["--format", "json"]).env("PATH", bare.folder.path())).error()
    };
    for words in [["click", "x"].as_slice(), &["pointer", "click", "1", "1"], &["key", "a"]] {
        let error = run(words);
        assert_eq!(error["delivery"], "not_sent", "{words:?}: {error}");
    }
    let error = run(&["windows"]);
    assert!(error["code"].is_string() && error["delivery"].is_null(), "{error}");
}

#[test]
fn run_returns_the_exit_code_and_leaves_nothing() {
    let bare = Bare::new();
    for (script, code) in [("exit 7", 7), ("true", 0), ("kill -TERM $$", 143)] {
        let outcome = bare.run(&["desktop", "run", "--", "sh", "-c", script]);
        assert_eq!(outcome.code, Some(code), "{outcome}");
        bare.assert_nothing_left();
    }
    let left =
        bare.run(&["desktop", "run", "--", "sh", "-c", "setsid sleep 300 & setsid sleep 300 &"]);
    left.expect_ok();
    bare.assert_nothing_left();
    let missing = bare.run(&["desktop", "run", "--", "no-such-program-anywhere"]);
    assert_eq!(missing.code, Some(1), "{missing}");
    assert!(missing.stderr.contains("no-such-program-anywhere"), "{missing}");
    bare.assert_nothing_left();
}

#[test]
fn up_list_env_and_down_belong_together() {
    let bare = Bare::new();
    let up = bare.run(&["desktop", "up", "--name", "one", "--displays", "800x600,640x480"]);
    assert!(up.expect_ok().text().contains("one"), "{up}");
    bare.run(&["desktop", "up", "--size", "1024x768", "--format", "json"]).json();
    let list = bare.run(&["desktop", "list", "--format", "json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 2, "{list}");
    let taken = bare.run(&["desktop", "up", "--name", "one", "--format", "json"]);
    assert!(taken.error()["message"].as_str().unwrap().contains("one"), "{taken}");

    let one = list.as_array().unwrap().iter().find(|row| row["name"] == "one").unwrap();
    assert_eq!(one["displays"].as_array().unwrap().len(), 2, "{one}");
    let exports = bare.run(&["desktop", "env", "one"]).expect_ok().text();
    let script =
        format!("{exports}\n{} windows --format json; echo \"$DISPLAY\"", binary().display());
    let mut shell = Command::new("bash");
    let inside = Outcome::of(shell.args(["-c", &script]));
    let said = inside.expect_ok().text();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, ["[]", one["display"].as_str().unwrap()], "{inside}");

    bare.run(&["desktop", "down", "one"]).expect_ok();
    let list = bare.run(&["desktop", "list", "--format", "json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    bare.run(&["desktop", "down", "--all"]).expect_ok();
    bare.assert_nothing_left();
}

#[test]
fn an_app_on_a_fresh_desktop_is_seen_from_inside() {
    let bare = Bare::new();
    let binary = binary();
    let script = format!(
        "mousepad & i=0; until {0} find 'role:menu title:File' --app mousepad --format json; do \
         sleep 0.2; i=$((i+1)); [ $i -lt 100 ] || exit 9; done",
        binary.display()
    );
    let outcome = bare.run(&["desktop", "run", "--", "sh", "-c", &script]);
    let found = outcome.json();
    assert_eq!(found["title"], "File", "{found}");
    bare.assert_nothing_left();
}
