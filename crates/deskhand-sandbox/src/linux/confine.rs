//! Holding a process to a plan, one right after the other.

use std::io;

use landlock::RulesetCreated;
use rustix::process::{
    DumpableBehavior, Signal, getpid, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal, setsid,
};
use seccompiler::BpfProgram;

use super::{
    calls, files, rights,
    view::{self, Counted},
};
use crate::Plan;

/// What holds the programs of a plan, made once for all cells.
pub(super) enum Hold {
    /// The kernel does.
    Kernel(Box<Rules>),
    /// Nobody does.
    None,
}

/// What the kernel is given.
pub(super) struct Rules {
    files: RulesetCreated,
    calls: BpfProgram,
}

impl Hold {
    /// What the kernel needs to hold a plan; the view must have been entered.
    pub(super) fn by_kernel(plan: &Plan) -> Result<Self, String> {
        rights::drop_bounding().map_err(|error| format!("its rights: {error}"))?;
        let calls = calls::program(&plan.network, files::abstracts(&plan.network))?;
        let rules = Rules { files: files::rules(plan)?, calls };
        Ok(Self::Kernel(Box::new(rules)))
    }

    /// Holds this process, and all it starts, to the plan, the last right last.
    pub(super) fn apply(&self, plan: &Plan) -> Result<(), String> {
        let told = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
        let failed = |what: &'static str| move |errno: rustix::io::Errno| told(what)(errno.into());
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("its parent's end"))?;
        setsid().map_err(failed("its session"))?;
        match self {
            Self::None => {
                set_child_subreaper(Some(getpid())).map_err(failed("what it starts"))?;
                rights::bound(&plan.bounds, Counted::No).map_err(told("its bounds"))
            }
            Self::Kernel(rules) => {
                let counted = view::renew(&plan.bounds).map_err(told("its view"))?;
                rights::bound(&plan.bounds, counted).map_err(told("its bounds"))?;
                rights::drop_all().map_err(told("its rights"))?;
                // Its memory and its files are not for the programs it runs, though they are of one user.
                set_dumpable_behavior(DumpableBehavior::NotDumpable)
                    .map_err(failed("its memory"))?;
                files::hold(&rules.files)?;
                calls::hold(&rules.calls)
            }
        }
    }
}
