//! Fixtures that answer without requesting input.
#![expect(deprecated, reason = "the suite tests both eras")]

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{AudioContent, CallToolResult, ClientCapabilities, ContentBlock, ResourceContents},
};
use serde_json::json;

use super::{FixtureList, Fixtures, text};
use crate::{
    input::ClientPrompt,
    server::log::LogLevel,
    tool::call::{CallOutcome, ToolCall},
};

/// An image of one pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// An empty sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const LOGGER: &str = "deskhand.conformance";

const STEP_DELAY: Duration = Duration::from_millis(50);

pub(super) async fn call(
    fixtures: &Fixtures,
    call: &ToolCall,
    prompt: &ClientPrompt,
) -> Result<CallOutcome, ErrorData> {
    let client = &prompt.client;
    let result = match call.tool.as_str() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => {
            CallToolResult::success(vec![ContentBlock::image(PNG, "image/png")])
        }
        "test_audio_content" => {
            let audio = ContentBlock::Audio(AudioContent::new(WAV, "audio/wav"));
            CallToolResult::success(vec![audio])
        }
        "test_embedded_resource" => CallToolResult::success(vec![resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )]),
        "test_multiple_content_types" => CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            ),
        ]),
        "test_tool_with_logging" => {
            for words in
                ["Tool execution started", "Tool processing data", "Tool execution completed"]
            {
                client.log(LogLevel::Info, LOGGER, json!(words)).await;
                tokio::time::sleep(STEP_DELAY).await;
            }
            text("Logged three times")
        }
        "test_log_flood" => {
            for number in 0..1_000 {
                client.log(LogLevel::Info, LOGGER, json!(number)).await;
            }
            text("Logged a thousand times")
        }
        "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
            "This tool intentionally returns an error for testing",
        )]),
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                client.progress(done, Some(100.0), Some(format!("{done} %"))).await;
                tokio::time::sleep(STEP_DELAY).await;
            }
            text("Reported three times")
        }
        "test_reconnection" => {
            tokio::time::sleep(STEP_DELAY).await;
            text("Still here")
        }
        "test_missing_capability" => {
            if client.capabilities.sampling.is_none() {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            text("The client supports sampling")
        }
        "test_logging_tool" => {
            client.log(LogLevel::Info, LOGGER, json!("Logged once")).await;
            text("Sent a log record if the client requested log records")
        }
        "test_trigger_tool_change" => {
            fixtures.change(FixtureList::Tools).await;
            text("The tools have changed")
        }
        "test_trigger_prompt_change" => {
            fixtures.change(FixtureList::Prompts).await;
            text("The prompts have changed")
        }
        "greet" => {
            let name = call.arguments.get("name").and_then(|name| name.as_str());
            text(format!("Hello, {}!", name.unwrap_or("you")))
        }
        other => text(format!("{other} has nothing to do")),
    };
    Ok(result.into())
}

fn resource(uri: &str, mime: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text: text.to_owned(),
        meta: None,
    })
}
