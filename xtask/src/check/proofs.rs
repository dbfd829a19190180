//! proofs: every tool has an end-to-end test.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;

/// The folder of the tools, with one folder per vocabulary.
const TOOLS: &str = "crates/deskhand-tools/src/";
/// The folder of the end-to-end tests.
const E2E: &str = "tests/e2e/tests/";
/// Vocabularies that share names with others. Their tests are in separate folders, so that a test of
/// another vocabulary does not count.
const WITH_OWN_TESTS: &[&str] = &["desktop", "inspect"];

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let sources = files.read(&["rs"])?;
    let tools: Vec<Tool> =
        sources.iter().filter_map(|(path, text)| tools_of(path, text)).flatten().collect();
    let proofs: Vec<(&str, &str)> = sources
        .iter()
        .filter_map(|(path, text)| Some((path.strip_prefix(E2E)?, text.as_str())))
        .collect();
    let faults = tools.iter().filter_map(|tool| check(tool, &proofs)).collect();
    Ok(Verdict::new(faults, format!("{} tools, {} end-to-end files", tools.len(), proofs.len())))
}

#[derive(Debug, PartialEq, Eq)]
struct Tool {
    declared_in: String,
    vocabulary: String,
    name: String,
}

/// Returns the tools that a file declares. A declaration without a literal name has the name of the file.
fn tools_of(path: &str, text: &str) -> Option<Vec<Tool>> {
    let inside = path.strip_prefix(TOOLS)?;
    let (vocabulary, _) = inside.split_once('/')?;
    let (_, file) = inside.rsplit_once('/')?;
    let pieces = text.split("impl Tool for ").skip(1);
    let names = pieces.map(|piece| {
        let quoted = piece.split_once("name: \"").and_then(|(_, rest)| rest.split_once('"'));
        quoted.map_or(file.trim_end_matches(".rs"), |(name, _)| name)
    });
    let tool = |name: &str| Tool {
        declared_in: path.to_owned(),
        vocabulary: vocabulary.to_owned(),
        name: name.to_owned(),
    };
    Some(names.map(tool).collect())
}

fn check(tool: &Tool, proofs: &[(&str, &str)]) -> Option<Fault> {
    let quoted = format!("\"{}\"", tool.name);
    // On the command line, the name of a tool in a group is two words.
    let words = format!("\"{}\"", tool.name.replacen('_', "\", \"", 1));
    let own_file = format!("{}.rs", tool.name);
    let folder = match WITH_OWN_TESTS.contains(&tool.vocabulary.as_str()) {
        true => format!("vocabularies/{}/", tool.vocabulary),
        false => String::new(),
    };
    let is_tested = proofs.iter().any(|(file, text)| {
        file.strip_prefix(&folder)
            .is_some_and(|file| file == own_file || text.contains(&quoted) || text.contains(&words))
    });
    (!is_tested).then(|| {
        Fault::file(&tool.declared_in, format!("no file in {E2E}{folder} tests `{}`", tool.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLICK: &str =
        "impl Tool for Click {\n    const SPEC: Spec = Spec {\n        name: \"ax_click\",\n";

    fn click() -> Tool {
        let path = "crates/deskhand-tools/src/ax/click.rs";
        tools_of(path, CLICK).unwrap().pop().unwrap()
    }

    #[test]
    fn a_tool_is_found_by_its_declaration() {
        assert_eq!(click().name, "ax_click");
        assert_eq!(tools_of("crates/deskhand-tools/src/ax/mod.rs", "mod click;"), Some(vec![]));
        assert_eq!(tools_of("crates/deskhand-tools/src/tool.rs", CLICK), None);
        assert_eq!(tools_of("crates/deskhand-engine/src/call.rs", CLICK), None);
    }

    #[test]
    fn a_file_of_tiny_tools_declares_each() {
        let two = format!("{CLICK}}}}}\n{}", CLICK.replace("ax_click", "ax_press"));
        let found = tools_of("crates/deskhand-tools/src/ax/small.rs", &two).unwrap();
        let names: Vec<_> = found.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["ax_click", "ax_press"]);
    }

    #[test]
    fn a_tool_without_a_test_is_a_fault() {
        assert!(check(&click(), &[]).is_some());
        assert!(check(&click(), &[("find.rs", "call(\"ax_find\")")]).is_some());
    }

    #[test]
    fn a_file_or_a_mention_is_a_test() {
        assert_eq!(check(&click(), &[("ax_click.rs", "")]), None);
        assert_eq!(check(&click(), &[("input.rs", "call(\"ax_click\", json!({}))")]), None);
    }

    #[test]
    fn a_vocabulary_that_shares_names_needs_a_test_in_its_own_folder() {
        let declaration = CLICK.replace("ax_click", "click");
        let path = "crates/deskhand-tools/src/desktop/click.rs";
        let tool = tools_of(path, &declaration).unwrap().pop().unwrap();
        assert_eq!(tool.vocabulary, "desktop");
        assert!(check(&tool, &[("acting/click.rs", "call(\"click\")")]).is_some());
        assert_eq!(check(&tool, &[("vocabularies/desktop/click.rs", "")]), None);
        assert_eq!(check(&tool, &[("vocabularies/desktop/input.rs", "ok(\"click\")")]), None);
    }
}
