//! What was said on the command line, by the names of flags.

use clap::{ArgMatches, parser::ValueSource};

use super::{About, table::TRANSPORT};

/// The flags that were given, with their values.
#[derive(Debug, Default, Clone)]
pub(crate) struct Flags(Vec<(String, Option<String>)>);

impl Flags {
    /// Those of a command and of the commands it is inside of.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let mut given = Vec::new();
        let mut next = Some(matches);
        while let Some(matches) = next {
            for id in matches.ids() {
                let said = matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
                if said {
                    given.push((id.to_string(), value(matches, id.as_str())));
                }
            }
            next = matches.subcommand().map(|(_, inner)| inner);
        }
        Self(given)
    }

    /// The flag of a setting and its value.
    pub(crate) fn get(&self, about: &About) -> Option<(&'static str, String)> {
        if about.key == TRANSPORT.about.key {
            // Three flags say how clients come; with a socket the other two say what is spoken there.
            let flag = ["sse", "http", "socket"].into_iter().find(|flag| self.has(flag))?;
            return Some((flag, flag.to_owned()));
        }
        let flag = about.flag?;
        let (_, value) = self.0.iter().find(|(name, _)| name == flag)?;
        value.clone().map(|value| (flag, value))
    }

    /// Whether a flag was given.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|(name, _)| name == flag)
    }

    #[cfg(test)]
    pub(super) fn given(all: &[(&str, &str)]) -> Self {
        let one = |(name, value): &(&str, &str)| {
            ((*name).to_owned(), Some((*value).to_owned()).filter(|value| !value.is_empty()))
        };
        Self(all.iter().map(one).collect())
    }
}

/// The words given to a flag; nothing for one that was given without.
fn value(matches: &ArgMatches, id: &str) -> Option<String> {
    let raw = matches.try_get_raw(id).ok().flatten()?;
    let words: Vec<String> = raw.map(|word| word.to_string_lossy().into_owned()).collect();
    (!words.is_empty()).then(|| words.join(","))
}
