//! Tools from files: what is refused, what a call runs.

mod faults;
mod names;
mod plans;
mod sequences;

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Callable, Loaded, load, read_text};

/// What one file comes to.
fn read(text: &str) -> Loaded {
    read_text(Path::new("tool.json"), text.as_bytes(), &["status", "await"])
}

/// A folder with these files.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in files {
        std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    }
    folder
}

fn loaded(files: &[(&str, Value)]) -> Loaded {
    load(folder(files).path(), &["status", "await"])
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// What was refused, as `line:column: why (suggestion)`.
fn told(loaded: &Loaded) -> Vec<String> {
    let one = |it: &super::Refusal| {
        let place = it.line.zip(it.column).map(|(line, column)| format!("{line}:{column}: "));
        let hint = it.suggestion.as_ref().map(|hint| format!(" ({hint})"));
        format!("{}{}{}", place.unwrap_or_default(), it.why, hint.unwrap_or_default())
    };
    loaded.refused.iter().map(one).collect()
}

/// A tool `it` with one subcommand `go` that takes these options and positional arguments.
fn go(options: Value, positionals: Value) -> Arc<Callable> {
    with(json!({
        "name": "go", "description": "Goes.", "options": options, "positional_args": positionals,
    }))
}

fn with(subcommand: Value) -> Arc<Callable> {
    let file = json!({
        "name": "it", "description": "It.", "command": "it", "subcommand": [subcommand],
    });
    let loaded = read(&file.to_string());
    assert!(loaded.refused.is_empty(), "{:?}", told(&loaded));
    Arc::clone(&loaded.tools[0])
}

/// The whole command line of a call.
fn words(tool: &Callable, arguments: Value, scope: &Path) -> Result<Vec<String>, super::Error> {
    let planned = tool.plan(&arguments, scope)?;
    assert_eq!(planned.steps.len(), 1);
    let step = &planned.steps[0];
    Ok([vec![step.program.clone()], step.arguments.clone()].concat())
}
