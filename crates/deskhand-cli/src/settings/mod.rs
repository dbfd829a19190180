//! What the person has set: by flag, by variable, by file, or not at all, and in this order.
//!
//! A setting is looked up when it is asked for, so those nobody asks for cost nothing.

mod error;
pub(crate) mod file;
mod flags;
mod gate;
mod raw;
mod setting;
mod show;
pub(crate) mod table;
pub(crate) mod words;

use std::{cell::OnceCell, ffi::OsString, fmt, path::PathBuf};

pub(crate) use error::Error;
pub(crate) use flags::Flags;
pub(crate) use gate::{approvals, gate, journal_place, policy};
use raw::Raw;
pub(crate) use raw::{written_address as address, written_time as time};
pub(crate) use setting::{About, By, Declared, Setting, help};
pub(crate) use show::{command, run};

use crate::host::{self, Folders};
use file::Sheet;

/// The file settings are in.
const FILE: &str = "config.toml";

/// Where the value of a setting comes from, the strongest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// A flag.
    Flag(&'static str),
    /// A variable.
    Variable(&'static str),
    /// A line of a file.
    File(String, usize),
    /// Nobody said anything.
    Usual,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "--{name}"),
            Self::Variable(name) => f.write_str(name),
            Self::File(name, line) => write!(f, "{name}:{line}"),
            Self::Usual => f.write_str("default"),
        }
    }
}

impl Source {
    /// How strong it is; the smaller the stronger.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Flag(_) => 0,
            Self::Variable(_) => 1,
            Self::File(..) => 2,
            Self::Usual => 3,
        }
    }
}

/// The variables that hold secrets.
pub(crate) fn secrets() -> Vec<&'static str> {
    let abouts = table::TABLE.iter().map(|one| one.about());
    let secret = abouts.filter(|about| about.by == By::Secret);
    secret.flat_map(|about| about.names.iter().copied()).collect()
}

/// What holds, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T> {
    /// What holds.
    pub(crate) value: T,
    /// Where it comes from.
    pub(crate) source: Source,
}

/// What a variable holds.
type Variables = Box<dyn Fn(&str) -> Option<OsString>>;

/// The places settings come from.
pub(crate) struct Settings {
    flags: Flags,
    variables: Variables,
    folders: Folders,
    sheet: OnceCell<Sheet>,
}

impl Settings {
    /// Those of this process.
    pub(crate) fn new(flags: Flags) -> Self {
        Self::of(flags, Box::new(|name| std::env::var_os(name)), host::folders())
    }

    fn of(flags: Flags, variables: Variables, folders: Folders) -> Self {
        Self { flags, variables, folders, sheet: OnceCell::new() }
    }

    /// Those of a test: these flags and variables, and a file with this text.
    #[cfg(test)]
    pub(crate) fn for_tests(flags: Flags, set: &[(&str, &str)], text: &str) -> Self {
        let set: Vec<(String, String)> =
            set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let variable =
            move |name: &str| set.iter().find(|it| it.0 == name).map(|it| OsString::from(&it.1));
        let nowhere = PathBuf::from("/nonexistent");
        let [config, data, state, cache, runtime] =
            ["config", "data", "state", "cache", "runtime"].map(|name| nowhere.join(name));
        let folders = Folders { config, data, state, cache, runtime };
        let settings = Self::of(flags, Box::new(variable), folders);
        let sheet = Sheet::parse(text, "config.toml").unwrap();
        settings.sheet.set(sheet).unwrap();
        settings
    }

    /// The person's folders.
    pub(crate) fn folders(&self) -> &Folders {
        &self.folders
    }

    /// What holds for a setting.
    ///
    /// # Errors
    ///
    /// When what was said is not understood, or the file is no good.
    pub(crate) fn get<T>(&self, setting: &Setting<T>) -> Result<T, Error> {
        self.find(setting).map(|found| found.value)
    }

    /// The same, and where it comes from.
    pub(crate) fn find<T>(&self, setting: &Setting<T>) -> Result<Found<T>, Error> {
        let about = &setting.about;
        if let Some((flag, text)) = self.flags.get(about) {
            let value = (setting.read)(Raw::Text(&text)).ok_or_else(|| Error::Unfit {
                what: format!("--{flag} {text}"),
                takes: about.takes,
            })?;
            return Ok(Found { value, source: Source::Flag(flag) });
        }
        if let Some((name, given)) = self.variable(about) {
            // One that is no text means nothing; to take it for not set would let more through.
            let value = given.to_str().and_then(|text| (setting.read)(Raw::Text(text.trim())));
            let value = value.ok_or_else(|| match about.by {
                By::Secret => Error::UnfitSecret { name, takes: about.takes },
                By::Anything | By::Variable => {
                    let what = format!("{name}={}", given.to_string_lossy().trim());
                    Error::Unfit { what, takes: about.takes }
                }
            })?;
            return Ok(Found { value, source: Source::Variable(name) });
        }
        let sheet = self.sheet()?;
        if let Some((value, line)) = sheet.get(about.key)
            && let Some(value) = (setting.read)(Raw::File(value))
        {
            return Ok(Found { value, source: Source::File(sheet.name.clone(), line) });
        }
        Ok(Found { value: (setting.usual)(), source: Source::Usual })
    }

    /// The first variable of a setting that holds something, and what.
    fn variable(&self, about: &About) -> Option<(&'static str, OsString)> {
        about.names.iter().find_map(|name| self.held(name).map(|given| (*name, given)))
    }

    /// What a variable holds that is not empty.
    fn held(&self, name: &str) -> Option<OsString> {
        (self.variables)(name).filter(|given| !given.to_string_lossy().trim().is_empty())
    }

    /// What was set that nothing here is set by, in words.
    ///
    /// # Errors
    ///
    /// When the file is no good.
    pub(crate) fn without_effect(&self) -> Result<Vec<String>, Error> {
        let sheet = self.sheet()?;
        let mut all = Vec::new();
        for idle in table::WITHOUT_EFFECT {
            let line = sheet.without_effect.iter().find(|(key, _)| Some(*key) == idle.key);
            if let Some((key, line)) = line {
                all.push(format!("{}:{line}: `{key}` has no effect: {}", sheet.name, idle.why));
            }
            if let Some(name) = idle.name.filter(|name| self.held(name).is_some()) {
                all.push(format!("{name} has no effect: {}", idle.why));
            }
        }
        Ok(all)
    }

    /// Goes on as if there were no file.
    fn forget_file(&self) {
        self.sheet.get_or_init(Sheet::default);
    }

    /// What the file says, read once.
    pub(crate) fn sheet(&self) -> Result<&Sheet, Error> {
        if let Some(sheet) = self.sheet.get() {
            return Ok(sheet);
        }
        let sheet = Sheet::read(&self.file())?;
        Ok(self.sheet.get_or_init(|| sheet))
    }

    /// The file they are in.
    pub(crate) fn file(&self) -> PathBuf {
        self.folders.config.join(FILE)
    }
}

#[cfg(test)]
mod made_up;
#[cfg(test)]
mod tests;
