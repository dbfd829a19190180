//! unsafe: every unsafe block for macOS has a `SAFETY` comment and is listed in the review page.

mod page;
mod unsafe_code;

use std::fs;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::process;

use unsafe_code::UnsafeCode;

/// The folders of code that cannot run on the build machines, and so needs review.
const FOLDERS: [&str; 2] = ["crates/deskhand-macos/src/", "crates/deskhand-sandbox/src/macos/"];
/// The review page.
const PAGE: &str = "docs/macos-unsafe.md";

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let places = find_all(files)?;
    let mut faults: Vec<Fault> = places.iter().filter_map(missing_reason).collect();
    let now = files.text(PAGE).unwrap_or_default();
    if page::render(&places, &now) != now {
        faults.push(Fault::file(PAGE, "out of date; run `cargo xtask bless`"));
    }
    Ok(Verdict::new(faults, format!("{} unsafe blocks", places.len())))
}

/// Rewrites the page. Reviewed rows stay reviewed if their code has not changed.
pub(crate) fn bless() -> Result<()> {
    let files = Files::list(&process::root())?;
    let places = find_all(&files)?;
    let path = files.root.join(PAGE);
    let now = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, page::render(&places, &now)).map_err(Error::file(&path))
}

fn find_all(files: &Files) -> Result<Vec<UnsafeCode>> {
    let mut places = Vec::new();
    for (path, text) in files.read(&["rs"])? {
        if FOLDERS.iter().any(|folder| path.starts_with(folder)) {
            places.extend(unsafe_code::find(path, &text));
        }
    }
    Ok(places)
}

fn missing_reason(place: &UnsafeCode) -> Option<Fault> {
    let message = "unsafe code without a `// SAFETY:` comment directly above it";
    place.reason.is_none().then(|| Fault::line(&place.file, place.line, message))
}
