//! The user's settings. Sessions, the command line and servers read them; the module is not part of
//! the stable interface of the library.
//!
//! A flag overrides an environment variable, which overrides the configuration file, which
//! overrides the default.
//!
//! A setting is resolved when it is read; unused settings cost nothing.

mod config_file;
mod error;
mod flags;
mod gate;
mod parse;
mod setting;
pub mod table;
pub mod values;

use std::{cell::OnceCell, ffi::OsString, fmt, path::PathBuf};

pub use error::Error;
pub use flags::Flags;
pub use gate::{approvals, audit_log_file, gate, mode_in_file, policy};
use parse::RawValue;
pub use parse::{address_argument, duration_argument};
pub use setting::{AnySetting, SetBy, Setting, SettingInfo, help};

use crate::host::{self, Folders};
use config_file::ConfigFile;

/// The name of the configuration file.
pub const FILE: &str = "config.toml";

/// The origin of a setting's value, the strongest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingSource {
    /// A flag.
    Flag(&'static str),
    /// An environment variable.
    Variable(&'static str),
    /// A file and a line in it.
    File(String, usize),
    /// The default.
    Default,
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "--{name}"),
            Self::Variable(name) => f.write_str(name),
            Self::File(name, line) => write!(f, "{name}:{line}"),
            Self::Default => f.write_str("default"),
        }
    }
}

impl SettingSource {
    /// Returns the precedence of the source; a smaller number overrides a larger one.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Flag(_) => 0,
            Self::Variable(_) => 1,
            Self::File(..) => 2,
            Self::Default => 3,
        }
    }
}

/// Returns the names of all environment variables that hold secrets.
pub fn secret_variables() -> Vec<&'static str> {
    let infos = table::TABLE.iter().map(|setting| setting.info());
    let secrets = infos.filter(|info| info.set_by == SetBy::Secret);
    secrets.flat_map(|info| info.variables.iter().copied()).collect()
}

/// The value of a setting and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved<T> {
    pub value: T,
    pub source: SettingSource,
}

/// Looks up an environment variable.
type VariableLookup = Box<dyn Fn(&str) -> Option<OsString>>;

/// Everything that settings are read from.
pub struct Settings {
    flags: Flags,
    variables: VariableLookup,
    folders: Folders,
    config_file: OnceCell<ConfigFile>,
}

impl Settings {
    /// Creates the settings of this process.
    pub fn new(flags: Flags) -> Self {
        Self::with_sources(flags, Box::new(|name| std::env::var_os(name)), host::folders())
    }

    fn with_sources(flags: Flags, variables: VariableLookup, folders: Folders) -> Self {
        Self { flags, variables, folders, config_file: OnceCell::new() }
    }

    /// Creates settings from these flags, these variables and the text of a configuration file,
    /// independent of this process. All folders are below a path that does not exist.
    ///
    /// # Errors
    ///
    /// If the text is not a valid configuration file.
    pub fn from_values(
        flags: Flags,
        variables: &[(&str, &str)],
        text: &str,
    ) -> Result<Self, Error> {
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let lookup = move |name: &str| {
            variables.iter().find(|it| it.0 == name).map(|it| OsString::from(&it.1))
        };
        let nowhere = PathBuf::from("/nonexistent");
        let [config, data, state, cache, runtime] =
            ["config", "data", "state", "cache", "runtime"].map(|name| nowhere.join(name));
        let folders = Folders { config, data, state, cache, runtime };
        let settings = Self::with_sources(flags, Box::new(lookup), folders);
        let file = ConfigFile::parse(text, FILE)?;
        settings.config_file.get_or_init(|| file);
        Ok(settings)
    }

    /// Returns the user's folders.
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// Returns the value of a setting.
    ///
    /// # Errors
    ///
    /// If the value, or the configuration file, is invalid.
    pub fn get<T>(&self, setting: &Setting<T>) -> Result<T, Error> {
        self.resolve(setting).map(|resolved| resolved.value)
    }

