//! goldens: the output equals the golden files.

use crate::check::fault::Verdict;
use crate::check::files::Files;
use crate::check::toolchain;
use crate::check::workspace::Workspace;
use crate::error::Result;
use crate::{process, suite};

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    if !Workspace::read()?.has_target("e2e", "golden") {
        return Ok(Verdict::new(Vec::new(), "no golden tests"));
    }
    suite::build_for_goldens()?;
    toolchain::run_visibly(process::quiet_cargo("test").args(suite::GOLDEN))
}
