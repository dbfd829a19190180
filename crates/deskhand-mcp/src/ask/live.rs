//! Asking a client of the handshake: a request goes out while the call waits.

use std::time::Duration;

use rmcp::{
    model::{InputRequest, RequestMetaObject, ServerRequest},
    service::PeerRequestOptions,
};

use super::Heard;
use crate::server::client::Client;

/// How long a person has to answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Asks and waits; `meta` goes with the question.
pub(crate) async fn ask(
    client: &Client,
    request: InputRequest,
    meta: Option<RequestMetaObject>,
) -> Heard {
    let request = match request {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        // The SDK may come to know more; nothing here asks for it.
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
