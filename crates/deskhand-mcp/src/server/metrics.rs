//! Prometheus metrics: a counter and a histogram per tool, and gauges read at scrape time.

use std::time::Duration;

use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};
use rmcp::model::{CallToolResult, ErrorData};
use serde_json::Value;

use super::failure;
use crate::{Error, tool::call::CallOutcome};

/// Upper bounds of the histogram buckets, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The metrics of one server.
pub(crate) struct Metrics {
    registry: Registry,
    calls: IntCounterVec,
    seconds: HistogramVec,
    sessions: IntGauge,
    streams: IntGauge,
    buffered_bytes: IntGauge,
    subscriptions: IntGauge,
    tasks: IntGaugeVec,
}

/// Values of the gauges at scrape time.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    /// Number of sessions.
    pub(crate) sessions: usize,
    /// Number of open streams.
    pub(crate) streams: usize,
    /// Bytes in the event stores of all sessions.
    pub(crate) buffered_bytes: usize,
    /// Number of resource subscriptions.
    pub(crate) subscriptions: usize,
    /// Number of tasks by status.
    pub(crate) tasks: Vec<(&'static str, usize)>,
}

impl Metrics {
    /// Creates the metrics and registers them.
    pub(crate) fn new() -> Result<Self, Error> {
        Self::registered().map_err(|error| Error::Startup { reason: error.to_string() })
    }

    fn registered() -> prometheus::Result<Self> {
        let gauge = |name: &str, help: &str| IntGauge::new(name, help);
        let seconds =
            HistogramOpts::new("deskhand_call_seconds", "Duration of tool calls in seconds.")
                .buckets(BUCKETS.to_vec());
        let metrics = Self {
            registry: Registry::new(),
            calls: IntCounterVec::new(
                Opts::new(
                    "deskhand_calls_total",
                    "Finished tool calls, by tool, effect of the action and error code.",
                ),
                &["tool", "effect", "code"],
            )?,
            seconds: HistogramVec::new(seconds, &["tool"])?,
            sessions: gauge("deskhand_sessions", "Open client sessions.")?,
            streams: gauge("deskhand_streams", "Open event streams of sessions.")?,
            buffered_bytes: gauge(
                "deskhand_events_buffered_bytes",
                "Bytes of events stored for resumption.",
            )?,
            subscriptions: gauge("deskhand_subscriptions", "Active resource subscriptions.")?,
            tasks: IntGaugeVec::new(
                Opts::new("deskhand_tasks", "Stored tasks, by status."),
                &["status"],
            )?,
        };
        metrics.registry.register(Box::new(metrics.calls.clone()))?;
        metrics.registry.register(Box::new(metrics.seconds.clone()))?;
        metrics.registry.register(Box::new(metrics.tasks.clone()))?;
        for gauge in
            [&metrics.sessions, &metrics.streams, &metrics.buffered_bytes, &metrics.subscriptions]
        {
            metrics.registry.register(Box::new(gauge.clone()))?;
        }
        Ok(metrics)
    }

    /// Records a finished call.
    pub(crate) fn record_call(
        &self,
        tool: &str,
        outcome: &Result<CallOutcome, ErrorData>,
        took: Duration,
    ) {
        let (effect, code) = match outcome {
            Ok(CallOutcome::Done(result)) => (effect(result), failure::error_code(result)),
            Ok(CallOutcome::InputRequired) => (String::new(), "input_required".to_owned()),
            Err(error) => (String::new(), error.code.0.to_string()),
        };
        self.calls.with_label_values(&[tool, effect.as_str(), code.as_str()]).inc();
        self.seconds.with_label_values(&[tool]).observe(took.as_secs_f64());
    }

    /// Returns all metrics in the Prometheus text format.
    pub(crate) fn encode(&self, gauges: &Gauges) -> String {
        let set = |gauge: &IntGauge, to: usize| gauge.set(i64::try_from(to).unwrap_or(i64::MAX));
        set(&self.sessions, gauges.sessions);
        set(&self.streams, gauges.streams);
        set(&self.buffered_bytes, gauges.buffered_bytes);
        set(&self.subscriptions, gauges.subscriptions);
        for (status, count) in &gauges.tasks {
            set(&self.tasks.with_label_values(&[*status]), *count);
        }
        // The default registry holds the process metrics, where the platform supports them.
        let mut families = prometheus::gather();
        families.extend(self.registry.gather());
        // Encoding fails only for invalid metric names, and these are constants.
        TextEncoder::new().encode_to_string(&families).unwrap_or_default()
    }
}

fn effect(result: &CallToolResult) -> String {
    let data = result.structured_content.as_ref();
    let effect = data.and_then(|data| data.get("effect")).and_then(Value::as_str);
    effect.unwrap_or_default().to_owned()
}
