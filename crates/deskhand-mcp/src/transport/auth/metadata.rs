//! Protected resource metadata (RFC 9728) and the `WWW-Authenticate` challenge (RFC 6750).

use axum::http::HeaderValue;
use serde_json::{Value, json};
use url::Url;

use super::jwt::SCOPES;
use crate::{
    Error,
    http_options::{OAuthIssuer, parse_secure_url},
};

/// The path of the metadata.
pub(in crate::transport) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The metadata of this server as an OAuth protected resource.
#[derive(Debug)]
pub(super) struct ResourceMetadata {
    pub(super) resource: String,
    metadata_url: String,
    issuer: String,
}

impl ResourceMetadata {
    /// Creates the metadata of a server.
    ///
    /// # Errors
    ///
    /// Returns an error if the resource is not a valid URL.
    pub(super) fn new(oauth: &OAuthIssuer, listens_at: &str) -> Result<Self, Error> {
        let resource = match &oauth.resource {
            Some(resource) => resource.clone(),
            None => format!("{listens_at}/mcp"),
        };
        let mut metadata_url = match &oauth.resource {
            Some(resource) => parse_secure_url("the OAuth resource", resource)?,
            None => Url::parse(&resource)
                .map_err(|error| Error::Startup { reason: error.to_string() })?,
        };
        let path = metadata_url.path().trim_end_matches('/').to_owned();
        metadata_url.set_path(&format!("{WELL_KNOWN}{path}"));
        let issuer = oauth.issuer.clone();
        Ok(Self { resource, metadata_url: metadata_url.into(), issuer })
    }

    /// Returns the host name by which clients reach this server.
    pub(super) fn host(&self) -> Option<String> {
        Url::parse(&self.metadata_url).ok().and_then(|it| it.host_str().map(str::to_owned))
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
pub(in crate::transport) enum AuthFailure<'a> {
    /// There is no token.
    MissingToken,
    /// The token is invalid.
    InvalidToken(&'a str),
    /// The token lacks a scope.
    MissingScope(&'a str),
}

/// Creates the `WWW-Authenticate` header.
pub(super) fn challenge(
    metadata: Option<&ResourceMetadata>,
    failure: AuthFailure<'_>,
) -> HeaderValue {
    let mut text = String::from("Bearer realm=\"deskhand\"");
    let mut add = |name: &str, value: &str| {
        text.push_str(&format!(", {name}=\"{value}\""));
    };
    match failure {
        AuthFailure::MissingToken => {}
        AuthFailure::InvalidToken(why) => {
            add("error", "invalid_token");
            add("error_description", why);
        }
        AuthFailure::MissingScope(_) => add("error", "insufficient_scope"),
    }
    if let Some(metadata) = metadata {
        let needed = match failure {
            AuthFailure::MissingToken | AuthFailure::InvalidToken(_) => {
                SCOPES.map(|(scope, _)| scope).join(" ")
            }
            AuthFailure::MissingScope(scope) => scope.to_owned(),
        };
        add("scope", &needed);
        add("resource_metadata", &metadata.metadata_url);
    }
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oauth(resource: Option<&str>) -> OAuthIssuer {
        OAuthIssuer {
            issuer: "https://id.example".to_owned(),
            audience: None,
            resource: resource.map(str::to_owned),
            jwks_url: None,
        }
    }

    #[test]
    fn the_metadata_url_follows_from_the_resource() {
        let at = |resource| {
            ResourceMetadata::new(&oauth(resource), "http://127.0.0.1:8741").unwrap().metadata_url
        };
        assert_eq!(at(None), format!("http://127.0.0.1:8741{WELL_KNOWN}/mcp"));
        let public = at(Some("https://desk.example/a/mcp"));
        assert_eq!(public, format!("https://desk.example{WELL_KNOWN}/a/mcp"));
        assert_eq!(at(Some("https://desk.example")), format!("https://desk.example{WELL_KNOWN}"));
    }

    #[test]
    fn a_challenge_says_what_is_missing() {
        let known = ResourceMetadata::new(&oauth(None), "http://127.0.0.1:1").unwrap();
        let text = |metadata, failure| challenge(metadata, failure).to_str().unwrap().to_owned();
        assert_eq!(text(None, AuthFailure::MissingToken), "Bearer realm=\"deskhand\"");
        let bad = text(Some(&known), AuthFailure::InvalidToken("the token has expired"));
        assert!(bad.contains("error=\"invalid_token\""), "{bad}");
        assert!(bad.contains(&format!("resource_metadata=\"http://127.0.0.1:1{WELL_KNOWN}/mcp\"")));
        let narrow = text(Some(&known), AuthFailure::MissingScope("deskhand:act"));
        assert!(narrow.contains("insufficient_scope") && narrow.contains("scope=\"deskhand:act\""));
    }
}
