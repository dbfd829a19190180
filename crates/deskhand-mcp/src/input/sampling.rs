//! Sampling: conversion of a tool's conversation into `sampling/createMessage`, and of the model's
//! message into a tool's answer.
#![expect(deprecated, reason = "sampling belongs to 2025-11-25 and older, which are served too")]

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::sampling::{
    self, ContentPart, ModelReply, SamplingRequest, SamplingTool, ToolResult, ToolUse,
};
use rmcp::model::{
    ClientCapabilities, ContentBlock, CreateMessageRequestParams, ImageContent, JsonObject,
    ModelPreferences, Role, SamplingContent, SamplingMessage, SamplingMessageContentBlock, Tool,
    ToolChoice,
};
use serde_json::{Value, json};

use crate::tool::list::object;

/// Returns `true` if the client supports sampling, with tools if the request has any.
pub(super) fn is_supported(
    params: &CreateMessageRequestParams,
    capabilities: &ClientCapabilities,
) -> bool {
    let capability = capabilities.sampling.as_ref();
    capability.is_some_and(|sampling| params.tools.is_none() || sampling.tools.is_some())
}

/// Converts a conversation into the parameters of `sampling/createMessage`.
pub(super) fn params(request: &SamplingRequest) -> CreateMessageRequestParams {
    let messages = request.messages.iter().flat_map(messages).collect();
    let mut params = CreateMessageRequestParams::new(messages, request.max_tokens);
    params.system_prompt = Some(request.system_prompt.to_owned());
    params.model_preferences = request.model_preferences.map(preferences);
    if !request.tools.is_empty() {
        params.tools = Some(request.tools.iter().map(tool_declaration).collect());
        params.tool_choice = Some(ToolChoice::auto());
    }
    params
}

/// Converts the model's message into a tool's answer, or returns `None` if it is empty.
pub(super) fn answer_from_result(result: &Value) -> Option<Value> {
    let content = &result["content"];
    let blocks = match content {
        Value::Array(blocks) => blocks.as_slice(),
        Value::Object(_) => std::slice::from_ref(content),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    let mut spoken = ModelReply::default();
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => {
                let separator = if spoken.text.is_empty() { "" } else { "\n" };
                spoken.text.push_str(separator);
                spoken.text.push_str(block["text"].as_str().unwrap_or_default());
            }
            Some("tool_use") => spoken.tool_uses.push(ToolUse {
                id: block["id"].as_str().unwrap_or_default().to_owned(),
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                input: block["input"].clone(),
            }),
            // Tools use text and tool calls only.
            Some(_) | None => {}
        }
    }
    let is_empty = spoken.text.trim().is_empty() && spoken.tool_uses.is_empty();
    if is_empty { None } else { serde_json::to_value(spoken).ok() }
}

fn preferences(weighs: sampling::ModelPreferences) -> ModelPreferences {
    ModelPreferences::new()
        .with_intelligence_priority(weighs.intelligence)
        .with_cost_priority(weighs.cost)
        .with_speed_priority(weighs.speed)
}

fn messages(turn: &sampling::SamplingMessage) -> Vec<SamplingMessage> {
    let message = |role: Role, content| {
        let mut message = SamplingMessage::user_text("");
        (message.role, message.content) = (role, content);
        message
    };
    match turn {
        // One message per piece: versions before 2025-11-25 have no content arrays.
        sampling::SamplingMessage::User(pieces) => pieces
            .iter()
            .map(|one| message(Role::User, SamplingContent::Single(content_block(one))))
            .collect(),
        sampling::SamplingMessage::Assistant(spoken) => {
            vec![message(Role::Assistant, SamplingContent::Multiple(assistant_content(spoken)))]
        }
        sampling::SamplingMessage::ToolResults(all) => {
            let all = all.iter().map(tool_result).collect();
            vec![message(Role::User, SamplingContent::Multiple(all))]
        }
    }
}

fn content_block(piece: &ContentPart) -> SamplingMessageContentBlock {
    match piece {
        ContentPart::Text(words) => SamplingMessageContentBlock::text(words),
        ContentPart::Image(image) => SamplingMessageContentBlock::Image(ImageContent::new(
            STANDARD.encode(&image.bytes),
            image.mime,
        )),
    }
}

fn assistant_content(spoken: &ModelReply) -> Vec<SamplingMessageContentBlock> {
    let words = (!spoken.text.is_empty()).then(|| SamplingMessageContentBlock::text(&spoken.text));
    let used = spoken.tool_uses.iter().map(|one| {
        let input = object(one.input.clone());
        SamplingMessageContentBlock::tool_use(&one.id, &one.name, input)
    });
    words.into_iter().chain(used).collect()
}

