//! The files and folders of the host that programs can see.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::process::getuid;

/// System folders with programs and libraries.
pub(super) const SYSTEM_DIRS: &[&str] =
    &["/bin", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"];

/// System folders that may contain sockets of running services.
pub(super) const SHARED_DIRS: &[&str] = &["/nix/store", "/nix/var/nix/profiles", "/opt"];

/// The folder of the system's settings.
pub(super) const ETC: &str = "/etc";

/// Devices that every program expects.
pub(super) const DEVICES: &[&str] =
    &["/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// Links that every program expects.
pub(super) const LINKS: &[(&str, &str)] = &[
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
    ("dev/ptmx", "pts/ptmx"),
];

/// Folders that are private to the sandbox.
pub(super) const PRIVATE_DIRS: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Maximum folder depth of the search for secrets.
const MAX_SECRET_DEPTH: usize = 3;

/// Returns files below the readable folders that are not world-readable. A server that runs as root must hide
/// them, because its programs could read them.
pub(super) fn find_secrets(readable: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if getuid().is_root() {
        let places = [Path::new("/usr/local"), Path::new("/opt")].map(Path::to_owned);
        for place in places.iter().chain(readable) {
            collect_secrets(place, MAX_SECRET_DEPTH, &mut found);
        }
    }
    found
}

fn collect_secrets(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    // A folder that is unreadable here is unreadable in the sandbox.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_symlink() {
            continue;
        }
        if meta.is_file() && meta.mode() & libc::S_IROTH == 0 {
            found.push(entry.path());
        } else if meta.is_dir() && depth > 0 {
            collect_secrets(&entry.path(), depth - 1, found);
        }
    }
}

/// Maximum size of one folder in memory: an eighth of the memory, at most two gigabytes.
pub(super) fn tmpfs_size() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    (kilobytes.unwrap_or(4 << 20) * 1024 / 8).min(2 << 30)
}
