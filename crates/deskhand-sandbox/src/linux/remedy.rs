//! Explains why the kernel refuses a sandbox, and what to do about it.

use std::{fs, path::Path};

use crate::Error;

/// Restrictions of this host that are relevant for a sandbox.
struct HostRestrictions {
    apparmor: bool,
    no_namespaces: bool,
    container: bool,
    nested: bool,
}

/// Creates the error for a plan that cannot be enforced here.
pub(super) fn unavailable(reason: String) -> Error {
    let is =
        |file: &str, value: &str| fs::read_to_string(file).is_ok_and(|text| text.trim() == value);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let host = HostRestrictions {
        apparmor: is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
        no_namespaces: is("/proc/sys/user/max_user_namespaces", "0")
            || is("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        container: ["/.dockerenv", "/run/.containerenv"]
            .iter()
            .any(|file| Path::new(file).exists()),
        nested: status.lines().any(|line| line == "Seccomp:\t2"),
    };
    classify(reason, &host)
}

fn classify(reason: String, host: &HostRestrictions) -> Error {
    if reason.starts_with("Landlock") {
        let remedy = "boot a kernel 5.13 or newer with Landlock enabled (`lsm=landlock,…`)";
        return Error::Unavailable { reason, remedy: remedy.to_owned() };
    }
    let remedy = if host.no_namespaces {
        "allow user namespaces: `sysctl -w user.max_user_namespaces=10000` (Debian also: \
         `sysctl -w kernel.unprivileged_userns_clone=1`)"
    } else if host.container {
        "allow the container to create namespaces (docker and podman: --security-opt seccomp=unconfined \
         --security-opt apparmor=unconfined --security-opt systempaths=unconfined)"
    } else if host.nested {
        return Error::Nested { reason };
    } else if host.apparmor {
        "allow user namespaces in AppArmor: add a profile for this program with `userns,`, or \
         `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    } else {
        "use a kernel 5.13 or newer with Landlock and user namespaces enabled"
    };
    Error::Unavailable { reason, remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use deskhand_model::Explain;

    use super::*;

    const NO_RESTRICTIONS: HostRestrictions =
        HostRestrictions { apparmor: false, no_namespaces: false, container: false, nested: false };

    fn hint(reason: &str, host: &HostRestrictions) -> (&'static str, String) {
        let error = classify(reason.to_owned(), host);
        (error.code(), format!("{:?}", error.advice()))
    }

    #[test]
    fn remedy_depends_on_the_restriction() {
        let reason = "namespaces: Operation not permitted (os error 1)";
        for (host, word) in [
            (HostRestrictions { apparmor: true, ..NO_RESTRICTIONS }, "AppArmor"),
            (HostRestrictions { no_namespaces: true, ..NO_RESTRICTIONS }, "max_user_namespaces"),
            (
                HostRestrictions { container: true, nested: true, ..NO_RESTRICTIONS },
                "--security-opt",
            ),
            (NO_RESTRICTIONS, "kernel 5.13"),
        ] {
            let (code, hint) = hint(reason, &host);
            assert!(code == "sandbox_unavailable" && hint.contains(word), "{hint}");
            assert!(hint.contains("DisableSandbox"), "{hint}");
        }
        assert!(hint("Landlock: is not available", &NO_RESTRICTIONS).1.contains("lsm="));
    }

    #[test]
    fn nested_sandbox_is_recognised() {
        let (code, hint) =
            hint("namespaces: EPERM", &HostRestrictions { nested: true, ..NO_RESTRICTIONS });
        assert!(code == "sandbox_nested" && hint.contains("DisableSandbox"), "{hint}");
    }
}
