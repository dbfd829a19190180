//! Debian packages the repository's commands need: what is missing, and getting it.

mod apt;
pub(crate) mod archive;
mod table;

use crate::error::{Error, Result};
use crate::process;

pub(crate) use table::{Group, Package};

/// Whether missing packages are installed or only shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Install,
    DryRun,
}

/// Sees to it that every package of these groups is installed; says what and why.
pub(crate) fn ensure(groups: &[Group], mode: Mode) -> Result<()> {
    let wanted = wanted(groups);
    let names: Vec<&str> = groups.iter().map(|group| group.name()).collect();
    let label = names.join(" + ");
    if !has_apt() {
        return Err(Error::NoApt { packages: owned(&wanted) });
    }
    let missing = apt::missing(&wanted)?;
    if missing.is_empty() {
        println!("setup: {label}: all {} packages are installed", wanted.len());
        return Ok(());
    }
    let verb = match mode {
        Mode::Install => "installing",
        Mode::DryRun => "would install",
    };
    println!("setup: {label}: {verb} {} of {} packages", missing.len(), wanted.len());
    let width = missing.iter().map(|package| package.name.len()).max().unwrap_or(0);
    for package in &missing {
        println!("  {:width$}  {}", package.name, package.why);
    }
    match mode {
        Mode::Install => apt::install(&missing),
        Mode::DryRun => Ok(()),
    }
}

/// The same for commands that can go on without an answer: a system without apt-get may well have
/// every program under another package's name, and what is not there fails by its own name.
pub(crate) fn want(groups: &[Group]) -> Result<()> {
    if has_apt() {
        return ensure(groups, Mode::Install);
    }
    let names = owned(&wanted(groups)).join(" ");
    println!("setup: no apt-get here; going on as if these Debian packages were there: {names}");
    Ok(())
}

/// The packages of these groups, without those whose work a program of this machine does.
fn wanted(groups: &[Group]) -> Vec<Package> {
    let mut wanted = table::union(groups);
    wanted.retain(|package| !package.unless.is_some_and(process::on_path));
    wanted
}

fn has_apt() -> bool {
    process::on_path("dpkg-query") && process::on_path("apt-get")
}

fn owned(packages: &[Package]) -> Vec<String> {
    packages.iter().map(|package| package.name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_there_needs_no_package() {
        let names = owned(&wanted(&[Group::Interop]));
        assert_eq!(names.contains(&"npm".to_owned()), !process::on_path("npm"));
        assert!(names.contains(&"python3-venv".to_owned()));
    }
}
