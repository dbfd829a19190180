//! Conversion of a reply into a tool result: text for readers, structured content for programs, and
//! images. Text of apps is wrapped in marks that no app can guess. A result that is too large is
//! stored, and the tool result links to it.

use std::time::Instant;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::Answer;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::resource::{
    kept::{JSON, Shelf},
    uri::Uri,
};

/// The `_meta` key that tells programs which mark wraps the text of apps. All strings of the structured
/// content may come from apps.
const FROM_APPS: &str = "dev.deskhand/from-apps";

/// Number of random characters in a mark: enough that no app can guess it, and short to read.
const CHANCE: usize = 6;

/// Maximum number of bytes of text and of structured content. Clients truncate much larger results.
const MOST: usize = 60_000;

/// Number of bytes shown of a stored text.
const HEAD: usize = 4_000;

/// Maximum number of characters per text and of entries per list in the structured content of a stored
/// result, tried in this order.
const LEFT: [(usize, usize); 3] = [(4_000, 400), (400, 100), (60, 20)];

/// Converts a reply into a tool result.
pub(super) fn result(answer: Answer, shelf: &Shelf) -> CallToolResult {
    let mut content = Vec::new();
    if let Some(image) = &answer.image {
        content.push(ContentBlock::image(STANDARD.encode(&image.bytes), image.mime));
    }
    let text = answer.page.to_string().trim_end().to_owned();
    let data_bytes = answer.data.to_string().len();
    let mut data = answer.data;
    let mark = mark();
    if text.len() <= MOST && data_bytes <= MOST {
        content.push(ContentBlock::text(between(&text, &mark)));
    } else {
        // Programs need the whole data. If the text is longer, it contains the data.
        let whole = if text.len() < data_bytes { data.to_string() } else { text.clone() };
        let mime = if is_json(&whole) { JSON } else { "text/plain" };
        let size = whole.len();
        let uri = Uri::Result(shelf.keep(mime, whole, Instant::now())).to_string();
        content.push(ContentBlock::text(format!(
            "{}\n… truncated: {size} bytes in total, stored for 10 minutes at {uri}",
            between(beginning(&text, HEAD), &mark)
        )));
        let link = Resource::new(uri, "whole-result")
            .with_title("Whole result")
            .with_mime_type(mime)
            .with_size(size as u64);
        content.push(ContentBlock::ResourceLink(link));
        for (letters, entries) in LEFT {
            if data.to_string().len() > MOST {
                shorten(&mut data, letters, entries);
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
    meta.0.insert(FROM_APPS.to_owned(), what);
    meta
}

/// Wraps a text of apps in marks, and returns the `_meta` that names the mark.
pub(crate) fn marked(text: &str) -> (String, MetaObject) {
    let mark = mark();
    (between(text, &mark), from_apps(json!({ "mark": mark })))
}

/// Wraps a text of apps in marks, and omits its middle if it is too long.
pub(super) fn in_brief(text: &str, bytes: usize) -> String {
    let text = text.trim_end();
    if text.len() <= bytes {
        return between(text, &mark());
    }
    let (head, tail) = (beginning(text, bytes / 2), end(text, bytes / 2));
    let left_out = text.len() - head.len() - tail.len();
    between(&format!("{head}\n… {left_out} bytes omitted …\n{tail}"), &mark())
}

/// Creates a random mark.
fn mark() -> String {
    let chance = Uuid::new_v4().simple().to_string();
    format!("app:{}", &chance[..CHANCE])
}

/// Wraps a text in marks.
fn between(text: &str, mark: &str) -> String {
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
pub(super) fn shorten(data: &mut Value, letters: usize, entries: usize) {
    match data {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(letters) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(all) => {
            all.truncate(entries);
            for one in all {
                shorten(one, letters, entries);
            }
        }
        Value::Object(fields) => {
            for one in fields.values_mut() {
                shorten(one, letters, entries);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{Image, Line, Page, Style};
    use serde_json::json;

    use super::*;

    fn answer(image: Option<Image>, succeeded: bool) -> Answer {
        let page = Page::default().line(Line::new().with(Style::Plain, "in words"));
        Answer { data: json!({ "a": 1 }), page, image, succeeded, warnings: Vec::new() }
    }

    fn shown(answer: Answer) -> Value {
        json!(result(answer, &Shelf::default()))
    }

    #[test]
    fn a_result_has_text_and_structured_content() {
        let value = shown(answer(None, true));
        let mark = value["_meta"][FROM_APPS]["mark"].as_str().unwrap().to_owned();
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
        let warned = Answer { warnings: vec!["take care".to_owned()], ..answer(None, true) };
        let (one, other) = (shown(warned), shown(answer(None, true)));
        assert_ne!(one["_meta"][FROM_APPS]["mark"], other["_meta"][FROM_APPS]["mark"]);
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
        let page = Page::default().line(Line::new().with(Style::Plain, data.to_string()));
        let shelf = Shelf::default();
        let large =
            Answer { data: data.clone(), page, image: None, succeeded: true, warnings: Vec::new() };
        let value = json!(result(large, &shelf));
        assert!(value.to_string().len() < 2 * MOST);
        let link = &value["content"][1];
        assert_eq!(
            (&link["type"], &link["mimeType"]),
            (&json!("resource_link"), &json!("application/json"))
        );
        let uri = link["uri"].as_str().unwrap();
        assert!(value["content"][0]["text"].as_str().unwrap().ends_with(uri), "{link}");
        let Some(Uri::Result(id)) = Uri::parse(uri) else { panic!("{uri}") };
        let kept = shelf.get(&id, Instant::now()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&kept.text).unwrap(), data);
        let left = &value["structuredContent"];
        assert_eq!((&left["found"], &left["role"]), (&json!(true), &json!("AXTextArea")));
        let text = left["value"].as_str().unwrap();
        assert!(text.ends_with('…') && text.chars().count() == 4_001, "{}", text.len());
    }

    #[test]
    fn long_lists_are_shortened_until_they_fit() {
        let mut data = json!({ "rows": (0..5_000).map(|at| json!({ "name": "x".repeat(100), "at": at })).collect::<Vec<_>>() });
        for (letters, entries) in LEFT {
            if data.to_string().len() > MOST {
                shorten(&mut data, letters, entries);
            }
        }
        assert!(data.to_string().len() <= MOST && data["rows"].as_array().unwrap().len() >= 20);
    }
}
