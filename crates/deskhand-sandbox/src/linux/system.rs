//! What of the system programs see, and what of it they do not.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::process::getuid;

/// Folders of the system programs are made of.
pub(super) const FOLDERS: &[&str] =
    &["/bin", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"];

/// Folders of the system in which somebody may listen on sockets.
pub(super) const SHOWN: &[&str] = &["/nix/store", "/nix/var/nix/profiles", "/opt"];

/// The settings of the system.
pub(super) const SETTINGS: &str = "/etc";

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

/// How deep secrets are looked for.
const DEPTH: usize = 3;

/// Files and folders below these that are not for everybody: for root, who could read them.
pub(super) fn secrets(shown: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if getuid().is_root() {
        let places = [Path::new("/usr/local"), Path::new("/opt")].map(Path::to_owned);
        for place in places.iter().chain(shown) {
            look(place, DEPTH, &mut found);
        }
    }
    found
}

fn look(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    // What cannot be read here cannot be read inside.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_symlink() {
            continue;
        }
        if meta.is_file() && meta.mode() & libc::S_IROTH == 0 {
            found.push(entry.path());
        } else if meta.is_dir() && depth > 0 {
            look(&entry.path(), depth - 1, found);
        }
    }
}

/// Bytes one folder in memory may hold: an eighth of the machine's, at the most two gigabytes.
pub(super) fn room() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    (kilobytes.unwrap_or(4 << 20) * 1024 / 8).min(2 << 30)
}
