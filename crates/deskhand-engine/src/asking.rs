//! Runs a tool, and where it fails for want of something only a person knows, asks and runs it again.

use deskhand_tools::{Answer, Asked, Context, Entry, Error, Remedy};
use serde_json::Value;

/// Runs a tool with the help of the person behind the call. Each run gets surroundings of its own:
/// a person takes longer to answer than a call may.
pub(crate) fn run<'a>(
    entry: &Entry,
    fresh: impl Fn() -> Context<'a>,
    mut arguments: Value,
) -> Result<Answer, Error> {
    let mut asked: Vec<&'static str> = Vec::new();
    loop {
        let cx = fresh();
        let error = match entry.run(&cx, arguments.clone()) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let remedy = Remedy::of(&error, entry, &arguments);
        let Some(remedy) = remedy.filter(|one| !asked.contains(&one.question.key)) else {
            return Err(error);
        };
        match cx.ask.ask(&remedy.question) {
            Asked::Given(answer) => match remedy.applied(&answer, arguments.clone()) {
                Some(better) => arguments = better,
                None => return Err(error),
            },
            Asked::Later => return Err(Error::Asks { question: Box::new(remedy.question) }),
            Asked::Declined | Asked::Cancelled | Asked::Nobody => return Err(error),
        }
        asked.push(remedy.question.key);
    }
}
