//! The declarations of the fixtures.

use rmcp::model::Tool;
use serde_json::{Value, json};

use super::questions;
use crate::tool::list::{OfferedTool, TaskMode, object};

/// Returns all fixtures.
pub(super) fn all() -> Vec<OfferedTool> {
    let plain = PLAIN.iter().map(|(name, about)| fixture(name, about, json!({})));
    let asking = [
        fixture("test_sampling", "Asks the client's model", words("prompt")),
        fixture("test_elicitation", "Asks the user", words("message")),
        fixture("greet", "Greets, never as a task", words("name")),
    ];
    let schema = Tool::new("json_schema_2020_12_tool", "Has a rich schema", object(rich()));
    let header = json!({
        "type": "object",
        "properties": { "value": { "type": "string", "x-mcp-header": "Value" } },
        "required": ["value"],
    });
    let header = Tool::new("test_custom_header", "Has a parameter in a header", object(header));
    let raw = [schema, header].map(|tool| OfferedTool::read_only(tool, TaskMode::Never));
    plain.chain(asking).chain(raw).chain(tasks()).chain([questions::tool()]).collect()
}

fn tasks() -> impl Iterator<Item = OfferedTool> {
    let seconds = json!({ "seconds": { "type": "number" } });
    let file = json!({ "filename": { "type": "string" } });
    [
        ("slow_compute", "Takes the given time", seconds, TaskMode::Optional),
        ("protocol_error_job", "Fails by the protocol", json!({}), TaskMode::Optional),
        ("failing_job", "Fails as a tool", json!({}), TaskMode::Required),
        ("confirm_delete", "Asks once", file, TaskMode::Required),
        ("multi_input", "Asks twice at once", json!({}), TaskMode::Required),
        ("test_tool_with_task", "Asks, then runs", json!({}), TaskMode::Required),
    ]
    .into_iter()
    .map(|(name, about, properties, support)| {
        let schema = json!({ "type": "object", "properties": properties });
        OfferedTool::read_only(Tool::new(name, about, object(schema)), support)
    })
}

fn words(name: &str) -> Value {
    json!({ "properties": { (name): { "type": "string" } }, "required": [name] })
}

fn fixture(name: &'static str, about: &'static str, more: Value) -> OfferedTool {
    let mut schema = json!({ "type": "object", "properties": {} });
    for (key, value) in object(more) {
        schema[key] = value;
    }
    OfferedTool::read_only(Tool::new(name, about, object(schema)), TaskMode::Never)
}

const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with text"),
    ("test_image_content", "Answers with a picture"),
    ("test_audio_content", "Answers with sound"),
    ("test_embedded_resource", "Answers with a resource"),
    ("test_multiple_content_types", "Answers with several things"),
    ("test_tool_with_logging", "Writes log records"),
    ("test_log_flood", "Writes more log records than a client takes"),
    ("test_error_handling", "Fails"),
    ("test_tool_with_progress", "Reports progress"),
    ("test_elicitation_sep1034_defaults", "Asks by a form with defaults"),
    ("test_elicitation_sep1330_enums", "Asks by a form with choices"),
    ("test_reconnection", "Waits briefly before it answers"),
    ("test_missing_capability", "Requires a client that supports sampling"),
    ("test_streaming_elicitation", "Asks the user after it has started"),
    ("test_logging_tool", "Sends a log record if the client requested log records"),
    ("test_trigger_tool_change", "Says that the tools have changed"),
    ("test_trigger_prompt_change", "Says that the prompts have changed"),
    ("test_input_required_result_elicitation", "Asks the user"),
    ("test_input_required_result_sampling", "Asks the model"),
    ("test_input_required_result_list_roots", "Asks for folders"),
    ("test_input_required_result_request_state", "Keeps a state"),
    ("test_input_required_result_multiple_inputs", "Asks for three things"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_tampered_state", "Refuses a changed state"),
    ("test_input_required_result_capabilities", "Asks for what the client can"),
];

fn rich() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
