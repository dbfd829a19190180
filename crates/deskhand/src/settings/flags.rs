//! Flags given on the command line.

use super::{SettingInfo, table::TRANSPORT};

/// The flags that select a transport, and the transport. The first one that is given counts: `--socket
/// PATH --sse` serves HTTP on the socket.
const TRANSPORT_FLAGS: [(&str, &str); 6] = [
    ("sse", "sse"),
    ("http", "http"),
    ("socket", "socket"),
    ("stdio", "stdio"),
    ("port", "http"),
    ("bind", "http"),
];

/// The flags of the command line with their values.
#[derive(Debug, Default, Clone)]
pub struct Flags(Vec<(String, Option<String>)>);

impl Flags {
    /// Creates flags from their names and values. A flag without a value has `None`.
    pub fn new(flags: Vec<(String, Option<String>)>) -> Self {
        Self(flags)
    }

    /// Returns the flag that sets a setting, and its value.
    pub fn get(&self, info: &SettingInfo) -> Option<(&'static str, String)> {
        if info.key == TRANSPORT.info.key {
            let (flag, transport) = TRANSPORT_FLAGS.into_iter().find(|(flag, _)| self.has(flag))?;
            return Some((flag, transport.to_owned()));
        }
        let flag = info.flag?;
        let (_, value) = self.0.iter().find(|(name, _)| name == flag)?;
        value.clone().map(|value| (flag, value))
    }

    /// Returns `true` if a flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|(name, _)| name == flag)
    }
}
