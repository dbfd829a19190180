//! Holding a process to a plan, one right after the other.

use std::io;

use rustix::process::{
    Signal, getpid, set_child_subreaper, set_parent_process_death_signal, setsid,
};

use super::{calls, files, rights, view};
use crate::{How, Plan};

/// Holds this process, and all it starts, to the plan, the last right last.
pub(super) fn held(plan: &Plan, how: How) -> Result<(), String> {
    let told = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    let failed = |what: &'static str| move |errno: rustix::io::Errno| told(what)(errno.into());
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("the end of its parent"))?;
    setsid().map_err(failed("its session"))?;
    match how {
        How::None => {
            set_child_subreaper(Some(getpid())).map_err(failed("what it starts"))?;
            rights::bound(&plan.bounds).map_err(told("its bounds"))
        }
        How::Kernel => {
            view::renew(plan).map_err(told("its view"))?;
            rights::bound(&plan.bounds).map_err(told("its bounds"))?;
            rights::drop_all().map_err(told("its rights"))?;
            files::hold(plan)?;
            calls::hold(&plan.network)
        }
    }
}
