//! All configured servers, behind a blocking interface. Without servers, no thread runs.

use std::{
    collections::HashSet,
    sync::{Arc, mpsc},
    time::Instant,
};

use deskhand_model::Delivery;
use parking_lot::Mutex;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::{Activation, Config},
    connect,
    connection::{ConnectionState, ServerConnection},
    error::{Error, Result},
    remote::{RemoteEffect, RemoteResult, RemoteTool},
    timing::{CALL_POLL_INTERVAL, SHUTDOWN_TIMEOUT},
    token_storage::TokenStorage,
    tool_name,
};

type Callbacks = Arc<Mutex<Vec<Box<dyn Fn() + Send + Sync>>>>;

/// All configured servers.
pub struct Servers {
    connections: Vec<Arc<ServerConnection>>,
    callbacks: Callbacks,
    cancel: CancellationToken,
    tasks: TaskTracker,
    runtime: Option<Runtime>,
}

/// The status of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// The name of the server.
    pub server: String,
    /// The state of the connection.
    pub state: ConnectionState,
    /// The number of tools it offers.
    pub tools: usize,
}

impl Servers {
    /// Starts to connect to every enabled server, in the background.
    ///
    /// # Errors
    ///
    /// If the runtime cannot be started.
    pub fn open(config: &Config, storage: &TokenStorage) -> Result<Self> {
        let callbacks = Callbacks::default();
        let on_change = Arc::clone(&callbacks);
        let on_change: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            for callback in on_change.lock().iter() {
                callback();
            }
        });
        let enabled =
            config.servers.iter().filter(|server| server.activation == Activation::Enabled);
        let connect = |server: &crate::config::ServerConfig| {
            Arc::new(ServerConnection::new(server.clone(), storage.clone(), Arc::clone(&on_change)))
        };
        let connections: Vec<_> = enabled.map(connect).collect();
        let (cancel, tasks) = (CancellationToken::new(), TaskTracker::new());
        let runtime = if connections.is_empty() { None } else { Some(runtime()?) };
        if let Some(runtime) = &runtime {
            for connection in &connections {
                let (connection, cancel) = (Arc::clone(connection), cancel.clone());
                tasks.spawn_on(async move { connection.run(cancel).await }, runtime.handle());
            }
        }
        tasks.close();
        Ok(Self { connections, callbacks, cancel, tasks, runtime })
    }

    /// Adds a callback for when a server connects or disconnects, or its list of tools changes.
    pub fn on_change(&self, callback: impl Fn() + Send + Sync + 'static) {
        self.callbacks.lock().push(Box::new(callback));
    }

    /// Returns the tools of all connected servers, in the order of the file.
    pub fn tools(&self) -> Vec<RemoteTool> {
        let mut taken = HashSet::new();
        let mut all = Vec::new();
        for connection in &self.connections {
            let server = &connection.server;
            let tools = connection.snapshot().tools;
            for tool in tools.iter().filter(|tool| server.offers(&tool.name)) {
                all.push(RemoteTool {
                    server: server.name.clone(),
                    name: tool_name::unique(&server.prefix, &server.name, &tool.name, &mut taken),
                    remote_name: tool.name.to_string(),
                    description: tool.description.as_deref().unwrap_or_default().to_owned(),
                    title: tool.title.clone().or_else(|| tool.annotations.as_ref()?.title.clone()),
                    input_schema: tool.input_schema.as_ref().clone(),
                    effect: RemoteEffect::of(tool, server.trust),
                    timeout: server.timeout,
                });
            }
        }
        all
    }

    /// Returns the status of each server.
    pub fn status(&self) -> Vec<ServerStatus> {
        let status = |connection: &Arc<ServerConnection>| {
            let (server, current) = (&connection.server, connection.snapshot());
            let tools = current.tools.iter().filter(|tool| server.offers(&tool.name)).count();
            ServerStatus { server: server.name.clone(), state: current.state, tools }
        };
        self.connections.iter().map(status).collect()
    }

    /// Waits until every server is connected or has failed once, but not longer than `deadline`.
    pub fn wait_until_connected(&self, deadline: Instant) {
        let is_connecting =
            |it: &Arc<ServerConnection>| it.snapshot().state == ConnectionState::Connecting;
        while Instant::now() < deadline && self.connections.iter().any(is_connecting) {
            std::thread::sleep(CALL_POLL_INTERVAL);
        }
    }

    /// Calls a tool. Returns at the deadline, or shortly after `is_cancelled` returns `true`.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or rejects the call, at the deadline, or if the call is cancelled. A
    /// tool that ran and failed is no error: its result has the status.
    pub fn call(
        &self,
        tool: &RemoteTool,
        arguments: Map<String, Value>,
        deadline: Instant,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<RemoteResult> {
        let server = tool.server.clone();
        let connection = self.connections.iter().find(|it| it.server.name == tool.server);
        let (Some(connection), Some(runtime)) = (connection, &self.runtime) else {
            return Err(Error::UnknownTool { server, tool: tool.remote_name.clone() });
        };
        let current = connection.snapshot();
        let Some(client) = current.client else {
            return Err(not_connected(server, current.state));
        };
        let request =
            CallToolRequestParams::new(tool.remote_name.clone()).with_arguments(arguments);
        let (sender, receiver) = mpsc::channel();
        let task = runtime.spawn(async move {
            // This fails if the caller no longer waits.
            let _ = sender.send(client.call_tool(request).await);
        });
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(remaining.min(CALL_POLL_INTERVAL)) {
                Ok(Ok(result)) => return Ok(RemoteResult::from(result)),
                Ok(Err(error)) => {
                    let error = connect::request_error(&server, &error);
                    if !matches!(error, Error::Rejected { .. }) {
                        connection.check_now();
                    }
                    return Err(error);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let reason = "the connection was closed".to_owned();
                    return Err(Error::Unreachable { server, reason, delivery: Delivery::Unknown });
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            // Dropping the call cancels it at the server.
            if is_cancelled() {
                task.abort();
                return Err(Error::Cancelled { server });
            }
            if Instant::now() >= deadline {
                task.abort();
                connection.check_now();
                return Err(Error::Timeout { server, delivery: Delivery::Unknown });
            }
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.cancel.cancel();
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while !self.tasks.is_empty() && Instant::now() < deadline {
            std::thread::sleep(CALL_POLL_INTERVAL);
        }
        runtime.shutdown_background();
    }
}

fn not_connected(server: String, state: ConnectionState) -> Error {
    let delivery = Delivery::NotSent;
    match state {
        ConnectionState::LoginRequired => Error::LoginRequired { server },
        ConnectionState::Disconnected(reason) => Error::Unreachable { server, reason, delivery },
        ConnectionState::Connecting | ConnectionState::Connected => {
            let reason = "it is not connected yet".to_owned();
            Error::Unreachable { server, reason, delivery }
        }
    }
}

fn runtime() -> Result<Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("servers")
        .enable_all()
        .build();
    built.map_err(|error| Error::Runtime { reason: error.to_string() })
}
