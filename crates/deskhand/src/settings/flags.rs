//! Flags given on the command line.

use super::{SettingInfo, table::TRANSPORT};

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
            // `--socket PATH --sse` serves HTTP on the socket, so `--sse` comes first.
            let flag = ["sse", "http", "socket"].into_iter().find(|flag| self.has(flag))?;
            return Some((flag, flag.to_owned()));
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
