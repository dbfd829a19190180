//! Writes the server into the settings files of MCP clients, and takes it out again; nothing else
//! in those files is touched.

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

/// The name of our entry in a client's settings.
const NAME: &str = "deskhand";

/// How a client starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is to become of a settings file.
#[derive(Debug, Clone)]
pub enum Wish {
    /// The client starts the server like this.
    Install(Launch),
    /// The client knows nothing of the server.
    Uninstall,
}

/// Whether files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are.
    Write,
    /// They are not: what would change is told.
    DryRun,
}

/// What a settings file needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The server was put in.
    Added,
    /// Another way to start it was put right.
    Updated,
    /// The server was taken out.
    Removed,
    /// Nothing: it was as wanted.
    Nothing,
}

/// What became of one settings file, or would become of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What it needed.
    pub change: Change,
    /// The file as it was, where it was there and has changed.
    pub backup: Option<PathBuf>,
    /// The change as a unified diff; empty when there is none.
    pub diff: String,
}

/// A settings file as it shall be.
enum After {
    Text(String),
    NoFile,
}

/// Does to one settings file what is wished.
///
/// # Errors
///
/// When the file cannot be read or written, or is not what its client reads; it is untouched then.
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

/// The settings without the server: as they were before it came, byte for byte, when nothing else
/// has changed since.
fn without(settings: &Settings, place: &Place, there: &Launch) -> Result<After, document::Problem> {
    let now = settings.text().unwrap_or_default();
    let Place { format, key, .. } = place;
    let leads_here = |before: &str| {
        let clean = format.get(before, key).is_ok_and(|there| there.is_none());
        clean && format.set(before, key, there).is_ok_and(|after| after == now)
    };
    let mut backups = settings.backups().into_iter().filter_map(|file| {
        // A backup that cannot be read is no help, and no harm.
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
