//! Who a request comes from, and how much they may do.

use std::{sync::Arc, time::Instant};

use axum::http::{Extensions, request::Parts};
use deskhand_engine::Mode;
use rmcp::model::Extensions as Carried;

/// Who a request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    /// Their name among all who come, empty for the owner of the server.
    pub(crate) name: Arc<str>,
    /// The most they may do, whatever the server allows others.
    pub(crate) ceiling: Mode,
    /// When what proves who they are runs out.
    pub(crate) until: Option<Instant>,
}

impl Principal {
    /// The owner: who started the server, reaches its socket, or is the only one who can reach it.
    pub(crate) fn owner() -> Self {
        Self { name: "".into(), ceiling: Mode::Normal, until: None }
    }

    /// Somebody of whom nothing is known.
    pub(crate) fn nobody() -> Self {
        Self { name: "nobody".into(), ceiling: Mode::Sandboxed, until: None }
    }

    /// Whoever holds the server's token.
    pub(crate) fn holder() -> Self {
        Self { name: "token".into(), ceiling: Mode::Normal, until: None }
    }

    /// Somebody an authorization server vouches for.
    pub(crate) fn vouched(issuer: &str, subject: &str, ceiling: Mode, until: Instant) -> Self {
        // An issuer is an address and has no space, so no two pairs become one name.
        let name = format!("oauth {issuer} {subject}").into();
        Self { name, ceiling, until: Some(until) }
    }

    /// Who sent a request of HTTP.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_else(Self::nobody)
    }

    /// Who sent a message, where it came by HTTP.
    pub(crate) fn carried(extensions: &Carried) -> Option<Self> {
        extensions.get::<Parts>().map(|parts| Self::of(&parts.extensions))
    }

    /// The name records give them; the owner has none.
    pub(crate) fn recorded(&self) -> Option<Arc<str>> {
        (!self.name.is_empty()).then(|| Arc::clone(&self.name))
    }

    /// Whether they are the same, be it by another proof.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
