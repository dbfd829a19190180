//! Passes the flags of the command line to the settings.

use clap::{ArgMatches, parser::ValueSource};
use deskhand::settings::Flags;

/// Collects the flags of a command and all its subcommands.
pub(crate) fn of_matches(matches: &ArgMatches) -> Flags {
    let mut flags = Vec::new();
    let mut next = Some(matches);
    while let Some(matches) = next {
        // clap repeats the ids of global flags of subcommands, and panics when it is asked for one of them here.
        let own = matches.ids().filter(|id| matches.try_contains_id(id.as_str()).is_ok());
        for id in own {
            if matches.value_source(id.as_str()) == Some(ValueSource::CommandLine) {
                flags.push((id.to_string(), value(matches, id.as_str())));
            }
        }
        next = matches.subcommand().map(|(_, inner)| inner);
    }
    Flags::new(flags)
}

/// Returns the values of a flag, joined by commas; `None` for a flag without a value.
fn value(matches: &ArgMatches, id: &str) -> Option<String> {
    let raw = matches.try_get_raw(id).ok().flatten()?;
    let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    (!values.is_empty()).then(|| values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    #[test]
    fn a_global_flag_of_a_subcommand_reaches_the_settings() {
        let words = ["deskhand", "servers", "list", "--mcp-config", "other.json"];
        let matches = cli::command().try_get_matches_from(words).unwrap();
        let flags = format!("{:?}", of_matches(&matches));
        assert!(flags.contains("other.json"), "{flags}");
    }
}
