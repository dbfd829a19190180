//! The log records of a call: one for whoever follows along, and one more for what changed
//! something. They tell what was asked of what, how it went and how long it took; never what was
//! typed, read or copied.

use std::time::Duration;

use deskhand_engine::{Asked, Cost, Question, Reply, Stopped};
use serde_json::{Value, json};

use super::call::Job;
use crate::{ask::Voice, server::log::Level};

/// Who speaks of what has changed something.
const AUDIT: &str = "deskhand.audit";

/// How long a call may take before its record is a warning.
const SLOW: Duration = Duration::from_secs(1);

/// The question before something that may be lost, and how records call its reason.
const CONFIRM: &str = "confirm";
const DESTRUCTIVE: &str = "destructive_keyword";

/// What a person was asked on the way, as records tell it.
#[derive(Debug, Default)]
pub(super) struct Leave {
    flags: Vec<&'static str>,
    confirmed: Option<bool>,
}

impl Leave {
    /// Notes a question and its answer.
    pub(super) fn note(&mut self, question: &Question, asked: &Asked) {
        if question.key != CONFIRM {
            return;
        }
        self.flags = vec![DESTRUCTIVE];
        self.confirmed = match asked {
            Asked::Given(answer) => Some(answer[CONFIRM] == true),
            Asked::Declined | Asked::Cancelled => Some(false),
            Asked::Nobody | Asked::Later => None,
        };
    }
}

/// How a call went.
pub(super) struct Went<'a> {
    /// What came of it.
    pub(super) reply: &'a Reply,
    /// How long it took.
    pub(super) took: Duration,
    /// What it cost the apps.
    pub(super) cost: Cost,
    /// What a person was asked.
    pub(super) leave: Leave,
}

/// The name records of a tool go by.
pub(super) fn logger(tool: &str) -> String {
    format!("deskhand.tools.{}", tool.strip_prefix("ax_").unwrap_or(tool))
}

/// Sends the records of a call.
pub(super) async fn send(job: &Job, voice: &Voice, went: Went<'_>) {
    let data = data(job, &went);
    let logger = logger(&job.tool);
    voice.client.log(level(&went), &logger, data.clone()).await;
    let hints = job.connection.state.tools.get(&job.tool).ok();
    let changes = hints
        .and_then(|offered| offered.tool.annotations.as_ref())
        .is_some_and(|hints| hints.read_only_hint == Some(false));
    // A call that waits for an answer has changed nothing, and is told of when it is made again.
    if changes && !matches!(went.reply, Err(Stopped::Pause(_))) {
        voice.client.log(Level::Notice, AUDIT, audited(data, went.leave)).await;
    }
}

fn audited(mut data: Value, leave: Leave) -> Value {
    if let Some(confirmed) = leave.confirmed {
        data["confirmed"] = json!(confirmed);
        if !confirmed {
            data["code"] = json!("elicitation_declined");
        }
    }
    if !leave.flags.is_empty() {
        data["security_flags"] = json!(leave.flags);
    }
    data
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
    use deskhand_engine::questions;

    use super::*;

    #[test]
    fn a_tool_goes_by_its_own_word() {
        assert_eq!(logger("ax_find"), "deskhand.tools.find");
        assert_eq!(logger("list_windows"), "deskhand.tools.list_windows");
    }

    #[test]
    fn an_answer_to_a_warning_is_told_and_other_questions_are_not() {
        let question = questions::may_lose("Click", "button \"Delete\"", "delete");
        let of = |asked: &Asked| {
            let mut leave = Leave::default();
            leave.note(&question, asked);
            audited(json!({ "tool": "t" }), leave)
        };
        let yes = of(&Asked::Given(json!({ "confirm": true })));
        assert_eq!(yes["confirmed"], true, "{yes}");
        assert_eq!(yes["security_flags"], json!(["destructive_keyword"]));
        assert!(yes.get("code").is_none());
        for no in [Asked::Declined, Asked::Cancelled, Asked::Given(json!({ "confirm": false }))] {
            let told = of(&no);
            assert_eq!(
                (&told["confirmed"], &told["code"]),
                (&json!(false), &json!("elicitation_declined"))
            );
        }
        let nobody = of(&Asked::Nobody);
        assert!(nobody.get("confirmed").is_none() && nobody["security_flags"].is_array());
        let mut leave = Leave::default();
        leave.note(&questions::permission(), &Asked::Declined);
        assert_eq!(audited(json!({ "tool": "t" }), leave), json!({ "tool": "t" }));
    }

    #[test]
    fn times_are_told_to_a_hundredth_of_a_millisecond() {
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.23);
    }
}
