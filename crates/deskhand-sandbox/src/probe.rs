//! The self-test of a new sandbox: a script must be able to write inside the scope and not outside.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{Enforcement, Error, ExitReason, Sandbox, Script};

/// Makes the file names of concurrent probes distinct.
static NEXT_PROBE: AtomicU32 = AtomicU32::new(0);

/// Exit codes of the probe script.
const EXIT_INSIDE_NOT_WRITABLE: i32 = 3;
const EXIT_OUTSIDE_WRITABLE: i32 = 4;
const EXIT_SYSTEM_WRITABLE: i32 = 5;

/// Runs the self-test with the same calls that commands use.
pub(crate) fn check(sandbox: &Sandbox, enforcement: Enforcement) -> Result<(), Error> {
    let name =
        format!(".deskhand-{}-{}", std::process::id(), NEXT_PROBE.fetch_add(1, Ordering::Relaxed));
    let scope = &sandbox.plan().scope;
    let outside = match enforcement {
        Enforcement::Kernel => create_outside_folder(scope, &name),
        Enforcement::None => None,
    };
    let exit = run(sandbox, &scope.join(&name), outside.as_deref());
    let wrote_outside = outside.as_ref().is_some_and(|folder| folder.join("file").exists());
    if let Some(folder) = &outside {
        // The folder is empty, or the leak is reported below.
        let _ = fs::remove_dir_all(folder);
    }
    let leaks = |reason: &str| Err(Error::Leaks { reason: reason.to_owned() });
    match exit? {
        _ if wrote_outside => leaks("a program could write a file outside the scope"),
        (ExitReason::Exit(0), _) => Ok(()),
        (ExitReason::Exit(EXIT_INSIDE_NOT_WRITABLE), output_text) => Err(Error::InvalidScope {
            folder: scope.clone(),
            reason: format!("no file can be created in it: {output_text}"),
        }),
        (ExitReason::Exit(EXIT_OUTSIDE_WRITABLE), _) => {
            leaks("a program could write to a folder outside the scope")
        }
        (ExitReason::Exit(EXIT_SYSTEM_WRITABLE), _) => {
            leaks("a program could write to system files")
        }
        (
            exit @ (ExitReason::Exit(_) | ExitReason::Signal(_) | ExitReason::NotStarted(_)),
            output_text,
        ) => leaks(&format!("the probe script ended with {exit:?}: {output_text}")),
    }
}

fn run(
    sandbox: &Sandbox,
    inside: &Path,
    outside: Option<&Path>,
) -> Result<(ExitReason, String), Error> {
    let text = format!(
        "(: >\"$INSIDE\") || exit {EXIT_INSIDE_NOT_WRITABLE}\nrm \"$INSIDE\" || exit {EXIT_INSIDE_NOT_WRITABLE}\n\
         test -z \"$OUTSIDE\" && exit 0\n(: >\"$OUTSIDE/file\") 2>/dev/null && exit {EXIT_OUTSIDE_WRITABLE}\n\
         (: >>/bin/sh) 2>/dev/null && exit {EXIT_SYSTEM_WRITABLE}\nexit 0"
    );
    let paths = [("INSIDE", Some(inside)), ("OUTSIDE", outside)];
    let to_variable = |(name, path): (&str, Option<&Path>)| {
        (name.to_owned(), path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default())
    };
    let script = Script {
        text,
        environment: paths.into_iter().map(to_variable).collect(),
        folder: sandbox.plan().scope.clone(),
    };
    let (container, mut output) = sandbox.shell()?.run(&script)?;
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).map_err(|reason| Error::Gone { reason: reason.to_string() })?;
    Ok((container.wait()?, String::from_utf8_lossy(&bytes).trim().to_owned()))
}

/// Creates a new folder outside the scope.
fn create_outside_folder(scope: &Path, name: &str) -> Option<PathBuf> {
    let mut places = [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into()].into_iter();
    places.find_map(|place| {
        let folder =
            place.canonicalize().ok().filter(|place| !place.starts_with(scope))?.join(name);
        fs::create_dir(&folder).ok()?;
        Some(folder)
    })
}
