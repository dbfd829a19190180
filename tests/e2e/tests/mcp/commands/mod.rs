//! Command-line tools of the real server. Results are checked on the disk and in the process table.

pub(crate) mod cancellation;
pub(crate) mod http_sessions;
pub(crate) mod operations;
pub(crate) mod process_cleanup;
pub(crate) mod programs;
pub(crate) mod reload;
pub(crate) mod terminals;

use std::{fs, path::Path, process::Command};

use harness::TestDesktop;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::stdio_client::StdioClient;

/// A temporary folder that is the sandbox scope.
pub(crate) struct Scope(TempDir);

impl Scope {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Reads a file in the folder.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes a tool definition into the folder.
    pub(crate) fn define(&self, definition: &Value) {
        let folder = self.path().join(".deskhand/tools");
        fs::create_dir_all(&folder).unwrap();
        let name = definition["name"].as_str().unwrap();
        fs::write(folder.join(format!("{name}.json")), definition.to_string()).unwrap();
    }
}

/// Starts a server with the command-line tools and an initialized client.
pub(crate) fn start_client(stage: &TestDesktop, scope: &Scope, options: &[&str]) -> StdioClient {
    start_client_with(stage, scope, options, |_| {})
}

/// Starts a server after changing its command.
pub(crate) fn start_client_with(
    stage: &TestDesktop,
    scope: &Scope,
    options: &[&str],
    change: impl FnOnce(&mut Command),
) -> StdioClient {
    let options = [&["--toolsets", "cli"], options].concat();
    let mut client = StdioClient::start_with(stage, &options, |command| {
        command.current_dir(scope.path());
        change(command);
    });
    let answer = client.initialize("2025-11-25", json!({}));
    assert!(answer["result"].is_object(), "{answer}");
    client.notify("notifications/initialized", json!({}));
    client
}

/// Arguments of a synchronous command.
pub(crate) fn synchronous_args(command: &str) -> Value {
    json!({ "command": command, "execution_mode": "Synchronous", "timeout_seconds": 120 })
}

/// Runs a command to its end and returns the whole result.
pub(crate) fn run(client: &mut StdioClient, command: &str) -> Value {
    client.call("sandboxed_shell", synchronous_args(command))
}

/// Returns the output of a successful command.
pub(crate) fn output_of(client: &mut StdioClient, command: &str) -> String {
    let result = run(client, command);
    assert_eq!(result["isError"], false, "{command}: {result}");
    result["structuredContent"]["output"].as_str().unwrap().to_owned()
}

/// Starts a command and returns its operation id.
pub(crate) fn start_operation(client: &mut StdioClient, command: &str) -> String {
    let result = client.call("sandboxed_shell", json!({ "command": command }));
    assert_eq!(result["structuredContent"]["status"], "started", "{result}");
    result["structuredContent"]["operation_id"].as_str().unwrap().to_owned()
}

/// A unique number of seconds for `sleep`, which identifies the processes of a test.
pub(crate) fn unique_marker() -> String {
    format!("7{:03}.{:06}", fastrand::u32(0..1000), fastrand::u32(0..1_000_000))
}

/// A script whose processes fork, leave their session and ignore all ignorable signals.
pub(crate) fn signal_ignoring_script(marker: &str) -> String {
    format!(
        "trap '' TERM INT HUP\n\
         (setsid sh -c 'trap \"\" TERM HUP; (sleep {marker} &) ; sleep {marker}' &)\n\
         nohup sleep {marker} >/dev/null 2>&1 &\n\
         sleep {marker}\n"
    )
}

/// Processes with the marker on their command line.
pub(crate) fn marked_processes(marker: &str) -> Vec<u32> {
    let matching_pid = |entry: fs::DirEntry| -> Option<u32> {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(marker).then_some(pid)
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| matching_pid(entry.ok()?)).collect()
}

/// Waits until at least `count` processes have the marker.
pub(crate) fn wait_for_processes(marker: &str, count: usize) {
    let reached = harness::inspect::wait_until(|| marked_processes(marker).len() >= count);
    assert!(
        reached,
        "only {:?} of {count} processes have the marker {marker}",
        marked_processes(marker)
    );
}

/// Waits until no process has the marker.
pub(crate) fn wait_until_gone(marker: &str) {
    let reached = harness::inspect::wait_until(|| marked_processes(marker).is_empty());
    assert!(reached, "processes {:?} still have the marker {marker}", marked_processes(marker));
}
