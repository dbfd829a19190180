//! What of the system programs see, and what of it they do not.

use std::{fs, os::unix::fs::MetadataExt, path::PathBuf};

use rustix::process::getuid;

/// Folders of the system programs are made of.
pub(super) const FOLDERS: &[&str] = &[
    "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/sbin", "/usr",
];

/// Devices every program expects.
pub(super) const DEVICES: &[&str] =
    &["/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// Links every program expects.
pub(super) const LINKS: &[(&str, &str)] = &[
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
    ("dev/ptmx", "pts/ptmx"),
];

/// Folders of this sandbox alone.
pub(super) const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// What is hidden whoever runs the server.
const SECRETS: &[&str] = &["/etc/machine-id", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers.d"];

/// How deep secrets of the system are looked for.
const DEPTH: usize = 4;

/// Files and folders of the system that hold secrets: for root, those that are not for everybody. Anybody
/// else cannot read them anyway.
pub(super) fn secrets() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = SECRETS.iter().map(PathBuf::from).collect();
    if getuid().is_root() {
        look(PathBuf::from("/etc"), DEPTH, &mut found);
    }
    found.sort();
    found.dedup();
    // What lies in a hidden folder is hidden with it.
    let folders = found.clone();
    found.retain(|one| !folders.iter().any(|other| one != other && one.starts_with(other)));
    found
}

fn look(folder: PathBuf, depth: usize, found: &mut Vec<PathBuf>) {
    // What cannot be read here cannot be read inside.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_symlink() {
            continue;
        }
        if meta.mode() & libc::S_IROTH == 0 {
            found.push(entry.path());
        } else if meta.is_dir() && depth > 0 {
            look(entry.path(), depth - 1, found);
        }
    }
}
