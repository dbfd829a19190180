//! Debian packages that are unpacked into a folder of ours and installed nowhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

use super::apt;

/// What apt's lists say about a package's newest version; refreshed once where they know nothing of it.
pub(crate) fn describe(package: &str) -> Result<String> {
    if let Some(said) = listed(package)? {
        return Ok(said);
    }
    apt::refresh()?;
    listed(package)?.ok_or_else(|| Error::NoPackage { package: package.to_owned() })
}

/// The same, with lists that are as new as the network lets them be.
pub(crate) fn describe_anew(package: &str) -> Result<String> {
    apt::refresh()?;
    describe(package)
}

fn listed(package: &str) -> Result<Option<String>> {
    if !super::has_apt() {
        return Err(Error::NoApt { packages: vec![package.to_owned()] });
    }
    let said = process::capture(
        Command::new("apt-cache").args(["show", "--no-all-versions"]).arg(package),
    )?;
    Ok(Some(said.stdout).filter(|text| said.ok && !text.trim().is_empty()))
}

/// The value of a field in what apt says.
pub(crate) fn field<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
}

/// Downloads packages and unpacks them below a folder, which is made.
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
    fn a_field_is_read_by_its_whole_name() {
        let said = "Package: a\nPre-Depends: x\nDepends: libc6 (>= 2.34), libllvm22\nVersion: 1.96.0+dfsg1-1\n";
        assert_eq!(field(said, "Depends"), Some("libc6 (>= 2.34), libllvm22"));
        assert_eq!(field(said, "Version"), Some("1.96.0+dfsg1-1"));
        assert_eq!(field(said, "Ver"), None);
    }
}
