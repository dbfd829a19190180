//! Command-line tools: the shell, background operations, terminals and tools from definition files.

mod r#await;
mod cancel;
mod defined;
mod operation_output;
mod shell;
mod status;
mod terminal;

pub use defined::defined;

use std::time::Duration;

use crate::{BuiltinTool, Int, ToolEntry};

/// The number of seconds a command may run.
pub(crate) type Seconds = Int<1, 86_400>;

/// Converts a number of seconds into a duration.
pub(crate) fn duration(seconds: Option<Seconds>) -> Option<Duration> {
    seconds.map(|it| Duration::from_secs(it.get().unsigned_abs()))
}

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<BuiltinTool> {
    let mut all = vec![
        ToolEntry::builtin::<shell::ShellTool>(),
        ToolEntry::builtin::<r#await::AwaitTool>(),
        ToolEntry::builtin::<status::StatusTool>(),
        ToolEntry::builtin::<cancel::CancelTool>(),
        ToolEntry::builtin::<operation_output::OperationOutputTool>(),
    ];
    all.extend(terminal::all());
    all
}
