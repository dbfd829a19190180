//! MCP resources: the desktop, its apps, and results that were too large for their reply.

pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod stored;
pub(crate) mod uri;

use std::sync::Arc;

use deskhand_engine::Vocabulary;
use rmcp::model::{ErrorData, ListResourcesResult, PaginatedRequestParams};
use serde_json::json;

use crate::{
    server::{
        client::{Client, Era},
        failure,
        state::Connection,
    },
    subscription::{self, registry::ListInterest},
    tool::internal_call,
};

/// Serves `resources/list`. In protocol 2025-11-25 and older, the client is notified from then on
/// when the list changes.
///
/// # Errors
///
/// Returns an error if the cursor does not belong to this list, or if the client exceeds its
/// limits.
pub(crate) async fn list_resources(
    connection: &Arc<Connection>,
    client: &Client,
    page_request: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    match client.era {
        Era::Handshake(_) => subscription::register(connection, client, ListInterest::RESOURCES)?,
        Era::Stateless => {}
    }
    // This call forgets apps that have exited. If it fails, the list may be out of date.
    let view = Vocabulary::Resources.tool("view_status");
    if let Err(failure) = internal_call::call_read_tool(connection, client, view, json!({})).await {
        failure::check_admission(&failure)?;
    }
    let session = connection.state.engine.session(&connection.session(client));
    list::list_resources(&session.connections(), page_request)
}
