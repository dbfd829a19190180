//! Requests the SDK has no type for: tasks of 2025-11-25, known methods with invalid parameters,
//! and unknown methods.
#![expect(deprecated, reason = "both eras are served")]

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CancelTaskParams, CompleteRequestParams, CustomRequest, ErrorData,
    GetPromptRequestParams, GetTaskParams, InitializeRequestParams, PaginatedRequestParams,
    ReadResourceRequestParams, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionsListenRequestParams, UnsubscribeRequestParams, UpdateTaskParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    client::{Client, Era},
    state::Connection,
};
use crate::{
    task::legacy,
    wire::inbound::{TaskMethod, unknown_method},
};

/// Methods that 2026-07-28 has removed.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Serves a custom request.
///
/// # Errors
///
/// Returns an error if the method is unknown, or if its parameters are invalid.
pub(super) async fn serve(
    connection: &Arc<Connection>,
    client: Client,
    request: CustomRequest,
) -> Result<Value, ErrorData> {
    match TaskMethod::from_internal_name(&request.method) {
        Some(method) => legacy::serve(connection, client, method, request.params).await,
        None => Err(rejection(&request.method, request.params, &client.era)),
    }
}

/// Deserializes parameters.
///
/// # Errors
///
/// Returns an error that names the invalid field.
pub(crate) fn params<T: DeserializeOwned>(given: Value) -> Result<T, ErrorData> {
    serde_path_to_error::deserialize(given).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "params".to_owned() } else { format!("params.{path}") };
        ErrorData::invalid_params(format!("{place}: {}", error.inner()), None)
    })
}

/// Explains why the SDK could not parse a request: invalid parameters, or an unknown method.
fn rejection(method: &str, given: Option<Value>, era: &Era) -> ErrorData {
    if *era == Era::Stateless && REMOVED_METHODS.contains(&method) {
        return unknown_method(method);
    }
    let given = given.unwrap_or_else(|| json!({}));
    let checked = match method {
        "initialize" => check::<InitializeRequestParams>(given),
        "tools/call" => check::<CallToolRequestParams>(given),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            check::<PaginatedRequestParams>(given)
        }
        "resources/read" => check::<ReadResourceRequestParams>(given),
        "resources/subscribe" => check::<SubscribeRequestParams>(given),
        "resources/unsubscribe" => check::<UnsubscribeRequestParams>(given),
        "prompts/get" => check::<GetPromptRequestParams>(given),
        "completion/complete" => check::<CompleteRequestParams>(given),
        "logging/setLevel" => check::<SetLevelRequestParams>(given),
        "subscriptions/listen" => check::<SubscriptionsListenRequestParams>(given),
        "tasks/get" => check::<GetTaskParams>(given),
        "tasks/update" => check::<UpdateTaskParams>(given),
        "tasks/cancel" => check::<CancelTaskParams>(given),
        _ => return unknown_method(method),
    };
    match checked {
        Err(error) => error,
        Ok(()) => ErrorData::invalid_params("params: invalid for this method", None),
    }
}

fn check<T: DeserializeOwned>(given: Value) -> Result<(), ErrorData> {
    params::<T>(given).map(|_| ())
}

#[cfg(test)]
mod tests {
    use rmcp::model::ProtocolVersion;

    use super::*;

    fn rejection(method: &str, given: Option<Value>) -> ErrorData {
        super::rejection(method, given, &Era::Handshake(ProtocolVersion::V_2025_11_25))
    }

    #[test]
    fn removed_methods_are_not_found_in_the_stateless_era() {
        for method in REMOVED_METHODS {
            assert_eq!(super::rejection(method, None, &Era::Stateless).code.0, -32601, "{method}");
        }
    }

    #[test]
    fn invalid_parameters_are_reported_by_field() {
        let error = rejection("tools/call", Some(json!({ "name": 7 })));
        assert_eq!(error.code.0, -32602);
        assert_eq!(error.message, "params.name: invalid type: integer `7`, expected a string");
        let error = rejection("tools/call", Some(json!({ "name": "x", "arguments": [1] })));
        assert!(error.message.starts_with("params.arguments: invalid type"), "{error:?}");
        let error = rejection("tools/call", None);
        assert_eq!(error.message, "params: missing field `name`");
        let error = rejection("logging/setLevel", Some(json!({ "level": "loud" })));
        assert!(error.message.starts_with("params.level: unknown variant `loud`"), "{error:?}");
    }

    #[test]
    fn an_unknown_method_is_not_found() {
        let error = rejection("tools/destroy", None);
        assert_eq!((error.code.0, &*error.message), (-32601, "unknown method `tools/destroy`"));
    }
}
