//! Programs are known for what they are.

use std::path::Path;

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "this_very_process_is_known",
        covers: &["Identities::of", "Identities::ancestors", "Identities::file"],
        needs: &[Part::Identities],
        app: AppUse::Shared,
        run: own,
    },
    Check {
        name: "an_app_is_known_by_its_process_and_by_its_command",
        covers: &["Identities::of", "Identities::of_command"],
        needs: &[Part::Identities],
        app: AppUse::Shared,
        run: app,
    },
];

fn own(scene: &Scene<'_>) -> Outcome {
    let identities = scene.identities()?;
    let pid = std::process::id();
    let Some(own) = identities.of(pid) else {
        return Err(Fault::Failed("this process is not known".to_owned()));
    };
    ensure!(own.process.is_some_and(|process| process.pid == pid), "it is {:?}", own.process);
    let program = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let Some(program) = program else {
        return Err(Fault::Failed("this program has no path".to_owned()));
    };
    let named = |path: &str| Path::new(path) == program;
    ensure!(own.files.iter().any(|file| named(&file.path) && file.sure), "it runs {:?}", own.files);
    let file = identities.file(&program);
    ensure!(file.as_ref().is_some_and(|file| named(&file.path)), "its file is {file:?}");
    let missing = identities.file(Path::new("/no/such/program"));
    ensure!(missing.is_none(), "what is not there is {missing:?}");
    let ancestors = identities.ancestors();
    ensure!(!ancestors.is_empty(), "nobody started this process");
    ensure!(ancestors.iter().all(|process| process.pid != pid), "it is its own ancestor");
    // Numbers stay below this on every system.
    let nobody = identities.of(u32::MAX - 1);
    ensure!(nobody.is_none(), "a process that does not run is {nobody:?}");
    Ok(())
}

fn app(scene: &Scene<'_>) -> Outcome {
    let identities = scene.identities()?;
    let Some(app) = identities.of(scene.app.pid) else {
        return Err(Fault::Failed("the app is not known".to_owned()));
    };
    ensure!(!app.files.is_empty() && !app.hidden, "the app is {app:?}");
    let Some(path) = app.files.first().map(|file| file.path.clone()) else {
        return Err(Fault::Failed(format!("the app is made of no file: {app:?}")));
    };
    let would = identities.of_command(std::slice::from_ref(&path));
    let same = would.files.iter().any(|file| file.path == path);
    ensure!(same, "`{path}` would run {would:?}");
    ensure!(would.process.is_none(), "a command that does not run has a process: {would:?}");
    Ok(())
}
