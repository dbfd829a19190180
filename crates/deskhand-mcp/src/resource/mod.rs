//! MCP resources: the desktop, its apps, and results that were too large for their reply.

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

/// Serves `resources/list`. In protocol 2025-11-25 and older, the client is notified from then on
/// when the list changes.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list, or if the client exceeds its limits.
pub(crate) async fn list(
    connection: &Arc<Connection>,
    client: &Client,
    asked: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    match client.era {
        Era::Handshake(_) => watch::join(connection, client)?,
        Era::Modern => {}
    }
    // This call forgets apps that have exited. If it fails, the list may be out of date.
    if let Err(failure) = aside::look(connection, client, "view_status", json!({})).await {
        failure::let_in(&failure)?;
    }
    let session = connection.state.engine.session(&connection.session(client));
    list::resources(&session.connections(), asked)
}
