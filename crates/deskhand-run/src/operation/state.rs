//! How far an operation is, how it ended, and what is said about it on the way.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, SystemTime},
};

pub use deskhand_sandbox::Ended;

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It waits for its turn.
    Pending,
    /// It runs.
    Running,
    /// It ended well.
    Completed,
    /// A program failed, or could not be started.
    Failed,
    /// Somebody ended it.
    Cancelled,
    /// It took too long and was ended.
    TimedOut,
}

impl State {
    /// The word JSON and messages use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether nothing of it runs or will.
    pub fn is_over(self) -> bool {
        match self {
            Self::Pending | Self::Running => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut => true,
        }
    }
}

/// What became of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepReport {
    /// What it does.
    pub title: String,
    /// How it went.
    pub outcome: Outcome,
    /// How long it ran.
    pub took: Duration,
    /// Which bytes of the operation's output are its own.
    pub output: Range<u64>,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It has not begun, and never will once the operation is over.
    NotRun,
    /// It runs.
    Running,
    /// It was left out, and why.
    Skipped(String),
    /// It ended.
    Ended(Ended),
}

/// An operation at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// The tool that was called.
    pub tool: String,
    /// What it does.
    pub title: String,
    /// How far it is.
    pub state: State,
    /// How its last program ended.
    pub exit: Option<Ended>,
    /// Why it did not complete, in words.
    pub why: Option<String>,
    /// Its steps, when it has several.
    pub steps: Vec<StepReport>,
    /// When it was asked for.
    pub asked_at: SystemTime,
    /// How long it waited for its turn, so far or in the end.
    pub waited: Duration,
    /// How long it ran, so far or in the end.
    pub took: Duration,
    /// Bytes printed.
    pub printed: u64,
}

/// Something that happened to an operation.
#[derive(Debug, Clone)]
pub enum Event {
    /// It printed something. Said at once the first time, then every 100 ms at most.
    Output(News),
    /// A step has begun, was left out, or has ended: which one, counted from 0, and of how many.
    Step {
        /// Which one, counted from 0.
        index: usize,
        /// How many there are.
        count: usize,
        /// How it goes.
        report: StepReport,
    },
    /// It is over. Nothing is said after that.
    Ended(Box<Summary>),
}

/// The latest output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// New lines, the latest where there are too many.
    pub text: String,
    /// New bytes before them that are left out here.
    pub left_out: u64,
    /// Bytes printed so far.
    pub printed: u64,
}

/// Who hears what happens to an operation. It is called from the thread that reads the output, so it
/// must not wait for anything.
#[derive(Clone)]
pub enum Listener {
    /// Nobody.
    Nobody,
    /// This function.
    Hears(Arc<dyn Fn(Event) + Send + Sync>),
}

impl Listener {
    pub(crate) fn hear(&self, event: impl FnOnce() -> Event) {
        match self {
            Self::Nobody => {}
            Self::Hears(listener) => listener(event()),
        }
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::Nobody => "Nobody",
            Self::Hears(_) => "Hears",
        })
    }
}
