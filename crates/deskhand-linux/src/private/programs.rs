//! The programs that a desktop needs, and the packages that contain them.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};

/// A program that is not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingProgram {
    /// The program.
    pub program: &'static str,
    /// The Debian package that contains it.
    pub package: &'static str,
}

/// The paths of all programs that a desktop needs.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) xvfb: PathBuf,
    pub(super) dbus_daemon: PathBuf,
    pub(super) at_spi_bus_launcher: PathBuf,
    pub(super) openbox: PathBuf,
}

// Debian and Fedora, Arch, openSUSE, older Debian.
const LIBEXEC: [&str; 4] =
    ["/usr/libexec", "/usr/lib", "/usr/libexec/at-spi2", "/usr/lib/at-spi2-core"];

impl Programs {
    /// Finds all programs, or returns an error that names all missing ones.
    pub(super) fn find(search: &OsStr) -> Result<Self> {
        let on_path: Vec<PathBuf> = std::env::split_paths(search).collect();
        let libexec: Vec<PathBuf> = LIBEXEC.iter().map(PathBuf::from).collect();
        let mut missing = Vec::new();
        let mut find = |program, package, folders: &[PathBuf]| {
            let found =
                folders.iter().map(|folder| folder.join(program)).find(|p| is_executable(p));
            found.unwrap_or_else(|| {
                missing.push(MissingProgram { program, package });
                PathBuf::new()
            })
        };
        let programs = Self {
            xvfb: find("Xvfb", "xvfb", &on_path),
            dbus_daemon: find("dbus-daemon", "dbus-daemon", &on_path),
            at_spi_bus_launcher: find("at-spi-bus-launcher", "at-spi2-core", &libexec),
            openbox: find("openbox", "openbox", &on_path),
        };
        if missing.is_empty() { Ok(programs) } else { Err(Error::MissingPrograms { missing }) }
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_absolute()
        && path
            .metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deskhand_model::Explain;

    #[test]
    fn every_missing_program_is_named_with_its_package() {
        let error = Programs::find(OsStr::new("/nowhere")).unwrap_err();
        let text = error.to_string();
        for (program, package) in
            [("Xvfb", "xvfb"), ("dbus-daemon", "dbus-daemon"), ("openbox", "openbox")]
        {
            assert!(text.contains(&format!("{program} (package {package})")), "{text}");
        }
        assert_eq!(error.code(), "missing_program");
        let hint = format!("{:?}", error.advice());
        assert!(hint.contains("apt-get install xvfb dbus-daemon openbox"), "{hint}");
    }

    #[test]
    fn a_relative_search_path_finds_nothing() {
        assert!(Programs::find(OsStr::new(".:")).is_err());
    }
}
