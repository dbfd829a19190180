//! Input requests in protocol 2025-11-25 and older: a JSON-RPC request is sent while the call
//! waits.

use rmcp::{
    model::{InputRequest, RequestMetaObject, ServerRequest},
    service::PeerRequestOptions,
};

use super::InputOutcome;
use crate::{server::client::Client, timing};

/// Sends a request and waits for the result. `meta` becomes the `_meta` of the request.
pub(crate) async fn send(
    client: &Client,
    request: InputRequest,
    meta: Option<RequestMetaObject>,
) -> InputOutcome {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        // `InputRequest` is non-exhaustive.
        _ => return InputOutcome::Unsupported,
    };
    let mut options = PeerRequestOptions::with_timeout(timing::INPUT_TIMEOUT);
    options.meta = meta;
    let response = async {
        let handle = client.peer.send_request_with_option(request, options).await?;
        handle.await_response().await
    };
    tokio::select! {
        biased;
        () = client.closed.cancelled() => InputOutcome::NoAnswer,
        response = response => match response {
            Ok(result) => serde_json::to_value(result).map_or(InputOutcome::NoAnswer, InputOutcome::Answer),
            Err(_) => InputOutcome::NoAnswer,
        },
    }
}
