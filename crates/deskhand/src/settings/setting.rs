//! The declaration of a setting: its names, parser and default.

use deskhand_engine::SecurityMode;
use serde::Serialize;
use serde_json::Value;

use super::{Error, SettingSource, Settings, parse::RawValue};

/// The ways in which a setting can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// A flag, an environment variable or the configuration file.
    Any,
    /// Only an environment variable, because the setting locates the configuration file.
    Variable,
    /// Only an environment variable, because the value is a secret.
    Secret,
}

/// The part of a setting that does not depend on its type.
#[derive(Debug)]
pub struct SettingInfo {
    /// The section and key in the configuration file.
    pub key: &'static str,
    /// The flag, if the setting has one.
    pub flag: Option<&'static str>,
    /// The environment variables, Deskhand's own first. The first one that is set is used.
    pub variables: &'static [&'static str],
    /// A description of the accepted values.
    pub expects: &'static str,
    /// The help text.
    pub help: &'static str,
    /// The ways in which it can be set.
    pub set_by: SetBy,
}

/// A setting of another system that Deskhand does not support.
#[derive(Debug)]
pub struct UnsupportedSetting {
    /// The key in the configuration file.
    pub key: Option<&'static str>,
    /// The environment variable.
    pub variable: Option<&'static str>,
    /// The reason it has no effect.
    pub reason: &'static str,
}

/// A setting with a value of type `T`.
pub struct Setting<T: 'static> {
    pub info: SettingInfo,
    /// Returns the default.
    pub default: fn() -> T,
    /// Parses a value; returns `None` if it is invalid.
    pub parse: fn(RawValue<'_>) -> Option<T>,
    /// Converts a value for display.
    pub to_json: fn(&T) -> Value,
}

/// A setting of any type.
pub trait AnySetting: Sync {
    /// Returns its names and descriptions.
    fn info(&self) -> &SettingInfo;
    /// Returns the default for display.
    fn default_value(&self) -> Value;
    /// Returns `true` if a value is valid.
    fn accepts(&self, raw: RawValue<'_>) -> bool;
    /// Returns the current value for display, and its source.
    fn current_value(&self, settings: &Settings) -> Result<(Value, SettingSource), Error>;
}

impl<T> AnySetting for Setting<T> {
    fn info(&self) -> &SettingInfo {
        &self.info
    }

    fn default_value(&self) -> Value {
        (self.to_json)(&(self.default)())
    }

    fn accepts(&self, raw: RawValue<'_>) -> bool {
        (self.parse)(raw).is_some()
    }

    fn current_value(&self, settings: &Settings) -> Result<(Value, SettingSource), Error> {
        let resolved = settings.resolve(self)?;
        Ok(((self.to_json)(&resolved.value), resolved.source))
    }
}

/// Returns the help of the flag that sets a setting.
pub fn help(setting: &dyn AnySetting) -> String {
    let info = setting.info();
    let variable = info.variables.first().map_or(String::new(), |name| format!(" [env: {name}]"));
    let default = match setting.default_value() {
        Value::String(text) => format!(" (default: {text})"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            String::new()
        }
    };
    format!("{}{default}{variable}", info.help)
}

/// Converts a value with [`Serialize`].
pub(crate) fn json<T: Serialize>(value: &T) -> Value {
    // All types used here can be serialized.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Converts a number, without a fraction if it is whole.
pub(crate) fn number(value: &f64) -> Value {
    value.to_string().parse::<u64>().map_or_else(|_| (*value).into(), Value::from)
}

/// Converts a duration to a text such as `1m 30s`.
pub(crate) fn duration(value: &std::time::Duration) -> Value {
    humantime::format_duration(*value).to_string().into()
}

/// Converts a secret to `set`, without its value.
pub(crate) fn redacted(value: &Option<String>) -> Value {
    if value.is_some() { "set".into() } else { Value::Null }
}

/// Converts a security mode to its name.
pub(crate) fn mode(value: &SecurityMode) -> Value {
    value.name().into()
}
