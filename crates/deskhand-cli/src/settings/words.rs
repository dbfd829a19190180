//! Settings that are one of a few words.

use std::str::FromStr;

use deskhand_engine::Toolset;
use deskhand_sandbox::Network;
use serde_json::Value;

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

/// Where a server logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogTo {
    /// A file a day.
    File,
    /// Standard error.
    Stderr,
    /// Nowhere.
    Nowhere,
}

impl LogTo {
    const ALL: [Self; 3] = [Self::File, Self::Stderr, Self::Nowhere];

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Stderr => "stderr",
            Self::Nowhere => "none",
        }
    }
}

impl FromStr for LogTo {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|one| one.word() == text).ok_or(())
    }
}

/// What of the network can be reached: `off`, `on`, or ports.
pub(crate) fn network(raw: Raw<'_>) -> Option<Option<Network>> {
    if let Some(yes) = raw::yes(raw) {
        return Some(Some(if yes { Network::On } else { Network::Off }));
    }
    let ports = |ports: Option<Vec<u16>>| {
        ports.filter(|ports| !ports.is_empty() && !ports.contains(&0)).map(Network::Ports).map(Some)
    };
    if let Raw::File(value) = raw {
        if let Some(list) = value.as_array() {
            return ports(list.iter().map(|one| raw::port(Raw::File(one))).collect());
        }
        if value.is_integer() {
            return ports(raw::port(raw).map(|port| vec![port]));
        }
    }
    let words = raw::names(raw)?;
    match words.as_slice() {
        [one] if one.eq_ignore_ascii_case("off") => Some(Some(Network::Off)),
        [one] if one.eq_ignore_ascii_case("on") => Some(Some(Network::On)),
        several => ports(several.iter().map(|text| text.parse().ok()).collect()),
    }
}

/// Shows what of the network can be reached.
pub(crate) fn shown_network(network: &Option<Network>) -> Value {
    match network {
        None => Value::Null,
        Some(Network::Off) => "off".into(),
        Some(Network::On) => "on".into(),
        Some(Network::Ports(ports)) => {
            ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(",").into()
        }
    }
}
