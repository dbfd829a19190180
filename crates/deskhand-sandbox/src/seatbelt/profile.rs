//! Renders a plan as a profile in the Sandbox Profile Language (SBPL) of macOS.
//!
//! It is weaker than the Linux sandbox: overlays are read-only, other programs of the system are visible, and
//! memory is unlimited.

use std::path::{Path, PathBuf};

use crate::{Network, Plan, plan::READ_ONLY_DIRS};

use super::{private_folders::PrivateFolders, tag::ContainerTag};

/// Folders with user data. The rest of the system is readable: the files that the loader and the libraries need
/// change with every version of macOS.
const HIDDEN_DIRS: &[&str] = &[
    "/Users",
    "/Volumes",
    "/Library/Keychains",
    "/private/tmp",
    "/private/var/folders",
    "/private/var/root",
    "/private/var/tmp",
];

/// The second path at which macOS shows the data volume.
const DATA_VOLUME: &str = "/System/Volumes/Data";

/// Devices that every program may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/// Readable sysctls. `kern.procargs2` is missing on purpose: it reveals the arguments and environment of every
/// process of the user.
const SYSCTL_NAMES: &[&str] = &[
    "kern.argmax",
    "kern.bootargs",
    "kern.boottime",
    "kern.hostname",
    "kern.iossupportversion",
    "kern.maxfiles",
    "kern.maxfilesperproc",
    "kern.maxproc",
    "kern.ngroups",
    "kern.osproductversion",
    "kern.osrelease",
    "kern.ostype",
    "kern.osvariant_status",
    "kern.osversion",
    "kern.secure_kernel",
    // Needed by Python's multiprocessing.
    "kern.sysv.semmns",
    "kern.usrstack64",
    "kern.version",
    "kern.willshutdown",
    "machdep.ptrauth_enabled",
    "security.mac.lockdown_mode_state",
    "sysctl.proc_cputype",
    "vm.loadavg",
    "vm.pagesize",
];

/// Prefixes of readable sysctls.
const SYSCTL_PREFIXES: &[&str] = &["hw.", "machdep.cpu.", "kern.proc.pgrp.", "kern.proc.pid."];

/// Mach services of command-line tools: users and groups, time zone, logging. Left out are the services that
/// start programs, open documents, and give access to the clipboard, the keychain, preferences or the screen.
/// Also left out is the group membership service: with it the system finds its own folder for temporary files,
/// and `mktemp` fails there instead of using `TMPDIR`.
const SERVICES: &[&str] = &[
    "com.apple.logd",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
];

/// Mach services for name resolution and certificates. Allowed only with a network.
const NETWORK_SERVICES: &[&str] = &[
    "com.apple.SystemConfiguration.DNSConfiguration",
    "com.apple.SystemConfiguration.configd",
    "com.apple.trustd",
    "com.apple.trustd.agent",
];

/// The socket of the name resolver.
const RESOLVER_SOCKET: &str = "/private/var/run/mDNSResponder";

/// Renders the profile for `sandbox-exec -p`. It contains the service of `tag`, by which the processes of the
/// container are found. `terminal` is the terminal the program runs on. The last matching rule wins.
pub(crate) fn profile(
    plan: &Plan,
    folders: &PrivateFolders,
    tag: &ContainerTag,
    terminal: Option<&Path>,
) -> String {
    let mut rules = vec![
        "(version 1)".to_owned(),
        "(deny default)".to_owned(),
        // `(deny default)` does not cover these.
        "(deny process-info* nvram*)".to_owned(),
        "(allow process-exec* process-fork)".to_owned(),
        "(allow process-info* (target same-sandbox))".to_owned(),
        "(allow signal (target same-sandbox))".to_owned(),
        format!(
            "(allow sysctl-read {} {})",
            filters("sysctl-name-prefix", SYSCTL_PREFIXES),
            filters("sysctl-name", SYSCTL_NAMES)
        ),
        // Java reads the processor type this way and writes nothing.
        "(allow sysctl-write (sysctl-name \"kern.grade_cputype\"))".to_owned(),
        format!("(allow mach-lookup {})", filters("global-name", SERVICES)),
        format!("(allow mach-lookup (global-name {}))", quote(&tag.service())),
        "(allow ipc-posix-sem)".to_owned(),
        "(allow ipc-posix-shm-read-data (ipc-posix-name \"apple.shm.notification_center\"))"
            .to_owned(),
    ];
    file_rules(plan, folders, &mut rules);
    device_rules(terminal, &mut rules);
    network_rules(plan, folders, &mut rules);
    rules.join("\n") + "\n"
}

/// Returns `true` if the profile hides this path.
pub(super) fn is_hidden(plan: &Plan, path: &Path) -> bool {
    hidden_dirs(plan).iter().any(|folder| path.starts_with(folder))
}

fn hidden_dirs(plan: &Plan) -> Vec<PathBuf> {
    let named: Vec<PathBuf> =
        HIDDEN_DIRS.iter().map(PathBuf::from).chain(plan.home.clone()).collect();
    let on_data_volume = named.iter().map(|path| {
        let rest: PathBuf = path.components().skip(1).collect();
        Path::new(DATA_VOLUME).join(rest)
    });
    on_data_volume.chain(named.clone()).collect()
}

