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
    ask::{Heard, Query, Voice},
    server::client::Era,
    tool::call::{Job, Ran},
};

pub(super) async fn call(job: &Job, voice: &Voice) -> Result<Option<Ran>, ErrorData> {
    let given =
        |name: &str| job.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let asked: Vec<(&str, Query)> = match job.tool.as_str() {
        "test_sampling" => vec![("sample", sample(&given("prompt"), 100))],
        "test_elicitation" => vec![("answer", person(&given("message")))],
        "test_elicitation_sep1034_defaults" => {
            vec![("answer", form("Please fill in the form", defaults(), json!([])))]
        }
        "test_elicitation_sep1330_enums" => {
            vec![("answer", form("Please choose", choices(), json!([])))]
        }
        "test_streaming_elicitation" => {
            voice.client.progress(1.0, None, Some("begun".to_owned())).await;
            vec![("value", one("Provide a value", "value"))]
        }
        "test_input_required_result_elicitation" => {
            vec![("user_name", one("What is your name?", "name"))]
        }
        "test_input_required_result_sampling" => {
            vec![("capital_question", sample("What is the capital of France?", 100))]
        }
        "test_input_required_result_list_roots" => vec![("client_roots", Query::Roots)],
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            let ok = json!({ "ok": { "type": "boolean" } });
            vec![("confirm", form("Please confirm", ok, json!(["ok"])))]
        }
        "test_input_required_result_multiple_inputs"
        | "test_input_required_result_capabilities" => vec![
            ("user_name", one("What is your name?", "name")),
            ("greeting", sample("Generate a greeting", 50)),
            ("client_roots", Query::Roots),
        ],
        "test_input_required_result_multi_round" => return rounds(voice).await.map(Some),
        _ => return Ok(None),
    };
    let only_what_fits = job.tool == "test_input_required_result_capabilities";
    let mut answers = Vec::new();
    for (key, query) in asked {
        if only_what_fits && !query.fits(&voice.client.capabilities) {
            continue;
        }
        answers.push(heard(voice, key, query).await?);
    }
    let answers: Option<Vec<Value>> = answers.into_iter().collect();
    Ok(Some(answers.map_or(Ran::Asks, |answers| told(&job.tool, &answers))))
}

async fn rounds(voice: &Voice) -> Result<Ran, ErrorData> {
    let first = one("Step 1: What is your name?", "name");
    if heard(voice, "step1", first).await?.is_none() {
        return Ok(Ran::Asks);
    }
    let second = one("Step 2: What is your favorite color?", "color");
    if heard(voice, "step2", second).await?.is_none() {
        return Ok(Ran::Asks);
    }
    Ok(text("Both steps are done").into())
}

/// Requests input. Returns `None` if the response comes with the next round.
pub(super) async fn heard(
    voice: &Voice,
    key: &str,
    query: Query,
) -> Result<Option<Value>, ErrorData> {
    let needed = needed(&query);
    match voice.ask(key, query).await? {
        Heard::Answer(answer) => Ok(Some(answer)),
        Heard::Later => Ok(None),
        Heard::Nobody => Err(match voice.client.era {
            Era::Modern => ErrorData::missing_required_client_capability(needed),
            Era::Handshake(_) => {
                ErrorData::invalid_request("the client does not support this request", None)
            }
        }),
        Heard::Silence => Ok(Some(json!({ "action": "cancel" }))),
    }
}

fn needed(query: &Query) -> ClientCapabilities {
    let mut needed = ClientCapabilities::default();
    match query {
        Query::Form { .. } | Query::Page { .. } => {
            needed.elicitation = Some(ElicitationCapability::default());
        }
        Query::Sample(_) => needed.sampling = Some(Default::default()),
        Query::Roots => needed.roots = Some(Default::default()),
    }
    needed
}

fn told(tool: &str, answers: &[Value]) -> Ran {
    let first = answers.first().cloned().unwrap_or_default();
    let words = match tool {
        "test_sampling" => format!("LLM response: {}", said(&first)),
        "test_input_required_result_sampling" => format!("The model said: {}", said(&first)),
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
fn said(result: &Value) -> &str {
    let content = &result["content"];
    content["text"].as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default()
}

fn sample(prompt: &str, most: u32) -> Query {
    let messages = vec![SamplingMessage::user_text(prompt)];
    Query::Sample(Box::new(CreateMessageRequestParams::new(messages, most)))
}

/// A form with one text field.
pub(super) fn one(message: &str, name: &str) -> Query {
    form(message, json!({ (name): { "type": "string" } }), json!([name]))
}

/// A form.
pub(super) fn form(message: &str, properties: Value, required: Value) -> Query {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Query::Form { message: message.to_owned(), schema }
}

fn person(message: &str) -> Query {
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
