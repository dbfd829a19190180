//! The report on an operation.

use deskhand_run::{
    operation::{ExitReason, Operation, OperationState, StepOutcome, StepReport, Summary},
    output::Excerpt,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Render, Style, StyledLine, StyledText};

/// The report on one operation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OperationReport {
    /// The id of the operation, for `await`, `status`, `cancel` and `operation_output`.
    pub operation_id: String,
    /// The tool that was called.
    pub tool: String,
    /// `started`, `pending`, `running`, `completed`, `failed`, `cancelled` or `timed_out`.
    pub status: &'static str,
    /// The exit code, if the operation has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// The reason why the operation did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The run time in milliseconds.
    duration_ms: u64,
    /// The output of both streams in order. The middle of a long output is omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The number of output bytes.
    output_bytes: u64,
    /// The number of bytes omitted from `output`. `operation_output` returns them, if they were
    /// kept.
    #[serde(skip_serializing_if = "is_zero")]
    output_left_out: u64,
    /// The steps, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepStatus>,
    /// The next step for the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip)]
    state: OperationState,
}

/// The status of one step.
#[derive(Debug, Serialize, JsonSchema)]
struct StepStatus {
    /// The title of the step.
    title: String,
    /// `not_run`, `running`, `skipped`, `completed` or `failed`.
    status: &'static str,
    /// The exit code, or the reason why the step was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// The run time in milliseconds.
    duration_ms: u64,
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

impl OperationReport {
    /// Creates the report on an operation that was started in the background.
    pub fn started(operation: &Operation) -> Self {
        let summary = operation.summary();
        let next = "continue with other work: the result arrives as a notification; `await` waits \
                    for it, `status` shows how far it is";
        Self { status: "started", next: Some(next.to_owned()), ..Self::from_summary(summary) }
    }

    /// Creates a report without output.
    pub fn from_summary(summary: Summary) -> Self {
        let (exit_code, signal) = match summary.exit {
            Some(ExitReason::Exit(code)) => (Some(code), None),
            Some(ExitReason::Signal(signal)) => (None, Some(signal)),
            Some(ExitReason::NotStarted(_)) | None => (None, None),
        };
        Self {
            operation_id: summary.id,
            tool: summary.tool,
            status: summary.state.as_str(),
            exit_code,
            signal,
            why: summary.reason,
            duration_ms: milliseconds(summary.ran_for),
            output: None,
            output_bytes: summary.output_bytes,
            output_left_out: 0,
            steps: summary.steps.into_iter().map(step_status).collect(),
            next: None,
            state: summary.state,
        }
    }

    /// Creates a report with output of at most this many bytes.
    pub fn with_output(operation: &Operation, bytes: usize) -> Self {
        let mut report = Self::from_summary(operation.summary());
        let excerpt = operation.excerpt(bytes);
        report.output_left_out = excerpt.omitted;
        report.output = Some(format_output(&excerpt, &report.operation_id));
        report
    }

    /// Returns `true` if a program of the operation could not be started.
    pub fn could_not_start(&self) -> bool {
        self.state == OperationState::Failed && self.exit_code.is_none() && self.signal.is_none()
    }

    /// Sets the next step for the caller.
    pub fn set_next(&mut self, text: &str) {
        self.next = Some(text.to_owned());
    }

    /// Returns `true` unless the operation has failed.
    pub fn is_ok(&self) -> bool {
        match self.state {
            OperationState::Pending | OperationState::Running | OperationState::Completed => true,
            OperationState::Failed | OperationState::Cancelled | OperationState::TimedOut => false,
        }
    }

    /// Returns the status in one line.
    pub fn headline(&self) -> StyledLine {
        let mut text = self.status.replace('_', " ");
        if let Some(code) = self.exit_code {
            text.push_str(&format!(", exit code {code}"));
        }
        if let Some(signal) = self.signal {
            text.push_str(&format!(", signal {signal}"));
        }
        let seconds = self.duration_ms as f64 / 1e3;
        StyledLine::new()
            .with(Style::Handle, &self.operation_id)
            .with(Style::Strong, &self.tool)
            .with(if self.is_ok() { Style::Plain } else { Style::Warning }, text)
            .with(Style::Faint, format!("{seconds:.1} s, {} bytes", self.output_bytes))
    }
}

fn format_output(excerpt: &Excerpt, id: &str) -> String {
    if excerpt.omitted == 0 {
        return excerpt.head.clone();
    }
    let Excerpt { head, tail, omitted: left_out, .. } = excerpt;
    let whole = match excerpt.lost {
        0 => String::new(),
        lost => format!(", {lost} of them were not stored"),
    };
    format!(
        "{head}\n… {left_out} bytes omitted{whole}: operation_output with operation_id {id} \
         shows them …\n{tail}"
    )
}

fn step_status(report: StepReport) -> StepStatus {
    let (status, detail) = match report.outcome {
        StepOutcome::NotRun => ("not_run", None),
        StepOutcome::Running => ("running", None),
        StepOutcome::Skipped(why) => ("skipped", Some(why)),
        StepOutcome::Exited(ExitReason::Exit(0)) => ("completed", None),
        StepOutcome::Exited(ExitReason::Exit(code)) => {
            ("failed", Some(format!("exit code {code}")))
        }
        StepOutcome::Exited(ExitReason::Signal(signal)) => {
            ("failed", Some(format!("signal {signal}")))
        }
        StepOutcome::Exited(ExitReason::NotStarted(why)) => ("failed", Some(why)),
    };
    StepStatus { title: report.title, status, detail, duration_ms: milliseconds(report.duration) }
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Render for OperationReport {
    fn render(&self) -> StyledText {
        let mut page = StyledText::default();
        let output = self.output.as_deref().unwrap_or_default();
        // After a success the output is enough.
        let plain =
            self.state == OperationState::Completed && self.steps.is_empty() && !output.is_empty();
        if !plain {
            page = page.line(self.headline());
            if let Some(why) = &self.why {
                page = page.line(StyledLine::new().with(Style::Warning, why));
            }
        }
        for step in &self.steps {
            let line = StyledLine { indent: 1, spans: Vec::new() }
                .with(Style::Kind, step.status.replace('_', " "))
                .with(Style::Plain, &step.title)
                .with(Style::Faint, step.detail.as_deref().unwrap_or_default());
            page = page.line(line);
        }
        for line in output.lines() {
            page = page.line(StyledLine::new().with(Style::Plain, line));
        }
        match &self.next {
            Some(next) => page.line(StyledLine::new().with(Style::Faint, next)),
            None => page,
        }
    }

    fn succeeded(&self) -> bool {
        self.is_ok()
    }
}
