//! What can be read by address: the desktop, its apps, and results too large for an answer.

pub(crate) mod kept;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod uri;

use std::sync::Arc;

use rmcp::model::{ErrorData, ListResourcesResult, PaginatedRequestParams};
use serde_json::json;

use crate::{
    server::{
        client::{Client, Era},
        failure,
        state::Connection,
    },
    tool::aside,
    watch,
};

/// Serves `resources/list`. A client of the handshake hears from then on when the list changes.
///
/// # Errors
///
/// When the cursor is not one of this list, or the client asks too often.
pub(crate) async fn list(
    connection: &Arc<Connection>,
    client: &Client,
    asked: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    match client.era {
        Era::Handshake(_) => watch::join(connection, client)?,
        Era::Modern => {}
    }
    // Apps that have ended are forgotten by the look; without one what was connected is told as it was.
    if let Err(failure) = aside::look(connection, client, "view_status", json!({})).await {
        failure::let_in(&failure)?;
    }
    let session = connection.state.engine.session(&connection.session(client));
    list::resources(&session.connections(), asked)
}
