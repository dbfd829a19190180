//! Fixtures that run as tasks.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject},
};
use serde_json::{Value, json};

use super::{input, text};
use crate::{
    input::ClientPrompt,
    server::failure,
    tool::call::{CallOutcome, ToolCall},
};

pub(super) async fn call(
    call: &ToolCall,
    prompt: &ClientPrompt,
) -> Result<Option<CallOutcome>, ErrorData> {
    let given = |name: &str| call.arguments.get(name);
    let outcome: CallOutcome = match call.tool.as_str() {
        "slow_compute" => {
            let seconds = given("seconds").and_then(Value::as_f64).unwrap_or(1.0);
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            tokio::select! {
                () = tokio::time::sleep(time) => text(format!("Took {seconds} s")).into(),
                () = prompt.client.cancel.cancelled() => {
                    return Err(failure::unavailable("the call was cancelled"));
                }
            }
        }
        "failing_job" => {
            tokio::time::sleep(Duration::from_secs(1)).await;
            CallToolResult::error(vec![ContentBlock::text("failing_job fails on purpose")]).into()
        }
        "protocol_error_job" => {
            tokio::time::sleep(Duration::from_millis(200)).await;
            return Err(ErrorData::internal_error("protocol_error_job fails on purpose", None));
        }
        "confirm_delete" => {
            let file = given("filename").and_then(Value::as_str).unwrap_or("the file");
            let fields = json!({ "confirm": { "type": "boolean" } });
            let query = input::form(&format!("Delete {file}?"), fields, json!(["confirm"]));
            let answer = input::request_input(prompt, "confirm", query).await?.unwrap_or_default();
            let confirmed = answer["content"]["confirm"].as_bool().unwrap_or(false);
            text(format!("{file}: confirmed = {confirmed}")).into()
        }
        "multi_input" => {
            let first = input::request_input(
                prompt,
                "input-a",
                input::text_form("Provide value A", "value"),
            );
            let second = input::request_input(
                prompt,
                "input-b",
                input::text_form("Provide value B", "value"),
            );
            let (first, second) = tokio::try_join!(first, second)?;
            let value = |answer: Option<Value>| {
                let answer = answer.unwrap_or_default();
                answer["content"]["value"].as_str().unwrap_or_default().to_owned()
            };
            text(format!("a = {}, b = {}", value(first), value(second))).into()
        }
        "test_tool_with_task" => {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let name = given("user_name").and_then(Value::as_str).unwrap_or("you");
            text(format!("Hello, {name}!")).into()
        }
        _ => return Ok(None),
    };
    Ok(Some(outcome))
}

pub(super) async fn request_first_input(prompt: &ClientPrompt) -> Result<JsonObject, ErrorData> {
    let query = input::text_form("What is your name?", "name");
    let answer = input::request_input(prompt, "user_name", query).await?.unwrap_or_default();
    Ok(JsonObject::from_iter([("user_name".to_owned(), answer["content"]["name"].clone())]))
}