fn tool_result(came: &ToolResult) -> SamplingMessageContentBlock {
    SamplingMessageContentBlock::tool_result(&came.id, vec![ContentBlock::text(&came.text)])
}

fn tool_declaration(lent: &SamplingTool) -> Tool {
    let (name, about) = lent.parameter.split_once(": ").unwrap_or((lent.parameter, ""));
    let schema = json!({
        "type": "object",
        "properties": { (name): { "type": "string", "description": about } },
        "required": [name],
    });
    let schema: JsonObject = object(schema);
    Tool::new(lent.name, lent.description, schema)
}

#[cfg(test)]
mod tests {
    use deskhand_engine::Image;

    use super::*;

    fn talk() -> SamplingRequest {
        let picture = Image { bytes: vec![1, 2, 3], mime: "image/png", extension: "png" };
        SamplingRequest {
            system_prompt: "You help.",
            messages: vec![
                sampling::SamplingMessage::User(vec![
                    ContentPart::Image(picture),
                    ContentPart::Text("What is it?".to_owned()),
                ]),
                sampling::SamplingMessage::Assistant(ModelReply {
                    text: String::new(),
                    tool_uses: vec![ToolUse {
                        id: "u1".to_owned(),
                        name: "look".to_owned(),
                        input: json!({ "ref": "e1" }),
                    }],
                }),
                sampling::SamplingMessage::ToolResults(vec![ToolResult {
                    id: "u1".to_owned(),
                    text: "a button".to_owned(),
                }]),
            ],
            max_tokens: 500,
            model_preferences: Some(sampling::ModelPreferences {
                intelligence: 0.8,
                cost: 0.3,
                speed: 0.5,
            }),
            tools: vec![SamplingTool {
                name: "look",
                description: "Looks",
                parameter: "ref: which",
            }],
        }
    }

    #[test]
    fn a_conversation_becomes_a_sampling_request() {
        let value = serde_json::to_value(params(&talk())).unwrap();
        assert_eq!(value["systemPrompt"], "You help.");
        assert_eq!(
            (&value["maxTokens"], &value["toolChoice"]["mode"]),
            (&json!(500), &json!("auto"))
        );
        assert!(value["modelPreferences"]["intelligencePriority"].is_number(), "{value}");
        let messages = &value["messages"];
        assert_eq!(messages[0]["content"]["mimeType"], "image/png", "{value}");
        assert_eq!(messages[1]["content"]["text"], "What is it?", "{value}");
        assert_eq!(
            (&messages[1]["role"], &messages[2]["role"]),
            (&json!("user"), &json!("assistant"))
        );
        assert_eq!(messages[2]["content"][0]["type"], "tool_use", "{value}");
        let came = &messages[3]["content"][0];
        assert_eq!((&came["type"], &came["toolUseId"]), (&json!("tool_result"), &json!("u1")));
        assert_eq!(value["tools"][0]["inputSchema"]["required"], json!(["ref"]));
    }

    #[test]
    fn tools_need_the_sampling_tools_capability() {
        let can = |value: Value| -> ClientCapabilities { serde_json::from_value(value).unwrap() };
        let with_tools = params(&talk());
        let plain = params(&SamplingRequest { tools: Vec::new(), ..talk() });
        assert!(!is_supported(&plain, &can(json!({}))));
        let sampling = can(json!({ "sampling": {} }));
        assert!(is_supported(&plain, &sampling) && !is_supported(&with_tools, &sampling));
        assert!(is_supported(&with_tools, &can(json!({ "sampling": { "tools": {} } }))));
    }

    #[test]
    fn a_message_becomes_text_and_tool_calls() {
        let one = json!({ "content": { "type": "text", "text": "hello" } });
        assert_eq!(answer_from_result(&one).unwrap()["words"], "hello");
        let several = json!({ "content": [
            { "type": "text", "text": "a" },
            { "type": "tool_use", "id": "1", "name": "look", "input": { "ref": "e1" } },
            { "type": "image", "data": "", "mimeType": "image/png" },
            { "type": "text", "text": "b" },
        ] });
        let said = ModelReply::from_value(&answer_from_result(&several).unwrap()).unwrap();
        assert_eq!((said.text.as_str(), said.tool_uses[0].name.as_str()), ("a\nb", "look"));
        for nothing in [json!({}), json!({ "content": [] }), json!({ "content": "x" })] {
            assert_eq!(answer_from_result(&nothing), None, "{nothing}");
        }
    }
}
