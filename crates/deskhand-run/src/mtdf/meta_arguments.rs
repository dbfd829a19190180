//! Arguments that every tool has. They control how a command runs and are not passed to it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::Error;
use crate::timing::MAX_TIMEOUT_SECONDS;

/// The names of the arguments.
pub(super) const NAMES: &[&str] = &["working_directory", "execution_mode", "timeout_seconds"];

/// The time at which a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Mode")]
pub enum ExecutionMode {
    /// When the command has ended.
    #[serde(alias = "synchronous")]
    Synchronous,
    /// At once. The result follows later.
    #[serde(alias = "asyncresultpush", alias = "async_result_push")]
    AsyncResultPush,
}

/// The values of these arguments in a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MetaArguments {
    pub(super) folder: Option<String>,
    pub(super) mode: Option<ExecutionMode>,
    pub(super) timeout: Option<Duration>,
}

impl MetaArguments {
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
                    .filter(|seconds| (1..=MAX_TIMEOUT_SECONDS).contains(seconds))
                    .ok_or_else(|| wrong("timeout_seconds", "a whole number from 1 to 86400"))?,
            ),
        };
        Ok(Self { folder, mode, timeout: timeout.map(Duration::from_secs) })
    }
}

fn mode(word: &str) -> Option<ExecutionMode> {
    match word.to_lowercase().as_str() {
        "synchronous" => Some(ExecutionMode::Synchronous),
        "asyncresultpush" => Some(ExecutionMode::AsyncResultPush),
        _ => None,
    }
}

/// Returns the schema of these arguments.
pub(super) fn properties() -> [(&'static str, Value); 3] {
    [
        (
            "working_directory",
            json!({
                "type": "string",
                "format": "path",
                "description": "Working folder, inside the scope (default: the scope).",
            }),
        ),
        (
            "execution_mode",
            json!({
                "type": "string",
                "enum": ["Synchronous", "AsyncResultPush"],
                "description": "Synchronous: return when the command has ended. AsyncResultPush: return at \
                                once, and push the result later.",
            }),
        ),
        (
            "timeout_seconds",
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_SECONDS,
                "description": "Timeout of the command in seconds.",
            }),
        ),
    ]
}
