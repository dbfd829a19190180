//! Input requests in protocol 2025-11-25 and older: a JSON-RPC request is sent while the call waits.

use rmcp::{
    model::{InputRequest, RequestMetaObject, ServerRequest},
    service::PeerRequestOptions,
};

use super::Heard;
use crate::server::client::Client;

/// Sends a request and waits for the result. `meta` becomes the `_meta` of the request.
pub(crate) async fn ask(
    client: &Client,
    request: InputRequest,
    meta: Option<RequestMetaObject>,
) -> Heard {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        // `InputRequest` is non-exhaustive.
        _ => return Heard::Nobody,
    };
    let mut options = PeerRequestOptions::with_timeout(PATIENCE);
    options.meta = meta;
    let answered = async {
        let handle = client.peer.send_request_with_option(request, options).await?;
        handle.await_response().await
    };
    tokio::select! {
        biased;
        () = client.gone.cancelled() => Heard::Silence,
        answered = answered => match answered {
            Ok(result) => serde_json::to_value(result).map_or(Heard::Silence, Heard::Answer),
            Err(_) => Heard::Silence,
        },
    }
}
