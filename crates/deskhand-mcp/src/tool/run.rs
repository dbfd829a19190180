//! A call of the engine. It blocks a thread, while its events and questions are forwarded to the
//! client.

use std::{sync::Arc, time::Instant};

use deskhand_engine::{
    CallError, CallOptions, CancelToken, ElicitResponse, Elicitor, Engine, ProgressEvent, Question,
    Severity, ToolOutput, WaitMode,
};
use parking_lot::Mutex;
use rmcp::model::ErrorData;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    time::Interval,
};

use super::{
    background::{BackgroundReporter, SharedProgress},
    call::{CallOutcome, ToolCall},
    content,
    list::Confinement,
    log_record::{self, CallSummary},
    progress::ProgressTracker,
};
use crate::{
    input::ClientPrompt,
    server::{client::Client, failure, log::LogLevel, operations::Operation, state::Connection},
    timing,
};

/// Failure code of a call that exceeds a limit.
const RATE_LIMITED: &str = "rate_limited";

/// Reply field that names a background operation.
const OPERATION_ID: &str = "operation_id";

/// Cancels the call when its future is dropped.
struct CancelOnDrop(Arc<CancelToken>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A question for the client, and the channel for its answer.
type PendingQuestion = (Question, oneshot::Sender<ElicitResponse>);

/// Forwards questions from the blocking thread.
struct QuestionForwarder {
    to_prompt: mpsc::UnboundedSender<PendingQuestion>,
    has_model: bool,
    /// Keys of the questions whose answers came with the call.
    known: Vec<String>,
}

impl Elicitor for QuestionForwarder {
    fn elicit(&self, question: &Question) -> ElicitResponse {
        let (answer, answered) = oneshot::channel();
        if self.to_prompt.send((question.clone(), answer)).is_err() {
            return ElicitResponse::Cancelled;
        }
        answered.blocking_recv().unwrap_or(ElicitResponse::Cancelled)
    }

    fn has_model(&self) -> bool {
        self.has_model
    }

    fn has_answer(&self, key: &str) -> bool {
        self.known.iter().any(|one| one == key)
    }
}

/// Runs a call on the engine.
///
/// # Errors
///
/// Returns an error if the engine panics, if a limit is exceeded, or if a question is invalid.
pub(super) async fn run(call: &ToolCall, prompt: &ClientPrompt) -> Result<CallOutcome, ErrorData> {
    let state = &call.connection.state;
    let client = &prompt.client;
    let permit = tokio::select! {
        permit = state.call_permits.acquire() => permit.map_err(|failure| failure::rate_limited(&failure))?,
        () = client.cancel.cancelled() => return Err(failure::unavailable("the call was cancelled")),
    };
    let stop = Arc::new(CancelToken::new());
    let cancel_on_drop = CancelOnDrop(Arc::clone(&stop));
    let (to_events, mut events) = mpsc::unbounded_channel::<ProgressEvent>();
    let (to_prompt, mut questions) = mpsc::unbounded_channel::<PendingQuestion>();
    let offered = state.tools.get(&call.tool)?;
    let arguments = Value::Object(call.arguments.clone());
    let engine_call = call.connection.engine_call(client, offered.key.clone(), arguments);
    let engine = Arc::clone(&state.engine);
    let (known, has_model) = (prompt.answered_keys(), client.capabilities.sampling.is_some());
    let started = Instant::now();
    let progress: SharedProgress = Arc::new(Mutex::new(ProgressTracker::new(started)));
    let (confinement, pace) = (offered.confinement, prompt.wait_mode());
    let reporter = match confinement {
        Confinement::SessionFolder => Some(BackgroundReporter::new(prompt, &progress)),
        Confinement::None => None,
    };
    let afterwards = reporter.as_ref().map(BackgroundReporter::sink);
    let mut thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let reply = engine.call(
            engine_call,
            &CallOptions {
                cancel: stop,
                ask: &QuestionForwarder { to_prompt, has_model, known },
                progress: &|event| to_events.send(event).is_ok(),
                background_progress: afterwards,
                wait_mode: pace,
            },
        );
        (reply, Engine::last_cost())
    });
    let mut heartbeat = heartbeat_timer();
    let reply = loop {
        tokio::select! {
            reply = &mut thread => break reply,
            Some(event) = events.recv() => forward_event(&event, call, prompt, &progress).await,
            Some((question, answer)) = questions.recv() => {
                let answered = ask_question(&question, prompt, &mut heartbeat, &progress).await?;
                // The tool may have timed out.
                let _ = answer.send(answered);
            }
            _ = heartbeat.tick() => {
                let step = progress.lock().heartbeat(Instant::now());
                if let Some(step) = step {
                    step.send(prompt).await;
                }
            }
            () = client.cancel.cancelled(), if !cancel_on_drop.0.is_cancelled() => cancel_on_drop.0.cancel(),
        }
    };
    while let Ok(event) = events.try_recv() {
        forward_event(&event, call, prompt, &progress).await;
    }
    if let Some(reporter) = reporter {
        reporter.flush().await;
    }
    let (reply, cost) = reply.map_err(|error| {
        ErrorData::internal_error(format!("`{}` panicked: {error}", call.tool), None)
    })?;
    if let (Ok(answer), Confinement::SessionFolder, WaitMode::Default) = (&reply, confinement, pace)
    {
        remember_operation(call, client, answer);
    }
    state.subscriptions.connections_changed(&call.connection.session(client));
    log_record::send(
        call,
        prompt,
        CallSummary { reply: &reply, duration: started.elapsed(), cost },
    )
    .await;
    Ok(match reply {
        Ok(answer) => content::tool_result(answer, &state.stored_results).into(),
        Err(CallError::Failure(failure)) if failure.code == RATE_LIMITED => {
            return Err(failure::rate_limited(&failure));
        }
        Err(CallError::Failure(failure)) => failure::tool_result(&failure).into(),
        Err(CallError::Pause(_)) => CallOutcome::InputRequired,
    })
}

