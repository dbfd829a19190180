//! What it means that a sandbox cannot be had, or did not hold.

use crate::{Bounds, Error};

/// What `sandbox-exec` says when the kernel refuses a profile: nobody who is in a sandbox gets another.
const REFUSED: &str = "sandbox_apply";

/// Refuses bounds that macOS does not keep: it would seem as if they held.
pub(crate) fn enforceable(bounds: &Bounds) -> Result<(), Error> {
    if bounds.memory == 0 {
        return Ok(());
    }
    Err(Error::Unenforced {
        why: "macOS bounds the memory of no process".to_owned(),
        remedy: "set no bound for memory".to_owned(),
    })
}

/// What a failed try of a sandbox means.
pub(crate) fn judged(tried: Error) -> Error {
    match tried {
        Error::Leaks { why } if why.contains(REFUSED) => Error::Nested { why },
        other @ (Error::Leaks { .. }
        | Error::Scope { .. }
        | Error::Unenforced { .. }
        | Error::Nested { .. }
        | Error::Start { .. }
        | Error::Gone { .. }) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_in_a_sandbox_itself_is_told_so() {
        let why = "a script that tries it ended with Exit(71): sandbox-exec: sandbox_apply: \
                   Operation not permitted";
        assert!(matches!(judged(Error::Leaks { why: why.to_owned() }), Error::Nested { .. }));
        let leak = Error::Leaks { why: "the system can be written to".to_owned() };
        assert!(matches!(judged(leak), Error::Leaks { .. }));
    }

    #[test]
    fn a_bound_nobody_keeps_is_refused() {
        assert!(enforceable(&Bounds::default()).is_ok());
        let bounds = Bounds { memory: 1 << 30, ..Bounds::default() };
        assert!(matches!(enforceable(&bounds), Err(Error::Unenforced { .. })));
    }
}
