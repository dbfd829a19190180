//! names: names of files and types are specific.

use std::path::Path;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::check::type_names;
use crate::error::Result;

/// Names without meaning, as the whole name of a file or folder.
const MEANINGLESS: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "misc", "manager", "managers", "stuff"];

/// Words of praise or comparison, anywhere in the name.
const PRAISE: [&str; 12] = [
    "extended", "v2", "v3", "better", "improved", "enhanced", "advanced", "smart", "ultimate",
    "robust", "awesome", "nice",
];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let mut faults: Vec<Fault> = files.paths.iter().filter_map(|path| check(path)).collect();
    faults.extend(type_names::check(&files.read(&["rs"])?));
    Ok(Verdict::new(faults, format!("{} files and the types in crates", files.paths.len())))
}

fn check(path: &str) -> Option<Fault> {
    // The name of a document is its title.
    if path.ends_with(".md") {
        return None;
    }
    let name =
        Path::new(path).iter().filter_map(|part| part.to_str()).find(|part| is_banned(part))?;
    Some(Fault::file(
        path,
        format!("`{name}` does not describe the contents; choose a specific name"),
    ))
}

fn is_banned(part: &str) -> bool {
    let stem = part.split('.').find(|piece| !piece.is_empty()).unwrap_or(part).to_lowercase();
    MEANINGLESS.contains(&stem.as_str())
        || stem.starts_with("impl_")
        || stem.split(['_', '-']).any(|word| PRAISE.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banned_names_are_found_in_files_and_folders() {
        for bad in [
            "crates/a/src/utils.rs",
            "crates/a/src/helpers/text.rs",
            "tests/e2e/tests/common/mod.rs",
            "crates/a/src/impl_tree.rs",
            "crates/a/src/query_v2.rs",
            "crates/a/src/smart_wait.rs",
            "tests/apps/misc.py",
            "crates/a/src/manager.rs",
        ] {
            assert!(check(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn specific_names_pass() {
        for good in [
            "crates/deskhand-linux/src/window/window_manager.rs",
            "crates/deskhand-model/src/role.rs",
            "docs/adr/0003-a-better-cache.md",
            ".config/nextest.toml",
            ".gitignore",
            "crates/a/src/renewal.rs",
        ] {
            assert_eq!(check(good), None, "{good}");
        }
    }
}
