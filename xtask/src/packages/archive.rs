//! Downloads and unpacks Debian packages without installing them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

use super::apt;

/// Returns the description of a package's newest version. Updates the package lists if they do not contain it.
pub(crate) fn describe(package: &str) -> Result<String> {
    if let Some(description) = find(package)? {
        return Ok(description);
    }
    apt::refresh()?;
    find(package)?.ok_or_else(|| Error::UnknownPackage { package: package.to_owned() })
}

/// Updates the package lists, and returns the description of a package's newest version.
pub(crate) fn update_and_describe(package: &str) -> Result<String> {
    apt::refresh()?;
    describe(package)
}

fn find(package: &str) -> Result<Option<String>> {
    if !super::has_apt() {
        return Err(Error::NoApt { packages: vec![package.to_owned()] });
    }
    let output = process::capture(
        Command::new("apt-cache").args(["show", "--no-all-versions"]).arg(package),
    )?;
    Ok(Some(output.stdout).filter(|text| output.ok && !text.trim().is_empty()))
}

/// Returns the value of a field in a description.
pub(crate) fn field<'a>(description: &'a str, name: &str) -> Option<&'a str> {
    description.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
}

/// Downloads packages and unpacks them into a new folder.
pub(crate) fn unpack(packages: &[&str], folder: &Path) -> Result<()> {
    let downloads = folder.join(".packages");
    fs::create_dir_all(&downloads).map_err(Error::file(&downloads))?;
    apt::download(packages, &downloads)?;
    for entry in fs::read_dir(&downloads).map_err(Error::file(&downloads))? {
        let package = entry.map_err(Error::file(&downloads))?.path();
        if package.extension().is_some_and(|ending| ending == "deb") {
            process::run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(folder))?;
        }
    }
    fs::remove_dir_all(&downloads).map_err(Error::file(&downloads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_whole_name() {
        let description = "Package: a\nPre-Depends: x\nDepends: libc6 (>= 2.34), libllvm22\nVersion: 1.96.0+dfsg1-1\n";
        assert_eq!(field(description, "Depends"), Some("libc6 (>= 2.34), libllvm22"));
        assert_eq!(field(description, "Version"), Some("1.96.0+dfsg1-1"));
        assert_eq!(field(description, "Ver"), None);
    }
}
