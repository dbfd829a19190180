//! Fixtures that run as tasks.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject},
};
use serde_json::{Value, json};

use super::{asks, text};
use crate::{
    ask::Voice,
    server::failure,
    tool::call::{Job, Ran},
};

pub(super) async fn call(job: &Job, voice: &Voice) -> Result<Option<Ran>, ErrorData> {
    let given = |name: &str| job.arguments.get(name);
    let ran: Ran = match job.tool.as_str() {
        "slow_compute" => {
            let seconds = given("seconds").and_then(Value::as_f64).unwrap_or(1.0);
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            tokio::select! {
                () = tokio::time::sleep(time) => text(format!("Took {seconds} s")).into(),
                () = voice.client.stop.cancelled() => {
                    return Err(failure::not_now("the call was cancelled"));
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
            let query = asks::form(&format!("Delete {file}?"), fields, json!(["confirm"]));
            let answer = asks::heard(voice, "confirm", query).await?.unwrap_or_default();
            let confirmed = answer["content"]["confirm"].as_bool().unwrap_or(false);
            text(format!("{file}: confirmed = {confirmed}")).into()
        }
        "multi_input" => {
            let first = asks::heard(voice, "input-a", asks::one("Provide value A", "value"));
            let second = asks::heard(voice, "input-b", asks::one("Provide value B", "value"));
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
    Ok(Some(ran))
}

pub(super) async fn ask_first(voice: &Voice) -> Result<JsonObject, ErrorData> {
    let query = asks::one("What is your name?", "name");
    let answer = asks::heard(voice, "user_name", query).await?.unwrap_or_default();
    Ok(JsonObject::from_iter([("user_name".to_owned(), answer["content"]["name"].clone())]))
}
