//! A fixture that asks any question of any tool, also those that no tool asks yet.

use deskhand_engine::{Asked, Instance, Question, Warning, questions};
use rmcp::{ErrorData, model::Tool};
use serde_json::{Value, json};

use super::text;
use crate::{
    ask::Voice,
    tool::{
        call::{Job, Ran},
        list::{Offered, Support, object},
    },
};

/// The name of the fixture.
const NAME: &str = "test_question";

/// The URL for questions that are answered on a web page.
const PAGE: &str = "https://deskhand.example/page?of=test";

/// Returns all questions.
fn all() -> [Question; 9] {
    let editor = |pid| Instance { name: "editor".to_owned(), pid };
    [
        questions::which_app("editor", &[editor(7), editor(9)]),
        questions::which_element("Submit"),
        questions::may_lose(
            "Click",
            "button \"Delete all\" in editor",
            &Warning::Word("delete".to_owned()),
        ),
        questions::permission(),
        questions::review("Python", "print('hello')", 30),
        questions::elevation("Changing the clock"),
        questions::service_key("The picture reader", PAGE),
        questions::consent("An agent", PAGE),
        questions::sign_in("editor", PAGE),
    ]
}

/// Returns the declaration.
pub(super) fn tool() -> Offered {
    let keys: Vec<&str> = all().iter().map(|question| question.key).collect();
    let schema = json!({
        "type": "object",
        "properties": { "key": { "type": "string", "enum": keys } },
        "required": ["key"],
    });
    let tool = Tool::new(NAME, "Asks one of the questions of the tools", object(schema));
    Offered::looking(tool, Support::Never)
}

/// Runs the fixture. Returns `None` if another tool was called.
pub(super) async fn call(job: &Job, voice: &Voice) -> Result<Option<Ran>, ErrorData> {
    if job.tool != NAME {
        return Ok(None);
    }
    let key = job.arguments.get("key").and_then(Value::as_str).unwrap_or_default();
    let Some(question) = all().into_iter().find(|question| question.key == key) else {
        return Err(ErrorData::invalid_params("arguments.key: unknown question", None));
    };
    let words = match voice.put(&question).await? {
        Asked::Given(answer) => format!("given {answer}"),
        Asked::Declined => "declined".to_owned(),
        Asked::Cancelled => "cancelled".to_owned(),
        Asked::Nobody => "nobody".to_owned(),
        Asked::Later => return Ok(Some(Ran::Asks)),
    };
    Ok(Some(text(words).into()))
}
