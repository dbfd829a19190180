//! size: files are short.

use std::path::Path;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// A longer file needs a reason on line 1.
const LONG: usize = 500;
/// The maximum number of lines.
const MAX: usize = 900;

const CODE: [&str; 6] = ["rs", "py", "java", "js", "sh", "c"];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let sources = files.read(&CODE)?;
    let count = sources.len();
    let faults = sources.iter().filter_map(|(path, text)| check(path, text)).collect();
    Ok(Verdict::new(faults, format!("{count} source files")))
}

fn check(path: &str, text: &str) -> Option<Fault> {
    let lines = text.lines().count();
    if lines > MAX {
        return Some(Fault::file(
            path,
            format!("{lines} lines; the maximum is {MAX}, split the file"),
        ));
    }
    if lines > LONG && !is_test(path) && !gives_reason(text) {
        return Some(Fault::file(
            path,
            format!("{lines} lines; over {LONG} needs `// long: <reason>` on line 1"),
        ));
    }
    None
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || Path::new(path).iter().any(|part| part == "tests")
}

fn gives_reason(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let reason = first.strip_prefix("// long:").or_else(|| first.strip_prefix("# long:"));
    reason.is_some_and(|reason| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        "x\n".repeat(count)
    }

    #[test]
    fn five_hundred_lines_pass_and_one_more_does_not() {
        assert_eq!(check("crates/a/src/b.rs", &lines(500)), None);
        assert!(check("crates/a/src/b.rs", &lines(501)).is_some());
    }

    #[test]
    fn a_reason_raises_the_limit_to_the_maximum() {
        let with_reason = |count: usize| format!("// long: a grammar\n{}", lines(count - 1));
        assert_eq!(check("src/b.rs", &with_reason(900)), None);
        assert!(check("src/b.rs", &with_reason(901)).is_some());
    }

    #[test]
    fn an_empty_reason_is_no_reason() {
        assert!(check("src/b.rs", &format!("// long: \n{}", lines(600))).is_some());
    }

    #[test]
    fn tests_have_only_the_maximum() {
        for path in ["crates/a/src/b/tests.rs", "tests/e2e/tests/find.rs", "tests/apps/list.py"] {
            assert_eq!(check(path, &lines(900)), None, "{path}");
            assert!(check(path, &lines(901)).is_some(), "{path}");
        }
    }
}
