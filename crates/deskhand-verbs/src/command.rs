//! Runs a job for a call: to its end, or begun and left to itself, with news on the way.

use std::sync::Arc;

use deskhand_model::Delivery;
use deskhand_run::{
    mtdf::Mode,
    operation::{Event, Job, Listener, Operation, Summary},
};
use serde_json::json;

use crate::{
    Context, Door, Error, Hears, Pace, Result, Said, Shown, Sink,
    operation_report::OperationReport, stop::Heeded,
};

/// Why something is ended whose caller is gone.
const NOBODY_WAITS: &str = "the caller no longer waits for it";

/// Runs a job as the call wants it; `mode` is what the caller asked for, or how its tool is declared.
pub fn run(cx: &Context<'_>, job: Job, mode: Mode) -> Result<OperationReport> {
    let workshop = cx.workshop()?;
    let mode = match cx.pace {
        Pace::ToTheEnd => Mode::Synchronous,
        Pace::AsDeclared => mode,
    };
    match mode {
        Mode::Synchronous => {
            let wants = cx.afterwards.filter(|sink| sink.hears() == Hears::Everything);
            let operation = workshop.prepare(job, listener(wants, |_| None))?;
            let heeded = cancelled_with(cx, &operation);
            workshop.run(&operation)?;
            drop(heeded);
            if cx.stop.asked() {
                return Err(Error::Stopped { delivery: Delivery::Sent });
            }
            Ok(OperationReport::whole(&operation, room(cx.door)))
        }
        Mode::AsyncResultPush => {
            let inside = Arc::downgrade(&workshop);
            let at_the_end = move |summary: &Summary| {
                inside.upgrade()?.operation(&summary.id).ok().map(|it| at_the_end(&it))
            };
            let operation = workshop.begin(job, listener(cx.afterwards, at_the_end))?;
            // Begun first, looked at after: whoever halts meanwhile either finds it, or is seen here.
            if cx.stop.asked() {
                operation.cancel(NOBODY_WAITS);
                return Err(Error::Stopped { delivery: Delivery::Sent });
            }
            Ok(OperationReport::started(&operation))
        }
    }
}

/// How many bytes of the output stand in an answer: a terminal can be scrolled, the mind of a model is
/// filled by one command.
pub fn room(door: Door) -> usize {
    match door {
        Door::CommandLine => 8 << 20,
        Door::Mcp | Door::Own => 24_000,
    }
}

/// Has an operation cancelled when the caller no longer waits for it.
pub fn cancelled_with<'a>(cx: &Context<'a>, operation: &Arc<Operation>) -> Heeded<'a> {
    let operation = Arc::downgrade(operation);
    cx.stop.heed(move || {
        let Some(operation) = operation.upgrade() else { return };
        // Who raises the flag does not wait until the last process is gone.
        std::thread::spawn(move || operation.cancel(NOBODY_WAITS));
    })
}

fn listener(
    sink: Option<&Sink>,
    at_the_end: impl Fn(&Summary) -> Option<Said> + Send + Sync + 'static,
) -> Listener {
    let Some(sink) = sink.cloned() else { return Listener::Nobody };
    Listener::Hears(Arc::new(move |event| {
        let said = match (event, sink.hears()) {
            (Event::Ended(summary), Hears::Everything | Hears::Ends) => at_the_end(&summary),
            (other @ (Event::Output(_) | Event::Step { .. }), Hears::Everything) => {
                on_the_way(other)
            }
            (Event::Output(_) | Event::Step { .. }, Hears::Ends) => None,
        };
        if let Some(said) = said {
            // A caller that is gone hears nothing more; its operations end with its session.
            let _ = sink.say(said);
        }
    }))
}

/// What is said of something that happens before the end: how far it is, in bytes printed.
fn on_the_way(event: Event) -> Option<Said> {
    match event {
        Event::Output(news) => {
            Some(Said::progress(news.printed as f64, None, news.text.trim_end()))
        }
        Event::Step { index, count, report } => {
            let words = format!("step {} of {count}: {}", index + 1, report.title);
            Some(Said::progress(report.output.end as f64 + 0.5, None, words))
        }
        Event::Ended(_) => None,
    }
}

/// What is said at the end, to whoever was answered long before.
fn at_the_end(operation: &Operation) -> Said {
    let told = OperationReport::whole(operation, room(Door::Mcp));
    let page = told.page();
    let data = serde_json::to_value(told).unwrap_or_else(|_| json!({}));
    Said::news(data, page)
}