    /// Returns the value of a setting and its source.
    ///
    /// # Errors
    ///
    /// If the value, or the configuration file, is invalid.
    pub fn resolve<T>(&self, setting: &Setting<T>) -> Result<Resolved<T>, Error> {
        let info = &setting.info;
        let expects = info.expects;
        if let Some((flag, text)) = self.flags.get(info) {
            let value = (setting.parse)(RawValue::Text(&text)).ok_or_else(|| {
                Error::InvalidValue { given: format!("--{flag} {text}"), expects }
            })?;
            return Ok(Resolved { value, source: SettingSource::Flag(flag) });
        }
        if let Some((variable, given)) = self.first_variable(info) {
            // A value that is not UTF-8 is an error: to ignore it could weaken a restriction.
            let text = given.to_str();
            let value = text.and_then(|text| (setting.parse)(RawValue::Text(text.trim())));
            let value = value.ok_or_else(|| match info.set_by {
                SetBy::Secret => Error::InvalidSecret { variable, expects },
                SetBy::Any | SetBy::Variable => {
                    let given = format!("{variable}={}", given.to_string_lossy().trim());
                    Error::InvalidValue { given, expects }
                }
            })?;
            return Ok(Resolved { value, source: SettingSource::Variable(variable) });
        }
        let file = self.config_file()?;
        if let Some((value, line)) = file.get(info.key)
            && let Some(value) = (setting.parse)(RawValue::Toml(value))
        {
            return Ok(Resolved { value, source: SettingSource::File(file.name.clone(), line) });
        }
        Ok(Resolved { value: (setting.default)(), source: SettingSource::Default })
    }

    /// Returns the first variable of a setting that is set, with its value.
    fn first_variable(&self, info: &SettingInfo) -> Option<(&'static str, OsString)> {
        info.variables.iter().find_map(|name| self.variable(name).map(|given| (*name, given)))
    }

    /// Returns the value of an environment variable; an empty one counts as not set.
    fn variable(&self, name: &str) -> Option<OsString> {
        (self.variables)(name).filter(|given| !given.to_string_lossy().trim().is_empty())
    }

    /// Returns a warning for each setting of another system that is set but not supported.
    ///
    /// # Errors
    ///
    /// If the configuration file is invalid.
    pub fn unsupported_warnings(&self) -> Result<Vec<String>, Error> {
        let file = self.config_file()?;
        let mut warnings = Vec::new();
        for unsupported in table::UNSUPPORTED {
            let reason = unsupported.reason;
            let line = file.unsupported.iter().find(|(key, _)| Some(*key) == unsupported.key);
            if let Some((key, line)) = line {
                warnings.push(format!("{}:{line}: `{key}` has no effect: {reason}", file.name));
            }
            warnings.extend(unsupported.variable.and_then(|name| self.no_effect(name, reason)));
        }
        Ok(warnings)
    }

    /// Returns a warning for each variable of another system that would turn its sandbox off: it
    /// does not turn this one off.
    pub fn ignored_sandbox_variables(&self) -> Vec<String> {
        let ignored = table::UNSUPPORTED.iter().filter(|it| it.reason == table::SANDBOX_STAYS_ON);
        ignored.filter_map(|it| self.no_effect(it.variable?, it.reason)).collect()
    }

    fn no_effect(&self, variable: &str, reason: &str) -> Option<String> {
        self.variable(variable)?;
        Some(format!("{variable} has no effect: {reason}"))
    }

    /// Continues without the configuration file.
    pub fn ignore_config_file(&self) {
        self.config_file.get_or_init(ConfigFile::default);
    }

    /// Returns the configuration file, which is read once.
    pub fn config_file(&self) -> Result<&ConfigFile, Error> {
        if let Some(file) = self.config_file.get() {
            return Ok(file);
        }
        let file = ConfigFile::read(&self.config_path())?;
        Ok(self.config_file.get_or_init(|| file))
    }

    /// Returns the path of the configuration file.
    pub fn config_path(&self) -> PathBuf {
        self.folders.config.join(FILE)
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
