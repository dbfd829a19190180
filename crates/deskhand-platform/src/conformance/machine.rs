//! The machine below the desktop knows its processes and folders.

use std::time::Duration;

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure};
use crate::{Changed, Deadline, Error, Machine, Process};

const MOMENT: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(8);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_process_is_told_from_one_that_came_to_have_its_number",
        covers: &["Machine::this", "Machine::runs", "Machine::kill", "Machine::desktop"],
        needs: &[Part::Machine],
        app: AppUse::Shared,
        run: processes,
    },
    Check {
        name: "a_change_in_a_folder_is_reported",
        covers: &["Machine::watch", "FolderChanges::wait"],
        needs: &[Part::Machine],
        app: AppUse::Shared,
        run: folders,
    },
];

fn machine<'a>(scene: &'a Scene<'_>) -> Result<&'a dyn Machine, Fault> {
    scene.declared.machine.ok_or_else(|| Fault::Failed("the caller told no machine".to_owned()))
}

fn processes(scene: &Scene<'_>) -> Outcome {
    let machine = machine(scene)?;
    let own = machine.this()?;
    ensure!(own.pid == std::process::id(), "this process is {own:?}");
    ensure!(machine.runs(&own), "this process does not run");
    let other = Process { started: own.started + 1, ..own };
    ensure!(!machine.runs(&other), "one that started later under the same number runs");
    let app = Process { started: scene.process.started + 1, ..scene.process };
    let killed = machine.kill(&app, machine.desktop().as_deref());
    ensure!(
        matches!(killed, Err(Error::Gone { .. })),
        "one that does not run was ended: {killed:?}"
    );
    Ok(())
}

fn folders(scene: &Scene<'_>) -> Outcome {
    let machine = machine(scene)?;
    let failed = |error: std::io::Error| Fault::Failed(error.to_string());
    let folder = std::env::temp_dir().join(format!("deskhand-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut changes = machine.watch(&folder)?;
    let quiet = changes.wait(Deadline::after(MOMENT))?;
    std::fs::write(folder.join("new"), "text").map_err(failed)?;
    let told = changes.wait(Deadline::after(PATIENCE))?;
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    ensure!(quiet == Changed::No, "nothing happened in the folder, and it was told");
    ensure!(told == Changed::Yes, "a file was made in the folder, and nobody was told");
    Ok(())
}
