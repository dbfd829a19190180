//! The principal behind a request, and its permissions.

use std::{sync::Arc, time::Instant};

use axum::http::{Extensions, request::Parts};
use deskhand_engine::Mode;
use rmcp::model::Extensions as Carried;

/// The principal behind a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    /// A unique name, empty for the owner of the server.
    pub(crate) name: Arc<str>,
    /// The most permissive mode the principal may use.
    pub(crate) ceiling: Mode,
    /// The time when its authentication expires.
    pub(crate) until: Option<Instant>,
}

impl Principal {
    /// The owner: the user who started the server, or the only one who can reach it.
    pub(crate) fn owner() -> Self {
        Self { name: "".into(), ceiling: Mode::Normal, until: None }
    }

    /// An unauthenticated client.
    pub(crate) fn nobody() -> Self {
        Self { name: "nobody".into(), ceiling: Mode::Sandboxed, until: None }
    }

    /// A holder of the server's static bearer token.
    pub(crate) fn holder() -> Self {
        Self { name: "token".into(), ceiling: Mode::Normal, until: None }
    }

    /// A principal authenticated by an OAuth issuer.
    pub(crate) fn vouched(issuer: &str, subject: &str, ceiling: Mode, until: Instant) -> Self {
        // An issuer is a URL and contains no space, so two pairs never share a name.
        let name = format!("oauth {issuer} {subject}").into();
        Self { name, ceiling, until: Some(until) }
    }

    /// Returns the principal of an HTTP request.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_else(Self::nobody)
    }

    /// Returns the principal of a message, if it came over HTTP.
    pub(crate) fn carried(extensions: &Carried) -> Option<Self> {
        extensions.get::<Parts>().map(|parts| Self::of(&parts.extensions))
    }

    /// Returns the name for the audit log. The owner has none.
    pub(crate) fn recorded(&self) -> Option<Arc<str>> {
        (!self.name.is_empty()).then(|| Arc::clone(&self.name))
    }

    /// Returns `true` if both are the same principal, even with different expiry times.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
