//! package: the crates that would be published have complete metadata and contain their licences.

use serde_json::Value;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::check::workspace;
use crate::error::Result;
use crate::process;

/// The folder of the crates that would be published.
const PUBLISHED: &str = "crates/";

/// The files that a published crate contains, in addition to its source.
const CONTENTS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// crates.io accepts at most this many keywords, and as many categories.
const MAX_LABELS: usize = 5;

/// crates.io accepts keywords of at most this many bytes.
const MAX_KEYWORD: usize = 20;

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let metadata = workspace::metadata()?;
    let packages: Vec<Package> =
        metadata["packages"].as_array().into_iter().flatten().filter_map(Package::parse).collect();
    let mut faults = Vec::new();
    for package in &packages {
        faults.extend(check(package, &packages));
    }
    let published: Vec<&Package> = packages.iter().filter(|it| it.is_published).collect();
    for package in &published {
        faults.extend(check_contents(&package.name, &contents(&package.name)?));
    }
    faults.extend(files.paths.iter().filter_map(|path| check_licence(files, path)));
    Ok(Verdict::new(faults, format!("{} crates that would be published", published.len())))
}

/// The parts of a crate's manifest that matter for publishing.
#[derive(Debug, Default)]
struct Package {
    name: String,
    manifest: String,
    is_published: bool,
    /// Names of the fields that are missing or empty.
    missing: Vec<&'static str>,
    keywords: Vec<String>,
    categories: Vec<String>,
    /// The crates of this repository that it needs, with the required versions.
    needs: Vec<(String, String)>,
}

impl Package {
    /// Reads an entry of `cargo metadata`.
    fn parse(entry: &Value) -> Option<Self> {
        let texts = |field: &str| -> Vec<String> {
            let list = entry[field].as_array().into_iter().flatten();
            list.filter_map(|it| Some(it.as_str()?.to_owned())).collect()
        };
        let is_missing = |field: &&str| entry[*field].as_str().unwrap_or_default().is_empty();
        let mut missing: Vec<&str> = ["description", "license", "readme", "rust_version"]
            .into_iter()
            .filter(is_missing)
            .collect();
        if entry["metadata"]["docs"]["rs"]["targets"].as_array().is_none_or(Vec::is_empty) {
            missing.push("package.metadata.docs.rs.targets");
        }
        let dependencies = entry["dependencies"].as_array().into_iter().flatten();
        // Cargo leaves out development dependencies by path when it packages a crate.
        let needed = dependencies.filter(|it| it["path"].is_string() && it["kind"] != "dev");
        let needs = needed.filter_map(|it| {
            Some((it["name"].as_str()?.to_owned(), it["req"].as_str()?.to_owned()))
        });
        Some(Self {
            name: entry["name"].as_str()?.to_owned(),
            manifest: entry["manifest_path"].as_str()?.to_owned(),
            // `publish = false` is an empty list of registries.
            is_published: entry["publish"].as_array().is_none_or(|it| !it.is_empty()),
            missing,
            keywords: texts("keywords"),
            categories: texts("categories"),
            needs: needs.collect(),
        })
    }
}

/// Returns the faults of one manifest.
fn check(package: &Package, all: &[Package]) -> Vec<Fault> {
    let name = &package.name;
    let root = process::root();
    let manifest = package.manifest.strip_prefix(&format!("{}/", root.display()));
    let in_folder = manifest.unwrap_or(&package.manifest).starts_with(PUBLISHED);
    if in_folder != package.is_published {
        let problem = if in_folder { "must not have" } else { "must have" };
        return vec![Fault::new(format!("`{name}` {problem} `publish = false`"))];
    }
    if !package.is_published {
        return Vec::new();
    }
    let mut faults: Vec<Fault> = package
        .missing
        .iter()
        .map(|field| Fault::new(format!("`{name}` has no `{field}`")))
        .collect();
    for (labels, kind) in [(&package.keywords, "keywords"), (&package.categories, "categories")] {
        if labels.is_empty() || labels.len() > MAX_LABELS {
            let count = labels.len();
            faults.push(Fault::new(format!(
                "`{name}` has {count} {kind}; crates.io takes 1 to {MAX_LABELS}"
            )));
        }
    }
    for keyword in package.keywords.iter().filter(|it| it.len() > MAX_KEYWORD) {
        faults.push(Fault::new(format!(
            "`{name}`: the keyword `{keyword}` is longer than {MAX_KEYWORD} bytes"
        )));
    }
    for (needed, version) in &package.needs {
        if version == "*" {
            faults.push(Fault::new(format!("`{name}` needs `{needed}` without a version")));
        }
        if all.iter().any(|it| it.name == *needed && !it.is_published) {
            faults.push(Fault::new(format!("`{name}` needs `{needed}`, which is not published")));
        }
    }
    faults
}

