//! cfg: the operating system is named in three homes and nowhere else.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// The one place that picks a platform.
const HOST: &str = "crates/deskhand/src/host.rs";
/// The one switch between the kernels' sandboxes.
const SANDBOX: &str = "crates/deskhand-sandbox/src/lib.rs";
/// The platform crates, whole crates for one system.
const PLATFORMS: [&str; 2] =
    ["crates/deskhand-linux/src/lib.rs", "crates/deskhand-macos/src/lib.rs"];

const WORDS: [&str; 2] = ["target_os", "target_family"];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let sources = files.read(&["rs"])?;
    // The repository's own commands run where it is built, and this file holds the words.
    let product = sources.iter().filter(|(path, _)| !path.starts_with("xtask/"));
    let faults = product.flat_map(|(path, text)| judge(path, text)).collect();
    Ok(Verdict::new(faults, "the operating system is named in its three homes only"))
}

fn judge(path: &str, text: &str) -> Vec<Fault> {
    let lines: Vec<&str> = text.lines().collect();
    let named = lines.iter().enumerate().filter(|(_, line)| WORDS.iter().any(|w| line.contains(w)));
    named
        .filter(|(at, line)| !at_home(path, *at, line, lines.get(at + 1).copied()))
        .map(|(at, _)| Fault::line(path, at + 1, "names the operating system outside its homes"))
        .collect()
}

fn at_home(path: &str, at: usize, line: &str, next: Option<&str>) -> bool {
    if path == HOST {
        return true;
    }
    if PLATFORMS.contains(&path) {
        return at == 0 && line.starts_with("#![cfg(");
    }
    path == SANDBOX
        && next.is_some_and(|next| next.starts_with("mod ") || next.starts_with("#[path"))
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
    fn a_platform_crate_says_it_on_line_one_and_never_again() {
        let good = "#![cfg(target_os = \"linux\")]\n//! Backend.\n";
        assert!(judge(PLATFORMS[0], good).is_empty());
        let bad = format!("{good}#[cfg(target_os = \"linux\")]\nmod a;\n");
        assert_eq!(judge(PLATFORMS[0], &bad).len(), 1);
    }

    #[test]
    fn the_sandbox_switches_modules_only() {
        let good = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nmod linux;\n";
        assert!(judge(SANDBOX, good).is_empty());
        let bad = "//! Sandbox.\n#[cfg(target_os = \"linux\")]\nfn confine() {}\n";
        assert_eq!(judge(SANDBOX, bad).len(), 1);
    }
}
