//! Programs are found, started, identified and ended.

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, ensure, eventually,
};
use crate::{Error, ProcessId, ProcessStatus, ProgramMatch, Termination};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_program_is_found_by_its_name",
        covers: &["Programs::find"],
        requires: &[Capability::Programs],
        app: AppUse::Shared,
        run: found,
    },
    ConformanceCheck {
        name: "a_started_program_is_known_with_its_process_tree",
        covers: &[
            "Programs::start",
            "Programs::process",
            "Programs::status",
            "Programs::is_descendant",
            "Programs::process_tree",
        ],
        requires: &[Capability::Programs],
        app: AppUse::Shared,
        run: known,
    },
    ConformanceCheck {
        name: "a_process_that_reuses_a_pid_is_not_ended",
        covers: &["Programs::status", "Programs::terminate"],
        requires: &[Capability::Programs],
        app: AppUse::Shared,
        run: another,
    },
    ConformanceCheck {
        name: "a_program_exits_on_request",
        covers: &["Programs::terminate", "Programs::status"],
        requires: &[Capability::Programs],
        app: AppUse::Exclusive,
        run: |fixture| {
            if fixture.test_app.exits_on_request {
                ends(fixture, Termination::Request)
            } else {
                Err(CheckError::NotInApp("support for exit on request"))
            }
        },
    },
    ConformanceCheck {
        name: "a_killed_program_has_exited",
        covers: &["Programs::terminate", "Programs::status", "Programs::process"],
        requires: &[Capability::Programs],
        app: AppUse::Exclusive,
        run: |fixture| ends(fixture, Termination::Kill),
    },
];

fn found(fixture: &Fixture<'_>) -> CheckResult {
    let programs = fixture.programs()?;
    let found = programs.find(&fixture.test_app.program)?;
    let ProgramMatch::One(program) = found else {
        return Err(CheckError::Failed(format!(
            "expected `find` of `{}` to return one program, got {found:?}",
            fixture.test_app.program
        )));
    };
    ensure!(
        !program.command.is_empty() && !program.name.is_empty(),
        "{program:?} has no name or no command"
    );
    ensure!(
        program.arguments_index <= program.command.len(),
        "the arguments index of {program:?} is out of range"
    );
    let nothing = programs.find("no such program at all")?;
    ensure!(
        matches!(nothing, ProgramMatch::None { .. }),
        "expected no match for an unknown program, got {nothing:?}"
    );
    let Some((misspelled, suggestion)) = &fixture.test_app.misspelled else { return Ok(()) };
    let found = programs.find(misspelled)?;
    let offered =
        matches!(&found, ProgramMatch::None { suggestions } if suggestions.contains(suggestion));
    ensure!(offered, "expected `find` of `{misspelled}` to suggest `{suggestion}`, got {found:?}");
    Ok(())
}

fn known(fixture: &Fixture<'_>) -> CheckResult {
    let (programs, process) = (fixture.programs()?, fixture.process);
    let now = programs.process(process.pid);
    ensure!(now == Some(process), "expected the process {process:?} for its pid, got {now:?}");
    let status = programs.status(&process);
    ensure!(status == ProcessStatus::Running, "expected a running program, got {status:?}");
    ensure!(
        programs.is_descendant(fixture.app.pid, &process),
        "the app is not a descendant of the started process"
    );
    ensure!(
        !programs.is_descendant(std::process::id(), &process),
        "this process is listed as a descendant of the app"
    );
    let tree = programs.process_tree(&process);
    ensure!(tree.contains(&process), "{process:?} is not in its own process tree {tree:?}");
    ensure!(
        tree.iter().all(|one| one.pid != std::process::id()),
        "this process is in the process tree of the app"
    );
    Ok(())
}

fn another(fixture: &Fixture<'_>) -> CheckResult {
    let programs = fixture.programs()?;
    let other = ProcessId { started: fixture.process.started + 1, ..fixture.process };
    let status = programs.status(&other);
    ensure!(
        matches!(status, ProcessStatus::Exited { .. }),
        "expected `Exited` for a process that never existed, got {status:?}"
    );
    let ended = programs.terminate(&other, Termination::Kill);
    ensure!(
        matches!(ended, Err(Error::Gone { .. })),
        "expected `Gone` when ending it, got {ended:?}"
    );
    let status = programs.status(&fixture.process);
    ensure!(
        status == ProcessStatus::Running,
        "expected the app to run after another process was ended, got {status:?}"
    );
    Ok(())
}

fn ends(fixture: &Fixture<'_>, how: Termination) -> CheckResult {
    let (programs, process) = (fixture.programs()?, fixture.process);
    programs.terminate(&process, how)?;
    eventually(|| {
        let status = programs.status(&process);
        Ok((status == ProcessStatus::Running)
            .then(|| format!("the process still runs after {how:?}")))
    })?;
    let now = programs.process(process.pid);
    ensure!(now != Some(process), "the process ended, but still owns its pid");
    let again = programs.terminate(&process, how);
    ensure!(
        matches!(again, Err(Error::Gone { .. })),
        "expected `Gone` when ending it again, got {again:?}"
    );
    Ok(())
}
