//! The part of the gate `names` about types: a type name in three or more modules says too little.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::fault::Fault;
use crate::coverage;

/// A name in this many modules fails.
const TOO_MANY: usize = 3;

/// Names that have the same meaning in every module.
const ALLOWED: [&str; 4] = ["Args", "Output", "Error", "Result"];

/// Files that contain only code for tests.
const TEST_FILES: [&str; 3] = ["tests.rs", "testing.rs", "fuzzing.rs"];

/// Folders that contain only code for tests, or examples.
const OTHER_FOLDERS: [&str; 2] = ["tests", "examples"];

const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "union ", "type "];

/// Returns a fault for each type name that three or more modules define.
pub(super) fn check(sources: &[(&str, String)]) -> Vec<Fault> {
    let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let of_tests = test_modules(sources);
    for (path, text) in sources.iter().filter(|(path, _)| is_product(path, &of_tests)) {
        for name in defined(text).filter(|name| !ALLOWED.contains(name)) {
            modules.entry(name).or_default().insert(path);
        }
    }
    let exists = |path: &str| sources.iter().any(|(other, _)| *other == path);
    let faults = modules.into_iter().filter_map(|(name, paths)| {
        // The same file of both backends counts once.
        let counted: BTreeSet<String> = paths
            .iter()
            .map(|path| {
                let twin = path.replace("deskhand-macos", "deskhand-linux");
                if exists(&twin) { twin } else { (*path).to_owned() }
            })
            .collect();
        let list: Vec<&str> = paths.into_iter().collect();
        let text = format!(
            "`{name}` is defined in {} modules; give each a specific name: {}",
            counted.len(),
            list.join(", ")
        );
        (counted.len() >= TOO_MANY).then(|| Fault::new(text))
    });
    faults.collect()
}

/// Returns the modules of crates that are compiled for tests only, as paths without their endings.
fn test_modules(sources: &[(&str, String)]) -> Vec<String> {
    sources.iter().flat_map(|(path, text)| coverage::test_modules(path, text)).collect()
}

/// Returns `true` for a file of a crate that contains product code. `of_tests` has the paths of modules that are
/// compiled for tests only.
pub(crate) fn is_product(path: &str, of_tests: &[String]) -> bool {
    let mut parts = path.split('/');
    let file = parts.next_back().unwrap_or_default();
    let module = path.trim_end_matches(".rs");
    let module = module.strip_suffix("/mod").unwrap_or(module);
    path.starts_with("crates/")
        && !TEST_FILES.contains(&file)
        && !parts.any(|folder| OTHER_FOLDERS.contains(&folder))
        && !of_tests.iter().any(|name| {
            module
                .strip_prefix(name.as_str())
                .is_some_and(|it| it.is_empty() || it.starts_with('/'))
        })
}

/// Returns the types a file defines at its top level, without those of its test module.
pub(super) fn defined(text: &str) -> impl Iterator<Item = &str> {
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    product.lines().filter_map(|line| {
        let line = match line.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.strip_prefix(' ')?,
            None => line,
        };
        let rest = KEYWORDS.iter().find_map(|keyword| line.strip_prefix(keyword))?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(&rest[..end]).filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(sources: &[(&'static str, &str)]) -> Vec<String> {
        let sources: Vec<(&str, String)> =
            sources.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
        check(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_in_three_modules_fails() {
        let sources = [
            ("crates/a/src/one.rs", "pub struct Row;\n"),
            ("crates/a/src/two.rs", "pub(crate) enum Row {\n"),
            ("crates/b/src/three.rs", "type Row<'a> = &'a str;\n"),
        ];
        assert_eq!(
            faults(&sources),
            ["`Row` is defined in 3 modules; give each a specific name: crates/a/src/one.rs, \
              crates/a/src/two.rs, crates/b/src/three.rs"]
        );
        assert!(faults(&sources[..2]).is_empty());
    }

    #[test]
    fn the_same_file_of_both_backends_counts_once() {
        let sources = [
            ("crates/deskhand-linux/src/input.rs", "struct Row;\n"),
            ("crates/deskhand-macos/src/input.rs", "struct Row;\n"),
            ("crates/a/src/one.rs", "struct Row;\n"),
        ];
        assert!(faults(&sources).is_empty());
        let apart =
            [sources[0], ("crates/deskhand-macos/src/keys.rs", "struct Row;\n"), sources[2]];
        assert_eq!(faults(&apart).len(), 1);
    }

    #[test]
    fn tests_allowed_names_and_inner_types_do_not_count() {
        let inner = "#[cfg(test)]\nmod tests {\nstruct Row;\n}\n";
        let sources = [
            ("crates/a/src/one.rs", "struct Row;\nstruct Error;\n"),
            ("crates/a/src/two.rs", "struct Error;\n    type Row = u8;\nlet Row = 1;\n"),
            ("crates/a/src/lib.rs", "pub enum Error {\n#[cfg(test)]\nmod random;\n"),
            ("crates/a/src/random.rs", "struct Row;\n"),
            ("crates/a/src/tests.rs", "struct Row;\n"),
            ("crates/a/tests/all.rs", "struct Row;\n"),
            ("crates/a/src/inner.rs", inner),
            ("tests/e2e/src/row.rs", "struct Row;\n"),
        ];
        assert!(faults(&sources).is_empty(), "{:?}", faults(&sources));
    }
}
