//! cfg: the operating system is named in its homes and nowhere else.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// The one place that picks a platform.
const HOST: &str = "crates/deskhand-cli/src/host.rs";
/// The one switch between the kernels' sandboxes.
const SANDBOX: &str = "crates/deskhand-sandbox/src/lib.rs";
/// A platform crate that is one system's as a whole.
const LINUX: &str = "crates/deskhand-linux/src/lib.rs";
/// A platform crate whose logic is tested on every system, and whose bindings are switched on by the system.
const MACOS: &str = "crates/deskhand-macos/src/lib.rs";

/// The tests of that crate that need the system itself.
const MACOS_TESTS: &str = "crates/deskhand-macos/tests/conformance.rs";

/// Tests that try one kernel's sandbox by that kernel's own means.
const KERNEL: &str = "crates/deskhand-sandbox/tests/all/main.rs";

const WORDS: [&str; 2] = ["target_os", "target_family"];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let sources = files.read(&["rs"])?;
    // The repository's own commands run where it is built, and this file holds the words.
    let product = sources.iter().filter(|(path, _)| !path.starts_with("xtask/"));
    let faults = product.flat_map(|(path, text)| judge(path, text)).collect();
    Ok(Verdict::new(faults, "the operating system is named in its homes only"))
}

fn judge(path: &str, text: &str) -> Vec<Fault> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().enumerate().filter(|(_, line)| WORDS.iter().any(|w| line.contains(w)));
    named
        .filter(|(at, line)| !at_home(path, &lines[..*at], line, lines.get(at + 1).copied()))
        .map(|(at, _)| Fault::line(path, at + 1, "names the operating system outside its homes"))
        .collect()
}

fn at_home(path: &str, before: &[&str], line: &str, next: Option<&str>) -> bool {
    if path == HOST {
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
    fn control_flow_by_system_is_a_fault() {
        let bad = "//! Windows.\nfn a() {\n    if cfg!(target_os = \"linux\") {}\n}\n";
        let faults = judge("crates/deskhand-tools/src/ax/click.rs", bad);
        assert_eq!(faults.len(), 1);
        assert!(faults[0].to_string().starts_with("crates/deskhand-tools/src/ax/click.rs:3:"));
    }

    #[test]
    fn host_may_name_it_anywhere() {
        assert!(judge(HOST, "#[cfg(target_os = \"linux\")]\nuse a;\n").is_empty());
    }

    #[test]
    fn a_platform_crate_says_it_below_its_words_and_never_again() {
        let good = "//! Backend.\n#![cfg(target_os = \"linux\")]\n";
        assert!(judge(LINUX, good).is_empty());
        let bad = format!("{good}#[cfg(target_os = \"linux\")]\nmod a;\n");
        assert_eq!(judge(LINUX, &bad).len(), 1);
    }

    #[test]
    fn tests_of_one_kernel_say_so_as_a_whole() {
        let good = "//! The sandbox.\n#![cfg(target_os = \"linux\")]\n";
        assert!(judge(KERNEL, good).is_empty());
        assert_eq!(judge(KERNEL, "#[cfg(target_os = \"linux\")]\nmod a;\n").len(), 1);
        assert_eq!(judge("crates/deskhand-run/tests/all/main.rs", good).len(), 1);
    }

    #[test]
    fn the_bindings_of_macos_are_switched_as_modules_only() {
        let head = "//! Backend.\n#![cfg(any(target_os = \"macos\", test))]\n";
        let with = |line: &str| format!("{head}#[cfg(target_os = \"macos\")]\n{line}\n");
        assert!(judge(MACOS, &with("mod ground;")).is_empty());
        assert!(judge(MACOS, &with("pub use open::open;")).is_empty());
        assert_eq!(judge(MACOS, &with("fn open() {}")).len(), 1);
    }

    #[test]
    fn the_sandbox_switches_modules_only() {
        let good = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nmod linux;\n";
        assert!(judge(SANDBOX, good).is_empty());
        let bad = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nfn confine() {}\n";
        assert_eq!(judge(SANDBOX, bad).len(), 1);
    }
}
