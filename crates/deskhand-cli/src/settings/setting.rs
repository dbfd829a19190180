//! What a setting is: its names, what it takes, what is usual.

use deskhand_engine::Mode;
use serde::Serialize;
use serde_json::Value;

use super::{Error, Settings, raw::Raw};

/// Where a setting can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// By flag, variable or file.
    Anything,
    /// By a variable alone, because the file lies elsewhere.
    Variable,
    /// By a variable alone, because it is a secret.
    Secret,
}

/// What is known of a setting without its type.
#[derive(Debug)]
pub(crate) struct About {
    /// Its name in the file: section and key.
    pub(crate) key: &'static str,
    /// The flag that sets it, where there is one.
    pub(crate) flag: Option<&'static str>,
    /// The variables that set it, ours first; the first that is set counts.
    pub(crate) names: &'static [&'static str],
    /// What it takes.
    pub(crate) takes: &'static str,
    /// What it is for.
    pub(crate) help: &'static str,
    /// Where it can be made.
    pub(crate) by: By,
}

/// What another system lets set and this one does not.
#[derive(Debug)]
pub(crate) struct Idle {
    /// Its name in the file.
    pub(crate) key: Option<&'static str>,
    /// Its variable.
    pub(crate) name: Option<&'static str>,
    /// Why nothing is set by it.
    pub(crate) why: &'static str,
}

/// A setting of a type.
pub(crate) struct Setting<T: 'static> {
    pub(crate) about: About,
    /// What holds where nothing else is said.
    pub(crate) usual: fn() -> T,
    /// What a text or a value of the file means.
    pub(crate) read: fn(Raw<'_>) -> Option<T>,
    /// How it is shown.
    pub(crate) show: fn(&T) -> Value,
}

/// A setting of any type, for those who list them.
pub(crate) trait Declared: Sync {
    /// What is known of it.
    fn about(&self) -> &About;
    /// What is usual, to be shown.
    fn usual(&self) -> Value;
    /// Whether a value means something.
    fn takes(&self, raw: Raw<'_>) -> bool;
    /// What holds, to be shown, and where it comes from.
    fn found(&self, settings: &Settings) -> Result<(Value, super::Source), Error>;
}

impl<T> Declared for Setting<T> {
    fn about(&self) -> &About {
        &self.about
    }

    fn usual(&self) -> Value {
        (self.show)(&(self.usual)())
    }

    fn takes(&self, raw: Raw<'_>) -> bool {
        (self.read)(raw).is_some()
    }

    fn found(&self, settings: &Settings) -> Result<(Value, super::Source), Error> {
        let found = settings.find(self)?;
        Ok(((self.show)(&found.value), found.source))
    }
}

/// The help of the flag that makes a setting.
pub(crate) fn help(declared: &dyn Declared) -> String {
    let about = declared.about();
    let variable = about.names.first().map_or(String::new(), |name| format!(" [env: {name}]"));
    let usual = match declared.usual() {
        Value::String(text) => format!(" [default: {text}]"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            String::new()
        }
    };
    format!("{}{variable}{usual}", about.help)
}

/// Shows what says of itself how.
pub(crate) fn plain<T: Serialize>(value: &T) -> Value {
    // What cannot be written is shown as nothing; all our types can.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Shows a number, without a fraction where it has none.
pub(crate) fn number(value: &f64) -> Value {
    value.to_string().parse::<u64>().map_or_else(|_| (*value).into(), Value::from)
}

/// Shows a time in words.
pub(crate) fn time(value: &std::time::Duration) -> Value {
    humantime::format_duration(*value).to_string().into()
}

/// Shows of a secret only that it is there.
pub(crate) fn hidden(value: &Option<String>) -> Value {
    if value.is_some() { "set".into() } else { Value::Null }
}

/// Shows a mode.
pub(crate) fn mode(value: &Mode) -> Value {
    value.word().into()
}
