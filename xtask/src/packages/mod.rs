//! Installs the Debian packages that the commands need.

mod apt;
pub(crate) mod archive;
mod table;

use crate::error::{Error, Result};
use crate::process;

pub(crate) use table::{Group, Package};

/// Installs missing packages, or only lists them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Install,
    DryRun,
}

/// Installs the missing packages of these groups, and prints each with its reason.
pub(crate) fn ensure(groups: &[Group], mode: Mode) -> Result<()> {
    let required = required(groups);
    let names: Vec<&str> = groups.iter().map(|group| group.name()).collect();
    let label = names.join(" + ");
    if !has_apt() {
        return Err(Error::NoApt { packages: package_names(&required) });
    }
    let missing = apt::missing(&required)?;
    if missing.is_empty() {
        println!("setup: {label}: all {} packages are installed", required.len());
        return Ok(());
    }
    let verb = match mode {
        Mode::Install => "installing",
        Mode::DryRun => "would install",
    };
    println!("setup: {label}: {verb} {} of {} packages", missing.len(), required.len());
    let width = missing.iter().map(|package| package.name.len()).max().unwrap_or(0);
    for package in &missing {
        println!("  {:width$}  {}", package.name, package.why);
    }
    match mode {
        Mode::Install => apt::install(&missing),
        Mode::DryRun => Ok(()),
    }
}

/// Installs the missing packages of these groups if apt-get exists. Other systems may have the programs in
/// packages with other names; if not, the commands that need them fail.
pub(crate) fn ensure_if_possible(groups: &[Group]) -> Result<()> {
    if has_apt() {
        return ensure(groups, Mode::Install);
    }
    let names = package_names(&required(groups)).join(" ");
    println!("setup: apt-get is not installed; these Debian packages must be present: {names}");
    Ok(())
}

/// Returns the packages of these groups, without those that an installed program replaces.
fn required(groups: &[Group]) -> Vec<Package> {
    let mut wanted = table::union(groups);
    wanted.retain(|package| !package.unless.is_some_and(process::is_on_path));
    wanted
}

fn has_apt() -> bool {
    process::is_on_path("dpkg-query") && process::is_on_path("apt-get")
}

fn package_names(packages: &[Package]) -> Vec<String> {
    packages.iter().map(|package| package.name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_program_replaces_its_package() {
        let names = package_names(&required(&[Group::Interop]));
        assert_eq!(names.contains(&"npm".to_owned()), !process::is_on_path("npm"));
        assert!(names.contains(&"python3-venv".to_owned()));
    }
}
