//! Other MCP servers, whose tools are offered too: the file that lists them, and their logins.

mod remote_tools;
mod schema;

use std::{cell::RefCell, ffi::OsString, path::PathBuf};

use deskhand::{
    settings::{
        Error, SettingSource, Settings,
        table::{TOOLSETS, commands::MCP_CONFIG},
    },
    trusted_file::{TrustError, read_trusted},
};
use deskhand_client::{Config, TokenStorage};
use deskhand_engine::{CallFailure, Toolset};

pub(crate) use self::remote_tools::{offer, offer_connected};

/// Returns the configured servers, or `None` if there is no file.
///
/// # Errors
///
/// If the file is invalid.
pub fn configured(settings: &Settings) -> Result<Option<Config>, CallFailure> {
    read(settings, &|name| std::env::var(name).ok())
}

/// Returns the environment variables that the file refers to, with their values. They count as secrets,
/// because other values can be written in the file. Variables that each desktop sets are left out.
///
/// # Errors
///
/// If the file is invalid.
pub fn referenced_variables(settings: &Settings) -> Result<Vec<(String, OsString)>, CallFailure> {
    let referenced = RefCell::new(Vec::new());
    let lookup = |name: &str| {
        let value = std::env::var(name).ok()?;
        referenced.borrow_mut().push((name.to_owned(), OsString::from(&value)));
        Some(value)
    };
    read(settings, &lookup)?;
    let mut referenced = referenced.into_inner();
    referenced.retain(|(name, _)| !is_desktop_variable(name));
    Ok(referenced)
}

fn is_desktop_variable(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "DISPLAY", "WAYLAND_DISPLAY"];
    NAMES.contains(&name) || name.starts_with("XDG_") || name.starts_with("DBUS_")
}

fn read(
    settings: &Settings,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Config>, CallFailure> {
    let configured = settings.get(&MCP_CONFIG)?;
    let path = configured.clone().unwrap_or_else(|| default_file(settings));
    let Some(text) = read_trusted(&path)? else {
        let file = path.display().to_string();
        let reason = "the file does not exist".to_owned();
        let missing = Error::from(TrustError::Unreadable { file, reason });
        return if configured.is_some() { Err(missing.into()) } else { Ok(None) };
    };
    Ok(Some(Config::parse(&text, &path.display().to_string(), lookup)?))
}

/// Returns the servers whose tools are offered, or `None` if the settings select only other toolsets.
///
/// # Errors
///
/// If the file is invalid.
pub(crate) fn selected(settings: &Settings) -> Result<Option<Config>, CallFailure> {
    let toolsets = settings.get(&TOOLSETS)?;
    let file_is_set = settings.resolve(&MCP_CONFIG)?.source != SettingSource::Default;
    let toolset_is_set = toolsets.contains(&Toolset::Servers);
    let is_selected = toolsets.is_empty() || toolset_is_set || file_is_set;
    if is_selected { configured(settings) } else { Ok(None) }
}

/// Returns the token storage.
pub fn token_storage(settings: &Settings) -> TokenStorage {
    TokenStorage::new(settings.folders().data.join("servers"))
}

/// Returns the file that lists other servers if no setting names one.
pub fn default_file(settings: &Settings) -> PathBuf {
    settings.folders().config.join("mcp.json")
}
