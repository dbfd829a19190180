//! Settings that are one of a few words.

use std::str::FromStr;

use deskhand_engine::Toolset;

use super::raw::{self, Raw};

/// How clients come to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    /// By the standard streams.
    Stdio,
    /// By HTTP.
    Http,
    /// By HTTP, the older HTTP+SSE as well.
    Sse,
    /// By lines of JSON at a unix socket.
    Socket,
}

impl Transport {
    const ALL: [Self; 4] = [Self::Stdio, Self::Http, Self::Sse, Self::Socket];

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Socket => "socket",
        }
    }
}

impl FromStr for Transport {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|one| one.word() == text).ok_or(())
    }
}

/// Names of toolsets there are.
pub(crate) fn toolsets(raw: Raw<'_>) -> Option<Vec<String>> {
    let known = |name: &String| Toolset::ALL.iter().any(|set| set.word() == name);
    raw::names(raw).filter(|names| names.iter().all(known))
}

/// Keys that are pressed together; `none` for no keys.
pub(crate) fn hotkey(raw: Raw<'_>) -> Option<Option<String>> {
    let text = raw::text(raw)?;
    if text.eq_ignore_ascii_case("none") {
        return Some(None);
    }
    let parts: Vec<&str> = text.split('+').map(str::trim).collect();
    let keys = parts.join("+");
    let known = parts.len() > 1 && deskhand_engine::keys(&keys).is_ok();
    known.then_some(Some(keys))
}
