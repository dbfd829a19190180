//! Command-line tools, as clients of the real server meet them: what runs is real, and what came of it is
//! seen on the disk and in the table of processes.

pub(crate) mod cancelling;
pub(crate) mod ending;
pub(crate) mod operations;
pub(crate) mod programs;
pub(crate) mod reload;
pub(crate) mod sessions;
pub(crate) mod terminals;

use std::{fs, path::Path, process::Command};

use harness::Stage;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::talk::Talk;

/// A folder commands are bound to.
pub(crate) struct Scope(TempDir);

impl Scope {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// What a file in it holds.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    /// Puts a definition of tools into it.
    pub(crate) fn define(&self, definition: &Value) {
        let folder = self.path().join(".deskhand/tools");
        fs::create_dir_all(&folder).unwrap();
        let name = definition["name"].as_str().unwrap();
        fs::write(folder.join(format!("{name}.json")), definition.to_string()).unwrap();
    }
}

/// A server of the command-line tools for a client of the handshake.
pub(crate) fn talk(stage: &Stage, scope: &Scope, options: &[&str]) -> Talk {
    changed(stage, scope, options, |_| {})
}

/// The same, with a change to the command that starts it.
pub(crate) fn changed(
    stage: &Stage,
    scope: &Scope,
    options: &[&str],
    change: impl FnOnce(&mut Command),
) -> Talk {
    let options = [&["--toolsets", "cli"], options].concat();
    let mut talk = Talk::begin_changed(stage, &options, |command| {
        command.current_dir(scope.path());
        change(command);
    });
    let answer = talk.initialize("2025-11-25", json!({}));
    assert!(answer["result"].is_object(), "{answer}");
    talk.notify("notifications/initialized", json!({}));
    talk
}

/// The arguments of a command that is waited for.
pub(crate) fn at_once(command: &str) -> Value {
    json!({ "command": command, "execution_mode": "Synchronous", "timeout_seconds": 120 })
}

/// Runs a command to its end; the whole result.
pub(crate) fn run(talk: &mut Talk, command: &str) -> Value {
    talk.call("sandboxed_shell", at_once(command))
}

/// What a command prints that ends well.
pub(crate) fn printed(talk: &mut Talk, command: &str) -> String {
    let result = run(talk, command);
    assert_eq!(result["isError"], false, "{command}: {result}");
    result["structuredContent"]["output"].as_str().unwrap().to_owned()
}

/// Begins a command; the id of its operation.
pub(crate) fn begin(talk: &mut Talk, command: &str) -> String {
    let result = talk.call("sandboxed_shell", json!({ "command": command }));
    assert_eq!(result["structuredContent"]["status"], "started", "{result}");
    result["structuredContent"]["operation_id"].as_str().unwrap().to_owned()
}

/// A number of seconds nobody else sleeps for: its processes are found by it.
pub(crate) fn mark() -> String {
    format!("7{:03}.{:06}", fastrand::u32(0..1000), fastrand::u32(0..1_000_000))
}

/// A script whose processes fork away, leave their session and heed no signal that can be ignored.
pub(crate) fn stubborn(mark: &str) -> String {
    format!(
        "trap '' TERM INT HUP\n\
         (setsid sh -c 'trap \"\" TERM HUP; (sleep {mark} &) ; sleep {mark}' &)\n\
         nohup sleep {mark} >/dev/null 2>&1 &\n\
         sleep {mark}\n"
    )
}

/// The processes that carry a mark.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let of = |entry: fs::DirEntry| -> Option<u32> {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(mark).then_some(pid)
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.ok()?)).collect()
}

/// Waits until so many processes carry a mark.
pub(crate) fn come_to(mark: &str, count: usize) {
    let is_so = harness::desk::until(|| marked(mark).len() >= count);
    assert!(is_so, "only {:?} of {count} carry {mark}", marked(mark));
}

/// Waits until no process carries a mark.
pub(crate) fn are_gone(mark: &str) {
    let is_so = harness::desk::until(|| marked(mark).is_empty());
    assert!(is_so, "{:?} carry {mark} still", marked(mark));
}
