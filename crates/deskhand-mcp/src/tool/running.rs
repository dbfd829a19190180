//! A call of the engine. It blocks a thread, while its events and questions are forwarded to the client.

use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

use deskhand_engine::{
    Answer, Ask, Asked, Call, Door, Engine, Form, Pace, Question, Said, Stop, Stopped,
    Surroundings, Weight,
};
use rmcp::model::ErrorData;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    time::Interval,
};

use super::{
    afterwards::{Shared, Way, locked},
    call::{Job, Ran},
    content,
    list::Bound,
    progress::{Progress, SIGN_OF_LIFE},
    record::{self, Went},
};
use crate::{
    ask::Voice,
    server::{begun::Operation, client::Client, failure, log::Level, state::Connection},
};

/// Failure code of a call that exceeds a limit.
const LIMITED: &str = "rate_limited";

/// Reply field that names a background operation.
const OPERATION: &str = "operation_id";

/// Cancels the call when its future is dropped.
struct Raised(Arc<Stop>);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.ask();
    }
}

/// A question for the client, and the channel for its answer.
type Passed = (Question, oneshot::Sender<Asked>);

/// Forwards questions from the blocking thread.
struct FromThread {
    to_person: mpsc::UnboundedSender<Passed>,
    has_model: bool,
    /// Keys of the questions whose answers came with the call.
    known: Vec<String>,
}

impl Ask for FromThread {
    fn ask(&self, question: &Question) -> Asked {
        let (answer, heard) = oneshot::channel();
        if self.to_person.send((question.clone(), answer)).is_err() {
            return Asked::Cancelled;
        }
        heard.blocking_recv().unwrap_or(Asked::Cancelled)
    }

    fn has_model(&self) -> bool {
        self.has_model
    }

    fn knows(&self, key: &str) -> bool {
        self.known.iter().any(|one| one == key)
    }
}

/// Runs a call on the engine.
///
/// # Errors
///
/// Returns an error if the engine panics, if a limit is exceeded, or if a question is invalid.
pub(super) async fn run(job: &Job, voice: &Voice) -> Result<Ran, ErrorData> {
    let state = &job.connection.state;
    let client = &voice.client;
    let permit = tokio::select! {
        permit = state.turns.take() => permit.map_err(|failure| failure::exceeded(&failure))?,
        () = client.stop.cancelled() => return Err(failure::not_now("the call was cancelled")),
    };
    let stop = Arc::new(Stop::new());
    let raised = Raised(Arc::clone(&stop));
    let (to_client, mut said) = mpsc::unbounded_channel::<Said>();
    let (to_person, mut asked) = mpsc::unbounded_channel::<Passed>();
    let call = Call {
        tool: job.tool.clone(),
        arguments: Value::Object(job.arguments.clone()),
        form: Form::Data,
        door: Door::Mcp,
        session: job.connection.session(client),
        principal: client.principal.recorded(),
        ceiling: client.principal.ceiling,
    };
    let engine = Arc::clone(&state.engine);
    let (known, has_model) = (voice.known(), client.capabilities.sampling.is_some());
    let begun = Instant::now();
    let progress: Shared = Arc::new(Mutex::new(Progress::new(begun)));
    let (bound, pace) = (state.tools.get(&job.tool)?.bound, voice.pace());
    let way = match bound {
        Bound::ToFolder => Some(Way::open(voice, &progress)),
        Bound::No => None,
    };
    let afterwards = way.as_ref().map(Way::sink);
    let mut thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let reply = engine.call(
            call,
            &Surroundings {
                stop,
                ask: &FromThread { to_person, has_model, known },
                listener: &|said| to_client.send(said).is_ok(),
                afterwards,
                pace,
            },
        );
        (reply, Engine::cost())
    });
    let mut pulse = pulse();
    let reply = loop {
        tokio::select! {
            reply = &mut thread => break reply,
            Some(said) = said.recv() => tell(&said, job, voice, &progress).await,
            Some((question, answer)) = asked.recv() => {
                let heard = put(&question, voice, &mut pulse, &progress).await?;
                // The tool may have timed out.
                let _ = answer.send(heard);
            }
            _ = pulse.tick() => {
                let step = locked(&progress).lives(Instant::now());
                if let Some(step) = step {
                    step.send(voice).await;
                }
            }
            () = client.stop.cancelled(), if !raised.0.asked() => raised.0.ask(),
        }
    };
    while let Ok(said) = said.try_recv() {
        tell(&said, job, voice, &progress).await;
    }
    if let Some(way) = way {
        way.told().await;
    }
    let (reply, cost) = reply.map_err(|error| {
        ErrorData::internal_error(format!("`{}` panicked: {error}", job.tool), None)
    })?;
    if let (Ok(answer), Bound::ToFolder, Pace::AsDeclared) = (&reply, bound, pace) {
        goes_on(job, client, answer);
    }
    state.hub.called(&job.connection.session(client));
    record::send(job, voice, Went { reply: &reply, took: begun.elapsed(), cost }).await;
    Ok(match reply {
        Ok(answer) => content::result(answer, &state.shelf).into(),
        Err(Stopped::Failure(failure)) if failure.code == LIMITED => {
            return Err(failure::exceeded(&failure));
        }
        Err(Stopped::Failure(failure)) => failure::result(&failure).into(),
        Err(Stopped::Pause(_)) => Ran::Asks,
    })
}

