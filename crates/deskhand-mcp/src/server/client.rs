//! Who calls: made once a request, and the only place that sends anything to a client unasked.
#![expect(deprecated, reason = "logging is of the era of the handshake, which is served too")]

use std::{sync::Arc, time::Instant};

use axum::http::request::Parts;
use rmcp::{
    Peer, RoleServer,
    model::{
        ClientCapabilities, CustomNotification, Extensions, LoggingLevel,
        LoggingMessageNotification, LoggingMessageNotificationParam, ProgressNotification,
        ProgressNotificationParam, ProgressToken, ProtocolVersion, RequestId, ServerNotification,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    log::{Admitted, Flow, Level, STRETCH},
    principal::Principal,
    state::Connection,
};

/// The header that names a session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Who speaks when it is the server itself.
pub(crate) const SERVER: &str = "deskhand.server";

/// How a client speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Era {
    /// By `initialize`, and in the version agreed on there.
    Handshake(ProtocolVersion),
    /// Every request carries what it needs.
    Modern,
}

impl Era {
    /// Whether tasks are asked for by the client with the call (2025-11-25).
    pub(crate) fn has_asked_tasks(&self) -> bool {
        match self {
            Self::Handshake(version) => *version == ProtocolVersion::V_2025_11_25,
            Self::Modern => false,
        }
    }
}

/// Marks a message to a client with the request it belongs to; it never leaves the house.
#[derive(Debug, Clone)]
pub(crate) struct Origin(pub(crate) RequestId);

/// Who sent one request.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// How it speaks.
    pub(crate) era: Era,
    /// What it can do.
    pub(crate) capabilities: ClientCapabilities,
    /// The request.
    pub(crate) request: RequestId,
    /// From which level on it wants to hear log records.
    pub(crate) log: Option<Level>,
    records: Arc<Flow>,
    /// Where progress goes.
    pub(crate) progress: Option<ProgressToken>,
    /// Cancelled when the answer is no longer wanted.
    pub(crate) stop: CancellationToken,
    /// Cancelled when nothing more comes from it.
    pub(crate) gone: CancellationToken,
    /// The connection.
    pub(crate) peer: Peer<RoleServer>,
    /// Who it speaks for.
    pub(crate) principal: Principal,
    /// The name of its session, where HTTP gave it one.
    pub(crate) session: Option<Arc<str>>,
}

impl Client {
    /// The client of a request that came by a connection.
    pub(crate) fn of(context: &RequestContext<RoleServer>, connection: &Connection) -> Self {
        let version = context.protocol_version().unwrap_or(ProtocolVersion::V_2025_03_26);
        let modern = !version.has_initialize();
        Self {
            log: if modern {
                context.meta.log_level().map(Level::from)
            } else {
                Some(connection.level.get())
            },
            records: Arc::clone(&connection.records),
            era: if modern { Era::Modern } else { Era::Handshake(version) },
            capabilities: context.client_capabilities().unwrap_or_default(),
            request: context.id.clone(),
            progress: context.meta.get_progress_token(),
            stop: context.ct.clone(),
            gone: connection.gone.clone(),
            peer: context.peer.clone(),
            principal: Principal::carried(&context.extensions)
                .unwrap_or_else(|| connection.principal.clone()),
            session: session(&context.extensions),
        }
    }

    /// Sends a notification; one to a client that is gone is lost, and nobody misses it.
    pub(crate) async fn notify(&self, notification: ServerNotification) {
        tokio::select! {
            biased;
            // The SDK takes none any more then, and would let whoever sends one wait.
            () = self.gone.cancelled() => {}
            _ = self.peer.send_notification(notification) => {}
        }
    }

    /// Sends a log record, where the client wants to hear records of its level.
    pub(crate) async fn log(&self, level: Level, logger: &str, data: Value) {
        if self.log.is_none_or(|least| level < least) {
            return;
        }
        match self.records.admit(Instant::now()) {
            Admitted::Yes => {
                let request = Some(self.request.clone());
                self.notify(record(level, logger, data, request)).await;
            }
            Admitted::DroppedFirst => {
                let client = self.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(STRETCH).await;
                    let dropped = json!({ "dropped_records": client.records.dropped() });
                    client.notify(record(Level::Warning, SERVER, dropped, None)).await;
                });
            }
            Admitted::Dropped => {}
        }
    }

    /// Sends how far the call has come, where the client asked for that.
    pub(crate) async fn progress(&self, done: f64, total: Option<f64>, words: Option<String>) {
        let Some(token) = self.progress.clone() else { return };
        let mut step = ProgressNotificationParam::new(token, done);
        step.total = total;
        step.message = words;
        self.notify(ServerNotification::ProgressNotification(ProgressNotification::new(step)))
            .await;
    }

    /// Sends a notification the SDK has no type for.
    pub(crate) async fn tell(&self, method: &str, params: Value) {
        let notification = CustomNotification::new(method, Some(params));
        self.notify(ServerNotification::CustomNotification(notification)).await;
    }
}

/// The name of the session a message came in, where HTTP gave it one; the transport knows one of that
/// name.
pub(crate) fn session(extensions: &Extensions) -> Option<Arc<str>> {
    let parts = extensions.get::<Parts>()?;
    parts.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(Arc::from)
}

/// Sends a log record that belongs to no request, where the client of a connection wants to hear
/// records of its level.
pub(crate) async fn tell(
    connection: &Connection,
    peer: &Peer<RoleServer>,
    level: Level,
    logger: &str,
    data: Value,
) {
    let is_wanted = level >= connection.level.get();
    if !is_wanted || connection.records.admit(Instant::now()) != Admitted::Yes {
        return;
    }
    tokio::select! {
        biased;
        () = connection.gone.cancelled() => {}
        _ = peer.send_notification(record(level, logger, data, None)) => {}
    }
}

fn record(
    level: Level,
    logger: &str,
    data: Value,
    request: Option<RequestId>,
) -> ServerNotification {
    let record =
        LoggingMessageNotificationParam::new(LoggingLevel::from(level), data).with_logger(logger);
    let mut notification = LoggingMessageNotification::new(record);
    if let Some(request) = request {
        notification.extensions.insert(Origin(request));
    }
    ServerNotification::LoggingMessageNotification(notification)
}
