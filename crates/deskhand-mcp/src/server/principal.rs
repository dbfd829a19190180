//! The principal behind a request, and its permissions.

use std::{sync::Arc, time::Instant};

use axum::http::{Extensions, request::Parts};
use deskhand_engine::SecurityMode;
use rmcp::model::Extensions as MessageExtensions;

/// The principal behind a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    /// A unique name, empty for the owner of the server.
    pub(crate) name: Arc<str>,
    /// The most permissive mode the principal may use.
    pub(crate) ceiling: SecurityMode,
    /// The time when its authentication expires.
    pub(crate) expires: Option<Instant>,
}

impl Principal {
    /// The owner: the user who started the server, or the only one who can reach it.
    pub(crate) fn owner() -> Self {
        Self { name: "".into(), ceiling: SecurityMode::Normal, expires: None }
    }

    /// An unauthenticated client.
    pub(crate) fn anonymous() -> Self {
        Self { name: "nobody".into(), ceiling: SecurityMode::Sandboxed, expires: None }
    }

    /// A holder of the server's static bearer token.
    pub(crate) fn token_holder() -> Self {
        Self { name: "token".into(), ceiling: SecurityMode::Normal, expires: None }
    }

    /// A principal authenticated by an OAuth issuer.
    pub(crate) fn oauth(
        issuer: &str,
        subject: &str,
        ceiling: SecurityMode,
        expires: Instant,
    ) -> Self {
        // An issuer is a URL and contains no space, so two pairs never share a name.
        let name = format!("oauth {issuer} {subject}").into();
        Self { name, ceiling, expires: Some(expires) }
    }

    /// Returns the principal of an HTTP request.
    pub(crate) fn from_http(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_else(Self::anonymous)
    }

    /// Returns the principal of a message, if it came over HTTP.
    pub(crate) fn from_message(extensions: &MessageExtensions) -> Option<Self> {
        extensions.get::<Parts>().map(|parts| Self::from_http(&parts.extensions))
    }

    /// Returns the name for the audit log. The owner has none.
    pub(crate) fn audit_name(&self) -> Option<Arc<str>> {
        (!self.name.is_empty()).then(|| Arc::clone(&self.name))
    }

    /// Returns `true` if both are the same principal, even with different expiry times.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
