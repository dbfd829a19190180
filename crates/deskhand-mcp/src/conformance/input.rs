//! Fixtures that request input: elicitation, sampling and roots.
#![expect(deprecated, reason = "the suite tests both eras")]

use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, CreateMessageRequestParams, ElicitationCapability, SamplingMessage,
    },
};
use serde_json::{Value, json};

use super::text;
use crate::{
    input::{ClientPrompt, InputOutcome, InputQuery},
    server::client::Era,
    tool::call::{CallOutcome, ToolCall},
};

pub(super) async fn call(
    call: &ToolCall,
    prompt: &ClientPrompt,
) -> Result<Option<CallOutcome>, ErrorData> {
    let given = |name: &str| {
        call.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let queries: Vec<(&str, InputQuery)> = match call.tool.as_str() {
        "test_sampling" => vec![("sample", sample(&given("prompt"), 100))],
        "test_elicitation" => vec![("answer", user_form(&given("message")))],
        "test_elicitation_sep1034_defaults" => {
            vec![("answer", form("Please fill in the form", defaults(), json!([])))]
        }
        "test_elicitation_sep1330_enums" => {
            vec![("answer", form("Please choose", choices(), json!([])))]
        }
        "test_streaming_elicitation" => {
            prompt.client.progress(1.0, None, Some("begun".to_owned())).await;
            vec![("value", text_form("Provide a value", "value"))]
        }
        "test_input_required_result_elicitation" => {
            vec![("user_name", text_form("What is your name?", "name"))]
        }
        "test_input_required_result_sampling" => {
            vec![("capital_question", sample("What is the capital of France?", 100))]
        }
        "test_input_required_result_list_roots" => vec![("client_roots", InputQuery::Roots)],
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            let ok = json!({ "ok": { "type": "boolean" } });
            vec![("confirm", form("Please confirm", ok, json!(["ok"])))]
        }
        "test_input_required_result_multiple_inputs"
        | "test_input_required_result_capabilities" => vec![
            ("user_name", text_form("What is your name?", "name")),
            ("greeting", sample("Generate a greeting", 50)),
            ("client_roots", InputQuery::Roots),
        ],
        "test_input_required_result_multi_round" => return two_rounds(prompt).await.map(Some),
        _ => return Ok(None),
    };
    let only_supported = call.tool == "test_input_required_result_capabilities";
    let mut answers = Vec::new();
    for (key, query) in queries {
        if only_supported && !query.is_supported_by(&prompt.client.capabilities) {
            continue;
        }
        answers.push(request_input(prompt, key, query).await?);
    }
    let answers: Option<Vec<Value>> = answers.into_iter().collect();
    Ok(Some(answers.map_or(CallOutcome::InputRequired, |answers| render(&call.tool, &answers))))
}

async fn two_rounds(prompt: &ClientPrompt) -> Result<CallOutcome, ErrorData> {
    let first = text_form("Step 1: What is your name?", "name");
    if request_input(prompt, "step1", first).await?.is_none() {
        return Ok(CallOutcome::InputRequired);
    }
    let second = text_form("Step 2: What is your favorite color?", "color");
    if request_input(prompt, "step2", second).await?.is_none() {
        return Ok(CallOutcome::InputRequired);
    }
    Ok(text("Both steps are done").into())
}

/// Requests input. Returns `None` if the response comes with the next round.
pub(super) async fn request_input(
    prompt: &ClientPrompt,
    key: &str,
    query: InputQuery,
) -> Result<Option<Value>, ErrorData> {
    let needed = required_capabilities(&query);
    match prompt.ask(key, query).await? {
        InputOutcome::Answer(answer) => Ok(Some(answer)),
        InputOutcome::Deferred => Ok(None),
        InputOutcome::Unsupported => Err(match prompt.client.era {
            Era::Stateless => ErrorData::missing_required_client_capability(needed),
            Era::Handshake(_) => {
                ErrorData::invalid_request("the client does not support this request", None)
            }
        }),
        InputOutcome::NoAnswer => Ok(Some(json!({ "action": "cancel" }))),
    }
}

fn required_capabilities(query: &InputQuery) -> ClientCapabilities {
    let mut needed = ClientCapabilities::default();
    match query {
        InputQuery::ElicitForm { .. } | InputQuery::ElicitUrl { .. } => {
            needed.elicitation = Some(ElicitationCapability::default());
        }
        InputQuery::Sampling(_) => needed.sampling = Some(Default::default()),
        InputQuery::Roots => needed.roots = Some(Default::default()),
    }
    needed
}

fn render(tool: &str, answers: &[Value]) -> CallOutcome {
    let first = answers.first().cloned().unwrap_or_default();
    let words = match tool {
        "test_sampling" => format!("LLM response: {}", message_text(&first)),
        "test_input_required_result_sampling" => {
            format!("The model said: {}", message_text(&first))
        }
        "test_input_required_result_elicitation" => {
            format!("Hello, {}!", first["content"]["name"].as_str().unwrap_or("you"))
        }
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => "state-ok".to_owned(),
        "test_elicitation" => format!(
            "User response: action={}, content={}",
            first["action"].as_str().unwrap_or_default(),
            first["content"]
        ),
        _ => format!(
            "Elicitation completed: action={}, content={}",
            first["action"].as_str().unwrap_or_default(),
            first["content"]
        ),
    };
    text(words).into()
}

/// Returns the text of a sampling result, which is one block or several.
fn message_text(result: &Value) -> &str {
    let content = &result["content"];
    content["text"].as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default()
}

fn sample(prompt: &str, max_tokens: u32) -> InputQuery {
    let messages = vec![SamplingMessage::user_text(prompt)];
    InputQuery::Sampling(Box::new(CreateMessageRequestParams::new(messages, max_tokens)))
}

/// A form with one text field.
pub(super) fn text_form(message: &str, name: &str) -> InputQuery {
    form(message, json!({ (name): { "type": "string" } }), json!([name]))
}

/// A form.
pub(super) fn form(message: &str, properties: Value, required: Value) -> InputQuery {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    InputQuery::ElicitForm { message: message.to_owned(), schema }
}

fn user_form(message: &str) -> InputQuery {
    let fields = json!({
        "username": { "type": "string", "description": "User's name" },
        "email": { "type": "string", "description": "User's address" },
    });
    form(message, fields, json!(["username", "email"]))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": {
            "type": "string", "enum": ["active", "inactive", "pending"], "default": "active",
        },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let titled = |word: &str| {
        json!([
            { "const": "value1", "title": format!("First {word}") },
            { "const": "value2", "title": format!("Second {word}") },
            { "const": "value3", "title": format!("Third {word}") },
        ])
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}
