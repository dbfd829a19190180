//! The command line that runs a program under `sandbox-exec`, and resource limits.

use std::path::Path;

use crate::Enforcement;

/// The tool that applies a profile.
pub(crate) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// Returns the command line of a program. The program is a path and comes right before its arguments, so that
/// `sandbox-exec` does not parse either of them as an option.
pub(crate) fn command_line(
    enforcement: Enforcement,
    profile: &str,
    program: &Path,
    arguments: &[String],
) -> Vec<String> {
    let program = program.to_string_lossy().into_owned();
    let prefix = match enforcement {
        Enforcement::Kernel => {
            vec![SANDBOX_EXEC.to_owned(), "-p".to_owned(), profile.to_owned(), program]
        }
        Enforcement::None => vec![program],
    };
    prefix.into_iter().chain(arguments.iter().cloned()).collect()
}

/// A soft and a hard resource limit. `None` means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) soft: Option<u64>,
    pub(crate) hard: Option<u64>,
}

/// Returns the limit that applies `value`. 0 keeps the current limit, and a limit is never raised.
pub(crate) fn lower_limit(value: u64, current: Limit) -> Limit {
    if value == 0 {
        return current;
    }
    let lowered = current.hard.map_or(value, |hard| hard.min(value));
    Limit { soft: Some(lowered), hard: Some(lowered) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_starts_with_sandbox_exec_only_if_confined() {
        let words = ["-x".to_owned(), "a b".to_owned()];
        let prefix =
            command_line(Enforcement::Kernel, "(version 1)\n", Path::new("/bin/ls"), &words);
        assert_eq!(
            prefix,
            ["/usr/bin/sandbox-exec", "-p", "(version 1)\n", "/bin/ls", "-x", "a b"]
        );
        let free = command_line(Enforcement::None, "(version 1)\n", Path::new("/bin/ls"), &words);
        assert_eq!(free, ["/bin/ls", "-x", "a b"]);
    }

    #[test]
    fn limits_are_lowered_and_never_raised() {
        let current = Limit { soft: Some(50), hard: Some(100) };
        assert_eq!(lower_limit(0, current), current);
        assert_eq!(lower_limit(10, current), Limit { soft: Some(10), hard: Some(10) });
        assert_eq!(lower_limit(1000, current), Limit { soft: Some(100), hard: Some(100) });
        let any = Limit { soft: None, hard: None };
        assert_eq!(lower_limit(10, any), Limit { soft: Some(10), hard: Some(10) });
    }
}