fn file_rules(plan: &Plan, folders: &PrivateFolders, rules: &mut Vec<String>) {
    rules.push("(allow file-map-executable)".to_owned());
    rules.push("(allow file-read*)".to_owned());
    let hidden_dirs = hidden_dirs(plan);
    rules.push(format!("(deny file-read* process-exec* {})", subpaths(hidden_dirs.iter())));
    let writable = [&plan.scope, &folders.home, &folders.temporary];
    let visible: Vec<&PathBuf> = plan.readable.iter().chain(&plan.overlays).collect();
    // Programs call `stat` on parent folders and ask for their own path.
    let mut above: Vec<&Path> = visible
        .iter()
        .copied()
        .chain(writable)
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|path| hidden_dirs.iter().any(|one| path.starts_with(one)))
        .collect();
    above.sort_unstable();
    above.dedup();
    if !above.is_empty() {
        let literals: Vec<String> = above.iter().map(|path| literal(path)).collect();
        rules.push(format!("(allow file-read-metadata {})", literals.join(" ")));
    }
    if !visible.is_empty() {
        rules.push(format!("(allow file-read* process-exec* {})", subpaths(visible.into_iter())));
    }
    rules.push(format!(
        "(allow file-read* file-write* process-exec* {})",
        subpaths(writable.into_iter())
    ));
    // A program that could move the scope could put another folder in its place.
    rules.push(format!("(deny file-write-unlink {})", literal(&plan.scope)));
    rules.push("(deny file-write-setugid)".to_owned());
    // A folder that does not exist yet cannot be created either.
    let mut read_only: Vec<PathBuf> =
        READ_ONLY_DIRS.iter().map(|name| plan.scope.join(name)).collect();
    read_only.extend(
        plan.read_only.iter().filter(|path| !read_only.contains(path)).cloned().collect::<Vec<_>>(),
    );
    rules.push(format!("(deny file-write* {})", subpaths(read_only.iter())));
    let ancestors_of_read_only = plan.ancestors_of_read_only();
    if !ancestors_of_read_only.is_empty() {
        let literals: Vec<String> =
            ancestors_of_read_only.iter().map(|path| literal(path)).collect();
        rules.push(format!("(deny file-write-unlink {})", literals.join(" ")));
    }
}

/// Adds the rules for devices and terminals. A program may use its own terminal and those it creates. Any other
/// terminal would let it read what the user types there.
fn device_rules(terminal: Option<&Path>, rules: &mut Vec<String>) {
    let own_ptys =
        r#"(require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty"))"#;
    rules.push(format!(
        "(allow file-write-data file-ioctl (subpath \"/dev/fd\") {})",
        filters("literal", DEVICES)
    ));
    let terminals = r#"(regex #"^/dev/tty.") (regex #"^/dev/pty") (regex #"^/dev/cu[.]")"#;
    rules.push(format!("(deny file-read* {terminals})"));
    rules.push("(allow pseudo-tty)".to_owned());
    rules.push(format!(
        "(allow file-read* file-write* file-ioctl (literal \"/dev/ptmx\") {own_ptys})"
    ));
    if let Some(terminal) = terminal {
        rules.push(format!("(allow file-read* file-write* file-ioctl {})", literal(terminal)));
    }
}

/// Adds the rules for the network and for Unix sockets. Unix sockets are limited to the private folders, also
/// with a network, because services like `ssh-agent` hand out keys or start programs.
fn network_rules(plan: &Plan, folders: &PrivateFolders, rules: &mut Vec<String>) {
    let sockets = |end: &str| {
        let at = |path: &PathBuf| format!("({end} unix-socket {})", subpath(path));
        [&folders.home, &folders.temporary].map(at).join(" ")
    };
    rules.push("(allow system-socket (socket-domain AF_UNIX))".to_owned());
    rules.push(format!("(allow network-bind network-inbound {})", sockets("local")));
    rules.push(format!("(allow network-outbound {})", sockets("remote")));
    let resolves = || {
        [
            format!("(allow network-outbound {})", literal(Path::new(RESOLVER_SOCKET))),
            format!("(allow mach-lookup {})", filters("global-name", NETWORK_SERVICES)),
            "(allow sysctl-read (sysctl-name-prefix \"net.routetable.\"))".to_owned(),
        ]
    };
    match &plan.network {
        Network::Off => {}
        Network::On => {
            rules.extend(resolves());
            rules.push("(allow network-outbound (remote ip \"*:*\"))".to_owned());
            rules.push("(allow network-bind network-inbound (local ip \"*:*\"))".to_owned());
        }
        Network::Ports(ports) => {
            rules.extend(resolves());
            let port = |port: &u16| format!("(allow network-outbound (remote tcp \"*:{port}\"))");
            rules.extend(ports.iter().map(port));
        }
    }
}

fn filters(filter: &str, values: &[&str]) -> String {
    let each = values.iter().map(|value| format!("({filter} {})", quote(value)));
    each.collect::<Vec<_>>().join(" ")
}

fn subpaths<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    paths.map(|path| subpath(path)).collect::<Vec<_>>().join(" ")
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quote(&path.to_string_lossy()))
}

fn literal(path: &Path) -> String {
    format!("(literal {})", quote(&path.to_string_lossy()))
}

/// Quotes a string for SBPL, so that a path cannot end its rule.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
