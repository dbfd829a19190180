//! The host reports its processes and the changes in its folders.

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, ensure,
    timing::{EFFECT_TIMEOUT, NO_EVENT_TIMEOUT},
};
use crate::{Deadline, Error, FolderWait, Machine, ProcessId};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_process_differs_from_one_that_reuses_its_pid",
        covers: &[
            "Machine::current_process",
            "Machine::is_running",
            "Machine::kill",
            "Machine::desktop_id",
            "Machine::release_input",
        ],
        requires: &[Capability::Machine],
        app: AppUse::Shared,
        run: processes,
    },
    ConformanceCheck {
        name: "a_change_in_a_folder_is_reported",
        covers: &["Machine::watch_folder", "FolderChanges::wait"],
        requires: &[Capability::Machine],
        app: AppUse::Shared,
        run: folders,
    },
];

fn machine<'a>(fixture: &'a Fixture<'_>) -> Result<&'a dyn Machine, CheckError> {
    fixture
        .environment
        .machine
        .ok_or_else(|| CheckError::Failed("the caller provides no machine".to_owned()))
}

fn processes(fixture: &Fixture<'_>) -> CheckResult {
    let machine = machine(fixture)?;
    let own = machine.current_process()?;
    let pid = std::process::id();
    ensure!(own.pid == pid, "expected pid {pid} for this process, got {own:?}");
    ensure!(machine.is_running(&own), "this process is reported as not running");
    let other = ProcessId { started: own.started + 1, ..own };
    ensure!(
        !machine.is_running(&other),
        "a process with the same pid and a later start time is reported as running"
    );
    let app = ProcessId { started: fixture.process.started + 1, ..fixture.process };
    let killed = machine.kill(&app, machine.desktop_id().as_deref());
    ensure!(
        matches!(killed, Err(Error::Gone { .. })),
        "expected `Gone` when killing a process that does not exist, got {killed:?}"
    );
    if let Some(desktop_id) = machine.desktop_id() {
        let released = machine.release_input(&desktop_id);
        ensure!(released.is_ok(), "cannot release input on the own desktop: {released:?}");
    }
    Ok(())
}

fn folders(fixture: &Fixture<'_>) -> CheckResult {
    let machine = machine(fixture)?;
    let failed = |error: std::io::Error| CheckError::Failed(error.to_string());
    let folder = std::env::temp_dir().join(format!("deskhand-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut changes = machine.watch_folder(&folder)?;
    let quiet = changes.wait(Deadline::after(NO_EVENT_TIMEOUT))?;
    std::fs::write(folder.join("new"), "text").map_err(failed)?;
    let changed = changes.wait(Deadline::after(EFFECT_TIMEOUT))?;
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    ensure!(
        quiet == FolderWait::TimedOut,
        "a change was reported, but nothing happened in the folder"
    );
    ensure!(changed == FolderWait::Changed, "a file was created, but no change was reported");
    Ok(())
}
