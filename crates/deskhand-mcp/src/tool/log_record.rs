//! The log records of a call: one for every call, and the audit record of calls that change
//! something. They contain the target, the outcome and the duration, never text that was typed,
//! read or copied.

use std::time::Duration;

use deskhand_engine::{CallError, CallResult, Cost};
use serde_json::{Value, json};

use super::call::ToolCall;
use crate::{input::ClientPrompt, server::log::LogLevel, timing};

/// Logger name of audit records.
const AUDIT_LOGGER: &str = "deskhand.audit";

/// The summary of a call.
pub(super) struct CallSummary<'a> {
    /// The reply.
    pub(super) reply: &'a CallResult,
    /// The duration.
    pub(super) duration: Duration,
    /// The cost of its accessibility calls.
    pub(super) cost: Cost,
}

/// Returns the logger name of a tool.
pub(super) fn logger(tool: &str) -> String {
    format!("deskhand.tools.{}", tool.strip_prefix("ax_").unwrap_or(tool))
}

/// Sends the log record of a call.
pub(super) async fn send(call: &ToolCall, prompt: &ClientPrompt, summary: CallSummary<'_>) {
    prompt.client.log(level(&summary), &logger(&call.tool), data(call, &summary)).await;
}

/// Sends an audit record, as a notice or, if the call was refused, as an alert.
pub(super) async fn audit(prompt: &ClientPrompt, level: LogLevel, record: Value) {
    prompt.client.log(level, AUDIT_LOGGER, record).await;
}

fn level(summary: &CallSummary<'_>) -> LogLevel {
    match summary.reply {
        // The client knows that it cancelled the call.
        Err(CallError::Failure(failure)) if failure.code == "cancelled" => LogLevel::Info,
        Err(CallError::Failure(_)) => LogLevel::Error,
        Ok(_) | Err(CallError::Pause(_)) if summary.duration > timing::SLOW_CALL => {
            LogLevel::Warning
        }
        // The element was found by a fallback.
        Ok(answer) if answer.data.get("healed").is_some() => LogLevel::Notice,
        Ok(_) | Err(CallError::Pause(_)) => LogLevel::Info,
    }
}

fn data(call: &ToolCall, summary: &CallSummary<'_>) -> Value {
    let mut data = json!({
        "tool": call.tool,
        "duration_ms": milliseconds(summary.duration),
        "ax_duration_ms": milliseconds(summary.cost.waited),
        "cache_hit": summary.cost.used_cache(),
    });
    for field in ["app", "query", "strategy"] {
        if let Some(value) = call.arguments.get(field).filter(|value| value.is_string()) {
            data[field] = value.clone();
        }
    }
    match summary.reply {
        Ok(answer) => {
            for field in ["effect", "found", "strategy"] {
                if let Some(value) = answer.data.get(field) {
                    data[field] = value.clone();
                }
            }
        }
        Err(CallError::Failure(failure)) => {
            data["code"] = json!(failure.code);
            if let Some(delivery) = failure.delivery {
                data["delivery"] = json!(delivery);
            }
        }
        Err(CallError::Pause(_)) => data["code"] = json!("input_required"),
    }
    data
}

/// Returns milliseconds rounded to two decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logger_is_named_after_its_tool() {
        assert_eq!(logger("ax_find"), "deskhand.tools.find");
        assert_eq!(logger("list_windows"), "deskhand.tools.list_windows");
    }

    #[test]
    fn durations_have_two_decimals() {
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.23);
    }
}
