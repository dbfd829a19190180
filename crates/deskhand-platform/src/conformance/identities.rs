//! Programs are identified by the files they run.

use std::path::Path;

use super::{AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, ensure};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "the_current_process_is_identified",
        covers: &["Identities::identify", "Identities::ancestors", "Identities::resolve_file"],
        requires: &[Capability::Identities],
        app: AppUse::Shared,
        run: own,
    },
    ConformanceCheck {
        name: "an_app_is_identified_by_its_process_and_by_its_command",
        covers: &["Identities::identify", "Identities::identify_command"],
        requires: &[Capability::Identities],
        app: AppUse::Shared,
        run: app,
    },
];

fn own(fixture: &Fixture<'_>) -> CheckResult {
    let identities = fixture.identities()?;
    let pid = std::process::id();
    let Some(own) = identities.identify(pid) else {
        return Err(CheckError::Failed("the current process is not identified".to_owned()));
    };
    ensure!(
        own.process.is_some_and(|process| process.pid == pid),
        "expected the process with pid {pid}, got {:?}",
        own.process
    );
    let program = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let Some(program) = program else {
        return Err(CheckError::Failed("the current executable has no path".to_owned()));
    };
    let is_program = |path: &str| Path::new(path) == program;
    ensure!(
        own.files.iter().any(|file| is_program(&file.path) && file.verified),
        "expected the verified file {program:?} among the files of this process, got {:?}",
        own.files
    );
    let file = identities.resolve_file(&program);
    ensure!(
        file.as_ref().is_some_and(|file| is_program(&file.path)),
        "expected the file {program:?}, got {file:?}"
    );
    let missing = identities.resolve_file(Path::new("/no/such/program"));
    ensure!(missing.is_none(), "expected no identity for a missing file, got {missing:?}");
    let ancestors = identities.ancestors();
    ensure!(!ancestors.is_empty(), "the current process has no ancestors");
    ensure!(
        ancestors.iter().all(|process| process.pid != pid),
        "expected only other processes as ancestors, got {ancestors:?}"
    );
    // No system assigns a pid this large.
    let unknown = identities.identify(u32::MAX - 1);
    ensure!(unknown.is_none(), "expected no identity for a missing process, got {unknown:?}");
    Ok(())
}

fn app(fixture: &Fixture<'_>) -> CheckResult {
    let identities = fixture.identities()?;
    let Some(app) = identities.identify(fixture.app.pid) else {
        return Err(CheckError::Failed("the app is not identified".to_owned()));
    };
    ensure!(
        !app.files.is_empty() && !app.hidden,
        "expected an app with files that is not hidden, got {app:?}"
    );
    let Some(path) = app.files.first().map(|file| file.path.clone()) else {
        return Err(CheckError::Failed(format!("the app has no files: {app:?}")));
    };
    let command = identities.identify_command(std::slice::from_ref(&path));
    let same = command.files.iter().any(|file| file.path == path);
    ensure!(same, "expected an identity with the file `{path}`, got {command:?}");
    ensure!(
        command.process.is_none(),
        "expected no process for a command that is not running, got {command:?}"
    );
    Ok(())
}
