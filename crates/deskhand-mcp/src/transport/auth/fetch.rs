//! Fetching the keys of an authorization server: from a given URL, or from the one in its metadata
//! (RFC 8414, OpenID Connect Discovery).

use std::time::Duration;

use reqwest::{Client, redirect::Policy};
use serde_json::Value;
use tokio_rustls::rustls::crypto::ring::default_provider;
use url::Url;

use crate::{
    Error,
    web::{Authority, checked},
};

/// Maximum size of a response in bytes.
const LARGEST: usize = 256 * 1024;

/// An error of fetching keys.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreachable {
    /// The server did not answer.
    #[error("{at} does not answer: {why}")]
    Silent {
        /// The URL.
        at: Url,
        /// The reason.
        why: String,
    },
    /// The response is invalid.
    #[error("invalid response from {at}: {what}")]
    Odd {
        /// The URL.
        at: Url,
        /// The problem.
        what: String,
    },
}

/// Fetches the keys of an authorization server.
#[derive(Debug)]
pub(super) struct Fetch {
    client: Client,
    name: String,
    issuer: Url,
    keys: Option<Url>,
}

impl Fetch {
    /// Creates a fetcher.
    ///
    /// # Errors
    ///
    /// Returns an error if a URL is invalid, or if the TLS client cannot be created.
    pub(super) fn new(from: &Authority) -> Result<Self, Error> {
        // This fails if another server of this process has already installed it.
        let _ = default_provider().install_default();
        let issuer = checked("the OAuth issuer", &from.issuer)?;
        let keys = from.keys.as_deref().map(|at| checked("the URL of the OAuth keys", at));
        let keys = keys.transpose()?;
        let client = Client::builder()
            .timeout(PATIENCE)
            .redirect(Policy::none())
            .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")));
        let is_here = keys.as_ref().unwrap_or(&issuer).scheme() == "http";
        // A proxy cannot reach servers on loopback.
        let client = if is_here { client.no_proxy() } else { client };
        let client = client.build().map_err(|error| Error::Start { why: words(&error) })?;
        Ok(Self { client, name: from.issuer.clone(), issuer, keys })
    }

    /// Fetches the keys.
    pub(super) async fn keys(&self) -> Result<Vec<Value>, Unreachable> {
        let at = match &self.keys {
            Some(at) => at.clone(),
            None => self.told().await?,
        };
        let mut set = self.get(&at).await?;
        let keys = set.get_mut("keys").and_then(Value::as_array_mut).map(std::mem::take);
        keys.ok_or_else(|| odd(at, "not a JWK set"))
    }

    /// Returns the URL of the keys from the issuer's metadata.
    async fn told(&self) -> Result<Url, Unreachable> {
        let [first, others @ ..] = places(&self.issuer);
        let mut told = self.told_at(first).await;
        for at in others {
            if told.is_ok() {
                break;
            }
            told = self.told_at(at).await;
        }
        told
    }

    async fn told_at(&self, at: Url) -> Result<Url, Unreachable> {
        let metadata = self.get(&at).await?;
        if metadata["issuer"].as_str() != Some(&self.name) {
            return Err(odd(at, "the metadata of another issuer"));
        }
        let keys = metadata["jwks_uri"].as_str().unwrap_or_default();
        checked("jwks_uri", keys).map_err(|why| odd(at, &why.to_string()))
    }

    async fn get(&self, at: &Url) -> Result<Value, Unreachable> {
        let silent = |why: reqwest::Error| Unreachable::Silent { at: at.clone(), why: words(&why) };
        let mut answer = self.client.get(at.clone()).send().await.map_err(silent)?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(odd(at.clone(), answer.status().as_str()));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(silent)? {
            if bytes.len() + chunk.len() > LARGEST {
                return Err(odd(at.clone(), "the response is too large"));
            }
            bytes.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&bytes).map_err(|_| odd(at.clone(), "not JSON"))
    }
}

/// Returns the URLs at which an issuer may publish its metadata.
fn places(issuer: &Url) -> [Url; 3] {
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

fn odd(at: Url, what: &str) -> Unreachable {
    Unreachable::Odd { at, what: what.to_owned() }
}

/// Returns the root cause of an error.
fn words(error: &dyn std::error::Error) -> String {
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
            |issuer: &str| places(&issuer.parse().unwrap()).map(|at| at.as_str().to_owned());
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
