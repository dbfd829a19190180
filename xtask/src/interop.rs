//! Programs of other projects the MCP server is tested against, in the versions of a lock file.

use std::{fs, path::Path, process::Command};

use crate::error::{Error, Result};
use crate::process;

/// Where the lock file lies.
const FOLDER: &str = "tests/e2e/interop";

/// Installs them beside the built programs, where the tests look for them; nothing is done when they
/// are there already.
pub(crate) fn ensure() -> Result<()> {
    let own = std::env::current_exe().map_err(Error::file("xtask"))?;
    let Some(target) = own.parent().and_then(Path::parent) else { return Ok(()) };
    let (from, to) = (process::root().join(FOLDER), target.join("interop"));
    fs::create_dir_all(&to).map_err(Error::file(&to))?;
    let lock = from.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(Error::file(&lock))?;
    // Written last, so that it is there only when everything is.
    let done = to.join("installed.json");
    if fs::read(&done).is_ok_and(|there| there == wanted) {
        println!("setup: interop: all programs are installed");
        return Ok(());
    }
    for name in ["package.json", "package-lock.json"] {
        fs::copy(from.join(name), to.join(name)).map_err(Error::file(from.join(name)))?;
    }
    println!("setup: interop: installing what {FOLDER}/package.json names");
    // The scripts of packages are not run: none of them is needed.
    let words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(Command::new("npm").args(words).current_dir(&to))?;
    fs::write(&done, wanted).map_err(Error::file(&done))
}
