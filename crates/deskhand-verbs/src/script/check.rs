//! Has a script read before anybody is asked to review it.

use std::{path::PathBuf, time::Duration};

use deskhand_model::Delivery;
use deskhand_run::operation::{Ended, Job, Listener, Step, Work};

use super::{Refused, Runner};
use crate::{Context, Error, Result, Said, command};

/// How long reading a script may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of what is said about a script is looked at.
const HEARD: usize = 4_000;

/// Refuses a script that cannot be read. It is read where it would run, in the sandbox; nothing of it runs.
///
/// # Errors
///
/// When it cannot be read, nothing can run here, or the caller is gone.
pub fn check(cx: &Context<'_>, tool: &str, runner: Runner, script: &str) -> Result<()> {
    let workshop = cx.workshop()?;
    let (program, arguments) = runner.reads.command(script);
    let step = Step {
        title: "check".to_owned(),
        program: program.to_owned(),
        arguments,
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    };
    let job = Job {
        tool: tool.to_owned(),
        title: "check the script".to_owned(),
        work: Work::Steps(vec![step]),
        timeout: Some(PATIENCE),
    };
    let operation = workshop.prepare(job, Listener::Nobody)?;
    let heeded = command::cancelled_with(cx, &operation);
    workshop.run(&operation)?;
    drop(heeded);
    if cx.stop.asked() {
        return Err(Error::Stopped { delivery: Delivery::NotSent });
    }
    let summary = operation.summary();
    if summary.exit == Some(Ended::Exit(0)) {
        return Ok(());
    }
    let said = operation.excerpt(HEARD).head;
    if let Some(complaint) = runner.reads.complaint(&said, script) {
        return Err(Refused::Unreadable { complaint }.into());
    }
    let why = summary.why.or_else(|| said.lines().next().map(str::to_owned)).unwrap_or_default();
    // Whether anybody hears it changes nothing: who runs the script sees for themselves.
    let _heard = (cx.listener)(Said::warning(format!("the script could not be checked: {why}")));
    Ok(())
}
