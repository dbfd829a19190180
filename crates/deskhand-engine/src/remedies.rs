//! Runs a tool. If it fails because information is missing, asks the user and runs it again.

use deskhand_tools::{Correction, ToolEntry, ToolOutput};
use deskhand_verbs::{Context, ElicitResponse, Error};
use serde_json::Value;

/// Runs a tool, and asks the user for missing information. Each run gets a new context with a new
/// deadline, because the user may take longer to answer than a call may take.
pub(crate) fn run<'a>(
    entry: &ToolEntry,
    new_context: impl Fn() -> Context<'a>,
    mut arguments: Value,
) -> Result<ToolOutput, Error> {
    let mut asked_keys: Vec<&'static str> = Vec::new();
    loop {
        let cx = new_context();
        let error = match entry.run(&cx, arguments.clone()) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let remedy = Correction::of(&error, entry, &arguments);
        let Some(remedy) = remedy.filter(|one| !asked_keys.contains(&one.question.key)) else {
            return Err(error);
        };
        match cx.elicitor.elicit(&remedy.question) {
            ElicitResponse::Accepted(answer) => match remedy.applied(&answer, arguments.clone()) {
                Some(completed) => arguments = completed,
                None => return Err(error),
            },
            ElicitResponse::Deferred => {
                return Err(Error::QuestionPending { question: Box::new(remedy.question) });
            }
            ElicitResponse::Declined | ElicitResponse::Cancelled | ElicitResponse::Unavailable => {
                return Err(error);
            }
        }
        asked_keys.push(remedy.question.key);
    }
}
