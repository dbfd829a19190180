//! Programs are found, started, known and ended.

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure, eventually};
use crate::{End, Error, Fate, Process, Sought};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_program_is_found_by_its_name",
        covers: &["Programs::find"],
        needs: &[Part::Programs],
        app: AppUse::Shared,
        run: found,
    },
    Check {
        name: "a_started_program_is_known_with_its_family",
        covers: &[
            "Programs::start",
            "Programs::process",
            "Programs::fate",
            "Programs::stems_from",
            "Programs::family",
        ],
        needs: &[Part::Programs],
        app: AppUse::Shared,
        run: known,
    },
    Check {
        name: "a_program_that_came_to_have_a_number_is_left_alone",
        covers: &["Programs::fate", "Programs::end"],
        needs: &[Part::Programs],
        app: AppUse::Shared,
        run: another,
    },
    Check {
        name: "a_program_ends_when_it_is_asked",
        covers: &["Programs::end", "Programs::fate"],
        needs: &[Part::Programs],
        app: AppUse::Own,
        run: |scene| {
            if scene.subject.ends_when_asked {
                ends(scene, End::Ask)
            } else {
                Err(Fault::NotInSubject("willingness to end when asked"))
            }
        },
    },
    Check {
        name: "a_killed_program_is_gone",
        covers: &["Programs::end", "Programs::fate", "Programs::process"],
        needs: &[Part::Programs],
        app: AppUse::Own,
        run: |scene| ends(scene, End::Kill),
    },
];

fn found(scene: &Scene<'_>) -> Outcome {
    let programs = scene.programs()?;
    let sought = programs.find(&scene.subject.program)?;
    let Sought::One(program) = sought else {
        return Err(Fault::Failed(format!("`{}` is {sought:?}", scene.subject.program)));
    };
    ensure!(
        !program.command.is_empty() && !program.name.is_empty(),
        "{program:?} cannot be started"
    );
    ensure!(
        program.arguments_at <= program.command.len(),
        "{program:?} has no place for arguments"
    );
    let nothing = programs.find("no such program at all")?;
    ensure!(matches!(nothing, Sought::None { .. }), "what is not there is {nothing:?}");
    let Some((near, wanted)) = &scene.subject.near else { return Ok(()) };
    let sought = programs.find(near)?;
    let offered = matches!(&sought, Sought::None { near } if near.contains(wanted));
    ensure!(offered, "`{near}` is {sought:?}, and `{wanted}` is not offered");
    Ok(())
}

fn known(scene: &Scene<'_>) -> Outcome {
    let (programs, process) = (scene.programs()?, scene.process);
    let now = programs.process(process.pid);
    ensure!(now == Some(process), "{process:?} was started, {now:?} runs");
    let fate = programs.fate(&process);
    ensure!(fate == Fate::Runs, "it was started, and {fate:?}");
    ensure!(programs.stems_from(scene.app.pid, &process), "the app is not what was started");
    ensure!(!programs.stems_from(std::process::id(), &process), "this process stems from the app");
    let family = programs.family(&process);
    ensure!(family.contains(&process), "{process:?} is not in its own family {family:?}");
    ensure!(
        family.iter().all(|one| one.pid != std::process::id()),
        "this process is in its family"
    );
    Ok(())
}

fn another(scene: &Scene<'_>) -> Outcome {
    let programs = scene.programs()?;
    let other = Process { started: scene.process.started + 1, ..scene.process };
    let fate = programs.fate(&other);
    ensure!(matches!(fate, Fate::Ended { .. }), "a process that never was {fate:?}");
    let ended = programs.end(&other, End::Kill);
    ensure!(matches!(ended, Err(Error::Gone { .. })), "it was ended: {ended:?}");
    let fate = programs.fate(&scene.process);
    ensure!(fate == Fate::Runs, "another was to be ended, and the app {fate:?}");
    Ok(())
}

fn ends(scene: &Scene<'_>, how: End) -> Outcome {
    let (programs, process) = (scene.programs()?, scene.process);
    programs.end(&process, how)?;
    eventually(|| {
        let fate = programs.fate(&process);
        Ok((fate == Fate::Runs).then(|| format!("{how:?} was sent, and it runs")))
    })?;
    let now = programs.process(process.pid);
    ensure!(now != Some(process), "it ended, and its number is still its own");
    let again = programs.end(&process, how);
    ensure!(matches!(again, Err(Error::Gone { .. })), "ending it again came to {again:?}");
    Ok(())
}
