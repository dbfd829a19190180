//! macos: everything type-checks for Apple's systems, and no lint warns there either.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::macos;

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    let faults = match macos::run(&[]) {
        Ok(()) => Vec::new(),
        // What is wrong has gone to the reader.
        Err(error @ Error::Failed { .. }) => vec![Fault::new(error.to_string())],
        Err(error) => return Err(error),
    };
    Ok(Verdict::new(faults, format!("check and clippy for {}", macos::TARGETS.join(", "))))
}
