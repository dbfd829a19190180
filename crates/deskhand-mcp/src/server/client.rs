//! The client of one request, and the notifications sent to it.
#![expect(deprecated, reason = "logging belongs to 2025-11-25 and older, which are served too")]

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
    log::{LogDecision, LogLevel, LogLimiter},
    principal::Principal,
    state::Connection,
};
use crate::timing;

/// The HTTP header that carries the session id.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// Logger name of the server itself.
pub(crate) const SERVER_LOGGER: &str = "deskhand.server";

/// The protocol era of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Era {
    /// Protocol 2025-11-25 or older: the version was negotiated by `initialize`.
    Handshake(ProtocolVersion),
    /// Protocol 2026-07-28: every request carries its own version and capabilities.
    Stateless,
}

impl Era {
    /// Returns `true` if clients request tasks with the call, as in 2025-11-25.
    pub(crate) fn has_task_requests(&self) -> bool {
        match self {
            Self::Handshake(version) => *version == ProtocolVersion::V_2025_11_25,
            Self::Stateless => false,
        }
    }
}

/// The request a notification belongs to. This extension is never serialized.
#[derive(Debug, Clone)]
pub(crate) struct RelatedRequest(pub(crate) RequestId);

/// The client of one request.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    /// The protocol era.
    pub(crate) era: Era,
    /// The client's capabilities.
    pub(crate) capabilities: ClientCapabilities,
    /// The id of the request.
    pub(crate) request: RequestId,
    /// Lowest level of the log records sent to the client. `None` sends no records.
    pub(crate) log_level: Option<LogLevel>,
    log_limiter: Arc<LogLimiter>,
    /// The progress token of the request.
    pub(crate) progress_token: Option<ProgressToken>,
    /// Cancelled when the client cancels the request.
    pub(crate) cancel: CancellationToken,
    /// Cancelled when the connection closes.
    pub(crate) closed: CancellationToken,
    /// The peer to send messages to.
    pub(crate) peer: Peer<RoleServer>,
    /// The authenticated principal.
    pub(crate) principal: Principal,
    /// The session id, if the request came over HTTP with one.
    pub(crate) session: Option<Arc<str>>,
}

impl Client {
    /// Creates the client of a request.
    pub(crate) fn new(context: &RequestContext<RoleServer>, connection: &Connection) -> Self {
        let version = context.protocol_version().unwrap_or(ProtocolVersion::V_2025_03_26);
        let modern = !version.has_initialize();
        Self {
            log_level: if modern {
                context.meta.log_level().map(LogLevel::from)
            } else {
                Some(connection.log_level.get())
            },
            log_limiter: Arc::clone(&connection.log_limiter),
            era: if modern { Era::Stateless } else { Era::Handshake(version) },
            capabilities: context.client_capabilities().unwrap_or_default(),
            request: context.id.clone(),

            progress_token: context.meta.get_progress_token(),
            cancel: context.ct.clone(),
            closed: connection.closed.clone(),
            peer: context.peer.clone(),
            principal: Principal::from_message(&context.extensions)
                .unwrap_or_else(|| connection.principal.clone()),
            session: session_id(&context.extensions),
        }
    }

    /// Sends a notification. It is lost if the connection is closed.
    pub(crate) async fn notify(&self, notification: ServerNotification) {
        tokio::select! {
            biased;
            // The SDK stops reading its queue then, and sending would block.
            () = self.closed.cancelled() => {}
            _ = self.peer.send_notification(notification) => {}
        }
    }

    /// Sends a log record if its level is high enough and the rate limit allows it.
    pub(crate) async fn log(&self, level: LogLevel, logger: &str, data: Value) {
        if self.log_level.is_none_or(|threshold| level < threshold) {
            return;
        }
        match self.log_limiter.admit(Instant::now()) {
            LogDecision::Send => {
                let request = Some(self.request.clone());
                self.notify(log_notification(level, logger, data, request)).await;
            }
            LogDecision::DroppedFirst => {
                let client = self.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(timing::LOG_WINDOW).await;
                    let dropped = json!({ "dropped_records": client.log_limiter.take_dropped() });
                    client
                        .notify(log_notification(LogLevel::Warning, SERVER_LOGGER, dropped, None))
                        .await;
                });
            }
            LogDecision::Dropped => {}
        }
    }

    /// Sends a progress notification if the request has a progress token.
    pub(crate) async fn progress(&self, done: f64, total: Option<f64>, message: Option<String>) {
        let Some(token) = self.progress_token.clone() else { return };
        let mut step = ProgressNotificationParam::new(token, done);
        step.total = total;
        step.message = message;
        self.notify(ServerNotification::ProgressNotification(ProgressNotification::new(step)))
            .await;
    }

    /// Sends a notification that the SDK has no type for.
    pub(crate) async fn notify_custom(&self, method: &str, params: Value) {
        let notification = CustomNotification::new(method, Some(params));
        self.notify(ServerNotification::CustomNotification(notification)).await;
    }
}

/// Returns the session id of a message that came over HTTP. The transport has checked that the
/// session exists.
pub(crate) fn session_id(extensions: &Extensions) -> Option<Arc<str>> {
    let parts = extensions.get::<Parts>()?;
    parts.headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok()).map(Arc::from)
}

/// Sends a log record that belongs to no request, if its level is high enough and the rate limit
/// allows it.
pub(crate) async fn send_log(
    connection: &Connection,
    peer: &Peer<RoleServer>,
    level: LogLevel,
    logger: &str,
    data: Value,
) {
    let is_wanted = level >= connection.log_level.get();
    if !is_wanted || connection.log_limiter.admit(Instant::now()) != LogDecision::Send {
        return;
    }
    tokio::select! {
        biased;
        () = connection.closed.cancelled() => {}
        _ = peer.send_notification(log_notification(level, logger, data, None)) => {}
    }
}

fn log_notification(
    level: LogLevel,
    logger: &str,
    data: Value,
    request: Option<RequestId>,
) -> ServerNotification {
    let record =
        LoggingMessageNotificationParam::new(LoggingLevel::from(level), data).with_logger(logger);
    let mut notification = LoggingMessageNotification::new(record);
    if let Some(request) = request {
        notification.extensions.insert(RelatedRequest(request));
    }
    ServerNotification::LoggingMessageNotification(notification)
}
