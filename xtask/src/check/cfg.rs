//! cfg: only a few listed files may test for the operating system.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// The modules that select the platform: of the library, and of the command line.
const HOSTS: [&str; 2] = ["crates/deskhand/src/host.rs", "crates/deskhand-cli/src/host.rs"];
/// Selects the sandbox of the kernel.
const SANDBOX: &str = "crates/deskhand-sandbox/src/lib.rs";
/// A crate for one operating system.
const LINUX: &str = "crates/deskhand-linux/src/lib.rs";
/// A crate whose logic is tested on every system, and whose bindings are compiled only for macOS.
const MACOS: &str = "crates/deskhand-macos/src/lib.rs";

/// Tests of that crate that need macOS.
const MACOS_TESTS: &str = "crates/deskhand-macos/tests/conformance.rs";

/// Tests of the sandbox of one kernel.
const KERNEL: &str = "crates/deskhand-sandbox/tests/all/main.rs";

const WORDS: [&str; 2] = ["target_os", "target_family"];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let sources = files.read(&["rs"])?;
    // xtask is no part of the product, and this file contains the words.
    let product = sources.iter().filter(|(path, _)| !path.starts_with("xtask/"));
    let faults = product.flat_map(|(path, text)| check(path, text)).collect();
    Ok(Verdict::new(faults, "tests for the operating system"))
}

fn check(path: &str, text: &str) -> Vec<Fault> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().enumerate().filter(|(_, line)| WORDS.iter().any(|w| line.contains(w)));
    named
        .filter(|(at, line)| !is_allowed(path, &lines[..*at], line, lines.get(at + 1).copied()))
        .map(|(at, _)| {
            Fault::line(
                path,
                at + 1,
                "tests for the operating system; only host.rs and the platform crates may",
            )
        })
        .collect()
}

fn is_allowed(path: &str, before: &[&str], line: &str, next: Option<&str>) -> bool {
    if HOSTS.contains(&path) {
        return true;
    }
    if [LINUX, MACOS, MACOS_TESTS, KERNEL].contains(&path) && line.starts_with("#![cfg(") {
        return before.iter().all(|line| line.starts_with("//!"));
    }
    let switches = |starts: &[&str]| {
        next.is_some_and(|next| starts.iter().any(|start| next.starts_with(start)))
    };
    path == SANDBOX && switches(&["mod ", "#[path"])
        || path == MACOS && switches(&["mod ", "pub use "])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_flow_by_operating_system_is_a_fault() {
        let bad = "//! Windows.\nfn a() {\n    if cfg!(target_os = \"linux\") {}\n}\n";
        let faults = check("crates/deskhand-tools/src/ax/click.rs", bad);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_string().starts_with("crates/deskhand-tools/src/ax/click.rs:3:"));
    }

    #[test]
    fn host_modules_may_test_anywhere() {
        for host in HOSTS {
            assert!(check(host, "#[cfg(target_os = \"linux\")]\nuse a;\n").is_empty());
        }
    }

    #[test]
    fn a_platform_crate_tests_once_below_its_doc_comment() {
        let good = "//! Backend.\n#![cfg(target_os = \"linux\")]\n";
        assert!(check(LINUX, good).is_empty());
        let bad = format!("{good}#[cfg(target_os = \"linux\")]\nmod a;\n");
        assert_eq!(check(LINUX, &bad).len(), 1);
    }

    #[test]
    fn tests_of_one_kernel_test_once() {
        let good = "//! The sandbox.\n#![cfg(target_os = \"linux\")]\n";
        assert!(check(KERNEL, good).is_empty());
        assert_eq!(check(KERNEL, "#[cfg(target_os = \"linux\")]\nmod a;\n").len(), 1);
        assert_eq!(check("crates/deskhand-run/tests/all/main.rs", good).len(), 1);
    }

    #[test]
    fn only_modules_of_macos_bindings_are_conditional() {
        let head = "//! Backend.\n#![cfg(any(target_os = \"macos\", test))]\n";
        let with = |line: &str| format!("{head}#[cfg(target_os = \"macos\")]\n{line}\n");
        assert!(check(MACOS, &with("mod ground;")).is_empty());
        assert!(check(MACOS, &with("pub use open::open;")).is_empty());
        assert_eq!(check(MACOS, &with("fn open() {}")).len(), 1);
    }

    #[test]
    fn only_modules_of_the_sandbox_are_conditional() {
        let good = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nmod linux;\n";
        assert!(check(SANDBOX, good).is_empty());
        let bad = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nfn confine() {}\n";
        assert_eq!(check(SANDBOX, bad).len(), 1);
    }
}
