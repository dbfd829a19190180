//! Types and parsers of settings with a fixed set of values.

use std::str::FromStr;

use deskhand_engine::{OutputForm, Toolset};
use deskhand_sandbox::Network;
use serde_json::Value;

use super::parse::{self, RawValue};

/// The transport of the MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// Streamable HTTP and the deprecated HTTP+SSE.
    Sse,
    /// Lines of JSON on a Unix socket.
    Socket,
}

impl Transport {
    const ALL: [Self; 4] = [Self::Stdio, Self::Http, Self::Sse, Self::Socket];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
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
        Self::ALL.into_iter().find(|transport| transport.name() == text).ok_or(())
    }
}

/// The format in which the command line prints results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text, with colours and aligned columns on a terminal.
    Text,
    /// One JSON document, or one per line for results that arrive over time.
    Json,
    /// No output; the exit code is the result.
    Quiet,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Text, Self::Json, Self::Quiet];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Quiet => "quiet",
        }
    }

    /// Returns the form in which the engine must deliver its result.
    pub fn form(self) -> OutputForm {
        match self {
            Self::Text | Self::Quiet => OutputForm::Text,
            Self::Json => OutputForm::Data,
        }
    }
}

impl FromStr for OutputFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(())
    }
}

/// Parses the name of a log level of the MCP protocol.
pub fn log_level(raw: RawValue<'_>) -> Option<&'static str> {
    let name = parse::text(raw)?.to_ascii_lowercase();
    LOG_LEVELS.into_iter().find(|level| *level == name)
}

/// The log levels of the MCP protocol (RFC 5424).
pub const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Parses a list of toolset names; `all` stands for every toolset. Returns each toolset once, in the order
/// of [`Toolset::ALL`].
pub fn toolsets(raw: RawValue<'_>) -> Option<Vec<Toolset>> {
    let words = parse::list(raw)?;
    let named: Option<Vec<Vec<Toolset>>> =
        words.iter().map(|word| Toolset::selected_by(word)).collect();
    let named = named?.concat();
    Some(Toolset::ALL.iter().copied().filter(|set| named.contains(set)).collect())
}

/// Returns the names of toolsets.
pub fn toolset_names(sets: &[Toolset]) -> Vec<&'static str> {
    sets.iter().map(|set| set.word()).collect()
}

/// Parses a key combination; `none` is no keys.
pub fn hotkey(raw: RawValue<'_>) -> Option<Option<String>> {
    let text = parse::text(raw)?;
    if text.eq_ignore_ascii_case("none") {
        return Some(None);
    }
    let parts: Vec<&str> = text.split('+').map(str::trim).collect();
    let keys = parts.join("+");
    let valid = parts.len() > 1 && deskhand_engine::parse_keys(&keys).is_ok();
    valid.then_some(Some(keys))
}

/// The destination of a server's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTarget {
    /// One file per day.
    File,
    /// Standard error.
    Stderr,
    /// No log.
    None,
}

impl LogTarget {
    const ALL: [Self; 3] = [Self::File, Self::Stderr, Self::None];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Stderr => "stderr",
            Self::None => "none",
        }
    }
}

impl FromStr for LogTarget {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|target| target.name() == text).ok_or(())
    }
}

/// Parses network access: `off`, `on`, or a list of ports.
pub fn network(raw: RawValue<'_>) -> Option<Option<Network>> {
    if let Some(on) = parse::boolean(raw) {
        return Some(Some(if on { Network::On } else { Network::Off }));
    }
    let ports = |ports: Option<Vec<u16>>| {
        ports.filter(|ports| !ports.is_empty() && !ports.contains(&0)).map(Network::Ports).map(Some)
    };
    if let RawValue::Toml(value) = raw {
        if let Some(items) = value.as_array() {
            return ports(items.iter().map(|item| parse::port(RawValue::Toml(item))).collect());
        }
        if value.is_integer() {
            return ports(parse::port(raw).map(|port| vec![port]));
        }
    }
    let words = parse::list(raw)?;
    match words.as_slice() {
        [word] if word.eq_ignore_ascii_case("off") => Some(Some(Network::Off)),
        [word] if word.eq_ignore_ascii_case("on") => Some(Some(Network::On)),
        words => ports(words.iter().map(|text| text.parse().ok()).collect()),
    }
}

/// Converts network access for display.
pub fn network_to_json(network: &Option<Network>) -> Value {
    match network {
        None => Value::Null,
        Some(Network::Off) => "off".into(),
        Some(Network::On) => "on".into(),
        Some(Network::Ports(ports)) => {
            ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(",").into()
        }
    }
}
