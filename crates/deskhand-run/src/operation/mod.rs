//! Background operations: their description, their execution, and their results.

mod completion;
mod handle;
mod output_notifier;
mod queue;
mod run;
mod spec;
mod state;

pub(crate) use completion::CompletionSignal;
pub use handle::{CancelOutcome, Operation};
pub(crate) use queue::{Admission, RunQueue, Runner};
pub(crate) use run::run;
pub use spec::{OperationSpec, ProgramStep, Skip, Work};
pub use state::{
    ExitReason, OperationEvent, OperationObserver, OperationState, OutputChunk, StepOutcome,
    StepReport, Summary,
};
