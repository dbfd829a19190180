//! A failed call as a result a reader can act on, and the protocol errors that are ours.

use deskhand_engine::Failure;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, MetaObject};
use serde_json::{Value, json};

/// Where programs find the parts of a failure.
const ERROR: &str = "dev.deskhand/error";

/// The code of what this server cannot do now and could later.
pub(crate) const NOT_NOW: ErrorCode = ErrorCode(-32000);

/// A failure as a tool's result: what went wrong, and what to do next.
pub(crate) fn result(failure: &Failure) -> CallToolResult {
    let mut text = format!("Error: {}", failure.message);
    if let Some(hint) = &failure.hint {
        text.push_str("\n\nSuggestion: ");
        text.push_str(hint);
    }
    let mut meta = MetaObject::new();
    meta.0.insert(ERROR.to_owned(), json!(failure));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.meta = Some(meta);
    result
}

/// The code of the failure a result tells of; empty where it tells of none.
pub(crate) fn code(result: &CallToolResult) -> String {
    let failure = result.meta.as_ref().and_then(|meta| meta.0.get(ERROR));
    let code = failure.and_then(|failure| failure.get("code")).and_then(Value::as_str);
    match code {
        Some(code) => code.to_owned(),
        None if result.is_error == Some(true) => "failed".to_owned(),
        None => String::new(),
    }
}

/// The error of a call that was one too many.
pub(crate) fn exceeded(failure: &Failure) -> ErrorData {
    let mut error = not_now(failure.message.clone());
    error.data = Some(json!({
        "code": failure.code,
        "retry_after_ms": failure.retry_after_ms,
        "hint": failure.hint,
    }));
    error
}

/// The codes of calls that would be let in at another time.
const NOT_LET_IN: [&str; 2] = ["halted", "rate_limited"];

/// Hands on the failure of a look that was not let in; any other is of the app.
///
/// # Errors
///
/// When the look was not let in.
pub(crate) fn let_in(failure: &Failure) -> Result<(), ErrorData> {
    if NOT_LET_IN.contains(&failure.code.as_str()) {
        return Err(exceeded(failure));
    }
    Ok(())
}

/// The error of something that cannot be done now.
pub(crate) fn not_now(why: impl Into<String>) -> ErrorData {
    ErrorData::new(NOT_NOW, why.into(), None)
}

/// The error of a request that meets the end of the server.
pub(crate) fn ending() -> ErrorData {
    not_now("the server is shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_to_do_and_keeps_its_code_for_programs() {
        let failure = Failure {
            code: "no_match".to_owned(),
            message: "`Save` matches nothing".to_owned(),
            hint: Some("nearest: Save as".to_owned()),
            delivery: Some(deskhand_engine::Delivery::NotSent),
            retry_after_ms: None,
        };
        let value = serde_json::to_value(result(&failure)).unwrap();
        assert_eq!(value["isError"], true);
        assert_eq!(
            value["content"][0]["text"],
            "Error: `Save` matches nothing\n\nSuggestion: nearest: Save as"
        );
        assert_eq!(value["_meta"][ERROR]["code"], "no_match");
        assert_eq!(value["_meta"][ERROR]["delivery"], "not_sent");
        assert!(value.get("structuredContent").is_none());
    }
}
