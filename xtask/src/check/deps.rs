//! deps: dependencies between the crates of the workspace are those of a table.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::check::workspace::Workspace;
use crate::error::Result;

/// The crates of the workspace that a crate may depend on.
enum Allowed {
    Only(&'static [&'static str]),
    All,
}

/// A crate depends only on crates that a call reaches after it.
const TABLE: &[(&str, Allowed)] = &[
    (
        "deskhand-cli",
        Allowed::Only(&[
            "deskhand-server",
            "deskhand",
            "deskhand-engine",
            "deskhand-mcp",
            "deskhand-client",
            "deskhand-run",
            "deskhand-platform",
            "deskhand-linux",
            "deskhand-macos",
            "deskhand-model",
        ]),
    ),
    (
        "deskhand-server",
        Allowed::Only(&[
            "deskhand",
            "deskhand-engine",
            "deskhand-mcp",
            "deskhand-client",
            "deskhand-verbs",
            "deskhand-run",
            "deskhand-model",
        ]),
    ),
    (
        "deskhand",
        Allowed::Only(&[
            "deskhand-engine",
            "deskhand-run",
            "deskhand-sandbox",
            "deskhand-platform",
            "deskhand-linux",
            "deskhand-macos",
            "deskhand-model",
        ]),
    ),
    ("deskhand-mcp", Allowed::Only(&["deskhand-engine", "deskhand-model"])),
    (
        "deskhand-engine",
        Allowed::Only(&[
            "deskhand-tools",
            "deskhand-verbs",
            "deskhand-run",
            "deskhand-model",
            "deskhand-platform",
        ]),
    ),
    (
        "deskhand-tools",
        Allowed::Only(&[
            "deskhand-verbs",
            "deskhand-locate",
            "deskhand-vision",
            "deskhand-run",
            "deskhand-platform",
            "deskhand-model",
        ]),
    ),
    (
        "deskhand-verbs",
        Allowed::Only(&[
            "deskhand-locate",
            "deskhand-vision",
            "deskhand-run",
            "deskhand-platform",
            "deskhand-model",
        ]),
    ),
    ("deskhand-run", Allowed::Only(&["deskhand-sandbox", "deskhand-model"])),
    ("deskhand-sandbox", Allowed::Only(&["deskhand-model"])),
    ("deskhand-client", Allowed::Only(&["deskhand-model"])),
    ("deskhand-vision", Allowed::Only(&["deskhand-model"])),
    ("deskhand-locate", Allowed::Only(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-linux", Allowed::Only(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-macos", Allowed::Only(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-platform", Allowed::Only(&["deskhand-model"])),
    ("deskhand-model", Allowed::Only(&[])),
    ("bench", Allowed::All),
    ("e2e", Allowed::All),
    ("harness", Allowed::All),
    ("soak", Allowed::All),
    ("fuzz", Allowed::All),
    ("xtask", Allowed::Only(&[])),
];

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    let workspace = Workspace::read()?;
    let summary = format!("dependencies of {} crates", workspace.crates.len());
    Ok(Verdict::new(check(&workspace, TABLE), summary))
}

fn check(workspace: &Workspace, table: &[(&str, Allowed)]) -> Vec<Fault> {
    let ours: Vec<&str> = workspace.crates.iter().map(|it| it.name.as_str()).collect();
    let mut faults = Vec::new();
    for it in &workspace.crates {
        let Some((_, allowed)) = table.iter().find(|(name, _)| *name == it.name) else {
            faults
                .push(Fault::new(format!("`{}` has no row in the table of dependencies", it.name)));
            continue;
        };
        let Allowed::Only(allowed) = allowed else { continue };
        for to in it.depends_on.iter().filter(|to| ours.contains(&to.as_str())) {
            if !allowed.contains(&to.as_str()) {
                faults.push(Fault::new(format!(
                    "`{}` → `{to}` is not in the table of dependencies",
                    it.name
                )));
            }
        }
    }
    for (name, _) in table.iter().filter(|(name, _)| !ours.contains(name)) {
        faults.push(Fault::new(format!("the table has a row for `{name}`, which does not exist")));
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ROWS: &[(&str, Allowed)] =
        &[("top", Allowed::Only(&["base"])), ("base", Allowed::Only(&[])), ("e2e", Allowed::All)];

    fn workspace(crates: &[(&str, &[&str])]) -> Workspace {
        let package = |(name, to): &(&str, &[&str])| {
            let dependencies: Vec<_> = to.iter().map(|name| json!({ "name": name })).collect();
            json!({ "name": name, "dependencies": dependencies, "targets": [] })
        };
        let packages: Vec<_> = crates.iter().map(package).collect();
        Workspace::parse(&json!({ "packages": packages })).unwrap()
    }

    fn faults(crates: &[(&str, &[&str])]) -> Vec<String> {
        check(&workspace(crates), ROWS).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn dependencies_of_the_table_and_outside_crates_pass() {
        let found = faults(&[("top", &["base", "serde"]), ("base", &[]), ("e2e", &["top"])]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_dependency_outside_the_table_fails() {
        let found = faults(&[("top", &[]), ("base", &["top"]), ("e2e", &[])]);
        assert_eq!(found, ["`base` → `top` is not in the table of dependencies"]);
    }

    #[test]
    fn a_crate_without_a_row_fails() {
        let found = faults(&[("top", &[]), ("base", &[]), ("e2e", &[]), ("stray", &[])]);
        assert_eq!(found, ["`stray` has no row in the table of dependencies"]);
    }

    #[test]
    fn a_row_without_a_crate_fails() {
        let found = faults(&[("top", &[]), ("base", &[])]);
        assert_eq!(found, ["the table has a row for `e2e`, which does not exist"]);
    }
}
