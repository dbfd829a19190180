//! A fixture that asks any question of any tool, also those that no tool asks yet.

use deskhand_engine::{
    ElicitResponse, Instance, Question, RiskCause, questions as engine_questions,
};
use rmcp::{ErrorData, model::Tool};
use serde_json::{Value, json};

use super::text;
use crate::{
    input::ClientPrompt,
    tool::{
        call::{CallOutcome, ToolCall},
        list::{OfferedTool, TaskMode, object},
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
        engine_questions::which_app("editor", &[editor(7), editor(9)]),
        engine_questions::which_element("Submit"),
        engine_questions::confirm_risk(
            "Click",
            "button \"Delete all\" in editor",
            &RiskCause::Word("delete".to_owned()),
        ),
        engine_questions::enable_accessibility(),
        engine_questions::review_script("Python", "print('hello')", 30),
        engine_questions::elevation("Changing the clock"),
        engine_questions::service_key("The picture reader", PAGE),
        engine_questions::client_access("An agent", PAGE),
        engine_questions::sign_in("editor", PAGE),
    ]
}

/// Returns the declaration.
pub(super) fn tool() -> OfferedTool {
    let keys: Vec<&str> = all().iter().map(|question| question.key).collect();
    let schema = json!({
        "type": "object",
        "properties": { "key": { "type": "string", "enum": keys } },
        "required": ["key"],
    });
    let tool = Tool::new(NAME, "Asks one of the questions of the tools", object(schema));
    OfferedTool::read_only(tool, TaskMode::Never)
}

/// Runs the fixture. Returns `None` if another tool was called.
pub(super) async fn call(
    call: &ToolCall,
    prompt: &ClientPrompt,
) -> Result<Option<CallOutcome>, ErrorData> {
    if call.tool != NAME {
        return Ok(None);
    }
    let key = call.arguments.get("key").and_then(Value::as_str).unwrap_or_default();
    let Some(question) = all().into_iter().find(|question| question.key == key) else {
        return Err(ErrorData::invalid_params("arguments.key: unknown question", None));
    };
    let words = match prompt.ask_question(&question).await? {
        ElicitResponse::Accepted(answer) => format!("given {answer}"),
        ElicitResponse::Declined => "declined".to_owned(),
        ElicitResponse::Cancelled => "cancelled".to_owned(),
        ElicitResponse::Unavailable => "nobody".to_owned(),
        ElicitResponse::Deferred => return Ok(Some(CallOutcome::InputRequired)),
    };
    Ok(Some(text(words).into()))
}
