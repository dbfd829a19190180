//! Failed calls as tool results, and the server's own JSON-RPC errors.

use deskhand_engine::CallFailure;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, MetaObject};
use serde_json::{Value, json};

/// The `_meta` key of the structured failure.
const ERROR_META_KEY: &str = "dev.deskhand/error";

/// JSON-RPC code of a request that may succeed later.
pub(crate) const UNAVAILABLE: ErrorCode = ErrorCode(-32000);

/// Converts a failure into a tool result that says what went wrong and what to do next.
pub(crate) fn tool_result(failure: &CallFailure) -> CallToolResult {
    let mut text = format!("Error: {}", failure.message);
    if let Some(hint) = &failure.hint {
        text.push_str("\n\nSuggestion: ");
        text.push_str(hint);
    }
    let mut meta = MetaObject::new();
    meta.0.insert(ERROR_META_KEY.to_owned(), json!(failure));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.meta = Some(meta);
    result
}

/// Returns the failure code of a tool result, or an empty string if it did not fail.
pub(crate) fn error_code(result: &CallToolResult) -> String {
    let failure = result.meta.as_ref().and_then(|meta| meta.0.get(ERROR_META_KEY));
    let code = failure.and_then(|failure| failure.get("code")).and_then(Value::as_str);
    match code {
        Some(code) => code.to_owned(),
        None if result.is_error == Some(true) => "failed".to_owned(),
        None => String::new(),
    }
}

/// Converts a rate-limit failure into a JSON-RPC error.
pub(crate) fn rate_limited(failure: &CallFailure) -> ErrorData {
    let mut error = unavailable(failure.message.clone());
    error.data = Some(json!({
        "code": failure.code,
        "retry_after_ms": failure.retry_after_ms,
        "hint": failure.hint,
    }));
    error
}

/// Failure codes of calls that the engine did not admit.
const NOT_ADMITTED: [&str; 2] = ["halted", "rate_limited"];

/// Returns an error if a failed call was not admitted. Other failures are left to the caller.
///
/// # Errors
///
/// Returns an error if the call was not admitted.
pub(crate) fn check_admission(failure: &CallFailure) -> Result<(), ErrorData> {
    if NOT_ADMITTED.contains(&failure.code.as_str()) {
        return Err(rate_limited(failure));
    }
    Ok(())
}

/// Creates the error of a request that may succeed later.
pub(crate) fn unavailable(why: impl Into<String>) -> ErrorData {
    ErrorData::new(UNAVAILABLE, why.into(), None)
}

/// Creates the error of a request that arrives during shutdown.
pub(crate) fn shutting_down() -> ErrorData {
    unavailable("the server is shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_result_has_a_suggestion_and_a_code() {
        let failure = CallFailure {
            code: "no_match".to_owned(),
            message: "`Save` matches nothing".to_owned(),
            hint: Some("nearest: Save as".to_owned()),
            delivery: Some(deskhand_engine::Delivery::NotSent),
            retry_after_ms: None,
        };
        let value = serde_json::to_value(tool_result(&failure)).unwrap();
        assert_eq!(value["isError"], true);
        assert_eq!(
            value["content"][0]["text"],
            "Error: `Save` matches nothing\n\nSuggestion: nearest: Save as"
        );
        assert_eq!(value["_meta"][ERROR_META_KEY]["code"], "no_match");
        assert_eq!(value["_meta"][ERROR_META_KEY]["delivery"], "not_sent");
        assert!(value.get("structuredContent").is_none());
    }
}
