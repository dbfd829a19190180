//! What is counted: each call where it ends, and how things stand when somebody looks.

use std::time::Duration;

use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};
use rmcp::model::{CallToolResult, ErrorData};
use serde_json::Value;

use super::failure;
use crate::{Error, tool::call::Ran};

/// The upper ends of the times calls are sorted by, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The counters of one server.
pub(crate) struct Meter {
    registry: Registry,
    calls: IntCounterVec,
    seconds: HistogramVec,
    sessions: IntGauge,
    streams: IntGauge,
    buffered_bytes: IntGauge,
    subscriptions: IntGauge,
    tasks: IntGaugeVec,
}

/// How things stand.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// How many sessions there are.
    pub(crate) sessions: usize,
    /// How many streams are read.
    pub(crate) streams: usize,
    /// How many bytes wait in the logs of sessions.
    pub(crate) buffered_bytes: usize,
    /// How many resources are subscribed to.
    pub(crate) subscriptions: usize,
    /// How many tasks stand how.
    pub(crate) tasks: Vec<(&'static str, usize)>,
}

impl Meter {
    /// Counters at zero.
    pub(crate) fn new() -> Result<Self, Error> {
        Self::registered().map_err(|error| Error::Start { why: error.to_string() })
    }

    fn registered() -> prometheus::Result<Self> {
        let gauge = |name: &str, help: &str| IntGauge::new(name, help);
        let seconds = HistogramOpts::new("deskhand_call_seconds", "How long calls of tools took.")
            .buckets(BUCKETS.to_vec());
        let meter = Self {
            registry: Registry::new(),
            calls: IntCounterVec::new(
                Opts::new(
                    "deskhand_calls_total",
                    "Calls of tools that ended, by what came of them: the effect of an action, the \
                     code of an error.",
                ),
                &["tool", "effect", "code"],
            )?,
            seconds: HistogramVec::new(seconds, &["tool"])?,
            sessions: gauge("deskhand_sessions", "Sessions of clients.")?,
            streams: gauge("deskhand_streams", "Streams of sessions that somebody reads.")?,
            buffered_bytes: gauge(
                "deskhand_events_buffered_bytes",
                "Bytes kept for clients that may come back.",
            )?,
            subscriptions: gauge("deskhand_subscriptions", "Resources subscribed to.")?,
            tasks: IntGaugeVec::new(
                Opts::new("deskhand_tasks", "Tasks that are kept, by how they stand."),
                &["status"],
            )?,
        };
        meter.registry.register(Box::new(meter.calls.clone()))?;
        meter.registry.register(Box::new(meter.seconds.clone()))?;
        meter.registry.register(Box::new(meter.tasks.clone()))?;
        for gauge in [&meter.sessions, &meter.streams, &meter.buffered_bytes, &meter.subscriptions]
        {
            meter.registry.register(Box::new(gauge.clone()))?;
        }
        Ok(meter)
    }

    /// Counts a call that has ended.
    pub(crate) fn ended(&self, tool: &str, ran: &Result<Ran, ErrorData>, took: Duration) {
        let (effect, code) = match ran {
            Ok(Ran::Done(result)) => (effect(result), failure::code(result)),
            Ok(Ran::Asks) => (String::new(), "input_required".to_owned()),
            Err(error) => (String::new(), error.code.0.to_string()),
        };
        self.calls.with_label_values(&[tool, effect.as_str(), code.as_str()]).inc();
        self.seconds.with_label_values(&[tool]).observe(took.as_secs_f64());
    }

    /// Everything as text.
    pub(crate) fn text(&self, levels: &Levels) -> String {
        let set = |gauge: &IntGauge, to: usize| gauge.set(i64::try_from(to).unwrap_or(i64::MAX));
        set(&self.sessions, levels.sessions);
        set(&self.streams, levels.streams);
        set(&self.buffered_bytes, levels.buffered_bytes);
        set(&self.subscriptions, levels.subscriptions);
        for (status, count) in &levels.tasks {
            set(&self.tasks.with_label_values(&[*status]), *count);
        }
        // The process counts itself where the platform lets it.
        let mut families = prometheus::gather();
        families.extend(self.registry.gather());
        // Names and labels are ours and in order, so nothing is left out.
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

fn effect(result: &CallToolResult) -> String {
    let data = result.structured_content.as_ref();
    let effect = data.and_then(|data| data.get("effect")).and_then(Value::as_str);
    effect.unwrap_or_default().to_owned()
}