/// Returns the files that cargo would put into a published crate.
fn contents(package: &str) -> Result<Vec<String>> {
    let mut command = process::cargo();
    command.args(["package", "--list", "--allow-dirty", "--package", package]);
    Ok(process::output(&mut command)?.lines().map(str::to_owned).collect())
}

fn check_contents(package: &str, contents: &[String]) -> Vec<Fault> {
    let missing = CONTENTS.iter().filter(|file| !contents.iter().any(|it| it == *file));
    missing
        .map(|file| Fault::new(format!("the package `{package}` does not contain `{file}`")))
        .collect()
}

/// Returns a fault if the licence in a crate differs from that of the repository.
fn check_licence(files: &Files, path: &str) -> Option<Fault> {
    let (_, name) = path.strip_prefix(PUBLISHED)?.rsplit_once('/')?;
    if !name.starts_with("LICENSE-") || files.text(path).ok() == files.text(name).ok() {
        return None;
    }
    Some(Fault::file(path, format!("must be a link to the `{name}` of the repository")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The entry of a crate that can be published.
    fn complete() -> Value {
        json!({
            "name": "a",
            "manifest_path": format!("{}/crates/a/Cargo.toml", process::root().display()),
            "publish": null,
            "description": "A.", "license": "MIT", "readme": "README.md", "rust_version": "1.95",
            "keywords": ["a"], "categories": ["b"],
            "metadata": { "docs": { "rs": { "targets": ["x86_64-unknown-linux-gnu"] } } },
            "dependencies": [
                { "name": "b", "path": "/b", "req": "^0.1.0", "kind": null },
                { "name": "harness", "path": "/harness", "req": "*", "kind": "dev" },
                { "name": "serde", "req": "*", "kind": null },
            ],
        })
    }

    fn faults(entry: &Value) -> Vec<String> {
        let others = [Package { name: "hidden".to_owned(), ..Package::default() }];
        check(&Package::parse(entry).unwrap(), &others).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_manifest_passes() {
        assert!(faults(&complete()).is_empty(), "{:?}", faults(&complete()));
    }

    #[test]
    fn missing_and_empty_fields_fail() {
        let mut entry = complete();
        entry["description"] = json!("");
        entry["readme"] = Value::Null;
        entry["metadata"] = Value::Null;
        assert_eq!(
            faults(&entry),
            [
                "`a` has no `description`",
                "`a` has no `readme`",
                "`a` has no `package.metadata.docs.rs.targets`"
            ]
        );
    }

    #[test]
    fn labels_have_the_limits_of_the_registry() {
        let mut entry = complete();
        entry["keywords"] = json!(["a", "b", "c", "d", "e", "twenty-one-characters"]);
        entry["categories"] = json!([]);
        assert_eq!(faults(&entry).len(), 3, "{:?}", faults(&entry));
    }

    #[test]
    fn needed_crates_have_a_version_and_are_published() {
        let mut entry = complete();
        entry["dependencies"][0] =
            json!({ "name": "hidden", "path": "/h", "req": "*", "kind": null });
        assert_eq!(
            faults(&entry),
            ["`a` needs `hidden` without a version", "`a` needs `hidden`, which is not published"]
        );
    }

    #[test]
    fn only_crates_of_one_folder_are_published() {
        let mut entry = complete();
        entry["publish"] = json!([]);
        assert_eq!(faults(&entry), ["`a` must not have `publish = false`"]);
        entry["manifest_path"] = json!("/elsewhere/tests/a/Cargo.toml");
        assert!(faults(&entry).is_empty());
        entry["publish"] = Value::Null;
        assert_eq!(faults(&entry), ["`a` must have `publish = false`"]);
    }

    #[test]
    fn a_package_contains_its_licences() {
        let contents = ["Cargo.toml", "LICENSE-MIT", "README.md"].map(str::to_owned);
        let found = check_contents("a", &contents);
        assert_eq!(found[0].to_string(), "the package `a` does not contain `LICENSE-APACHE`");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn cargo_run_starts_the_binary() {
        let metadata = workspace::metadata().unwrap();
        let members = metadata["workspace_default_members"].as_array().unwrap();
        assert!(
            members.len() == 1 && members[0].to_string().contains("deskhand-cli"),
            "{members:?}"
        );
    }
}
