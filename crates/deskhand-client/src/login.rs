//! Logs in to a server: OAuth 2.1 with PKCE, in the user's browser.

use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadataSource, OAuthClientConfig,
};
use url::Url;

use crate::{
    callback::{Callback, CallbackResult},
    config::{ServerConfig, is_local},
    connect::{OFFLINE, install_crypto_provider},
    error::{Error, Result, root_cause},
    timing::BROWSER_TIMEOUT,
    token_storage::TokenStorage,
};

/// The handling of the login page's URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// Opens it in the user's browser, and shows it.
    Open,
    /// Only shows it.
    Show,
}

/// The result of opening a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserOpened {
    /// The browser was opened.
    Yes,
    /// The browser was not opened: the user must open the URL.
    No,
}

/// Shows the URL of the login page to the user.
pub type ShowAddress<'a> = &'a (dyn Fn(&str, BrowserOpened) + Send + Sync);

/// Logs in to a server and stores the tokens.
///
/// # Errors
///
/// If the user denies the login or does not finish it in time, or the server has no login.
pub fn login(
    server: &ServerConfig,
    storage: &TokenStorage,
    browser: Browser,
    timeout: Duration,
    show: ShowAddress<'_>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Runtime { reason: error.to_string() })?;
    runtime.block_on(async {
        let login = run_login(server, storage, browser, show);
        let timed_out = || Error::LoginTimeout { server: server.name.clone(), timeout };
        tokio::time::timeout(timeout, login).await.map_err(|_| timed_out())?
    })
}

async fn run_login(
    server: &ServerConfig,
    storage: &TokenStorage,
    browser: Browser,
    show: ShowAddress<'_>,
) -> Result<()> {
    install_crypto_provider();
    let fail = |reason: &str| {
        let (server, reason) = (server.name.clone(), reason.to_owned());
        Error::LoginFailed { server, reason }
    };
    let failed = |error: AuthError| fail(&root_cause(&error));
    let mut manager = AuthorizationManager::new(server.url.clone()).await.map_err(failed)?;
    let found = manager.resolve_metadata().await.map_err(failed)?;
    if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(fail("it names no authorization server; it may need no login"));
    }
    manager.set_metadata(found.metadata);

    let callback = Callback::open(server.callback_port)
        .await
        .map_err(|error| fail(&format!("cannot open a local port for the callback: {error}")))?;
    let scopes = if server.scopes.is_empty() {
        manager.select_initial_scopes(&[]).await
    } else {
        server.scopes.clone()
    };
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let secret =
        register(server, &mut manager, &callback.address, &scopes).await.map_err(failed)?;
    manager.set_credential_store(storage.tokens(server).with_secret(secret));

    let address = manager.get_authorization_url(&scopes).await.map_err(failed)?;
    let mut parsed = Url::parse(&address).map_err(|_| fail("its login URL is invalid"))?;
    // OpenID Connect Core section 11: without `prompt=consent` the scope is ignored.
    if scopes.contains(&OFFLINE) {
        parsed.query_pairs_mut().append_pair("prompt", "consent");
    }
    if parsed.scheme() != "https" && !is_local(&parsed) {
        return Err(fail("its login URL is not https"));
    }
    let state = parsed.query_pairs().find(|(name, _)| name == "state");
    let state = state.map(|(_, value)| value.into_owned()).unwrap_or_default();
    show(parsed.as_str(), open_browser(browser, parsed.as_str()).await);

    let result = callback.wait(state.clone()).await.map_err(|error| fail(&error.to_string()))?;
    let (code, issuer) = match result {
        CallbackResult::Code { code, issuer } => (code, issuer),
        CallbackResult::Denied(reason) => {
            return Err(Error::LoginRefused { server: server.name.clone(), reason });
        }
    };
    let tokens =
        manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await;
    tokens.map(|_| ()).map_err(failed)
}

/// Uses the configured client id, or registers a client at the authorization server; returns the client
/// secret, if there is one.
async fn register(
    server: &ServerConfig,
    manager: &mut AuthorizationManager,
    address: &str,
    scopes: &[&str],
) -> std::result::Result<Option<String>, AuthError> {
    let Some(client) = &server.oauth_client else {
        return Ok(manager.register_client("Deskhand", address, scopes).await?.client_secret);
    };
    let mut config = OAuthClientConfig::new(client.id.clone(), address);
    if let Some(secret) = &client.secret {
        config = config.with_client_secret(secret.clone());
    }
    manager.configure_client(config)?;
    Ok(client.secret.clone())
}

async fn open_browser(browser: Browser, address: &str) -> BrowserOpened {
    let address = address.to_owned();
    match browser {
        Browser::Show => BrowserOpened::No,
        Browser::Open => {
            let open = tokio::task::spawn_blocking(move || webbrowser::open(&address));
            match tokio::time::timeout(BROWSER_TIMEOUT, open).await {
                Ok(Ok(Ok(()))) | Err(_) => BrowserOpened::Yes,
                Ok(Ok(Err(_)) | Err(_)) => BrowserOpened::No,
            }
        }
    }
}
