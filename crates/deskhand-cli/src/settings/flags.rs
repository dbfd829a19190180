//! Flags given on the command line.

use clap::{ArgMatches, parser::ValueSource};

use super::{SettingInfo, table::TRANSPORT};

/// The flags of the command line with their values.
#[derive(Debug, Default, Clone)]
pub(crate) struct Flags(Vec<(String, Option<String>)>);

impl Flags {
    /// Collects the flags of a command and all its subcommands.
    pub(crate) fn from_matches(matches: &ArgMatches) -> Self {
        let mut flags = Vec::new();
        let mut next = Some(matches);
        while let Some(matches) = next {
            for id in matches.ids() {
                if matches.value_source(id.as_str()) == Some(ValueSource::CommandLine) {
                    flags.push((id.to_string(), value(matches, id.as_str())));
                }
            }
            next = matches.subcommand().map(|(_, inner)| inner);
        }
        Self(flags)
    }

    /// Returns the flag that sets a setting, and its value.
    pub(crate) fn get(&self, info: &SettingInfo) -> Option<(&'static str, String)> {
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
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|(name, _)| name == flag)
    }

    #[cfg(test)]
    pub(super) fn from_pairs(pairs: &[(&str, &str)]) -> Self {
        let flag = |(name, value): &(&str, &str)| {
            ((*name).to_owned(), Some((*value).to_owned()).filter(|value| !value.is_empty()))
        };
        Self(pairs.iter().map(flag).collect())
    }
}

/// Returns the values of a flag, joined by commas; `None` for a flag without a value.
fn value(matches: &ArgMatches, id: &str) -> Option<String> {
    let raw = matches.try_get_raw(id).ok().flatten()?;
    let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    (!values.is_empty()).then(|| values.join(","))
}
