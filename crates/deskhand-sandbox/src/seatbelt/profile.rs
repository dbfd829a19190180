//! A plan in the language of macOS's sandbox (SBPL).
//!
//! Where it is weaker than on Linux: what is layered there can only be read here, there is no view of the
//! system without its other programs, and memory has no bound.

use std::path::{Path, PathBuf};

use crate::{Network, Plan, plan::FIXED};

use super::{mark::Mark, place::Place};

/// Where people keep what is theirs, and programs what is theirs alone. The system itself may be read: a
/// list of what its loader and libraries read changes with each version of it.
const HIDDEN: &[&str] = &[
    "/Users",
    "/Volumes",
    "/Library/Keychains",
    "/private/tmp",
    "/private/var/folders",
    "/private/var/root",
    "/private/var/tmp",
];

/// Where the volume with all that is no part of the system can be seen once more.
const VOLUME: &str = "/System/Volumes/Data";

/// Devices every program may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/// What of the kernel's settings may be read: not the arguments of processes, in which the variables of every
/// program of the same person are.
const SETTINGS: &[&str] = &[
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
    // Python's pools of processes.
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

/// What kinds of the kernel's settings may be read.
const KINDS_OF_SETTINGS: &[&str] = &["hw.", "machdep.cpu.", "kern.proc.pgrp.", "kern.proc.pid."];

/// Services that command-line tools ask: who users and groups are, what time zone it is, where to log. Not
/// among them: who starts programs and opens documents, the clipboard, keys, settings of apps, the screen. Nor
/// who tells which groups one is in: with that the system finds its own folder for temporary files, and `mktemp`
/// would rather fail there than take the one it is given.
const SERVICES: &[&str] = &[
    "com.apple.logd",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
];

/// Services for names and certificates, where there is a network.
const NETWORK_SERVICES: &[&str] = &[
    "com.apple.SystemConfiguration.DNSConfiguration",
    "com.apple.SystemConfiguration.configd",
    "com.apple.trustd",
    "com.apple.trustd.agent",
];

/// Who resolves names.
const RESOLVER: &str = "/private/var/run/mDNSResponder";

/// A profile for `sandbox-exec -p`, by whose mark all it holds are found again; `terminal` is the one the
/// program runs on. Of two rules the later one counts.
pub(crate) fn profile(plan: &Plan, place: &Place, mark: &Mark, terminal: Option<&Path>) -> String {
    let mut rules = vec![
        "(version 1)".to_owned(),
        "(deny default)".to_owned(),
        // What is denied by default leaves these out.
        "(deny process-info* nvram*)".to_owned(),
        "(allow process-exec* process-fork)".to_owned(),
        "(allow process-info* (target same-sandbox))".to_owned(),
        "(allow signal (target same-sandbox))".to_owned(),
        format!(
            "(allow sysctl-read {} {})",
            all("sysctl-name-prefix", KINDS_OF_SETTINGS),
            all("sysctl-name", SETTINGS)
        ),
        // Java asks for the processor so; nothing is written.
        "(allow sysctl-write (sysctl-name \"kern.grade_cputype\"))".to_owned(),
        format!("(allow mach-lookup {})", all("global-name", SERVICES)),
        format!("(allow mach-lookup (global-name {}))", quoted(&mark.service())),
        "(allow ipc-posix-sem)".to_owned(),
        "(allow ipc-posix-shm-read-data (ipc-posix-name \"apple.shm.notification_center\"))"
            .to_owned(),
    ];
    files(plan, place, &mut rules);
    devices(terminal, &mut rules);
    network(plan, place, &mut rules);
    rules.join("\n") + "\n"
}

/// Whether what lies there is hidden from programs.
pub(super) fn hides(plan: &Plan, path: &Path) -> bool {
    hidden(plan).iter().any(|folder| path.starts_with(folder))
}

fn hidden(plan: &Plan) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = HIDDEN.iter().map(PathBuf::from).chain(plan.home.clone()).collect();
    let again = named.iter().map(|path| {
        let rest: PathBuf = path.components().skip(1).collect();
        Path::new(VOLUME).join(rest)
    });
    again.chain(named.clone()).collect()
}

