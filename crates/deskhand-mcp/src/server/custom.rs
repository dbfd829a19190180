//! Requests the SDK has no type for: tasks of 2025-11-25, known methods with parameters that do not
//! fit, and methods that do not exist.
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

/// Methods the later era has no more.
const ONLY_HANDSHAKE: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Serves one.
///
/// # Errors
///
/// What is wrong with it, unless it is about a task.
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

/// Reads parameters, or tells which of them does not fit.
///
/// # Errors
///
/// When they do not fit.
pub(crate) fn params<T: DeserializeOwned>(given: Value) -> Result<T, ErrorData> {
    serde_path_to_error::deserialize(given).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "params".to_owned() } else { format!("params.{path}") };
        ErrorData::invalid_params(format!("{place}: {}", error.inner()), None)
    })
}

/// Why a request fell through: its method exists but its parameters do not fit, or it does not exist.
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
        Ok(()) => ErrorData::invalid_params("params: they do not fit this method", None),
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
    fn what_the_later_era_has_no_more_is_not_found_there() {
        for method in ONLY_HANDSHAKE {
            assert_eq!(super::misfit(method, None, &Era::Modern).code.0, -32601, "{method}");
        }
    }

    #[test]
    fn a_misfit_is_told_by_field_and_expectation() {
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
    fn a_method_that_does_not_exist_is_not_found() {
        let error = misfit("tools/destroy", None);
        assert_eq!((error.code.0, &*error.message), (-32601, "there is no method `tools/destroy`"));
    }
}
