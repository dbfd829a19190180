//! Protected resource metadata (RFC 9728) and the `WWW-Authenticate` challenge (RFC 6750).

use axum::http::HeaderValue;
use serde_json::{Value, json};
use url::Url;

use super::jwt::SCOPES;
use crate::{
    Error,
    web::{Authority, checked},
};

/// The path of the metadata.
pub(in crate::transport) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The metadata of this server as an OAuth protected resource.
#[derive(Debug)]
pub(super) struct Metadata {
    pub(super) resource: String,
    address: String,
    issuer: String,
}

impl Metadata {
    /// Creates the metadata of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the resource is not a valid URL.
    pub(super) fn new(authority: &Authority, listens_at: &str) -> Result<Self, Error> {
        let resource = match &authority.resource {
            Some(resource) => resource.clone(),
            None => format!("{listens_at}/mcp"),
        };
        let mut address = match &authority.resource {
            Some(resource) => checked("the OAuth resource", resource)?,
            None => {
                Url::parse(&resource).map_err(|error| Error::Start { why: error.to_string() })?
            }
        };
        let path = address.path().trim_end_matches('/').to_owned();
        address.set_path(&format!("{WELL_KNOWN}{path}"));
        let issuer = authority.issuer.clone();
        Ok(Self { resource, address: address.into(), issuer })
    }

    /// Returns the host name by which clients reach this server.
    pub(super) fn host(&self) -> Option<String> {
        Url::parse(&self.address).ok().and_then(|it| it.host_str().map(str::to_owned))
    }

    /// Returns the metadata document.
    pub(super) fn document(&self) -> Value {
        json!({
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": SCOPES.map(|(scope, _)| scope),
            "bearer_methods_supported": ["header"],
            "resource_name": "Deskhand",
        })
    }
}

/// The reason for refusing a request.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) enum Lack<'a> {
    /// There is no token.
    Token,
    /// The token is invalid.
    GoodToken(&'a str),
    /// The token lacks a scope.
    Scope(&'a str),
}

/// Creates the `WWW-Authenticate` header.
pub(super) fn challenge(metadata: Option<&Metadata>, lack: Lack<'_>) -> HeaderValue {
    let mut text = String::from("Bearer realm=\"deskhand\"");
    let mut say = |name: &str, value: &str| {
        text.push_str(&format!(", {name}=\"{value}\""));
    };
    match lack {
        Lack::Token => {}
        Lack::GoodToken(why) => {
            say("error", "invalid_token");
            say("error_description", why);
        }
        Lack::Scope(_) => say("error", "insufficient_scope"),
    }
    if let Some(metadata) = metadata {
        let needed = match lack {
            Lack::Token | Lack::GoodToken(_) => SCOPES.map(|(scope, _)| scope).join(" "),
            Lack::Scope(scope) => scope.to_owned(),
        };
        say("scope", &needed);
        say("resource_metadata", &metadata.address);
    }
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authority(resource: Option<&str>) -> Authority {
        Authority {
            issuer: "https://id.example".to_owned(),
            audience: None,
            resource: resource.map(str::to_owned),
            keys: None,
        }
    }

    #[test]
    fn the_metadata_url_follows_from_the_resource() {
        let at = |resource| {
            Metadata::new(&authority(resource), "http://127.0.0.1:8741").unwrap().address
        };
        assert_eq!(at(None), format!("http://127.0.0.1:8741{WELL_KNOWN}/mcp"));
        let public = at(Some("https://desk.example/a/mcp"));
        assert_eq!(public, format!("https://desk.example{WELL_KNOWN}/a/mcp"));
        assert_eq!(at(Some("https://desk.example")), format!("https://desk.example{WELL_KNOWN}"));
    }

    #[test]
    fn a_challenge_says_what_is_missing() {
        let known = Metadata::new(&authority(None), "http://127.0.0.1:1").unwrap();
        let text = |metadata, lack| challenge(metadata, lack).to_str().unwrap().to_owned();
        assert_eq!(text(None, Lack::Token), "Bearer realm=\"deskhand\"");
        let bad = text(Some(&known), Lack::GoodToken("the token has expired"));
        assert!(bad.contains("error=\"invalid_token\""), "{bad}");
        assert!(bad.contains(&format!("resource_metadata=\"http://127.0.0.1:1{WELL_KNOWN}/mcp\"")));
        let narrow = text(Some(&known), Lack::Scope("deskhand:act"));
        assert!(narrow.contains("insufficient_scope") && narrow.contains("scope=\"deskhand:act\""));
    }
}
