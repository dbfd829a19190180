//! An answer as a tool's result: text for readers, data for programs, pictures as pictures.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use deskhand_engine::Answer;
use rmcp::model::{CallToolResult, ContentBlock};

/// The result of a call that came to an answer.
pub(super) fn result(answer: Answer) -> CallToolResult {
    let mut content = Vec::new();
    if let Some(image) = &answer.image {
        content.push(ContentBlock::image(STANDARD.encode(&image.bytes), image.mime));
    }
    content.push(ContentBlock::text(answer.page.to_string().trim_end()));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answer.data);
    result.is_error = Some(!answer.succeeded);
    result
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{Image, Line, Page, Style};
    use serde_json::json;

    use super::*;

    fn answer(image: Option<Image>, succeeded: bool) -> Answer {
        let page = Page::default().line(Line::new().with(Style::Plain, "in words"));
        Answer { data: json!({ "a": 1 }), page, image, succeeded }
    }

    #[test]
    fn there_are_words_for_readers_and_data_for_programs() {
        let value = json!(result(answer(None, true)));
        assert_eq!(value["content"], json!([{ "type": "text", "text": "in words" }]));
        assert_eq!(value["structuredContent"], json!({ "a": 1 }));
        assert_eq!(value["isError"], false);
    }

    #[test]
    fn a_picture_comes_first_and_is_described() {
        let image = Image { bytes: vec![1, 2, 3], mime: "image/png", extension: "png" };
        let value = json!(result(answer(Some(image), true)));
        assert_eq!(
            value["content"][0],
            json!({ "type": "image", "data": "AQID", "mimeType": "image/png" })
        );
        assert_eq!(value["content"][1]["text"], "in words");
    }

    #[test]
    fn an_action_without_effect_is_an_error() {
        assert_eq!(json!(result(answer(None, false)))["isError"], true);
    }
}
