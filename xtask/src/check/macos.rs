//! macos: the workspace has no errors or warnings for Apple targets.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::macos;

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    let faults = match macos::run(&[]) {
        Ok(()) => Vec::new(),
        // cargo has printed the errors.
        Err(error @ Error::Failed { .. }) => vec![Fault::new(error.to_string())],
        Err(error) => return Err(error),
    };
    Ok(Verdict::new(faults, format!("check and clippy for {}", macos::TARGETS.join(", "))))
}
