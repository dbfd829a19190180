//! One connection to one server: HTTP with what was logged in with, or a program's own streams.

use std::{collections::HashMap, sync::Arc, time::Duration};

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
    config::{Server, is_here},
    error::{Error, Result, plain, words},
    http::Bounded,
    program::Streams,
    storage::Storage,
};

/// One message of a server is never longer.
pub(crate) const LONGEST_MESSAGE: usize = 16 << 20;
/// A list of tools is never longer.
const MOST_TOOLS: usize = 1_000;
/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(10);

/// The scope that makes a login last.
pub(crate) const OFFLINE: &str = "offline_access";

/// A server that answers.
pub(crate) type Running = RunningService<RoleClient, Ear>;

/// Hears what a server says unasked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ear {
    /// The list of tools is another.
    pub(crate) changed: Arc<Notify>,
}

impl ClientHandler for Ear {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("deskhand", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }
}

/// Both eras: `server/discover` first, the older handshake where that is not known.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

/// Connects to a server over HTTP.
pub(crate) async fn over_http(server: &Server, storage: &Storage, ear: Ear) -> Result<Running> {
    let manager = authorization(server, storage).await?;
    let client = AuthClient::new(Bounded::new(client(server)?, LONGEST_MESSAGE), manager);
    let headers: HashMap<_, _> = server.headers.iter().cloned().collect();
    let config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str())
        .max_sse_event_size(LONGEST_MESSAGE)
        .custom_headers(headers);
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let served = ear.serve_with_lifecycle(transport, lifecycle()).await;
    served.map_err(|error| unready(&server.name, &error))
}

/// Speaks to a program on its own streams.
pub(crate) async fn over_streams(name: &str, streams: Streams, ear: Ear) -> Result<Running> {
    let served = ear.serve_with_lifecycle(streams, lifecycle()).await;
    served.map_err(|error| unready(name, &error))
}

/// What makes the requests.
fn client(server: &Server) -> Result<reqwest::Client> {
    trusting();
    let client = reqwest::Client::builder()
        .connect_timeout(PATIENCE)
        // A redirect could carry tokens elsewhere.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")));
    // A proxy does not reach this machine's own servers.
    let client = if is_here(&server.url) { client.no_proxy() } else { client };
    client.build().map_err(|error| Error::Start { why: words(&error) })
}

/// Takes the cryptography the server side has.
pub(crate) fn trusting() {
    // It is installed already when something else of this process was first.
    let _ = default_provider().install_default();
}

/// What knows the tokens, and renews them.
async fn authorization(server: &Server, storage: &Storage) -> Result<AuthorizationManager> {
    trusting();
    let failed = |error: AuthError| {
        if matches!(error, AuthError::AuthorizationRequired) {
            Error::LoginNeeded { server: server.name.clone() }
        } else {
            down(&server.name, words(&error))
        }
    };
    let mut manager = AuthorizationManager::new(server.url.clone()).await.map_err(failed)?;
    let kept = storage.of(server);
    let Some(sheet) = kept.read()? else {
        manager.set_credential_store(kept);
        return Ok(manager);
    };
    let identity = server.identity.as_ref();
    let secret = identity.and_then(|identity| identity.secret.clone()).or(sheet.client_secret);
    manager.set_credential_store(kept.with(secret.clone()));
    let mut metadata = manager.resolve_metadata().await.map_err(failed)?.metadata;
    // rmcp asks for it again at each renewal, also where the login did not bring it, and RFC 6749
    // section 6 has that refused.
    if let Some(scopes) = &mut metadata.scopes_supported {
        scopes.retain(|scope| scope != OFFLINE);
    }
    manager.set_metadata(metadata);
    if manager.initialize_from_store().await.map_err(failed)?
        && let Some(secret) = secret
    {
        let config = OAuthClientConfig::new(sheet.credentials.client_id, server.url.as_str());
        manager.configure_client(config.with_client_secret(secret)).map_err(failed)?;
    }
    Ok(manager)
}

/// The tools of a server, all pages of them.
pub(crate) async fn tools(server: &str, running: &Running) -> Result<Vec<Tool>> {
    let mut tools = Vec::new();
    let mut cursor = None;
    loop {
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let asked = ListToolsRequest { params, ..ListToolsRequest::default() };
        // Not by `list_tools`: its cache would go on answering for a server that is gone.
        let answer = running.send_request(ClientRequest::ListToolsRequest(asked)).await;
        let ServerResult::ListToolsResult(page) = answer.map_err(|error| failed(server, &error))?
        else {
            return Err(down(server, "it answers something else".to_owned()));
        };
        tools.extend(page.tools);
        if tools.len() > MOST_TOOLS {
            return Err(down(server, format!("it lists more than {MOST_TOOLS} tools")));
        }
        // A cursor that leads nowhere would lead there for ever.
        match page.next_cursor {
            Some(next) if !next.is_empty() => cursor = Some(next),
            Some(_) | None => return Ok(tools),
        }
    }
}

/// What a connection that did not come about means.
fn unready(server: &str, error: &ClientInitializeError) -> Error {
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        return Error::LoginNeeded { server: server.to_owned() };
    }
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = error {
        return unready(server, fallback);
    }
    if let ClientInitializeError::TransportError { error, .. } = error {
        return down(server, words(error.error.as_ref()));
    }
    down(server, words(error))
}

/// What a failed request means.
pub(crate) fn failed(server: &str, error: &ServiceError) -> Error {
    let server = server.to_owned();
    if let ServiceError::McpError(said) = error {
        return Error::Refused { server, why: plain(&said.message) };
    }
    let ServiceError::TransportSend(sent) = error else {
        return Error::Down { server, why: words(error), delivery: Delivery::Unknown };
    };
    if wants_login(sent.error.as_ref()) {
        return Error::LoginNeeded { server };
    }
    Error::Down { server, why: words(sent.error.as_ref()), delivery: Delivery::Unknown }
}

fn wants_login(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(current) = next {
        let refused = current.downcast_ref::<AuthError>();
        if matches!(refused, Some(AuthError::AuthorizationRequired))
            || current.is::<AuthRequiredError>()
        {
            return true;
        }
        next = current.source();
    }
    false
}

fn down(server: &str, why: String) -> Error {
    Error::Down { server: server.to_owned(), why, delivery: Delivery::NotSent }
}
