//! The syntax check of a script before its review.

use std::{path::PathBuf, time::Duration};

use deskhand_model::Delivery;
use deskhand_run::operation::{ExitReason, OperationObserver, OperationSpec, ProgramStep, Work};

use super::{Interpreter, ScriptError};
use crate::{Context, Error, ProgressEvent, Result, command, timing};

/// The number of bytes of checker output that are searched for an error.
const MAX_CHECK_OUTPUT: usize = 4_000;

/// Checks the syntax of a script in the sandbox without running it.
///
/// # Errors
///
/// Fails if the script has a syntax error, commands cannot run here, or the call is cancelled.
pub fn check_syntax(
    cx: &Context<'_>,
    tool: &str,
    interpreter: Interpreter,
    script: &str,
) -> Result<()> {
    let session = cx.command_session()?;
    let (program, arguments) = interpreter.checker.command(script);
    let step = ProgramStep {
        title: "check".to_owned(),
        program: program.to_owned(),
        arguments,
        folder: PathBuf::new(),
        skip: None,
        delay_before: Duration::ZERO,
        files: Vec::new(),
    };
    let job = OperationSpec {
        tool: tool.to_owned(),
        title: "check the script".to_owned(),
        work: Work::Steps(vec![step]),
        timeout: Some(timing::SCRIPT_CHECK_TIMEOUT),
    };
    let operation = session.register(job, OperationObserver::None)?;
    let cancel_hook = command::cancel_with_call(cx, &operation);
    session.run(&operation)?;
    drop(cancel_hook);
    if cx.cancel.is_cancelled() {
        return Err(Error::Cancelled { delivery: Delivery::NotSent });
    }
    let summary = operation.summary();
    if summary.exit == Some(ExitReason::Exit(0)) {
        return Ok(());
    }
    let output = operation.excerpt(MAX_CHECK_OUTPUT).head;
    if let Some(error) = interpreter.checker.syntax_error(&output, script) {
        return Err(ScriptError::Syntax(error).into());
    }
    let why =
        summary.reason.or_else(|| output.lines().next().map(str::to_owned)).unwrap_or_default();
    // It makes no difference if the caller still listens: running the script shows the same
    // problem.
    let _still_listening =
        (cx.progress)(ProgressEvent::warning(format!("the script could not be checked: {why}")));
    Ok(())
}
