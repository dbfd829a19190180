//! unsafe: every unsafe block of the macOS side says why it is sound, and stands in the page reviewers tick.

mod page;
mod scan;

use std::fs;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::process;

use scan::Place;

/// What nobody can run here, so that people must read it.
const FOLDERS: [&str; 2] = ["crates/deskhand-macos/src/", "crates/deskhand-sandbox/src/macos/"];
/// The page for reviewers.
const PAGE: &str = "docs/macos-unsafe.md";

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let places = find(files)?;
    let mut faults: Vec<Fault> = places.iter().filter_map(silent).collect();
    let now = files.text(PAGE).unwrap_or_default();
    if page::of(&places, &now) != now {
        faults.push(Fault::file(PAGE, "not what the sources say; `cargo xtask bless` writes it"));
    }
    Ok(Verdict::new(faults, format!("{} places of unsafe code", places.len())))
}

/// Writes the page anew; ticks stay where the code is as it was.
pub(crate) fn bless() -> Result<()> {
    let files = Files::list(&process::root())?;
    let places = find(&files)?;
    let path = files.root.join(PAGE);
    let now = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, page::of(&places, &now)).map_err(Error::file(&path))
}

fn find(files: &Files) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for (path, text) in files.read(&["rs"])? {
        if FOLDERS.iter().any(|folder| path.starts_with(folder)) {
            places.extend(scan::places(path, &text));
        }
    }
    Ok(places)
}

fn silent(place: &Place) -> Option<Fault> {
    let what = "unsafe code without a `// SAFETY:` comment right above";
    place.reason.is_none().then(|| Fault::line(&place.file, place.line, what))
}
