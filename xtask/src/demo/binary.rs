//! Runs the built binary: one process per call.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::process;

/// The interval of checks: short, so that the demo does not wait noticeably.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

pub(super) struct Binary {
    path: PathBuf,
}

impl Binary {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    /// Returns its output as text.
    pub(super) fn text(&self, words: &[&str]) -> Result<String> {
        process::output(Command::new(&self.path).args(words))
    }

    /// Returns its output as JSON.
    pub(super) fn json(&self, words: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.path);
        command.args(words).args(["--format", "json"]);
        let output = process::output(&mut command)?;
        serde_json::from_str(&output).map_err(|problem| Error::UnexpectedOutput {
            command: process::command_line(&command),
            problem: problem.to_string(),
        })
    }
}

/// Repeats a check until it returns a value, or the timeout ends.
pub(super) fn wait_for<T>(
    what: &str,
    timeout: Duration,
    mut check: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = check()? {
            return Ok(found);
        }
        if start.elapsed() > timeout {
            let problem = format!("{what} did not appear within {} s", timeout.as_secs());
            return Err(Error::Demo { problem });
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Returns every string with this key, at any depth.
pub(super) fn strings<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| strings(item, key)).collect(),
        Value::Object(fields) => {
            let here = fields.get(key).and_then(Value::as_str);
            here.into_iter().chain(fields.values().flat_map(|it| strings(it, key))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_found_at_any_depth() {
        let tree = json!({ "value": "a", "children": [{ "value": "b" }, { "value": 3 }] });
        assert_eq!(strings(&tree, "value"), ["a", "b"]);
    }

    #[test]
    fn waiting_ends() {
        let error = wait_for::<()>("the window", Duration::ZERO, || Ok(None)).unwrap_err();
        assert_eq!(error.to_string(), "the demo failed: the window did not appear within 0 s");
    }
}
