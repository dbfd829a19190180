//! The tools of any server, listed once.

use std::time::Instant;

use deskhand_model::Delivery;
use rmcp::model::Tool;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    config::Server,
    connect::{self, Ear},
    error::{Error, Result},
    program::Program,
    storage::Storage,
};

/// A server to list the tools of.
#[derive(Debug, Clone)]
pub enum Target {
    /// One over HTTP, with what was logged in with.
    Http(Box<Server>, Storage),
    /// A program and its arguments.
    Command(Vec<String>),
}

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What it is said to do.
    pub description: String,
    /// What it takes.
    pub schema: Map<String, Value>,
}

/// Lists the tools of a server. A program that was started for it is ended.
///
/// # Errors
///
/// When it does not answer by the deadline.
pub fn list(target: &Target, deadline: Instant) -> Result<Vec<Listed>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Start { why: error.to_string() })?;
    let left = deadline.saturating_duration_since(Instant::now());
    let tools = runtime.block_on(async {
        let name = match target {
            Target::Http(server, _) => server.name.clone(),
            Target::Command(words) => words.first().cloned().unwrap_or_default(),
        };
        let late = |_| Error::Late { server: name, delivery: Delivery::NotSent };
        tokio::time::timeout(left, listed(target)).await.map_err(late)?
    });
    // What hangs is not waited for.
    runtime.shutdown_background();
    Ok(tools?.into_iter().map(Listed::from).collect())
}

async fn listed(target: &Target) -> Result<Vec<Tool>> {
    match target {
        Target::Http(server, storage) => {
            let running = connect::over_http(server, storage, Ear::default()).await?;
            let tools = connect::tools(&server.name, &running).await;
            // The session is ended at the server by this.
            let _ = running.cancel().await;
            tools
        }
        Target::Command(words) => {
            let name = words.first().map(String::as_str).unwrap_or_default();
            let (program, streams) = Program::start(words)?;
            let running = connect::over_streams(name, streams, Ear::default()).await?;
            let tools = connect::tools(name, &running).await;
            // Its streams are closed by this.
            let _ = running.cancel().await;
            program.end().await;
            tools
        }
    }
}

impl From<Tool> for Listed {
    fn from(tool: Tool) -> Self {
        Self {
            name: tool.name.into_owned(),
            description: tool.description.map(|text| text.into_owned()).unwrap_or_default(),
            schema: tool.input_schema.as_ref().clone(),
        }
    }
}
