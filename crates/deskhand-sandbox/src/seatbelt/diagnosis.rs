//! Classifies failures to set up a Seatbelt sandbox.

use crate::{Error, ResourceLimits};

/// The call in the message of `sandbox-exec` if the kernel refuses a profile. A process that is already in a
/// sandbox cannot get another profile.
const APPLY_FAILED: &str = "sandbox_apply";

/// Refuses limits that macOS does not enforce.
pub(crate) fn check_enforceable(limits: &ResourceLimits) -> Result<(), Error> {
    if limits.memory == 0 {
        return Ok(());
    }
    Err(Error::Unavailable {
        reason: "macOS has no memory limit for processes".to_owned(),
        remedy: "remove the memory limit".to_owned(),
    })
}

/// Converts the error of a failed self-test to the error that names its cause.
pub(crate) fn classify_probe_error(probe_error: Error) -> Error {
    match probe_error {
        Error::Leaks { reason } if reason.contains(APPLY_FAILED) => Error::Nested { reason },
        other @ (Error::Leaks { .. }
        | Error::InvalidScope { .. }
        | Error::Unavailable { .. }
        | Error::Nested { .. }
        | Error::StartFailed { .. }
        | Error::Gone { .. }) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_sandbox_is_recognised() {
        let reason = "the probe script ended with Exit(71): sandbox-exec: sandbox_apply: \
                   Operation not permitted";
        assert!(matches!(
            classify_probe_error(Error::Leaks { reason: reason.to_owned() }),
            Error::Nested { .. }
        ));
        let leak = Error::Leaks { reason: "a program could write to system files".to_owned() };
        assert!(matches!(classify_probe_error(leak), Error::Leaks { .. }));
    }

    #[test]
    fn unenforced_limit_is_refused() {
        assert!(check_enforceable(&ResourceLimits::default()).is_ok());
        let limits = ResourceLimits { memory: 1 << 30, ..ResourceLimits::default() };
        assert!(matches!(check_enforceable(&limits), Err(Error::Unavailable { .. })));
    }
}
