//! Requests the SDK has no type for: tasks of 2025-11-25, known methods with invalid parameters, and
//! unknown methods.
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
const ONLY_HANDSHAKE: [&str; 5] =
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
    match TaskMethod::named(&request.method) {
        Some(inner) => legacy::serve(connection, client, inner, request.params).await,
        None => Err(misfit(&request.method, request.params, &client.era)),
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
fn misfit(method: &str, given: Option<Value>, era: &Era) -> ErrorData {
    if *era == Era::Modern && ONLY_HANDSHAKE.contains(&method) {
        return unknown_method(method);
    }
    let given = given.unwrap_or_else(|| json!({}));
    let checked = match method {
        "initialize" => fits::<InitializeRequestParams>(given),
        "tools/call" => fits::<CallToolRequestParams>(given),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            fits::<PaginatedRequestParams>(given)
        }
        "resources/read" => fits::<ReadResourceRequestParams>(given),
        "resources/subscribe" => fits::<SubscribeRequestParams>(given),
        "resources/unsubscribe" => fits::<UnsubscribeRequestParams>(given),
        "prompts/get" => fits::<GetPromptRequestParams>(given),
        "completion/complete" => fits::<CompleteRequestParams>(given),
        "logging/setLevel" => fits::<SetLevelRequestParams>(given),
        "subscriptions/listen" => fits::<SubscriptionsListenRequestParams>(given),
        "tasks/get" => fits::<GetTaskParams>(given),
        "tasks/update" => fits::<UpdateTaskParams>(given),
        "tasks/cancel" => fits::<CancelTaskParams>(given),
        _ => return unknown_method(method),
    };
    match checked {
        Err(error) => error,
        Ok(()) => ErrorData::invalid_params("params: invalid for this method", None),
    }
}

fn fits<T: DeserializeOwned>(given: Value) -> Result<(), ErrorData> {
    params::<T>(given).map(|_| ())
}

#[cfg(test)]
mod tests {
    use rmcp::model::ProtocolVersion;

    use super::*;

    fn misfit(method: &str, given: Option<Value>) -> ErrorData {
        super::misfit(method, given, &Era::Handshake(ProtocolVersion::V_2025_11_25))
    }

    #[test]
    fn removed_methods_are_not_found_in_the_stateless_era() {
        for method in ONLY_HANDSHAKE {
            assert_eq!(super::misfit(method, None, &Era::Modern).code.0, -32601, "{method}");
        }
    }

    #[test]
    fn invalid_parameters_are_reported_by_field() {
        let error = misfit("tools/call", Some(json!({ "name": 7 })));
        assert_eq!(error.code.0, -32602);
        assert_eq!(error.message, "params.name: invalid type: integer `7`, expected a string");
        let error = misfit("tools/call", Some(json!({ "name": "x", "arguments": [1] })));
        assert!(error.message.starts_with("params.arguments: invalid type"), "{error:?}");
        let error = misfit("tools/call", None);
        assert_eq!(error.message, "params: missing field `name`");
        let error = misfit("logging/setLevel", Some(json!({ "level": "loud" })));
        assert!(error.message.starts_with("params.level: unknown variant `loud`"), "{error:?}");
    }

    #[test]
    fn an_unknown_method_is_not_found() {
        let error = misfit("tools/destroy", None);
        assert_eq!((error.code.0, &*error.message), (-32601, "unknown method `tools/destroy`"));
    }
}
