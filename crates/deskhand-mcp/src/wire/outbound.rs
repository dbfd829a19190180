//! Rewriting of outgoing messages: what 2025-11-25 says about tasks and the SDK cannot express.

use rmcp::model::{
    CustomResult, InitializeResult, JsonRpcMessage, ListToolsResult, ProtocolVersion,
    ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Value, json};

/// The `_meta` key under which the handler puts a tool's `execution` for [`rewrite`]. It is removed
/// before sending.
pub(crate) const EXECUTION: &str = "dev.deskhand/execution";

/// Rewrites one message to a client.
pub(crate) fn rewrite(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let JsonRpcMessage::Response(mut response) = message else { return message };
    if let ServerResult::InitializeResult(result) = response.result {
        response.result = initialize(result);
    } else if let ServerResult::ListToolsResult(result) = response.result {
        response.result = tools(result);
    }
    JsonRpcMessage::Response(response)
}

fn initialize(result: InitializeResult) -> ServerResult {
    let knows_tasks = result.protocol_version == ProtocolVersion::V_2025_11_25;
    let Ok(mut value) = serde_json::to_value(&result) else {
        return ServerResult::InitializeResult(result);
    };
    if let Some(capabilities) = value.get_mut("capabilities").and_then(Value::as_object_mut) {
        // Extensions exist only in 2026-07-28.
        capabilities.remove("extensions");
        if knows_tasks {
            capabilities.insert(
                "tasks".to_owned(),
                json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } }),
            );
        }
    }
    ServerResult::CustomResult(CustomResult::new(value))
}

fn tools(result: ListToolsResult) -> ServerResult {
    let marked = |tool: &rmcp::model::Tool| {
        tool.meta.as_ref().is_some_and(|meta| meta.0.contains_key(EXECUTION))
    };
    if !result.tools.iter().any(marked) {
        return ServerResult::ListToolsResult(result);
    }
    let Ok(mut value) = serde_json::to_value(&result) else {
        return ServerResult::ListToolsResult(result);
    };
    for tool in value.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(tool) = tool.as_object_mut() else { continue };
        let Some(meta) = tool.get_mut("_meta").and_then(Value::as_object_mut) else { continue };
        let execution = meta.remove(EXECUTION);
        if meta.is_empty() {
            tool.remove("_meta");
        }
        if let Some(execution) = execution {
            tool.insert("execution".to_owned(), execution);
        }
    }
    ServerResult::CustomResult(CustomResult::new(value))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{MetaObject, RequestId, ServerCapabilities, Tool};

    use super::*;

    fn out(result: ServerResult) -> Value {
        let message = JsonRpcMessage::response(result, RequestId::Number(1));
        serde_json::to_value(rewrite(message)).unwrap()["result"].clone()
    }

    #[test]
    fn tasks_are_declared_only_in_2025_11_25() {
        for (version, knows) in [
            (ProtocolVersion::V_2024_11_05, false),
            (ProtocolVersion::V_2025_06_18, false),
            (ProtocolVersion::V_2025_11_25, true),
        ] {
            let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks().build();
            let result = InitializeResult::new(capabilities).with_protocol_version(version);
            let result = out(ServerResult::InitializeResult(result));
            assert_eq!(result["capabilities"]["tasks"]["list"].is_object(), knows);
            assert!(result["capabilities"].get("extensions").is_none());
            assert!(result["capabilities"]["tools"].is_object());
        }
    }

    #[test]
    fn execution_is_moved_out_of_meta() {
        let mut meta = MetaObject::new();
        meta.0.insert(EXECUTION.to_owned(), json!({ "taskSupport": "optional" }));
        let tools = vec![
            Tool::new("a", "A", serde_json::Map::new()).with_meta(meta),
            Tool::new("b", "B", serde_json::Map::new()),
        ];
        let result = out(ServerResult::ListToolsResult(ListToolsResult::with_all_items(tools)));
        assert_eq!(result["tools"][0]["execution"], json!({ "taskSupport": "optional" }));
        assert!(result["tools"][0].get("_meta").is_none());
        assert!(result["tools"][1].get("execution").is_none());
    }
}
