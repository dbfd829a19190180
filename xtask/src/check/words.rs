//! words: no unfinished or disabled code, and no paths of this machine.

use std::path::Path;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// This file, which contains the words.
const SELF: &str = "xtask/src/check/words.rs";

/// Words that source must not contain, with the reason.
const BANNED: &[(&str, &str)] = &[
    ("todo!(", "unfinished"),
    ("unimplemented!(", "unfinished"),
    ("dbg!(", "left from debugging"),
    ("#[ignore", "a test that does not run proves nothing"),
    ("FIXME", "fix it, or write an issue"),
    ("HACK", "say what the code works around instead"),
    ("allow(dead_code", "delete what is not used"),
    ("allow(unused", "delete what is not used"),
    ("<<<<<<< ", "an unresolved merge"),
    (">>>>>>> ", "an unresolved merge"),
];

/// Folders that every machine has, and that say nothing about this one.
const EVERYWHERE: [&str; 12] = [
    "/",
    "/tmp",
    "/home",
    "/usr",
    "/opt",
    "/var",
    "/var/tmp",
    "/srv",
    "/mnt",
    "/usr/src",
    "/usr/local",
    "/Users",
];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let machine = machine_paths(&files.root, std::env::var("HOME").ok().as_deref());
    let texts = files.read_all()?;
    let mut faults = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| *path != SELF) {
        faults.extend(check(path, text, &machine));
    }
    Ok(Verdict::new(faults, format!("{} texts", texts.len())))
}

fn check(path: &str, text: &str, machine: &[String]) -> Vec<Fault> {
    let is_code = path.ends_with(".rs");
    let mut faults = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if is_code {
            let found = BANNED.iter().filter(|(word, _)| line.contains(word));
            faults.extend(found.map(|(word, why)| {
                Fault::line(path, at + 1, format!("`{}`: {why}", word.trim_end_matches(['(', ' '])))
            }));
            if open_todo(line) {
                faults.push(Fault::line(path, at + 1, "a TODO without an issue: `TODO(#12)`"));
            }
        }
        if let Some(found) = machine.iter().find(|prefix| mentions(line, prefix)) {
            faults.push(Fault::line(path, at + 1, format!("a path of this machine: {found}")));
        }
    }
    faults
}

fn open_todo(line: &str) -> bool {
    line.match_indices("TODO").any(|(at, word)| !line[at + word.len()..].starts_with("(#"))
}

/// Returns the folders of this checkout and its user, which no text may contain.
fn machine_paths(root: &Path, home: Option<&str>) -> Vec<String> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let deep = root.iter().count() > 2;
    let folders = [deep.then_some(root.as_path()), root.parent(), home.map(Path::new)];
    let mut paths: Vec<String> = folders
        .into_iter()
        .flatten()
        .filter_map(Path::to_str)
        .filter(|path| path.starts_with('/') && !EVERYWHERE.contains(path))
        .map(str::to_owned)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns `true` if a line contains a path in this folder.
fn mentions(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + folder.len()..].chars().next();
        before.is_none_or(|it| it.is_whitespace() || "\"'`(=:<[,".contains(it))
            && after == Some('/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> usize {
        check(path, text, &["/build/me".to_owned()]).len()
    }

    #[test]
    fn unfinished_and_disabled_code_is_found() {
        for bad in [
            "    todo!()",
            "    unimplemented!(\"later\")",
            "    dbg!(x);",
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "// TODO: later",
            "// FIXME",
            "#![allow(dead_code)]",
            "<<<<<<< HEAD",
        ] {
            assert_eq!(faults("crates/a/src/b.rs", bad), 1, "{bad}");
        }
    }

    #[test]
    fn finished_code_passes() {
        for good in ["// TODO(#12): when the issue lands", "let hackney = 1;", "#[must_use]"] {
            assert_eq!(faults("crates/a/src/b.rs", good), 0, "{good}");
        }
    }

    #[test]
    fn documents_may_contain_the_words() {
        assert_eq!(faults("CONTRIBUTING.md", "no `todo!()` here"), 0);
    }

    #[test]
    fn paths_of_this_machine_are_found() {
        for bad in ["see /build/me/notes.md", "path = \"/build/me/x\"", "file:/build/me/x"] {
            assert_eq!(faults("docs/a.md", bad), 1, "{bad}");
        }
        for good in ["tests/build/me/x", "https://host/build/me/x", "/build/mexico/x"] {
            assert_eq!(faults("docs/a.md", good), 0, "{good}");
        }
    }

    #[test]
    fn folders_of_every_machine_are_allowed() {
        assert_eq!(
            machine_paths(Path::new("/nowhere/deep/repo"), Some("/tmp")),
            ["/nowhere/deep", "/nowhere/deep/repo"]
        );
        assert!(machine_paths(Path::new("/app"), None).is_empty());
    }
}
