//! The crates of the workspace, from `cargo metadata`.

use serde_json::Value;

use crate::error::{Error, Result};
use crate::process;

/// The crates of this repository.
pub(crate) struct Workspace {
    pub(super) crates: Vec<Crate>,
}

/// A crate, with the names of its dependencies and targets.
#[derive(Debug, Default)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) depends_on: Vec<String>,
    targets: Vec<String>,
}

impl Workspace {
    pub(crate) fn read() -> Result<Self> {
        Self::parse(&metadata()?).ok_or_else(|| unexpected("no packages in it"))
    }

    pub(super) fn parse(metadata: &Value) -> Option<Self> {
        let crates = metadata["packages"].as_array()?.iter().map(|package| {
            Some(Crate {
                name: package["name"].as_str()?.to_owned(),
                depends_on: names(&package["dependencies"])?,
                targets: names(&package["targets"])?,
            })
        });
        Some(Self { crates: crates.collect::<Option<_>>()? })
    }

    pub(crate) fn has_target(&self, of: &str, target: &str) -> bool {
        let mut crates = self.crates.iter();
        crates.any(|it| it.name == of && it.targets.iter().any(|name| name == target))
    }
}

/// Returns the output of `cargo metadata` for the crates of the workspace.
pub(super) fn metadata() -> Result<Value> {
    let mut command = process::cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = process::output(&mut command)?;
    serde_json::from_str(&output).map_err(|error| unexpected(&error.to_string()))
}

fn unexpected(problem: &str) -> Error {
    Error::UnexpectedOutput { command: "cargo metadata".to_owned(), problem: problem.to_owned() }
}

fn names(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|item| Some(item["name"].as_str()?.to_owned())).collect()
}
