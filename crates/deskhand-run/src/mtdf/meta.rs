//! Arguments every tool takes, which say how a command runs and never become part of it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::Error;

/// The longest a command may run, in seconds: a day.
pub(super) const LONGEST: u64 = 86_400;

/// Their names.
pub(super) const NAMES: &[&str] = &["working_directory", "execution_mode", "timeout_seconds"];

/// Whether a call answers when its command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
pub enum Mode {
    /// When it has ended.
    #[serde(alias = "synchronous")]
    Synchronous,
    /// At once; the result is pushed.
    #[serde(alias = "asyncresultpush", alias = "async_result_push")]
    AsyncResultPush,
}

/// What a call says about how it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Meta {
    pub(super) folder: Option<String>,
    pub(super) mode: Option<Mode>,
    pub(super) timeout: Option<Duration>,
}

impl Meta {
    pub(super) fn read(arguments: &Map<String, Value>) -> Result<Self, Error> {
        let given = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        let wrong = |name: &'static str, wanted: &'static str| Error::WrongType {
            name: name.to_owned(),
            wanted: wanted.to_owned(),
        };
        let folder = match given("working_directory") {
            None => None,
            Some(Value::String(text)) if text.is_empty() => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => return Err(wrong("working_directory", "the path of a folder")),
        };
        let mode =
            match given("execution_mode") {
                None => None,
                Some(value) => Some(value.as_str().and_then(mode).ok_or_else(|| {
                    wrong("execution_mode", "`Synchronous` or `AsyncResultPush`")
                })?),
            };
        let timeout = match given("timeout_seconds") {
            None => None,
            Some(value) => Some(
                value
                    .as_u64()
                    .filter(|seconds| (1..=LONGEST).contains(seconds))
                    .ok_or_else(|| wrong("timeout_seconds", "a whole number from 1 to 86400"))?,
            ),
        };
        Ok(Self { folder, mode, timeout: timeout.map(Duration::from_secs) })
    }
}

fn mode(word: &str) -> Option<Mode> {
    match word.to_lowercase().as_str() {
        "synchronous" => Some(Mode::Synchronous),
        "asyncresultpush" => Some(Mode::AsyncResultPush),
        _ => None,
    }
}

/// Their part of an input schema.
pub(super) fn properties() -> [(&'static str, Value); 3] {
    [
        (
            "working_directory",
            json!({
                "type": "string",
                "format": "path",
                "description": "The folder to run in, inside the scope; the scope itself when absent.",
            }),
        ),
        (
            "execution_mode",
            json!({
                "type": "string",
                "enum": ["Synchronous", "AsyncResultPush"],
                "description": "Whether to answer when the command has ended, or at once with the \
                                result pushed later.",
            }),
        ),
        (
            "timeout_seconds",
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": LONGEST,
                "description": "How long the command may run.",
            }),
        ),
    ]
}
