//! The log of a server: starts, ends, refusals and failures. It contains no typed text, no command output
//! and no secrets.

mod daily;

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use clap::{Arg, ArgAction, Command};
use deskhand::settings::{self, AnySetting, Error, Settings, table::log, values::LogTarget};
use deskhand_server::ServerMessage;
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    filter::Targets, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use self::daily::DailyFile;
use crate::{output, terminal::Colours};

/// The target of Deskhand's own events. Events of libraries are dropped: they may quote messages.
const OWN_TARGET: &str = "deskhand";

/// Keeps the log open. Dropping it writes the remaining lines.
#[derive(Debug)]
pub(crate) struct Logging {
    _worker: Option<WorkerGuard>,
}

/// `true` if the log goes to standard error.
static TO_STDERR: AtomicBool = AtomicBool::new(false);

/// Logs a message of the server, and prints it to standard error.
pub(crate) fn notify(notice: ServerMessage<'_>) {
    let is_printed = !TO_STDERR.load(Ordering::Relaxed);
    match notice {
        ServerMessage::Note(text) => {
            tracing::info!("{text}");
            if is_printed {
                output::print_note(text);
            }
        }
        ServerMessage::Warning(text) => {
            tracing::warn!("{text}");
            if is_printed {
                output::print_warning(text);
            }
        }
    }
}

/// Adds the options of the log.
pub(crate) fn options(command: Command) -> Command {
    let switch = |setting: &dyn AnySetting, help: String| {
        let flag = setting.info().flag.unwrap_or(setting.info().key);
        Arg::new(flag).long(flag).action(ArgAction::SetTrue).help(help)
    };
    command
        .arg(switch(
            &log::TARGET,
            "Log to standard error (default: to one file per day in the cache folder)".to_owned(),
        ))
        .arg(switch(&log::DEBUG, settings::help(&log::DEBUG)))
}

/// Starts the log. A log file that cannot be written produces a warning; the server starts anyway.
///
/// # Errors
///
/// If a setting is invalid.
pub(crate) fn start(settings: &Settings) -> Result<Logging, Error> {
    let level = if settings.get(&log::DEBUG)? { LevelFilter::DEBUG } else { LevelFilter::INFO };
    let keep = usize::try_from(settings.get(&log::KEEP)?).unwrap_or(usize::MAX);
    let worker = match settings.get(&log::TARGET)? {
        LogTarget::None => None,
        LogTarget::Stderr => {
            let (writer, worker) = background_writer(io::stderr());
            install(subscriber(writer, level, Colours::of(&io::stderr())));
            TO_STDERR.store(true, Ordering::Relaxed);
            Some(worker)
        }
        LogTarget::File => {
            let folder = settings.folders().cache.join("logs");
            match DailyFile::open(&folder, keep, SystemTime::now) {
                Ok(daily) => {
                    let (writer, worker) = background_writer(daily);
                    install(subscriber(writer, level, Colours::Off));
                    Some(worker)
                }
                Err(why) => {
                    let folder = folder.display();
                    output::print_warning(&format!("cannot write a log to {folder}: {why}"));
                    None
                }
            }
        }
    };
    Ok(Logging { _worker: worker })
}

/// Starts a thread that writes the log, so that calls do not wait for the disk. If it falls behind, lines
/// are lost.
fn background_writer(to: impl io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    // The default of 128,000 lines would allocate the whole buffer at the start.
    NonBlockingBuilder::default().buffered_lines_limit(2_048).finish(to)
}

fn subscriber(
    writer: NonBlocking,
    level: LevelFilter,
    colours: Colours,
) -> impl Subscriber + Send + Sync {
    let lines = fmt::layer().with_writer(writer).with_ansi(colours == Colours::On);
    registry().with(Targets::new().with_target(OWN_TARGET, level)).with(lines)
}

fn install(subscriber: impl Subscriber + Send + Sync) {
    // This fails only if one process serves twice; the first log stays.
    let _ = subscriber.try_init();
}
