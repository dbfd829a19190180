//! Asking dpkg what is there, and apt-get for the rest.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::packages::Package;
use crate::process;

/// Waits between attempts when the network fails.
const PAUSES: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];

/// What apt-get prints when trying again may help.
const TRANSIENT: [&str; 9] = [
    "Temporary failure",
    "Failed to fetch",
    "Could not connect",
    "Could not resolve",
    "Connection failed",
    "Connection timed out",
    "Hash Sum mismatch",
    "index files failed to download",
    "Undetermined Error",
];

/// The packages of this list that are not installed.
pub(super) fn missing(wanted: &[Package]) -> Result<Vec<Package>> {
    // dpkg-query fails when it has never heard of one of the names; its list is right all the same.
    let known = process::capture(
        Command::new("dpkg-query")
            .args(["--show", "--showformat", "${Package} ${db:Status-Status}\n"])
            .args(wanted.iter().map(|package| package.name)),
    )?;
    let installed: Vec<&str> = installed(&known.stdout).collect();
    Ok(wanted.iter().filter(|package| !installed.contains(&package.name)).copied().collect())
}

fn installed(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter_map(|line| line.strip_suffix(" installed"))
}

/// Installs packages, without their recommendations; tries again when the network fails.
pub(super) fn install(packages: &[Package]) -> Result<()> {
    let Some(prefix) = privilege()? else {
        return Err(Error::NoRoot { packages: super::owned(packages) });
    };
    let mut pauses = PAUSES.iter();
    loop {
        let outcome = attempt(&prefix, packages)?;
        let Some(failure) = outcome else { return Ok(()) };
        let transient = is_transient(&failure.said);
        match pauses.next() {
            Some(pause) if transient => {
                println!("setup: the network failed; again in {} s", pause.as_secs());
                thread::sleep(*pause);
            }
            Some(_) | None => {
                return Err(failure.into());
            }
        }
    }
}

/// Brings the lists of packages up to date.
pub(super) fn refresh() -> Result<()> {
    let Some(prefix) = privilege()? else { return Err(Error::NoRoot { packages: Vec::new() }) };
    println!("setup: refreshing the lists of packages");
    apt_get(&prefix, None, &["update"])?.map_or(Ok(()), |failure| Err(failure.into()))
}

/// Puts package files into a folder; nothing is installed, so nobody has to be root.
pub(super) fn download(packages: &[&str], into: &Path) -> Result<()> {
    // The user that root has downloads done by cannot write to a folder of ours.
    let arguments: Vec<&str> =
        ["-oAPT::Sandbox::User=root", "download"].iter().chain(packages).copied().collect();
    apt_get(&[], Some(into), &arguments)?.map_or(Ok(()), |failure| Err(failure.into()))
}

struct Failure {
    command: String,
    said: String,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Failed { how: first_error(&failure.said).to_owned(), command: failure.command }
    }
}

fn attempt(prefix: &[&str], packages: &[Package]) -> Result<Option<Failure>> {
    // A failed refresh is no verdict: yesterday's lists may do, so the install decides.
    let refresh = apt_get(prefix, None, &["update"])?;
    let names = packages.iter().map(|package| package.name);
    let arguments: Vec<&str> =
        ["install", "-y", "--no-install-recommends"].into_iter().chain(names).collect();
    let install = apt_get(prefix, None, &arguments)?;
    Ok(install.map(|failure| match refresh {
        Some(refresh) => Failure { said: refresh.said + &failure.said, ..failure },
        None => failure,
    }))
}

/// Runs apt-get, in a folder where that matters; `None` when it did what it was asked.
fn apt_get(prefix: &[&str], at: Option<&Path>, arguments: &[&str]) -> Result<Option<Failure>> {
    let watched = std::io::stdout().is_terminal();
    let mut words = prefix.iter().copied().chain([
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-oDpkg::Use-Pty=0",
        "-oDPkg::Lock::Timeout=300",
        "-oAcquire::Retries=3",
    ]);
    let program = words.next().unwrap_or("env");
    let mut command = Command::new(program);
    command.args(words).args(arguments);
    if let Some(folder) = at {
        command.current_dir(folder);
    }
    if !watched {
        command.arg("-qq").stdout(Stdio::null());
    }
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Start { program: program.to_owned(), source })?;
    let mut said = String::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines().map_while(std::io::Result::ok) {
            eprintln!("{line}");
            said.push_str(&line);
            said.push('\n');
        }
    }
    let status =
        child.wait().map_err(|source| Error::Start { program: program.to_owned(), source })?;
    // `apt-get update` succeeds even when every download failed; only what it says tells.
    let deceptive = arguments == ["update"] && is_transient(&said);
    if status.success() && !deceptive {
        return Ok(None);
    }
    let command = format!("apt-get {}", arguments.join(" "));
    Ok(Some(Failure { command, said }))
}

/// The words to put before a command that needs root; `None` when this user cannot become root.
fn privilege() -> Result<Option<Vec<&'static str>>> {
    if process::answer(Command::new("id").arg("-u"))?.trim() == "0" {
        return Ok(Some(Vec::new()));
    }
    Ok(process::on_path("sudo").then(|| vec!["sudo"]))
}

fn is_transient(said: &str) -> bool {
    TRANSIENT.iter().any(|sign| said.contains(sign))
}

fn first_error(said: &str) -> &str {
    said.lines().find(|line| line.starts_with("E:")).unwrap_or("see the lines above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fully_installed_packages_count() {
        let listing = "xvfb installed\nopenbox config-files\nkcalc not-installed\n";
        assert_eq!(installed(listing).collect::<Vec<_>>(), ["xvfb"]);
    }

    #[test]
    fn network_trouble_is_worth_another_try() {
        assert!(is_transient("W: Failed to fetch http://host/x  Temporary failure resolving"));
        assert!(is_transient("E: Failed to fetch … Hash Sum mismatch"));
    }

    #[test]
    fn unknown_package_is_not() {
        assert!(!is_transient("E: Unable to locate package no-such-package"));
        assert_eq!(
            first_error("W: old lists\nE: Unable to locate package x\n"),
            "E: Unable to locate package x"
        );
    }

    #[test]
    fn package_nobody_has_is_missing() {
        let absent = Package { name: "deskhand-no-such-package", why: "test", unless: None };
        assert_eq!(missing(&[absent]).unwrap(), [absent]);
    }
}
