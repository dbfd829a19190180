//! Fetching the keys of an authorization server: from a given URL, or from the one in its metadata
//! (RFC 8414, OpenID Connect Discovery).

use reqwest::{Client, redirect::Policy};
use serde_json::Value;
use tokio_rustls::rustls::crypto::ring::default_provider;
use url::Url;

use crate::{
    Error,
    http_options::{OAuthIssuer, parse_secure_url},
    timing,
};

/// Maximum size of a response in bytes.
const MAX_RESPONSE: usize = 256 * 1024;

/// An error of fetching keys.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    /// The server did not answer.
    #[error("{at} does not answer: {why}")]
    NoAnswer {
        /// The URL.
        at: Url,
        /// The reason.
        why: String,
    },
    /// The response is invalid.
    #[error("invalid response from {at}: {what}")]
    InvalidResponse {
        /// The URL.
        at: Url,
        /// The problem.
        what: String,
    },
}

/// Fetches the keys of an authorization server.
#[derive(Debug)]
pub(super) struct JwksFetcher {
    client: Client,
    name: String,
    issuer: Url,
    keys: Option<Url>,
}

impl JwksFetcher {
    /// Creates a fetcher.
    ///
    /// # Errors
    ///
    /// Returns an error if a URL is invalid, or if the TLS client cannot be created.
    pub(super) fn new(from: &OAuthIssuer) -> Result<Self, Error> {
        // This fails if another server of this process has already installed it.
        let _ = default_provider().install_default();
        let issuer = parse_secure_url("the OAuth issuer", &from.issuer)?;
        let keys =
            from.jwks_url.as_deref().map(|at| parse_secure_url("the URL of the OAuth keys", at));
        let keys = keys.transpose()?;
        let client = Client::builder()
            .timeout(timing::JWKS_FETCH_TIMEOUT)
            .redirect(Policy::none())
            .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")));
        let is_loopback = keys.as_ref().unwrap_or(&issuer).scheme() == "http";
        // A proxy cannot reach servers on loopback.
        let client = if is_loopback { client.no_proxy() } else { client };
        let client =
            client.build().map_err(|error| Error::Startup { reason: root_cause(&error) })?;
        Ok(Self { client, name: from.issuer.clone(), issuer, keys })
    }

    /// Fetches the keys.
    pub(super) async fn keys(&self) -> Result<Vec<Value>, FetchError> {
        let at = match &self.keys {
            Some(at) => at.clone(),
            None => self.discover().await?,
        };
        let mut set = self.get(&at).await?;
        let keys = set.get_mut("keys").and_then(Value::as_array_mut).map(std::mem::take);
        keys.ok_or_else(|| invalid_response(at, "not a JWK set"))
    }

    /// Returns the URL of the keys from the issuer's metadata.
    async fn discover(&self) -> Result<Url, FetchError> {
        let [first, others @ ..] = metadata_urls(&self.issuer);
        let mut discovered = self.discover_at(first).await;
        for at in others {
            if discovered.is_ok() {
                break;
            }
            discovered = self.discover_at(at).await;
        }
        discovered
    }

    async fn discover_at(&self, at: Url) -> Result<Url, FetchError> {
        let metadata = self.get(&at).await?;
        if metadata["issuer"].as_str() != Some(&self.name) {
            return Err(invalid_response(at, "the metadata of another issuer"));
        }
        let keys = metadata["jwks_uri"].as_str().unwrap_or_default();
        parse_secure_url("jwks_uri", keys).map_err(|why| invalid_response(at, &why.to_string()))
    }

    async fn get(&self, at: &Url) -> Result<Value, FetchError> {
        let no_answer =
            |why: reqwest::Error| FetchError::NoAnswer { at: at.clone(), why: root_cause(&why) };
        let mut answer = self.client.get(at.clone()).send().await.map_err(no_answer)?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(invalid_response(at.clone(), answer.status().as_str()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(no_answer)? {
            if bytes.len() + chunk.len() > MAX_RESPONSE {
                return Err(invalid_response(at.clone(), "the response is too large"));
            }
            bytes.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&bytes).map_err(|_| invalid_response(at.clone(), "not JSON"))
    }
}

/// Returns the URLs at which an issuer may publish its metadata.
fn metadata_urls(issuer: &Url) -> [Url; 3] {
    let path = issuer.path().trim_end_matches('/');
    let at = |path: String| {
        let mut at = issuer.clone();
        at.set_path(&path);
        at
    };
    [
        at(format!("/.well-known/oauth-authorization-server{path}")),
        at(format!("/.well-known/openid-configuration{path}")),
        at(format!("{path}/.well-known/openid-configuration")),
    ]
}

fn invalid_response(at: Url, what: &str) -> FetchError {
    FetchError::InvalidResponse { at, what: what.to_owned() }
}

/// Returns the root cause of an error.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_urls_follow_the_specifications() {
        let paths =
            |issuer: &str| metadata_urls(&issuer.parse().unwrap()).map(|at| at.as_str().to_owned());
        let plain = paths("https://id.example");
        assert_eq!(plain[0], "https://id.example/.well-known/oauth-authorization-server");
        assert_eq!(plain[1], "https://id.example/.well-known/openid-configuration");
        let tenant = paths("https://id.example/realms/desk");
        assert_eq!(
            tenant[0],
            "https://id.example/.well-known/oauth-authorization-server/realms/desk"
        );
        assert_eq!(tenant[2], "https://id.example/realms/desk/.well-known/openid-configuration");
    }
}
