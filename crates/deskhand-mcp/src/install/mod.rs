//! Adds the server to the settings files of MCP clients, and removes it. Everything else in those
//! files stays as it is.

mod client;
mod document;
mod error;
mod file;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod json;
mod toml;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use client::{Client, ConfigFile, Folders};
use document::FileFormat;
pub use error::Error;
use file::SettingsFile;

/// The name of the server's entry.
const ENTRY_NAME: &str = "deskhand";

/// The command by which a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// The action to perform on a settings file.
#[derive(Debug, Clone)]
pub enum InstallAction {
    /// Adds or updates the server's entry.
    Install(Launch),
    /// Removes the server's entry.
    Uninstall,
}

/// Selects if files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Write the file.
    Write,
    /// Only report the changes.
    DryRun,
}

/// The change of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The entry was added.
    Added,
    /// The entry was updated.
    Updated,
    /// The entry was removed.
    Removed,
    /// The file was not changed.
    Nothing,
}

/// The outcome for one settings file.
#[derive(Debug, Clone)]
pub struct InstallOutcome {
    /// The change.
    pub change: Change,
    /// The backup, if the file existed and was changed.
    pub backup: Option<PathBuf>,
    /// The change as a unified diff, empty if there is none.
    pub diff: String,
}

/// The new content of a settings file.
enum NewContent {
    Text(String),
    NoFile,
}

/// Performs an action on a settings file.
///
/// # Errors
///
/// Returns an error if the file cannot be read or written, or if it is invalid. It is unchanged
/// then.
pub fn apply(
    config: &ConfigFile,
    action: &InstallAction,
    mode: WriteMode,
) -> Result<InstallOutcome, Error> {
    let settings = SettingsFile::read(&config.file)?;
    let invalid = |problem| Error::Invalid { file: config.file.clone(), problem };
    let now = settings.text().unwrap_or_default();
    let current = config.format.get(now, config.key).map_err(invalid)?;
    let (change, after) = match (action, current) {
        (InstallAction::Install(launch), Some(current)) if current == *launch => {
            (Change::Nothing, None)
        }
        (InstallAction::Install(launch), current) => {
            let change = if current.is_some() { Change::Updated } else { Change::Added };
            let text = config.format.set(now, config.key, launch).map_err(invalid)?;
            (change, Some(NewContent::Text(text)))
        }
        (InstallAction::Uninstall, None) => (Change::Nothing, None),
        (InstallAction::Uninstall, Some(current)) => {
            let after = content_without_entry(&settings, config, &current).map_err(invalid)?;
            (Change::Removed, Some(after))
        }
    };
    let Some(after) = after else {
        return Ok(InstallOutcome { change, backup: None, diff: String::new() });
    };
    let diff = diff(&config.file, now, &after);
    let backup = match mode {
        WriteMode::Write => settings.write(&after)?,
        WriteMode::DryRun => None,
    };
    Ok(InstallOutcome { change, backup, diff })
}

/// Returns the settings without the server's entry. If nothing else has changed since the
/// installation, restores the previous content byte by byte.
fn content_without_entry(
    settings: &SettingsFile,
    config: &ConfigFile,
    current: &Launch,
) -> Result<NewContent, document::EditProblem> {
    let now = settings.text().unwrap_or_default();
    let ConfigFile { format, key, .. } = config;
    let restores = |before: &str| {
        let clean = format.get(before, key).is_ok_and(|current| current.is_none());
        clean && format.set(before, key, current).is_ok_and(|after| after == now)
    };
    let mut backups = settings.backups().into_iter().filter_map(|file| {
        // A backup that cannot be read is skipped.
        SettingsFile::read(&file).ok()?.text().map(str::to_owned)
    });
    if let Some(before) = backups.find(|before| restores(before)) {
        return Ok(NewContent::Text(before));
    }
    if settings.backups().is_empty() && restores("") {
        return Ok(NewContent::NoFile);
    }
    Ok(NewContent::Text(format.remove(now, key)?))
}

fn diff(file: &Path, now: &str, after: &NewContent) -> String {
    let after = match after {
        NewContent::Text(text) => text,
        NewContent::NoFile => "",
    };
    let name = file.display().to_string();
    similar::TextDiff::from_lines(now, after).unified_diff().header(&name, &name).to_string()
}
