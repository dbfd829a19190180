//! Why a kernel that has what is needed does not give it, and what to do about that.

use std::{fs, path::Path};

use crate::Error;

/// What the system says about itself, as far as it is asked here.
struct System {
    apparmor: bool,
    no_namespaces: bool,
    container: bool,
    nested: bool,
}

/// The error for a plan that cannot be enforced here.
pub(super) fn unenforced(why: String) -> Error {
    let is =
        |file: &str, value: &str| fs::read_to_string(file).is_ok_and(|text| text.trim() == value);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let system = System {
        apparmor: is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
        no_namespaces: is("/proc/sys/user/max_user_namespaces", "0")
            || is("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        container: ["/.dockerenv", "/run/.containerenv"]
            .iter()
            .any(|file| Path::new(file).exists()),
        nested: status.lines().any(|line| line == "Seccomp:\t2"),
    };
    judged(why, &system)
}

fn judged(why: String, system: &System) -> Error {
    if why.starts_with("Landlock") {
        let remedy = "boot a kernel from 5.13 on with Landlock among its security modules (`lsm=landlock,…`)";
        return Error::Unenforced { why, remedy: remedy.to_owned() };
    }
    let remedy = if system.no_namespaces {
        "allow user namespaces: `sysctl -w user.max_user_namespaces=10000` (Debian also: \
         `sysctl -w kernel.unprivileged_userns_clone=1`)"
    } else if system.container {
        "let the container make namespaces (docker and podman: --security-opt seccomp=unconfined \
         --security-opt apparmor=unconfined --security-opt systempaths=unconfined)"
    } else if system.nested {
        return Error::Nested { why };
    } else if system.apparmor {
        "let AppArmor allow user namespaces: a profile for this program with `userns,`, or \
         `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    } else {
        "Landlock and user namespaces are needed: a kernel from 5.13 on that allows both"
    };
    Error::Unenforced { why, remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    const NOTHING: System =
        System { apparmor: false, no_namespaces: false, container: false, nested: false };

    fn hint(why: &str, system: &System) -> (&'static str, String) {
        let error = judged(why.to_owned(), system);
        (error.code(), error.hint().unwrap_or_default())
    }

    #[test]
    fn what_to_do_depends_on_who_forbids_it() {
        let why = "namespaces: Operation not permitted (os error 1)";
        for (system, word) in [
            (System { apparmor: true, ..NOTHING }, "AppArmor"),
            (System { no_namespaces: true, ..NOTHING }, "max_user_namespaces"),
            (System { container: true, nested: true, ..NOTHING }, "--security-opt"),
            (NOTHING, "kernel from 5.13"),
        ] {
            let (code, hint) = hint(why, &system);
            assert!(code == "sandbox_unavailable" && hint.contains(word), "{hint}");
            assert!(hint.contains("--no-sandbox"), "{hint}");
        }
        assert!(hint("Landlock: is not there", &NOTHING).1.contains("lsm="));
    }

    #[test]
    fn a_server_that_is_in_a_sandbox_itself_is_told_so() {
        let (code, hint) = hint("namespaces: EPERM", &System { nested: true, ..NOTHING });
        assert!(code == "sandbox_nested" && hint.contains("--no-sandbox"), "{hint}");
    }
}
