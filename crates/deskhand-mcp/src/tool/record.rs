//! The log records of a call: one for whoever follows along, and one more for what changed
//! something. They tell what was asked of what, how it went and how long it took; never what was
//! typed, read or copied.

use std::time::Duration;

use deskhand_engine::{Cost, Reply, Stopped};
use serde_json::{Value, json};

use super::call::Job;
use crate::{ask::Voice, server::log::Level};

/// Who speaks of what has changed something.
const AUDIT: &str = "deskhand.audit";

/// How long a call may take before its record is a warning.
const SLOW: Duration = Duration::from_secs(1);

/// How a call went.
pub(super) struct Went<'a> {
    /// What came of it.
    pub(super) reply: &'a Reply,
    /// How long it took.
    pub(super) took: Duration,
    /// What it cost the apps.
    pub(super) cost: Cost,
}

/// The name records of a tool go by.
pub(super) fn logger(tool: &str) -> String {
    format!("deskhand.tools.{}", tool.strip_prefix("ax_").unwrap_or(tool))
}

/// Sends the record of a call.
pub(super) async fn send(job: &Job, voice: &Voice, went: Went<'_>) {
    voice.client.log(level(&went), &logger(&job.tool), data(job, &went)).await;
}

/// Sends what the journal has of a call, as a notice or, where it was not let through, as an alert.
pub(super) async fn audit(voice: &Voice, level: Level, record: Value) {
    voice.client.log(level, AUDIT, record).await;
}

fn level(went: &Went<'_>) -> Level {
    match went.reply {
        // Whoever cancels knows.
        Err(Stopped::Failure(failure)) if failure.code == "cancelled" => Level::Info,
        Err(Stopped::Failure(_)) => Level::Error,
        Ok(_) | Err(Stopped::Pause(_)) if went.took > SLOW => Level::Warning,
        // Another way than the usual one led to the element.
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

/// Milliseconds with as many decimals as mean something.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_goes_by_its_own_word() {
        assert_eq!(logger("ax_find"), "deskhand.tools.find");
        assert_eq!(logger("list_windows"), "deskhand.tools.list_windows");
    }

    #[test]
    fn times_are_told_to_a_hundredth_of_a_millisecond() {
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.23);
    }
}
