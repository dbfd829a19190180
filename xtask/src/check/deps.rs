//! deps: the arrows between our crates are those of the table.

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::check::workspace::Workspace;
use crate::error::Result;

/// What a crate may depend on among our own.
enum Arrows {
    To(&'static [&'static str]),
    Anywhere,
}

/// Arrows point down the walk of a call and never back.
const TABLE: &[(&str, Arrows)] = &[
    (
        "deskhand-cli",
        Arrows::To(&[
            "deskhand-engine",
            "deskhand-mcp",
            "deskhand-client",
            "deskhand-tools",
            "deskhand-run",
            "deskhand-sandbox",
            "deskhand-locate",
            "deskhand-platform",
            "deskhand-linux",
            "deskhand-macos",
            "deskhand-model",
        ]),
    ),
    ("deskhand-mcp", Arrows::To(&["deskhand-engine", "deskhand-model"])),
    (
        "deskhand-engine",
        Arrows::To(&["deskhand-tools", "deskhand-run", "deskhand-model", "deskhand-platform"]),
    ),
    (
        "deskhand-tools",
        Arrows::To(&[
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
        Arrows::To(&[
            "deskhand-locate",
            "deskhand-vision",
            "deskhand-run",
            "deskhand-platform",
            "deskhand-model",
        ]),
    ),
    ("deskhand-run", Arrows::To(&["deskhand-sandbox", "deskhand-model"])),
    ("deskhand-sandbox", Arrows::To(&["deskhand-model"])),
    ("deskhand-client", Arrows::To(&["deskhand-model"])),
    ("deskhand-vision", Arrows::To(&["deskhand-model"])),
    ("deskhand-locate", Arrows::To(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-linux", Arrows::To(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-macos", Arrows::To(&["deskhand-platform", "deskhand-model"])),
    ("deskhand-platform", Arrows::To(&["deskhand-model"])),
    ("deskhand-model", Arrows::To(&[])),
    ("bench", Arrows::Anywhere),
    ("e2e", Arrows::Anywhere),
    ("harness", Arrows::Anywhere),
    ("soak", Arrows::Anywhere),
    ("fuzz", Arrows::Anywhere),
    ("xtask", Arrows::To(&[])),
];

pub(super) fn gate(_: &Files) -> Result<Verdict> {
    let workspace = Workspace::read()?;
    let looked_at = format!("arrows of {} crates", workspace.crates.len());
    Ok(Verdict::new(judge(&workspace, TABLE), looked_at))
}

fn judge(workspace: &Workspace, table: &[(&str, Arrows)]) -> Vec<Fault> {
    let ours: Vec<&str> = workspace.crates.iter().map(|it| it.name.as_str()).collect();
    let mut faults = Vec::new();
    for it in &workspace.crates {
        let Some((_, allowed)) = table.iter().find(|(name, _)| *name == it.name) else {
            faults.push(Fault::new(format!("`{}` has no row in the table of arrows", it.name)));
            continue;
        };
        let Arrows::To(allowed) = allowed else { continue };
        for to in it.depends_on.iter().filter(|to| ours.contains(&to.as_str())) {
            if !allowed.contains(&to.as_str()) {
                faults.push(Fault::new(format!("`{}` → `{to}` is not in the table", it.name)));
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

    const ROWS: &[(&str, Arrows)] =
        &[("top", Arrows::To(&["base"])), ("base", Arrows::To(&[])), ("e2e", Arrows::Anywhere)];

    fn workspace(crates: &[(&str, &[&str])]) -> Workspace {
        let package = |(name, to): &(&str, &[&str])| {
            let dependencies: Vec<_> = to.iter().map(|name| json!({ "name": name })).collect();
            json!({ "name": name, "dependencies": dependencies, "targets": [] })
        };
        let packages: Vec<_> = crates.iter().map(package).collect();
        Workspace::parse(&json!({ "packages": packages })).unwrap()
    }

    fn faults(crates: &[(&str, &[&str])]) -> Vec<String> {
        judge(&workspace(crates), ROWS).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_of_the_table_and_outside_crates_pass() {
        let found = faults(&[("top", &["base", "serde"]), ("base", &[]), ("e2e", &["top"])]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn an_arrow_back_fails() {
        let found = faults(&[("top", &[]), ("base", &["top"]), ("e2e", &[])]);
        assert_eq!(found, ["`base` → `top` is not in the table"]);
    }

    #[test]
    fn a_crate_without_a_row_fails() {
        let found = faults(&[("top", &[]), ("base", &[]), ("e2e", &[]), ("stray", &[])]);
        assert_eq!(found, ["`stray` has no row in the table of arrows"]);
    }

    #[test]
    fn a_row_without_a_crate_fails() {
        let found = faults(&[("top", &[]), ("base", &[])]);
        assert_eq!(found, ["the table has a row for `e2e`, which does not exist"]);
    }
}
