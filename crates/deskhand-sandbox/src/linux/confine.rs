//! Confines a process to a plan, step by step.

use std::io;

use landlock::RulesetCreated;
use rustix::process::{
    DumpableBehavior, Signal, getpid, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal, setsid,
};
use seccompiler::BpfProgram;

use super::{
    filesystem::{self, ProcessCounting},
    landlock_rules, privileges, syscalls,
};
use crate::Plan;

/// The confinement of all containers of a plan, prepared once.
pub(super) enum Confinement {
    /// Enforced by the kernel.
    Kernel(Box<KernelRules>),
    /// None.
    None,
}

/// The rules that the kernel applies to each container.
pub(super) struct KernelRules {
    landlock_rules: RulesetCreated,
    syscalls: BpfProgram,
}

impl Confinement {
    /// Prepares the kernel rules of a plan. The new root must have been entered.
    pub(super) fn for_kernel(plan: &Plan) -> Result<Self, String> {
        privileges::drop_bounding_set().map_err(|error| format!("capabilities: {error}"))?;
        let syscalls =
            syscalls::build_filter(&plan.network, landlock_rules::abstract_sockets(&plan.network))?;
        let rules = KernelRules { landlock_rules: landlock_rules::rules(plan)?, syscalls };
        Ok(Self::Kernel(Box::new(rules)))
    }

    /// Confines this process and its descendants. Each step needs privileges that a later one drops.
    pub(super) fn apply(&self, plan: &Plan) -> Result<(), String> {
        let failed_io = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
        let failed_errno =
            |what: &'static str| move |errno: rustix::io::Errno| failed_io(what)(errno.into());
        set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(failed_errno("parent death signal"))?;
        setsid().map_err(failed_errno("session"))?;
        match self {
            Self::None => {
                set_child_subreaper(Some(getpid())).map_err(failed_errno("subreaper"))?;
                privileges::set_limits(&plan.limits, ProcessCounting::PerUser)
                    .map_err(failed_io("resource limits"))
            }
            Self::Kernel(rules) => {
                let counting = filesystem::mount_container_filesystems(&plan.limits)
                    .map_err(failed_io("file systems"))?;
                privileges::set_limits(&plan.limits, counting)
                    .map_err(failed_io("resource limits"))?;
                privileges::drop_capabilities().map_err(failed_io("capabilities"))?;
                // Programs of the same user must not read the memory and files of this process.
                set_dumpable_behavior(DumpableBehavior::NotDumpable)
                    .map_err(failed_errno("dumpable flag"))?;
                landlock_rules::restrict_self(&rules.landlock_rules)?;
                syscalls::restrict_self(&rules.syscalls)
            }
        }
    }
}
