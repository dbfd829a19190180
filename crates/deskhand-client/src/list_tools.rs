//! Lists the tools of a server once.

use std::time::Instant;

use deskhand_model::Delivery;
use rmcp::model::Tool;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    child::ChildServer,
    config::ServerConfig,
    connect::{self, ToolListListener},
    error::{Error, Result},
    token_storage::TokenStorage,
};

/// The server whose tools are listed.
#[derive(Debug, Clone)]
pub enum ListTarget {
    /// A server over HTTP, with stored tokens.
    Http(Box<ServerConfig>, TokenStorage),
    /// A program and its arguments.
    Command(Vec<String>),
}

/// A server's description of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolDescription {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The schema of its arguments.
    pub schema: Map<String, Value>,
}

/// Lists the tools of a server. A program that is started for this is ended afterwards.
///
/// # Errors
///
/// If the server cannot be reached, or does not respond before the deadline.
pub fn list_tools(target: &ListTarget, deadline: Instant) -> Result<Vec<ToolDescription>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Runtime { reason: error.to_string() })?;
    let timeout = deadline.saturating_duration_since(Instant::now());
    let tools = runtime.block_on(async {
        let name = match target {
            ListTarget::Http(server, _) => server.name.clone(),
            ListTarget::Command(words) => words.first().cloned().unwrap_or_default(),
        };
        let timed_out = |_| Error::Timeout { server: name, delivery: Delivery::NotSent };
        tokio::time::timeout(timeout, connect_and_list(target)).await.map_err(timed_out)?
    });
    // Tasks that hang are not waited for.
    runtime.shutdown_background();
    Ok(tools?.into_iter().map(ToolDescription::from).collect())
}

async fn connect_and_list(target: &ListTarget) -> Result<Vec<Tool>> {
    match target {
        ListTarget::Http(server, storage) => {
            let client = connect::over_http(server, storage, ToolListListener::default()).await?;
            let tools = connect::tools(&server.name, &client).await;
            // This ends the session at the server.
            let _ = client.cancel().await;
            tools
        }
        ListTarget::Command(words) => {
            let name = words.first().map(String::as_str).unwrap_or_default();
            let (child, streams) = ChildServer::start(words)?;
            let client = connect::over_streams(name, streams, ToolListListener::default()).await?;
            let tools = connect::tools(name, &client).await;
            // This closes the streams.
            let _ = client.cancel().await;
            child.end().await;
            tools
        }
    }
}

impl From<Tool> for ToolDescription {
    fn from(tool: Tool) -> Self {
        Self {
            name: tool.name.into_owned(),
            description: tool.description.map(|text| text.into_owned()).unwrap_or_default(),
            schema: tool.input_schema.as_ref().clone(),
        }
    }
}
