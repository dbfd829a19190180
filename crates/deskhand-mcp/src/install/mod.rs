//! Adds the server to the settings files of MCP clients, and removes it. Everything else in those files
//! stays as it is.

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

pub use client::{Client, Folders, Place};
use document::Format;
pub use error::Error;
use file::Settings;

/// The name of the server's entry.
const NAME: &str = "deskhand";

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
pub enum Wish {
    /// Adds or updates the server's entry.
    Install(Launch),
    /// Removes the server's entry.
    Uninstall,
}

/// Whether files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
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
pub struct Outcome {
    /// The change.
    pub change: Change,
    /// The backup, if the file existed and was changed.
    pub backup: Option<PathBuf>,
    /// The change as a unified diff, empty if there is none.
    pub diff: String,
}

/// The new content of a settings file.
enum After {
    Text(String),
    NoFile,
}

/// Performs an action on a settings file.
///
/// # Errors
///
/// Returns an error if the file cannot be read or written, or if it is invalid. It is unchanged then.
pub fn apply(place: &Place, wish: &Wish, mode: Mode) -> Result<Outcome, Error> {
    let settings = Settings::read(&place.file)?;
    let told = |problem| Error::Invalid { file: place.file.clone(), problem };
    let now = settings.text().unwrap_or_default();
    let there = place.format.get(now, place.key).map_err(told)?;
    let (change, after) = match (wish, there) {
        (Wish::Install(launch), Some(there)) if there == *launch => (Change::Nothing, None),
        (Wish::Install(launch), there) => {
            let change = if there.is_some() { Change::Updated } else { Change::Added };
            let text = place.format.set(now, place.key, launch).map_err(told)?;
            (change, Some(After::Text(text)))
        }
        (Wish::Uninstall, None) => (Change::Nothing, None),
        (Wish::Uninstall, Some(there)) => {
            let after = without(&settings, place, &there).map_err(told)?;
            (Change::Removed, Some(after))
        }
    };
    let Some(after) = after else {
        return Ok(Outcome { change, backup: None, diff: String::new() });
    };
    let diff = diff(&place.file, now, &after);
    let backup = match mode {
        Mode::Write => settings.write(&after)?,
        Mode::DryRun => None,
    };
    Ok(Outcome { change, backup, diff })
}

/// Returns the settings without the server's entry. If nothing else has changed since the installation,
/// restores the previous content byte by byte.
fn without(settings: &Settings, place: &Place, there: &Launch) -> Result<After, document::Problem> {
    let now = settings.text().unwrap_or_default();
    let Place { format, key, .. } = place;
    let leads_here = |before: &str| {
        let clean = format.get(before, key).is_ok_and(|there| there.is_none());
        clean && format.set(before, key, there).is_ok_and(|after| after == now)
    };
    let mut backups = settings.backups().into_iter().filter_map(|file| {
        // A backup that cannot be read is skipped.
        Settings::read(&file).ok()?.text().map(str::to_owned)
    });
    if let Some(before) = backups.find(|before| leads_here(before)) {
        return Ok(After::Text(before));
    }
    if settings.backups().is_empty() && leads_here("") {
        return Ok(After::NoFile);
    }
    Ok(After::Text(format.remove(now, key)?))
}

fn diff(file: &Path, now: &str, after: &After) -> String {
    let after = match after {
        After::Text(text) => text,
        After::NoFile => "",
    };
    let name = file.display().to_string();
    similar::TextDiff::from_lines(now, after).unified_diff().header(&name, &name).to_string()
}
