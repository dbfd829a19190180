//! Connects to one server: over HTTP with stored tokens, or over the standard streams of a program.

use std::{collections::HashMap, sync::Arc};

use deskhand_model::Delivery;
use rmcp::{
    ClientHandler, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ClientRequest, Implementation, ListToolsRequest,
        PaginatedRequestParams, ProtocolVersion, ServerResult, Tool,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext,
        RunningService, ServiceError,
    },
    transport::{
        StreamableHttpClientTransport,
        auth::{AuthClient, AuthError, AuthorizationManager, OAuthClientConfig},
        streamable_http_client::{AuthRequiredError, StreamableHttpClientTransportConfig},
    },
};
use tokio::sync::Notify;
use tokio_rustls::rustls::crypto::ring::default_provider;

use crate::{
    bounded_http::BoundedHttpClient,
    child::Streams,
    config::{ServerConfig, is_local},
    error::{Error, Result, one_line, root_cause},
    timing::CONNECT_TIMEOUT,
    token_storage::TokenStorage,
};

/// The maximum size of a message in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The maximum number of tools of a server.
const MAX_TOOLS: usize = 1_000;

/// The scope that requests a refresh token.
pub(crate) const OFFLINE: &str = "offline_access";

/// A connected client.
pub(crate) type RunningClient = RunningService<RoleClient, ToolListListener>;

/// Receives notifications of changed tool lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolListListener {
    /// Notified when the list of tools changes.
    pub(crate) changed: Arc<Notify>,
}

impl ClientHandler for ToolListListener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("deskhand", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }
}

/// Tries `server/discover` first, and falls back to the handshake of older protocol versions.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

/// Connects to a server over HTTP.
pub(crate) async fn over_http(
    server: &ServerConfig,
    storage: &TokenStorage,
    listener: ToolListListener,
) -> Result<RunningClient> {
    let manager = authorization(server, storage).await?;
    let client =
        AuthClient::new(BoundedHttpClient::new(http_client(server)?, MAX_MESSAGE_BYTES), manager);
    let headers: HashMap<_, _> = server.headers.iter().cloned().collect();
    let config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str())
        .max_sse_event_size(MAX_MESSAGE_BYTES)
        .custom_headers(headers);
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let served = listener.serve_with_lifecycle(transport, lifecycle()).await;
    served.map_err(|error| connect_error(&server.name, &error))
}

/// Connects to a program over its standard streams.
pub(crate) async fn over_streams(
    name: &str,
    streams: Streams,
    listener: ToolListListener,
) -> Result<RunningClient> {
    let served = listener.serve_with_lifecycle(streams, lifecycle()).await;
    served.map_err(|error| connect_error(name, &error))
}

/// Builds the HTTP client.
fn http_client(server: &ServerConfig) -> Result<reqwest::Client> {
    install_crypto_provider();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        // A redirect could send tokens to another server.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")));
    // A proxy cannot reach servers on this machine.
    let client = if is_local(&server.url) { client.no_proxy() } else { client };
    client.build().map_err(|error| Error::Runtime { reason: root_cause(&error) })
}

/// Installs the same cryptography as the MCP server uses.
pub(crate) fn install_crypto_provider() {
    // This fails if the process has installed it already.
    let _ = default_provider().install_default();
}

/// Creates the manager that reads and refreshes tokens.
async fn authorization(
    server: &ServerConfig,
    storage: &TokenStorage,
) -> Result<AuthorizationManager> {
    install_crypto_provider();
    let failed = |error: AuthError| {
        if matches!(error, AuthError::AuthorizationRequired) {
            Error::LoginRequired { server: server.name.clone() }
        } else {
            unreachable(&server.name, root_cause(&error))
        }
    };
    let mut manager = AuthorizationManager::new(server.url.clone()).await.map_err(failed)?;
    let tokens = storage.tokens(server);
    let Some(file) = tokens.read()? else {
        manager.set_credential_store(tokens);
        return Ok(manager);
    };
    let client = server.oauth_client.as_ref();
    let secret = client.and_then(|client| client.secret.clone()).or(file.client_secret);
    manager.set_credential_store(tokens.with_secret(secret.clone()));
    let mut metadata = manager.resolve_metadata().await.map_err(failed)?.metadata;
    // rmcp requests this scope at each refresh, even if the login did not grant it. RFC 6749 section 6
    // forbids to request scopes that were not granted.
    if let Some(scopes) = &mut metadata.scopes_supported {
        scopes.retain(|scope| scope != OFFLINE);
    }
    manager.set_metadata(metadata);
    if manager.initialize_from_store().await.map_err(failed)?
        && let Some(secret) = secret
    {
        let config = OAuthClientConfig::new(file.credentials.client_id, server.url.as_str());
        manager.configure_client(config.with_client_secret(secret)).map_err(failed)?;
    }
    Ok(manager)
}

/// Lists the tools of a server, with all pages.
pub(crate) async fn tools(server: &str, running: &RunningClient) -> Result<Vec<Tool>> {
    let mut tools = Vec::new();
    let mut cursor = None;
    loop {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        // `list_tools` would answer from its cache even if the server is gone.
        let answer = running.send_request(ClientRequest::ListToolsRequest(request)).await;
        let ServerResult::ListToolsResult(page) =
            answer.map_err(|error| request_error(server, &error))?
        else {
            return Err(unreachable(
                server,
                "it sent an unexpected response to tools/list".to_owned(),
            ));
        };
        tools.extend(page.tools);
        if tools.len() > MAX_TOOLS {
            return Err(unreachable(server, format!("it lists more than {MAX_TOOLS} tools")));
        }
        // An empty cursor would return the first page again.
        match page.next_cursor {
            Some(next) if !next.is_empty() => cursor = Some(next),
            Some(_) | None => return Ok(tools),
        }
    }
}

/// Converts the error of a failed connection.
fn connect_error(server: &str, error: &ClientInitializeError) -> Error {
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        return Error::LoginRequired { server: server.to_owned() };
    }
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = error {
        return connect_error(server, fallback);
    }
    if let ClientInitializeError::TransportError { error, .. } = error {
        return unreachable(server, root_cause(error.error.as_ref()));
    }
    unreachable(server, root_cause(error))
}

/// Converts the error of a failed request.
pub(crate) fn request_error(server: &str, error: &ServiceError) -> Error {
    let server = server.to_owned();
    if let ServiceError::McpError(data) = error {
        return Error::Rejected { server, reason: one_line(&data.message) };
    }
    let ServiceError::TransportSend(sent) = error else {
        let reason = root_cause(error);
        return Error::Unreachable { server, reason, delivery: Delivery::Unknown };
    };
    if requires_login(sent.error.as_ref()) {
        return Error::LoginRequired { server };
    }
    let reason = root_cause(sent.error.as_ref());
    Error::Unreachable { server, reason, delivery: Delivery::Unknown }
}

fn requires_login(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(current) = next {
        let error = current.downcast_ref::<AuthError>();
        if matches!(error, Some(AuthError::AuthorizationRequired))
            || current.is::<AuthRequiredError>()
        {
            return true;
        }
        next = current.source();
    }
    false
}

fn unreachable(server: &str, reason: String) -> Error {
    Error::Unreachable { server: server.to_owned(), reason, delivery: Delivery::NotSent }
}
