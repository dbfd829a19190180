//! Queries dpkg, and installs packages with apt-get.

use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::packages::Package;
use crate::process;

/// Delays before the second and third attempt after a network failure.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];

/// Messages of apt-get about failures that a retry may fix.
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

/// Returns the packages that are not installed.
pub(super) fn missing(required: &[Package]) -> Result<Vec<Package>> {
    // dpkg-query fails if it does not know a package, but its list is complete.
    let known = process::capture(
        Command::new("dpkg-query")
            .args(["--show", "--showformat", "${Package} ${db:Status-Status}\n"])
            .args(required.iter().map(|package| package.name)),
    )?;
    let installed: Vec<&str> = installed(&known.stdout).collect();
    Ok(required.iter().filter(|package| !installed.contains(&package.name)).copied().collect())
}

fn installed(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter_map(|line| line.strip_suffix(" installed"))
}

/// Installs packages without recommended ones, and retries after network failures.
pub(super) fn install(packages: &[Package]) -> Result<()> {
    let Some(prefix) = root_prefix()? else {
        return Err(Error::NoRoot { packages: super::package_names(packages) });
    };
    let mut delays = RETRY_DELAYS.iter();
    loop {
        let outcome = attempt(&prefix, packages)?;
        let Some(failure) = outcome else { return Ok(()) };
        let transient = is_transient(&failure.stderr);
        match delays.next() {
            Some(delay) if transient => {
                println!("setup: network failure; retrying in {} s", delay.as_secs());
                thread::sleep(*delay);
            }
            Some(_) | None => {
                return Err(failure.into());
            }
        }
    }
}

/// Updates the package lists.
pub(super) fn refresh() -> Result<()> {
    let Some(prefix) = root_prefix()? else { return Err(Error::NoRoot { packages: Vec::new() }) };
    println!("setup: updating the package lists");
    apt_get(&prefix, None, &["update"])?.map_or(Ok(()), |failure| Err(failure.into()))
}

/// Downloads package files into a folder, without installing them. This does not need root.
pub(super) fn download(packages: &[&str], folder: &Path) -> Result<()> {
    // As root, apt-get downloads as the user `_apt`, who cannot write to this folder.
    let arguments: Vec<&str> =
        ["-oAPT::Sandbox::User=root", "download"].iter().chain(packages).copied().collect();
    apt_get(&[], Some(folder), &arguments)?.map_or(Ok(()), |failure| Err(failure.into()))
}

struct AptFailure {
    command: String,
    stderr: String,
}

impl From<AptFailure> for Error {
    fn from(failure: AptFailure) -> Self {
        Self::Failed { reason: first_error(&failure.stderr).to_owned(), command: failure.command }
    }
}

fn attempt(prefix: &[&str], packages: &[Package]) -> Result<Option<AptFailure>> {
    // After a failed update the installation may still work with older lists.
    let refresh = apt_get(prefix, None, &["update"])?;
    let names = packages.iter().map(|package| package.name);
    let arguments: Vec<&str> =
        ["install", "-y", "--no-install-recommends"].into_iter().chain(names).collect();
    let install = apt_get(prefix, None, &arguments)?;
    Ok(install.map(|failure| match refresh {
        Some(refresh) => AptFailure { stderr: refresh.stderr + &failure.stderr, ..failure },
        None => failure,
    }))
}

/// Runs apt-get, in a folder where that matters; `None` when it did what it was asked.
fn apt_get(
    prefix: &[&str],
    folder: Option<&Path>,
    arguments: &[&str],
) -> Result<Option<AptFailure>> {
    let is_terminal = std::io::stdout().is_terminal();
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
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    if !is_terminal {
        command.arg("-qq").stdout(Stdio::null());
    }
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Start { program: program.to_owned(), source })?;
    let mut messages = String::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines().map_while(std::io::Result::ok) {
            eprintln!("{line}");
            messages.push_str(&line);
            messages.push('\n');
        }
    }
    let status =
        child.wait().map_err(|source| Error::Start { program: program.to_owned(), source })?;
    // `apt-get update` exits with 0 even if all downloads failed.
    let failed_update = arguments == ["update"] && is_transient(&messages);
    if status.success() && !failed_update {
        return Ok(None);
    }
    let command = format!("apt-get {}", arguments.join(" "));
    Ok(Some(AptFailure { command, stderr: messages }))
}

/// Returns the prefix of commands that need root; `None` if this user cannot become root.
fn root_prefix() -> Result<Option<Vec<&'static str>>> {
    if process::output(Command::new("id").arg("-u"))?.trim() == "0" {
        return Ok(Some(Vec::new()));
    }
    Ok(process::is_on_path("sudo").then(|| vec!["sudo"]))
}

fn is_transient(messages: &str) -> bool {
    TRANSIENT.iter().any(|message| messages.contains(message))
}

fn first_error(messages: &str) -> &str {
    messages.lines().find(|line| line.starts_with("E:")).unwrap_or("see the lines above")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_installed_packages_count() {
        let listing = "xvfb installed\nopenbox config-files\nkcalc not-installed\n";
        assert_eq!(installed(listing).collect::<Vec<_>>(), ["xvfb"]);
    }

    #[test]
    fn network_failures_are_transient() {
        assert!(is_transient("W: Failed to fetch http://host/x  Temporary failure resolving"));
        assert!(is_transient("E: Failed to fetch … Hash Sum mismatch"));
    }

    #[test]
    fn an_unknown_package_is_not_transient() {
        assert!(!is_transient("E: Unable to locate package no-such-package"));
        assert_eq!(
            first_error("W: old lists\nE: Unable to locate package x\n"),
            "E: Unable to locate package x"
        );
    }

    #[test]
    fn an_unknown_package_is_missing() {
        let absent = Package { name: "deskhand-no-such-package", why: "test", unless: None };
        assert_eq!(missing(&[absent]).unwrap(), [absent]);
    }
}
