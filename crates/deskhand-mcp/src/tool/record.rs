//! The log records of a call: one for every call, and the audit record of calls that change something.
//! They contain the target, the outcome and the duration, never text that was typed, read or copied.

use std::time::Duration;

use deskhand_engine::{Cost, Reply, Stopped};
use serde_json::{Value, json};

use super::call::Job;
use crate::{ask::Voice, server::log::Level};

/// Logger name of audit records.
const AUDIT: &str = "deskhand.audit";

/// The summary of a call.
pub(super) struct Went<'a> {
    /// The reply.
    pub(super) reply: &'a Reply,
    /// The duration.
    pub(super) took: Duration,
    /// The cost of its accessibility calls.
    pub(super) cost: Cost,
}

/// Returns the logger name of a tool.
pub(super) fn logger(tool: &str) -> String {
    format!("deskhand.tools.{}", tool.strip_prefix("ax_").unwrap_or(tool))
}

/// Sends the log record of a call.
pub(super) async fn send(job: &Job, voice: &Voice, went: Went<'_>) {
    voice.client.log(level(&went), &logger(&job.tool), data(job, &went)).await;
}

/// Sends an audit record, as a notice or, if the call was refused, as an alert.
pub(super) async fn audit(voice: &Voice, level: Level, record: Value) {
    voice.client.log(level, AUDIT, record).await;
}

fn level(went: &Went<'_>) -> Level {
    match went.reply {
        // The client knows that it cancelled the call.
        Err(Stopped::Failure(failure)) if failure.code == "cancelled" => Level::Info,
        Err(Stopped::Failure(_)) => Level::Error,
        Ok(_) | Err(Stopped::Pause(_)) if went.took > SLOW => Level::Warning,
        // The element was found by a fallback.
        Ok(answer) if answer.data.get("healed").is_some() => Level::Notice,
        Ok(_) | Err(Stopped::Pause(_)) => Level::Info,
    }
}

fn data(job: &Job, went: &Went<'_>) -> Value {
    let mut data = json!({
        "tool": job.tool,
        "duration_ms": milliseconds(went.took),
        "ax_duration_ms": milliseconds(went.cost.waited),
        "cache_hit": went.cost.is_from_memory(),
    });
    for field in ["app", "query", "strategy"] {
        if let Some(value) = job.arguments.get(field).filter(|value| value.is_string()) {
            data[field] = value.clone();
        }
    }
    match went.reply {
        Ok(answer) => {
            for field in ["effect", "found", "strategy"] {
                if let Some(value) = answer.data.get(field) {
                    data[field] = value.clone();
                }
            }
        }
        Err(Stopped::Failure(failure)) => {
            data["code"] = json!(failure.code);
            if let Some(delivery) = failure.delivery {
                data["delivery"] = json!(delivery);
            }
        }
        Err(Stopped::Pause(_)) => data["code"] = json!("input_required"),
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