fn files(plan: &Plan, place: &Place, rules: &mut Vec<String>) {
    rules.push("(allow file-map-executable)".to_owned());
    rules.push("(allow file-read*)".to_owned());
    let hidden = hidden(plan);
    rules.push(format!("(deny file-read* process-exec* {})", subpaths(hidden.iter())));
    let own = [&plan.scope, &place.home, &place.temporary];
    let shown: Vec<&PathBuf> = plan.readable.iter().chain(&plan.layered).collect();
    // Programs ask what the folders above are on the way to a file, and where they are themselves.
    let mut above: Vec<&Path> = shown
        .iter()
        .copied()
        .chain(own)
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|path| hidden.iter().any(|one| path.starts_with(one)))
        .collect();
    above.sort_unstable();
    above.dedup();
    if !above.is_empty() {
        let literals: Vec<String> = above.iter().map(|path| literal(path)).collect();
        rules.push(format!("(allow file-read-metadata {})", literals.join(" ")));
    }
    if !shown.is_empty() {
        rules.push(format!("(allow file-read* process-exec* {})", subpaths(shown.into_iter())));
    }
    rules.push(format!(
        "(allow file-read* file-write* process-exec* {})",
        subpaths(own.into_iter())
    ));
    // Whoever could move it would have another folder in the place of the scope.
    rules.push(format!("(deny file-write-unlink {})", literal(&plan.scope)));
    rules.push("(deny file-write-setugid)".to_owned());
    // One that is not there is not made, either.
    let mut fixed: Vec<PathBuf> = FIXED.iter().map(|name| plan.scope.join(name)).collect();
    fixed.extend(
        plan.fixed.iter().filter(|path| !fixed.contains(path)).cloned().collect::<Vec<_>>(),
    );
    rules.push(format!("(deny file-write* {})", subpaths(fixed.iter())));
    let on_the_way = plan.on_the_way();
    if !on_the_way.is_empty() {
        let literals: Vec<String> = on_the_way.iter().map(|path| literal(path)).collect();
        rules.push(format!("(deny file-write-unlink {})", literals.join(" ")));
    }
}

/// Devices, and terminals: those a program makes itself, and its own. Another window's would let it read
/// what is typed there.
fn devices(terminal: Option<&Path>, rules: &mut Vec<String>) {
    let mine = r#"(require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty"))"#;
    rules.push(format!(
        "(allow file-write-data file-ioctl (subpath \"/dev/fd\") {})",
        all("literal", DEVICES)
    ));
    let others = r#"(regex #"^/dev/tty.") (regex #"^/dev/pty") (regex #"^/dev/cu[.]")"#;
    rules.push(format!("(deny file-read* {others})"));
    rules.push("(allow pseudo-tty)".to_owned());
    rules.push(format!("(allow file-read* file-write* file-ioctl (literal \"/dev/ptmx\") {mine})"));
    if let Some(terminal) = terminal {
        rules.push(format!("(allow file-read* file-write* file-ioctl {})", literal(terminal)));
    }
}

/// The network, and sockets that are files: those of its own folders alone. Where there is a network, too,
/// as behind such sockets are those who hand out keys and start programs.
fn network(plan: &Plan, place: &Place, rules: &mut Vec<String>) {
    let sockets = |end: &str| {
        let at = |path: &PathBuf| format!("({end} unix-socket {})", subpath(path));
        [&place.home, &place.temporary].map(at).join(" ")
    };
    rules.push("(allow system-socket (socket-domain AF_UNIX))".to_owned());
    rules.push(format!("(allow network-bind network-inbound {})", sockets("local")));
    rules.push(format!("(allow network-outbound {})", sockets("remote")));
    let resolves = || {
        [
            format!("(allow network-outbound {})", literal(Path::new(RESOLVER))),
            format!("(allow mach-lookup {})", all("global-name", NETWORK_SERVICES)),
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

fn all(filter: &str, values: &[&str]) -> String {
    let each = values.iter().map(|value| format!("({filter} {})", quoted(value)));
    each.collect::<Vec<_>>().join(" ")
}

fn subpaths<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    paths.map(|path| subpath(path)).collect::<Vec<_>>().join(" ")
}

fn subpath(path: &Path) -> String {
    format!("(subpath {})", quoted(&path.to_string_lossy()))
}

fn literal(path: &Path) -> String {
    format!("(literal {})", quoted(&path.to_string_lossy()))
}

/// A text as SBPL writes it: a path must not be able to end its rule and begin another.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
