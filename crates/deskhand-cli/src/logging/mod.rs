//! The log of a server, for those who run it: what was begun and ended, what was refused, what failed.
//! What callers typed, what commands printed and secrets are in none of it.

mod daily;

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use clap::{Arg, ArgAction, Command};
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    filter::Targets, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use self::daily::Daily;
use crate::{
    output,
    settings::{self, Declared, Error, Settings, table::log, words::LogTo},
    terminal::Colours,
};

/// What our own events come under. Those of libraries may tell what was in a message.
const OURS: &str = "deskhand";

/// Keeps the log going; what is not written yet is written when this is dropped.
#[derive(Debug)]
pub(crate) struct Logging {
    _worker: Option<WorkerGuard>,
}

/// Whether the log goes to standard error.
static TO_STDERR: AtomicBool = AtomicBool::new(false);

/// Says something to whoever started the server, and in the log.
pub(crate) fn told(words: &str) {
    tracing::info!("{words}");
    said(words);
}

/// Says what whoever runs the server should see to.
pub(crate) fn warned(words: &str) {
    tracing::warn!("{words}");
    said(words);
}

/// Says it where the log does not.
fn said(words: &str) {
    if !TO_STDERR.load(Ordering::Relaxed) {
        output::remark(words);
    }
}

/// Adds the options of the log.
pub(crate) fn options(command: Command) -> Command {
    let switch = |setting: &dyn Declared, help: String| {
        let flag = setting.about().flag.unwrap_or(setting.about().key);
        Arg::new(flag).long(flag).action(ArgAction::SetTrue).help(help)
    };
    command
        .arg(switch(
            &log::TO,
            "Log to standard error instead of a file a day in the cache folder".to_owned(),
        ))
        .arg(switch(&log::DEBUG, settings::help(&log::DEBUG)))
}

/// Begins the log as it is set up. One that cannot be written is no reason not to serve.
///
/// # Errors
///
/// When a setting is not understood.
pub(crate) fn start(settings: &Settings) -> Result<Logging, Error> {
    let level = if settings.get(&log::DEBUG)? { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let keep = usize::try_from(settings.get(&log::KEEP)?).unwrap_or(usize::MAX);
    let worker = match settings.get(&log::TO)? {
        LogTo::Nowhere => None,
        LogTo::Stderr => {
            let (writer, worker) = beside(io::stderr());
            begin(subscriber(writer, level, Colours::of(&io::stderr())));
            TO_STDERR.store(true, Ordering::Relaxed);
            Some(worker)
        }
        LogTo::File => {
            let folder = settings.folders().cache.join("logs");
            match Daily::begin(&folder, keep, SystemTime::now) {
                Ok(daily) => {
                    let (writer, worker) = beside(daily);
                    begin(subscriber(writer, level, Colours::Off));
                    Some(worker)
                }
                Err(why) => {
                    let place = folder.display();
                    output::remark(&format!("warning: nothing is logged to {place}: {why}"));
                    None
                }
            }
        }
    };
    Ok(Logging { _worker: worker })
}

/// A thread that writes, so that nobody waits for a disk; where it does not keep up, lines are lost.
fn beside(to: impl io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    // Room for the usual 128,000 lines would be set aside at the start.
    NonBlockingBuilder::default().buffered_lines_limit(2_048).finish(to)
}

fn subscriber(
    writer: NonBlocking,
    level: LevelFilter,
    colours: Colours,
) -> impl Subscriber + Send + Sync {
    let lines = fmt::layer().with_writer(writer).with_ansi(colours == Colours::On);
    registry().with(Targets::new().with_target(OURS, level)).with(lines)
}

fn begin(subscriber: impl Subscriber + Send + Sync) {
    // There is one already only where one process serves twice.
    let _ = subscriber.try_init();
}
