//! The state of an operation, its results, and the events while it runs.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, SystemTime},
};

pub use deskhand_sandbox::ExitReason;

/// The state of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationState {
    /// It waits in the queue.
    Pending,
    /// It runs.
    Running,
    /// It succeeded.
    Completed,
    /// A program failed or could not be started.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It timed out and was killed.
    TimedOut,
}

impl OperationState {
    /// The name in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Returns `true` if the operation has finished.
    pub fn is_over(self) -> bool {
        match self {
            Self::Pending | Self::Running => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut => true,
        }
    }
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepReport {
    /// A short description of the step.
    pub title: String,
    /// The outcome.
    pub outcome: StepOutcome,
    /// The run time.
    pub duration: Duration,
    /// The byte range of its output in the output of the operation.
    pub output: Range<u64>,
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    /// It has not started. It never will if the operation has finished.
    NotRun,
    /// It runs.
    Running,
    /// It was skipped, for this reason.
    Skipped(String),
    /// Its program has ended.
    Exited(ExitReason),
}

/// An operation at one point in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The id.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// A short description of the command.
    pub title: String,
    /// The state.
    pub state: OperationState,
    /// The exit reason of the last program.
    pub exit: Option<ExitReason>,
    /// The reason why it did not complete.
    pub reason: Option<String>,
    /// The steps, if there are several.
    pub steps: Vec<StepReport>,
    /// The time of the request.
    pub requested_at: SystemTime,
    /// The time in the queue, so far or in total.
    pub queued_for: Duration,
    /// The run time, so far or in total.
    pub ran_for: Duration,
    /// The number of bytes of output.
    pub output_bytes: u64,
}

/// An event of an operation.
#[derive(Debug, Clone)]
pub enum OperationEvent {
    /// New output. The first event is sent at once, further ones at most every 100 ms.
    Output(OutputChunk),
    /// A step has started, was skipped, or has ended.
    Step {
        /// The index of the step, from 0.
        index: usize,
        /// The number of steps.
        count: usize,
        /// The report of the step.
        report: StepReport,
    },
    /// The operation has finished. This is the last event.
    Finished(Box<Summary>),
}

/// New output of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputChunk {
    /// New lines. If there are too many, the latest ones.
    pub text: String,
    /// The number of new bytes that were omitted before `text`.
    pub omitted: u64,
    /// The number of bytes of output so far.
    pub total_bytes: u64,
}

/// The receiver of the events of an operation. The callback runs in the thread that reads the output, so it must
/// not block.
#[derive(Clone)]
pub enum OperationObserver {
    /// No receiver.
    None,
    /// A callback.
    Callback(Arc<dyn Fn(OperationEvent) + Send + Sync>),
}

impl OperationObserver {
    pub(crate) fn notify(&self, event: impl FnOnce() -> OperationEvent) {
        match self {
            Self::None => {}
            Self::Callback(observer) => observer(event()),
        }
    }
}

impl std::fmt::Debug for OperationObserver {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::None => "None",
            Self::Callback(_) => "Callback",
        })
    }
}
