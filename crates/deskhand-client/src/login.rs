//! Logging in to a server: OAuth 2.1 with PKCE, in the person's own browser.

use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadataSource, OAuthClientConfig,
};
use url::Url;

use crate::{
    callback::{Brought, Callback},
    config::{Server, is_here},
    connect::{OFFLINE, trusting},
    error::{Error, Result, words},
    storage::Storage,
};

/// What is done with the address of the login page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// It is opened in the person's browser, and shown as well.
    Open,
    /// It is only shown.
    Show,
}

/// What became of opening the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// It was opened.
    Yes,
    /// It was not: the person opens the address.
    No,
}

/// Shows the address a person has to open.
pub type Shown<'a> = &'a (dyn Fn(&str, Opened) + Send + Sync);

/// Logs in to a server; what it gave is in the storage then.
///
/// # Errors
///
/// When the person refuses, nobody comes back in time, or the server knows no login.
pub fn login(
    server: &Server,
    storage: &Storage,
    browser: Browser,
    patience: Duration,
    shown: Shown<'_>,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Start { why: error.to_string() })?;
    runtime.block_on(async {
        let whole = logged_in(server, storage, browser, shown);
        let late = || Error::LoginLate { server: server.name.clone(), after: patience };
        tokio::time::timeout(patience, whole).await.map_err(|_| late())?
    })
}

async fn logged_in(
    server: &Server,
    storage: &Storage,
    browser: Browser,
    shown: Shown<'_>,
) -> Result<()> {
    trusting();
    let failed =
        |error: AuthError| Error::LoginFailed { server: server.name.clone(), why: words(&error) };
    let said = |why: &str| Error::LoginFailed { server: server.name.clone(), why: why.to_owned() };
    let mut manager = AuthorizationManager::new(server.url.clone()).await.map_err(failed)?;
    let found = manager.resolve_metadata().await.map_err(failed)?;
    if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(said("it does not say where to log in; it may need no login"));
    }
    manager.set_metadata(found.metadata);

    let callback = Callback::open(server.callback_port).await.map_err(|error| {
        said(&format!("no port of this machine can be had for the way back: {error}"))
    })?;
    let scopes = if server.scopes.is_empty() {
        manager.select_initial_scopes(&[]).await
    } else {
        server.scopes.clone()
    };
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let secret =
        identify(server, &mut manager, &callback.address, &scopes).await.map_err(failed)?;
    manager.set_credential_store(storage.of(server).with(secret));

    let address = manager.get_authorization_url(&scopes).await.map_err(failed)?;
    let mut parsed = Url::parse(&address).map_err(|_| said("the address of its login is none"))?;
    // OpenID Connect Core 11: without a question to the person the scope is ignored.
    if scopes.contains(&OFFLINE) {
        parsed.query_pairs_mut().append_pair("prompt", "consent");
    }
    if parsed.scheme() != "https" && !is_here(&parsed) {
        return Err(said("its login is not at an https address"));
    }
    let state = parsed.query_pairs().find(|(name, _)| name == "state");
    let state = state.map(|(_, value)| value.into_owned()).unwrap_or_default();
    shown(parsed.as_str(), opened(browser, parsed.as_str()).await);

    let brought = callback.wait(state.clone()).await.map_err(|error| said(&error.to_string()))?;
    let (code, issuer) = match brought {
        Brought::Code { code, issuer } => (code, issuer),
        Brought::Refusal(why) => {
            return Err(Error::LoginRefused { server: server.name.clone(), why });
        }
    };
    let given = manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await;
    given.map(|_| ()).map_err(failed)
}

/// Tells the authorization server who asks: with the id of the file, or by registering; returns a
/// secret that came with it.
async fn identify(
    server: &Server,
    manager: &mut AuthorizationManager,
    address: &str,
    scopes: &[&str],
) -> std::result::Result<Option<String>, AuthError> {
    let Some(identity) = &server.identity else {
        return Ok(manager.register_client("Deskhand", address, scopes).await?.client_secret);
    };
    let mut config = OAuthClientConfig::new(identity.id.clone(), address);
    if let Some(secret) = &identity.secret {
        config = config.with_client_secret(secret.clone());
    }
    manager.configure_client(config)?;
    Ok(identity.secret.clone())
}

async fn opened(browser: Browser, address: &str) -> Opened {
    let address = address.to_owned();
    match browser {
        Browser::Show => Opened::No,
        // Some browsers are waited for until they are closed.
        Browser::Open => {
            let open = tokio::task::spawn_blocking(move || webbrowser::open(&address));
            match tokio::time::timeout(Duration::from_secs(5), open).await {
                Ok(Ok(Ok(()))) | Err(_) => Opened::Yes,
                Ok(Ok(Err(_)) | Err(_)) => Opened::No,
            }
        }
    }
}