/// Creates the heartbeat timer. Its first tick is one interval from now: the first tick of a plain
/// `interval` is due at once, but timers round up to a millisecond, and every call would wait for it.
fn pulse() -> Interval {
    tokio::time::interval_at(tokio::time::Instant::now() + SIGN_OF_LIFE, SIGN_OF_LIFE)
}

/// Stores the background operation that a call has started, so that the client can still cancel it. If
/// the client has already cancelled the call, the operation is cancelled now.
fn goes_on(job: &Job, client: &Client, answer: &Answer) {
    let Some(id) = answer.data[OPERATION].as_str() else { return };
    let session = job.connection.session(client);
    let operation = Operation { session, id: id.to_owned() };
    if client.stop.is_cancelled() {
        cancel(&job.connection, operation);
    } else {
        job.connection.begun.note(client.request.clone(), operation);
    }
}

/// Cancels a background operation because the client cancelled the call that started it.
pub(crate) fn cancel(connection: &Arc<Connection>, operation: Operation) {
    let engine = Arc::clone(&connection.state.engine);
    tokio::task::spawn_blocking(move || {
        let session = engine.session(&operation.session);
        session.cancel_operation(&operation.id, "the client cancelled the call that started it");
    });
}

/// Sends a question to the client, with heartbeats until it is answered.
async fn put(
    question: &Question,
    voice: &Voice,
    pulse: &mut Interval,
    progress: &Shared,
) -> Result<Asked, ErrorData> {
    let heard = voice.put(question);
    tokio::pin!(heard);
    loop {
        tokio::select! {
            heard = &mut heard => return heard,
            () = voice.client.stop.cancelled() => return Ok(Asked::Cancelled),
            _ = pulse.tick() => {
                let step = locked(progress).lives(Instant::now());
                if let Some(step) = step {
                    step.send(voice).await;
                }
            }
        }
    }
}

async fn tell(said: &Said, job: &Job, voice: &Voice, progress: &Shared) {
    match said.weight {
        Weight::Progress | Weight::News => {
            let step = locked(progress).took(said, Instant::now());
            if let Some(step) = step {
                step.send(voice).await;
            }
        }
        Weight::Warning => {
            let logger = record::logger(&job.tool);
            voice.client.log(Level::Warning, &logger, said.data.clone()).await;
        }
        Weight::Record => record::audit(voice, Level::Notice, said.data.clone()).await,
        Weight::Alarm => record::audit(voice, Level::Alert, said.data.clone()).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_does_not_wait_for_its_heartbeat() {
        let begun = tokio::time::Instant::now();
        pulse().tick().await;
        assert!(begun.elapsed() >= SIGN_OF_LIFE);
    }
}