/// Creates the heartbeat timer. Its first tick is one interval from now: the first tick of a plain
/// `interval` is due at once, but timers round up to a millisecond, and every call would wait for
/// it.
fn heartbeat_timer() -> Interval {
    tokio::time::interval_at(
        tokio::time::Instant::now() + timing::HEARTBEAT_INTERVAL,
        timing::HEARTBEAT_INTERVAL,
    )
}

/// Stores the background operation that a call has started, so that the client can still cancel it.
/// If the client has already cancelled the call, the operation is cancelled now.
fn remember_operation(call: &ToolCall, client: &Client, answer: &ToolOutput) {
    let Some(id) = answer.data[OPERATION_ID].as_str() else { return };
    let session = call.connection.session(client);
    let operation = Operation { session, id: id.to_owned() };
    if client.cancel.is_cancelled() {
        cancel_operation(&call.connection, operation);
    } else {
        call.connection.operations.insert(client.request.clone(), operation);
    }
}

/// Cancels a background operation because the client cancelled the call that started it.
pub(crate) fn cancel_operation(connection: &Arc<Connection>, operation: Operation) {
    let engine = Arc::clone(&connection.state.engine);
    tokio::task::spawn_blocking(move || {
        let session = engine.session(&operation.session);
        session.cancel_operation(&operation.id, "the client cancelled the call that started it");
    });
}

/// Sends a question to the client, with heartbeats until it is answered.
async fn ask_question(
    question: &Question,
    prompt: &ClientPrompt,
    heartbeat: &mut Interval,
    progress: &SharedProgress,
) -> Result<ElicitResponse, ErrorData> {
    let answered = prompt.ask_question(question);
    tokio::pin!(answered);
    loop {
        tokio::select! {
            answered = &mut answered => return answered,
            () = prompt.client.cancel.cancelled() => return Ok(ElicitResponse::Cancelled),
            _ = heartbeat.tick() => {
                let step = progress.lock().heartbeat(Instant::now());
                if let Some(step) = step {
                    step.send(prompt).await;
                }
            }
        }
    }
}

async fn forward_event(
    event: &ProgressEvent,
    call: &ToolCall,
    prompt: &ClientPrompt,
    progress: &SharedProgress,
) {
    match event.severity {
        Severity::Progress | Severity::Output => {
            let step = progress.lock().report(event, Instant::now());
            if let Some(step) = step {
                step.send(prompt).await;
            }
        }
        Severity::Warning => {
            let logger = log_record::logger(&call.tool);
            prompt.client.log(LogLevel::Warning, &logger, event.data.clone()).await;
        }
        Severity::Audit => log_record::audit(prompt, LogLevel::Notice, event.data.clone()).await,
        Severity::Refusal => log_record::audit(prompt, LogLevel::Alert, event.data.clone()).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_does_not_wait_for_its_heartbeat() {
        let started = tokio::time::Instant::now();
        heartbeat_timer().tick().await;
        assert!(started.elapsed() >= timing::HEARTBEAT_INTERVAL);
    }
}
