//! Runs commands for a call, in the foreground or in the background, with progress events.

mod report;

pub use self::report::OperationReport;

use std::sync::Arc;

use deskhand_model::Delivery;
use deskhand_run::{
    mtdf::ExecutionMode,
    operation::{Operation, OperationEvent, OperationObserver, OperationSpec, Summary},
};
use serde_json::json;

use crate::{
    Context, Error, Origin, ProgressEvent, ProgressSink, Render, Result, Verbosity, WaitMode,
    call::cancel::CancelHook,
};

/// The reason for cancelling an operation whose caller is gone.
const CALLER_GONE: &str = "the caller no longer waits for it";

/// Runs a job. `mode` is the caller's choice or the default of its tool; the wait mode of the call
/// may override it.
pub fn run_job(
    cx: &Context<'_>,
    job: OperationSpec,
    mode: ExecutionMode,
) -> Result<OperationReport> {
    let session = cx.command_session()?;
    let mode = match cx.wait_mode {
        WaitMode::UntilDone => ExecutionMode::Synchronous,
        WaitMode::Default => mode,
    };
    match mode {
        ExecutionMode::Synchronous => {
            let wants = cx.after_reply.filter(|sink| sink.verbosity() == Verbosity::All);
            let operation = session.register(job, operation_listener(wants, |_| None))?;
            let cancel_hook = cancel_with_call(cx, &operation);
            session.run(&operation)?;
            drop(cancel_hook);
            if cx.cancel.is_cancelled() {
                return Err(Error::Cancelled { delivery: Delivery::Sent });
            }
            Ok(OperationReport::with_output(&operation, max_output_bytes(cx.origin)))
        }
        ExecutionMode::AsyncResultPush => {
            let inside = Arc::downgrade(&session);
            let final_event = move |summary: &Summary| {
                inside.upgrade()?.operation(&summary.id).ok().map(|it| final_event(&it))
            };
            let operation = session.start(job, operation_listener(cx.after_reply, final_event))?;
            // The token is checked after the start: a concurrent halt either finds the operation,
            // or is found here.
            if cx.cancel.is_cancelled() {
                operation.cancel(CALLER_GONE);
                return Err(Error::Cancelled { delivery: Delivery::Sent });
            }
            Ok(OperationReport::started(&operation))
        }
    }
}

/// Returns the number of output bytes in a result. A terminal or a program can handle a long output,
/// but it fills the context of a model.
pub fn max_output_bytes(origin: Origin) -> usize {
    match origin {
        Origin::Cli | Origin::Library => 8 << 20,
        Origin::Mcp | Origin::Internal => 24_000,
    }
}

/// Cancels an operation when the call is cancelled. Drop the hook to stop that.
pub(crate) fn cancel_with_call<'a>(cx: &Context<'a>, operation: &Arc<Operation>) -> CancelHook<'a> {
    let operation = Arc::downgrade(operation);
    cx.cancel.on_cancel(move || {
        let Some(operation) = operation.upgrade() else { return };
        // Cancelling waits for the last process, and the canceller must not wait.
        std::thread::spawn(move || operation.cancel(CALLER_GONE));
    })
}

fn operation_listener(
    sink: Option<&ProgressSink>,
    final_event: impl Fn(&Summary) -> Option<ProgressEvent> + Send + Sync + 'static,
) -> OperationObserver {
    let Some(sink) = sink.cloned() else { return OperationObserver::None };
    OperationObserver::Callback(Arc::new(move |event| {
        let event_to_send = match (event, sink.verbosity()) {
            (OperationEvent::Finished(summary), Verbosity::All | Verbosity::ResultsOnly) => {
                final_event(&summary)
            }
            (other @ (OperationEvent::Output(_) | OperationEvent::Step { .. }), Verbosity::All) => {
                progress_event(other)
            }
            (OperationEvent::Output(_) | OperationEvent::Step { .. }, Verbosity::ResultsOnly) => {
                None
            }
        };
        if let Some(event_to_send) = event_to_send {
            // If the caller is gone, its operations end with its session.
            let _ = sink.send(event_to_send);
        }
    }))
}

/// Converts an intermediate event. Progress is counted in bytes of output.
fn progress_event(event: OperationEvent) -> Option<ProgressEvent> {
    match event {
        OperationEvent::Output(output) => {
            Some(ProgressEvent::progress(output.total_bytes as f64, None, output.text.trim_end()))
        }
        OperationEvent::Step { index, count, report } => {
            let message = format!("step {} of {count}: {}", index + 1, report.title);
            Some(ProgressEvent::progress(report.output.end as f64 + 0.5, None, message))
        }
        OperationEvent::Finished(_) => None,
    }
}

/// Creates the event for the end of a background operation.
fn final_event(operation: &Operation) -> ProgressEvent {
    let report = OperationReport::with_output(operation, max_output_bytes(Origin::Mcp));
    let page = report.render();
    let data = serde_json::to_value(report).unwrap_or_else(|_| json!({}));
    ProgressEvent::output(data, page)
}
