//! Conversion of a reply into a tool result: text for readers, structured content for programs, and
//! images. Text of apps is wrapped in marks that no app can guess. A result that is too large is
//! stored, and the tool result links to it.

use std::time::Instant;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::ToolOutput;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::resource::{
    stored::{JSON, ResultStore},
    uri::Uri,
};

/// The `_meta` key that tells programs which mark wraps the text of apps. All strings of the
/// structured content may come from apps.
const FROM_APPS_KEY: &str = "dev.deskhand/from-apps";

/// Number of random characters in a mark: enough that no app can guess it, and short to read.
const MARK_LENGTH: usize = 6;

/// Maximum number of bytes of text and of structured content. Clients truncate much larger results.
const MAX_BYTES: usize = 60_000;

/// Number of bytes shown of a stored text.
const HEAD_BYTES: usize = 4_000;

/// Maximum number of characters per text and of entries per list in the structured content of a
/// stored result, tried in this order.
const SHORTEN_LIMITS: [(usize, usize); 3] = [(4_000, 400), (400, 100), (60, 20)];

/// Converts a reply into a tool result.
pub(super) fn tool_result(answer: ToolOutput, store: &ResultStore) -> CallToolResult {
    let mut content = Vec::new();
    if let Some(image) = &answer.image {
        content.push(ContentBlock::image(STANDARD.encode(&image.bytes), image.mime));
    }
    let text = answer.text.to_string().trim_end().to_owned();
    let data_bytes = answer.data.to_string().len();
    let mut data = answer.data;
    let mark = random_mark();
    if text.len() <= MAX_BYTES && data_bytes <= MAX_BYTES {
        content.push(ContentBlock::text(wrap(&text, &mark)));
    } else {
        // Programs need the whole data. If the text is longer, it contains the data.
        let whole = if text.len() < data_bytes { data.to_string() } else { text.clone() };
        let mime = if is_json(&whole) { JSON } else { "text/plain" };
        let size = whole.len();
        let uri = Uri::Result(store.insert(mime, whole, Instant::now())).to_string();
        content.push(ContentBlock::text(format!(
            "{}\n… truncated: {size} bytes in total, stored for 10 minutes at {uri}",
            wrap(beginning(&text, HEAD_BYTES), &mark)
        )));
        let link = Resource::new(uri, "whole-result")
            .with_title("Whole result")
            .with_mime_type(mime)
            .with_size(size as u64);
        content.push(ContentBlock::ResourceLink(link));
        for (max_chars, max_entries) in SHORTEN_LIMITS {
            if data.to_string().len() > MAX_BYTES {
                shorten(&mut data, max_chars, max_entries);
            }
        }
    }
    if !answer.warnings.is_empty() {
        content
            .push(ContentBlock::text(format!("Warning: {}", answer.warnings.join("\nWarning: "))));
    }
    let mut result = CallToolResult::success(content);
    result.meta = Some(from_apps(json!({ "mark": mark })));
    // Clients reject a result without structured content if the tool has an output schema.
    result.structured_content = Some(data);
    result.is_error = Some(!answer.succeeded);
    result
}

/// Returns the `_meta` that marks content as coming from apps.
pub(crate) fn from_apps(what: Value) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(FROM_APPS_KEY.to_owned(), what);
    meta
}

/// Wraps a text of apps in marks, and returns the `_meta` that names the mark.
pub(crate) fn wrap_in_marks(text: &str) -> (String, MetaObject) {
    let mark = random_mark();
    (wrap(text, &mark), from_apps(json!({ "mark": mark })))
}

/// Wraps a text of apps in marks, and omits its middle if it is too long.
pub(super) fn abridge(text: &str, bytes: usize) -> String {
    let text = text.trim_end();
    if text.len() <= bytes {
        return wrap(text, &random_mark());
    }
    let (head, tail) = (beginning(text, bytes / 2), end(text, bytes / 2));
    let omitted = text.len() - head.len() - tail.len();
    wrap(&format!("{head}\n… {omitted} bytes omitted …\n{tail}"), &random_mark())
}

/// Creates a random mark.
fn random_mark() -> String {
    let random = Uuid::new_v4().simple().to_string();
    format!("app:{}", &random[..MARK_LENGTH])
}

/// Wraps a text in marks.
fn wrap(text: &str, mark: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<{mark}>\n{text}\n</{mark}>")
}

fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns the first bytes of a text, cut at a character boundary.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the last bytes of a text, cut at a character boundary.
fn end(text: &str, bytes: usize) -> &str {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Shortens long texts and lists. Every field keeps its type.
pub(super) fn shorten(data: &mut Value, max_chars: usize, max_entries: usize) {
    match data {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(max_chars) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(all) => {
            all.truncate(max_entries);
            for one in all {
                shorten(one, max_chars, max_entries);
            }
        }
        Value::Object(fields) => {
            for one in fields.values_mut() {
                shorten(one, max_chars, max_entries);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{Image, Style, StyledLine, StyledText};
    use serde_json::json;

    use super::*;

    fn answer(image: Option<Image>, succeeded: bool) -> ToolOutput {
        let page = StyledText::default().line(StyledLine::new().with(Style::Plain, "in words"));
        ToolOutput { data: json!({ "a": 1 }), text: page, image, succeeded, warnings: Vec::new() }
    }

    fn shown(answer: ToolOutput) -> Value {
        json!(tool_result(answer, &ResultStore::default()))
    }

    #[test]
    fn a_result_has_text_and_structured_content() {
        let value = shown(answer(None, true));
        let mark = value["_meta"][FROM_APPS_KEY]["mark"].as_str().unwrap().to_owned();
        let words = format!("<{mark}>\nin words\n</{mark}>");
        assert_eq!(value["content"], json!([{ "type": "text", "text": words }]));
        assert_eq!(value["structuredContent"], json!({ "a": 1 }));
        assert_eq!(value["isError"], false);
    }

    #[test]
    fn an_image_comes_before_its_text() {
        let image = Image { bytes: vec![1, 2, 3], mime: "image/png", extension: "png" };
        let value = shown(answer(Some(image), true));
        assert_eq!(
            value["content"][0],
            json!({ "type": "image", "data": "AQID", "mimeType": "image/png" })
        );
        let text = value["content"][1]["text"].as_str().unwrap();
        assert!(text.contains("\nin words\n"), "{text}");
    }

    #[test]
    fn each_result_has_its_own_mark_and_warnings_are_not_wrapped() {
        let warned = ToolOutput { warnings: vec!["take care".to_owned()], ..answer(None, true) };
        let (one, other) = (shown(warned), shown(answer(None, true)));
        assert_ne!(one["_meta"][FROM_APPS_KEY]["mark"], other["_meta"][FROM_APPS_KEY]["mark"]);
        assert_eq!(one["content"][1]["text"], "Warning: take care");
        assert_eq!(other["content"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn an_action_without_effect_is_an_error() {
        assert_eq!(shown(answer(None, false))["isError"], true);
    }

    #[test]
    fn a_large_result_is_stored_and_truncated() {
        let data = json!({ "found": true, "value": "ä".repeat(100_000), "role": "AXTextArea" });
        let page =
            StyledText::default().line(StyledLine::new().with(Style::Plain, data.to_string()));
        let store = ResultStore::default();
        let large = ToolOutput {
            data: data.clone(),
            text: page,
            image: None,
            succeeded: true,
            warnings: Vec::new(),
        };
        let value = json!(tool_result(large, &store));
        assert!(value.to_string().len() < 2 * MAX_BYTES);
        let link = &value["content"][1];
        assert_eq!(
            (&link["type"], &link["mimeType"]),
            (&json!("resource_link"), &json!("application/json"))
        );
        let uri = link["uri"].as_str().unwrap();
        assert!(value["content"][0]["text"].as_str().unwrap().ends_with(uri), "{link}");
        let Some(Uri::Result(id)) = Uri::parse(uri) else { panic!("{uri}") };
        let stored = store.get(&id, Instant::now()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&stored.text).unwrap(), data);
        let left = &value["structuredContent"];
        assert_eq!((&left["found"], &left["role"]), (&json!(true), &json!("AXTextArea")));
        let text = left["value"].as_str().unwrap();
        assert!(text.ends_with('…') && text.chars().count() == 4_001, "{}", text.len());
    }

    #[test]
    fn long_lists_are_shortened_until_they_fit() {
        let mut data = json!({ "rows": (0..5_000).map(|at| json!({ "name": "x".repeat(100), "at": at })).collect::<Vec<_>>() });
        for (max_chars, max_entries) in SHORTEN_LIMITS {
            if data.to_string().len() > MAX_BYTES {
                shorten(&mut data, max_chars, max_entries);
            }
        }
        assert!(
            data.to_string().len() <= MAX_BYTES && data["rows"].as_array().unwrap().len() >= 20
        );
    }
}
