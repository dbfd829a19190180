//! The built binary as the demo drives it: one process a question.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::{Error, Result};
use crate::process;

pub(super) struct Hand {
    binary: PathBuf,
}

impl Hand {
    pub(super) fn new(binary: &Path) -> Self {
        Self { binary: binary.to_path_buf() }
    }

    /// What the binary prints for a person.
    pub(super) fn say(&self, words: &[&str]) -> Result<String> {
        process::answer(Command::new(&self.binary).args(words))
    }

    /// What it prints for a program.
    pub(super) fn ask(&self, words: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.binary);
        command.args(words).args(["--format", "json"]);
        let answer = process::answer(&mut command)?;
        serde_json::from_str(&answer).map_err(|problem| Error::Answer {
            command: process::line(&command),
            problem: problem.to_string(),
        })
    }
}

/// Asks again until there is an answer or the time is up.
pub(super) fn until<T>(
    what: &str,
    patience: Duration,
    mut ask: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = ask()? {
            return Ok(found);
        }
        if start.elapsed() > patience {
            let problem = format!("{what} did not come within {} s", patience.as_secs());
            return Err(Error::Demo { problem });
        }
        thread::sleep(Duration::from_millis(25));
    }
}

/// Every string found under this key, at any depth.
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
        let error = until::<()>("rain", Duration::ZERO, || Ok(None)).unwrap_err();
        assert_eq!(error.to_string(), "the demo failed: rain did not come within 0 s");
    }
}
