//! names: a file's name tells a stranger what is inside.

use std::path::Path;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// Names that say nothing, as the whole name of a file or folder.
const EMPTY: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "misc", "manager", "managers", "stuff"];

/// Words that say a thing is newer, bigger or better than one unnamed, anywhere in the name.
const BOAST: [&str; 12] = [
    "extended", "v2", "v3", "better", "improved", "enhanced", "advanced", "smart", "ultimate",
    "robust", "awesome", "nice",
];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let faults = files.paths.iter().filter_map(|path| judge(path)).collect();
    Ok(Verdict::new(faults, format!("{} files", files.paths.len())))
}

fn judge(path: &str) -> Option<Fault> {
    // Titles of documents are sentences, not module names.
    if path.ends_with(".md") {
        return None;
    }
    let name = Path::new(path).iter().filter_map(|part| part.to_str()).find(|part| banned(part))?;
    Some(Fault::file(path, format!("`{name}` does not tell what is inside")))
}

fn banned(part: &str) -> bool {
    let stem = part.split('.').find(|piece| !piece.is_empty()).unwrap_or(part).to_lowercase();
    EMPTY.contains(&stem.as_str())
        || stem.starts_with("impl_")
        || stem.split(['_', '-']).any(|word| BOAST.contains(&word))
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
            assert!(judge(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn telling_names_pass() {
        for good in [
            "crates/deskhand-linux/src/window/window_manager.rs",
            "crates/deskhand-model/src/role.rs",
            "docs/adr/0003-a-better-cache.md",
            ".config/nextest.toml",
            ".gitignore",
            "crates/a/src/renewal.rs",
        ] {
            assert_eq!(judge(good), None, "{good}");
        }
    }
}
