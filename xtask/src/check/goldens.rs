//! goldens: what the product says is what was blessed.

use crate::check::fault::Verdict;
use crate::check::files::Files;
use crate::check::toolchain;
use crate::check::workspace::Workspace;
use crate::error::Result;
use crate::{process, suite};

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    if !Workspace::read()?.has_target("e2e", "golden") {
        return Ok(Verdict::new(Vec::new(), "no golden tests yet"));
    }
    // The help texts come from the built program.
    process::run(process::quiet_cargo("build").args(["--package", "deskhand-cli"]))?;
    toolchain::shown(process::quiet_cargo("test").args(suite::GOLDEN))
}
