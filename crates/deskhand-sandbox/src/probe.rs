//! Trying a sandbox before anything runs in it: it must let write inside, and not outside.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{Ended, Error, How, Sandbox, Script};

/// Tells one try from another of the same process.
static TRIES: AtomicU32 = AtomicU32::new(0);

/// What a script says when something is not as it should be.
const NOT_INSIDE: i32 = 3;
const OUTSIDE: i32 = 4;
const SYSTEM: i32 = 5;

/// Tries a sandbox the way commands will use it.
pub(crate) fn tried(sandbox: &Sandbox, how: How) -> Result<(), Error> {
    let name =
        format!(".deskhand-{}-{}", std::process::id(), TRIES.fetch_add(1, Ordering::Relaxed));
    let scope = &sandbox.plan().scope;
    let outside = match how {
        How::Kernel => elsewhere(scope, &name),
        How::None => None,
    };
    let ended = run(sandbox, &scope.join(&name), outside.as_deref());
    let written = outside.as_ref().is_some_and(|folder| folder.join("file").exists());
    if let Some(folder) = &outside {
        // It is empty, or what was written to it is told below.
        let _ = fs::remove_dir_all(folder);
    }
    let leaks = |why: &str| Err(Error::Leaks { why: why.to_owned() });
    match ended? {
        _ if written => leaks("a file outside of the scope could be written"),
        (Ended::Exit(0), _) => Ok(()),
        (Ended::Exit(NOT_INSIDE), said) => Err(Error::Scope {
            folder: scope.clone(),
            why: format!("no file can be made in it: {said}"),
        }),
        (Ended::Exit(OUTSIDE), _) => leaks("a folder outside of the scope can be written to"),
        (Ended::Exit(SYSTEM), _) => leaks("the system can be written to"),
        (ended @ (Ended::Exit(_) | Ended::Signal(_) | Ended::NotStarted(_)), said) => {
            leaks(&format!("a script that tries it ended with {ended:?}: {said}"))
        }
    }
}

fn run(sandbox: &Sandbox, inside: &Path, outside: Option<&Path>) -> Result<(Ended, String), Error> {
    let text = format!(
        "(: >\"$INSIDE\") || exit {NOT_INSIDE}\nrm \"$INSIDE\" || exit {NOT_INSIDE}\n\
         test -z \"$OUTSIDE\" && exit 0\n(: >\"$OUTSIDE/file\") 2>/dev/null && exit {OUTSIDE}\n\
         (: >>/bin/sh) 2>/dev/null && exit {SYSTEM}\nexit 0"
    );
    let words = [("INSIDE", Some(inside)), ("OUTSIDE", outside)];
    let named = |(name, path): (&str, Option<&Path>)| {
        (name.to_owned(), path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default())
    };
    let script = Script {
        text,
        environment: words.into_iter().map(named).collect(),
        folder: sandbox.plan().scope.clone(),
    };
    let (cell, mut output) = sandbox.shell()?.run(&script)?;
    let mut said = Vec::new();
    output.read_to_end(&mut said).map_err(|why| Error::Gone { why: why.to_string() })?;
    Ok((cell.wait()?, String::from_utf8_lossy(&said).trim().to_owned()))
}

/// A new folder that does not lie in the scope.
fn elsewhere(scope: &Path, name: &str) -> Option<PathBuf> {
    let mut places = [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into()].into_iter();
    places.find_map(|place| {
        let folder =
            place.canonicalize().ok().filter(|place| !place.starts_with(scope))?.join(name);
        fs::create_dir(&folder).ok()?;
        Some(folder)
    })
}
