//! The background task of one server: connects, listens for changes, and reconnects after a failure.

use std::{future::pending, sync::Arc};

use parking_lot::Mutex;
use rmcp::model::{ProtocolVersion, SubscriptionFilter, Tool};
use tokio::{
    sync::Notify,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    config::ServerConfig,
    connect::{self, RunningClient, ToolListListener},
    error::{Error, Result},
    timing::{
        CHECK_INTERVAL, LIST_TIMEOUT, LOGIN_POLL_INTERVAL, MAX_RETRY_DELAY, MIN_RETRY_DELAY,
        READY_TIMEOUT,
    },
    token_storage::TokenStorage,
};

/// The state of the connection to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// The first attempt to connect has not finished.
    Connecting,
    /// The server is connected.
    Connected,
    /// The server requires a login.
    LoginRequired,
    /// The server cannot be reached, for this reason.
    Disconnected(String),
}

/// The connection to one server.
pub(crate) struct ServerConnection {
    pub(crate) server: ServerConfig,
    storage: TokenStorage,
    current: Mutex<ConnectionSnapshot>,
    /// Notified to check the server at once.
    check_now: Notify,
    on_change: Arc<dyn Fn() + Send + Sync>,
}

/// The current state of a connection.
#[derive(Clone)]
pub(crate) struct ConnectionSnapshot {
    pub(crate) state: ConnectionState,
    pub(crate) tools: Arc<Vec<Tool>>,
    pub(crate) client: Option<Arc<RunningClient>>,
}

impl ServerConnection {
    pub(crate) fn new(
        server: ServerConfig,
        storage: TokenStorage,
        on_change: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let current = ConnectionSnapshot {
            state: ConnectionState::Connecting,
            tools: Arc::default(),
            client: None,
        };
        let current = Mutex::new(current);
        Self { server, storage, current, check_now: Notify::new(), on_change }
    }

    pub(crate) fn snapshot(&self) -> ConnectionSnapshot {
        self.current.lock().clone()
    }

    /// Checks the server at once, because a call to it failed.
    pub(crate) fn check_now(&self) {
        self.check_now.notify_one();
    }

    fn set(&self, next: ConnectionSnapshot) {
        let mut current = self.current.lock();
        let is_same = current.state == next.state && current.tools == next.tools;
        *current = next;
        drop(current);
        if !is_same {
            (self.on_change)();
        }
    }

    fn set_disconnected(&self, state: ConnectionState) {
        self.set(ConnectionSnapshot { state, tools: Arc::default(), client: None });
    }

    /// Keeps the connection until `cancel` is cancelled.
    pub(crate) async fn run(&self, cancel: CancellationToken) {
        let mut delay = MIN_RETRY_DELAY;
        loop {
            let start = Instant::now();
            let error = tokio::select! {
                () = cancel.cancelled() => return self.close(),
                error = self.connect_and_listen() => error,
            };
            self.close();
            // After a long connection, the delays start again.
            if start.elapsed() > MAX_RETRY_DELAY {
                delay = MIN_RETRY_DELAY;
            }
            let login_required = matches!(error, Error::LoginRequired { .. });
            self.set_disconnected(if login_required {
                ConnectionState::LoginRequired
            } else if let Error::Unreachable { reason, .. } = error {
                ConnectionState::Disconnected(reason)
            } else {
                ConnectionState::Disconnected(error.to_string())
            });
            let retry = async {
                if login_required { self.wait_for_login().await } else { sleep(delay).await }
            };
            tokio::select! {
                () = cancel.cancelled() => return,
                () = retry => {}
            }
            delay = (delay * 2).min(MAX_RETRY_DELAY);
        }
    }

    /// Connects and keeps the list of tools current; returns the error that ends the connection.
    async fn connect_and_listen(&self) -> Error {
        match self.try_connect_and_listen().await {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    async fn try_connect_and_listen(&self) -> Result<std::convert::Infallible> {
        let name = &self.server.name;
        let listener = ToolListListener::default();
        let ready = async {
            let client = connect::over_http(&self.server, &self.storage, listener.clone()).await?;
            let tools = connect::tools(name, &client).await?;
            Ok::<_, Error>((Arc::new(client), tools))
        };
        let (client, tools) =
            timeout(READY_TIMEOUT, ready).await.map_err(|_| self.timed_out())??;
        self.set_connected(&client, tools);
        let mut subscription = std::pin::pin!(subscribe(&client, &listener));
        loop {
            tokio::select! {
                () = listener.changed.notified() => {}
                () = self.check_now.notified() => {}
                () = &mut subscription => {}
                () = sleep(CHECK_INTERVAL) => {}
            }
            if client.is_closed() {
                let reason = "the connection was closed".to_owned();
                let delivery = deskhand_model::Delivery::NotSent;
                return Err(Error::Unreachable { server: name.clone(), reason, delivery });
            }
            let tools = timeout(LIST_TIMEOUT, connect::tools(name, &client)).await;
            self.set_connected(&client, tools.map_err(|_| self.timed_out())??);
        }
    }

    fn set_connected(&self, client: &Arc<RunningClient>, tools: Vec<Tool>) {
        let (state, client) = (ConnectionState::Connected, Some(Arc::clone(client)));
        self.set(ConnectionSnapshot { state, tools: Arc::new(tools), client });
    }

    fn timed_out(&self) -> Error {
        let (server, reason) = (self.server.name.clone(), "it does not respond".to_owned());
        Error::Unreachable { server, reason, delivery: deskhand_model::Delivery::NotSent }
    }

    /// Closes the connection, and ends the session at the server.
    fn close(&self) {
        if let Some(client) = self.snapshot().client {
            client.cancellation_token().cancel();
        }
    }

    /// Waits until the stored tokens change.
    async fn wait_for_login(&self) {
        let before = self.tokens_modified();
        loop {
            sleep(LOGIN_POLL_INTERVAL).await;
            if self.tokens_modified() != before {
                return;
            }
        }
    }

    fn tokens_modified(&self) -> Option<std::time::SystemTime> {
        std::fs::metadata(self.storage.path(&self.server)).ok()?.modified().ok()
    }
}

/// Subscribes to changes of the tool list, which protocol versions since 2026-07-28 require. Never returns.
async fn subscribe(client: &RunningClient, listener: &ToolListListener) {
    let needs_subscription = client
        .peer_info()
        .is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28);
    if needs_subscription {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        if let Ok(mut events) = client.listen(filter).await {
            while let Ok(Some(_)) = events.next().await {
                listener.changed.notify_one();
            }
            // The stream ends when the server stops, so it is checked.
            listener.changed.notify_one();
        }
    }
    pending().await
}
