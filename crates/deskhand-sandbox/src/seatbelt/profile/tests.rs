use std::collections::BTreeMap;

use super::*;
use crate::ResourceLimits;

fn plan(scope: &str, network: Network) -> Plan {
    Plan {
        scope: PathBuf::from(scope),
        readable: vec!["/Users/ann/.cargo/bin".into(), "/usr/bin".into()],
        overlays: vec!["/Users/ann/.cargo/registry".into()],
        home: Some("/Users/ann".into()),
        home_files: BTreeMap::new(),
        read_only: Vec::new(),
        scope_identity: (0, 0),
        network,
        limits: ResourceLimits::default(),
        environment: BTreeMap::new(),
    }
}

fn folders() -> PrivateFolders {
    PrivateFolders {
        home: "/private/var/folders/x/home".into(),
        temporary: "/private/var/folders/x/tmp".into(),
    }
}

fn tag() -> ContainerTag {
    ContainerTag::new(7, 1_790_000_000, 1)
}

fn render(scope: &str, network: Network) -> String {
    profile(&plan(scope, network), &folders(), &tag(), None)
}

const COMPLETE_PROFILE: &str = r##"(version 1)
(deny default)
(deny process-info* nvram*)
(allow process-exec* process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name-prefix "kern.proc.pgrp.") (sysctl-name-prefix "kern.proc.pid.") (sysctl-name "kern.argmax") (sysctl-name "kern.bootargs") (sysctl-name "kern.boottime") (sysctl-name "kern.hostname") (sysctl-name "kern.iossupportversion") (sysctl-name "kern.maxfiles") (sysctl-name "kern.maxfilesperproc") (sysctl-name "kern.maxproc") (sysctl-name "kern.ngroups") (sysctl-name "kern.osproductversion") (sysctl-name "kern.osrelease") (sysctl-name "kern.ostype") (sysctl-name "kern.osvariant_status") (sysctl-name "kern.osversion") (sysctl-name "kern.secure_kernel") (sysctl-name "kern.sysv.semmns") (sysctl-name "kern.usrstack64") (sysctl-name "kern.version") (sysctl-name "kern.willshutdown") (sysctl-name "machdep.ptrauth_enabled") (sysctl-name "security.mac.lockdown_mode_state") (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg") (sysctl-name "vm.pagesize"))
(allow sysctl-write (sysctl-name "kern.grade_cputype"))
(allow mach-lookup (global-name "com.apple.logd") (global-name "com.apple.system.logger") (global-name "com.apple.system.notification_center") (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow mach-lookup (global-name "deskhand.container.7-1790000000-1"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))
(allow file-map-executable)
(allow file-read*)
(deny file-read* process-exec* (subpath "/System/Volumes/Data/Users") (subpath "/System/Volumes/Data/Volumes") (subpath "/System/Volumes/Data/Library/Keychains") (subpath "/System/Volumes/Data/private/tmp") (subpath "/System/Volumes/Data/private/var/folders") (subpath "/System/Volumes/Data/private/var/root") (subpath "/System/Volumes/Data/private/var/tmp") (subpath "/System/Volumes/Data/Users/ann") (subpath "/Users") (subpath "/Volumes") (subpath "/Library/Keychains") (subpath "/private/tmp") (subpath "/private/var/folders") (subpath "/private/var/root") (subpath "/private/var/tmp") (subpath "/Users/ann"))
(allow file-read-metadata (literal "/Users") (literal "/Users/ann") (literal "/Users/ann/.cargo") (literal "/private/var/folders") (literal "/private/var/folders/x"))
(allow file-read* process-exec* (subpath "/Users/ann/.cargo/bin") (subpath "/usr/bin") (subpath "/Users/ann/.cargo/registry"))
(allow file-read* file-write* process-exec* (subpath "/Users/ann/work") (subpath "/private/var/folders/x/home") (subpath "/private/var/folders/x/tmp"))
(deny file-write-unlink (literal "/Users/ann/work"))
(deny file-write-setugid)
(deny file-write* (subpath "/Users/ann/work/.deskhand") (subpath "/Users/ann/work/.ahma"))
(allow file-write-data file-ioctl (subpath "/dev/fd") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper"))
(deny file-read* (regex #"^/dev/tty.") (regex #"^/dev/pty") (regex #"^/dev/cu[.]"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow system-socket (socket-domain AF_UNIX))
(allow network-bind network-inbound (local unix-socket (subpath "/private/var/folders/x/home")) (local unix-socket (subpath "/private/var/folders/x/tmp")))
(allow network-outbound (remote unix-socket (subpath "/private/var/folders/x/home")) (remote unix-socket (subpath "/private/var/folders/x/tmp")))
"##;

#[test]
fn complete_profile_has_exactly_these_rules() {
    assert_eq!(render("/Users/ann/work", Network::Off), COMPLETE_PROFILE);
}

#[test]
fn only_the_scope_and_the_private_folders_are_writable() {
    let text = render("/Users/ann/work", Network::Off);
    let writes: Vec<&str> = text
        .lines()
        .filter(|line| {
            line.starts_with("(allow") && line.contains("file-write*") && !line.contains("/dev/")
        })
        .collect();
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert!(!writes[0].contains("/private/tmp\"") && !writes[0].contains("/folders\""));
}

#[test]
fn scope_is_allowed_after_homes_are_hidden() {
    let text = render("/Users/ann/.ssh/work", Network::Off);
    let at = |wanted: &str| text.lines().position(|line| line.starts_with(wanted)).unwrap_or(99);
    assert!(at("(allow file-read*)") < at("(deny file-read* process-exec* (subpath"));
    assert!(
        at("(deny file-read*")
            < at("(allow file-read* process-exec* (subpath \"/Users/ann/.cargo/bin\")")
    );
    assert!(
        at("(deny file-read*")
            < at("(allow file-read* file-write* process-exec* (subpath \"/Users/ann/.ssh")
    );
    assert!(text.contains("(literal \"/Users/ann/.ssh\")"), "its parent folder is visible");
}

#[test]
fn read_only_folders_are_denied_after_the_scope_is_allowed() {
    let mut plan = plan("/w", Network::Off);
    plan.read_only = vec!["/w/.deskhand".into(), "/w/a/b/tools".into()];
    let text = profile(&plan, &folders(), &tag(), None);
    let at = |wanted: &str| text.lines().position(|line| line == wanted).unwrap_or(0);
    let allowed =
        text.lines().position(|line| line.contains("file-write* process-exec* (subpath \"/w\")"));
    let denied = r#"(deny file-write* (subpath "/w/.deskhand") (subpath "/w/.ahma") (subpath "/w/a/b/tools"))"#;
    assert!(at(denied) > allowed.unwrap_or(99), "{text}");
    let ancestors_of_read_only = r#"(deny file-write-unlink (literal "/w/a") (literal "/w/a/b"))"#;
    assert!(at(ancestors_of_read_only) > allowed.unwrap_or(99), "{text}");
}

#[test]
fn each_rule_is_on_its_own_line() {
    for line in render("/w", Network::Ports(vec![443, 80])).lines() {
        let (open, close) = (line.matches('(').count(), line.matches(')').count());
        assert!(open == close && line.starts_with('('), "{line}");
    }
}

#[test]
fn network_is_off_on_or_by_port_and_unix_sockets_stay_private() {
    let off = render("/w", Network::Off);
    assert!(!off.contains(" ip ") && !off.contains("tcp") && !off.contains("trustd"));
    let on = render("/w", Network::On);
    assert!(on.contains("(allow network-outbound (remote ip \"*:*\"))"));
    let ports = render("/w", Network::Ports(vec![443]));
    assert!(ports.contains("(allow network-outbound (remote tcp \"*:443\"))"));
    assert!(!ports.contains("(remote ip") && !ports.contains("(local ip"));
    for text in [on, ports] {
        assert!(!text.contains("network*") && text.contains("mDNSResponder"), "{text}");
    }
}

#[test]
fn program_may_use_its_own_terminal_only() {
    let text =
        profile(&plan("/w", Network::Off), &folders(), &tag(), Some(Path::new("/dev/ttys007")));
    assert!(text.contains("file-ioctl (literal \"/dev/ttys007\"))"));
    assert!(!render("/w", Network::Off).contains("ttys007"));
}

#[test]
fn path_cannot_end_its_rule() {
    let text = render("/w\") (allow default) (\"\\", Network::Off);
    assert!(text.contains(r#"(subpath "/w\") (allow default) (\"\\")"#), "{text}");
}
