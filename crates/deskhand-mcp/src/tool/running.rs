//! One call of the engine: it blocks a thread of its own, while what it says and asks on the way
//! goes to the client.

use std::{sync::Arc, time::Instant};

use deskhand_engine::{
    Ask, Asked, Call, Door, Form, Question, Reply, Said, Stop, Stopped, Surroundings, Weight,
};
use rmcp::model::ErrorData;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{
    call::{Job, Ran},
    content,
    progress::{Progress, SIGN_OF_LIFE},
};
use crate::{
    ask::Voice,
    server::{failure, log::Level},
};

/// How long a call may take before its record is a warning.
const SLOW_MS: u128 = 1000;

/// Raises the flag when the call's future is dropped before its end.
struct Raised(Arc<Stop>);

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.ask();
    }
}

/// A question on its way to the client, and where its answer goes.
type Passed = (Question, oneshot::Sender<Asked>);

/// Asks from the blocking thread.
struct FromThread(mpsc::UnboundedSender<Passed>);

impl Ask for FromThread {
    fn ask(&self, question: &Question) -> Asked {
        let (answer, heard) = oneshot::channel();
        if self.0.send((question.clone(), answer)).is_err() {
            return Asked::Cancelled;
        }
        heard.blocking_recv().unwrap_or(Asked::Cancelled)
    }
}

/// Runs a job on the engine.
///
/// # Errors
///
/// When the engine breaks, or a question cannot be put.
pub(super) async fn run(job: &Job, voice: &Voice) -> Result<Ran, ErrorData> {
    let state = &job.connection.state;
    let client = &voice.client;
    let permit = tokio::select! {
        permit = Arc::clone(&state.turns).acquire_owned() => permit
            .map_err(|_| failure::not_now("the server is shutting down"))?,
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
        session: job.connection.session(&client.era),
    };
    let engine = Arc::clone(&state.engine);
    let begun = Instant::now();
    let mut thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        engine.call(
            call,
            &Surroundings {
                stop: &stop,
                ask: &FromThread(to_person),
                listener: &|said| to_client.send(said).is_ok(),
            },
        )
    });
    let mut progress = Progress::new(begun);
    let mut pulse = tokio::time::interval(SIGN_OF_LIFE);
    pulse.tick().await;
    let reply = loop {
        tokio::select! {
            reply = &mut thread => break reply,
            Some(said) = said.recv() => tell(&said, job, voice, &mut progress).await,
            Some((question, answer)) = asked.recv() => {
                let heard = tokio::select! {
                    heard = voice.put(&question) => heard?,
                    () = client.stop.cancelled() => Asked::Cancelled,
                };
                // The tool may have run out of time meanwhile.
                let _ = answer.send(heard);
            }
            _ = pulse.tick() => {
                if let Some(step) = progress.lives(Instant::now()) {
                    step.send(voice).await;
                }
            }
            () = client.stop.cancelled(), if !raised.0.asked() => raised.0.ask(),
        }
    };
    while let Ok(said) = said.try_recv() {
        tell(&said, job, voice, &mut progress).await;
    }
    let reply = reply.map_err(|error| {
        ErrorData::internal_error(format!("`{}` broke: {error}", job.tool), None)
    })?;
    record(job, voice, &reply, begun.elapsed().as_millis()).await;
    Ok(match reply {
        Ok(answer) => content::result(answer).into(),
        Err(Stopped::Failure(failure)) => failure::result(&failure).into(),
        Err(Stopped::Pause(_)) => Ran::Asks,
    })
}

async fn tell(said: &Said, job: &Job, voice: &Voice, progress: &mut Progress) {
    match said.weight {
        Weight::Progress | Weight::News => {
            if let Some(step) = progress.took(said, Instant::now()) {
                step.send(voice).await;
            }
        }
        Weight::Warning => {
            let logger = format!("deskhand.tools.{}", job.tool);
            voice.client.log(Level::Warning, &logger, said.data.clone()).await;
        }
    }
}

/// One record a call: what was asked of what, how it went, how long it took; never what was typed.
async fn record(job: &Job, voice: &Voice, reply: &Reply, took_ms: u128) {
    let mut data = json!({ "tool": job.tool, "duration_ms": took_ms });
    for field in ["app", "query", "strategy"] {
        if let Some(value) = job.arguments.get(field).filter(|value| value.is_string()) {
            data[field] = value.clone();
        }
    }
    match reply {
        Ok(answer) => {
            for field in ["effect", "found"] {
                if let Some(value) = answer.data.get(field) {
                    data[field] = value.clone();
                }
            }
        }
        Err(Stopped::Failure(failure)) => {
            data["code"] = json!(failure.code);
            if let Some(delivery) = failure.delivery {
                data["delivery"] = json!(delivery);
            }
        }
        Err(Stopped::Pause(_)) => data["code"] = json!("input_required"),
    }
    let level = if took_ms > SLOW_MS { Level::Warning } else { Level::Info };
    voice.client.log(level, &format!("deskhand.tools.{}", job.tool), data.clone()).await;
    let hints = job.connection.state.tools.get(&job.tool).ok();
    let changes = hints
        .and_then(|offered| offered.tool.annotations.as_ref())
        .is_some_and(|hints| hints.read_only_hint == Some(false));
    if changes {
        voice.client.log(Level::Notice, "deskhand.audit", data).await;
    }
}
