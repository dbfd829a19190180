//! Tests of tools from files.

mod diagnostics;
mod names;
mod plans;
mod sequences;

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{CommandTool, LoadedTools, load, parse_text};

/// Loads a text as the only file.
fn read(text: &str) -> LoadedTools {
    parse_text(Path::new("tool.json"), text.as_bytes(), &["status", "await"])
}

/// Creates a folder with these files.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in files {
        std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    }
    folder
}

fn loaded(files: &[(&str, Value)]) -> LoadedTools {
    load(folder(files).path(), &["status", "await"])
}

fn names(loaded: &LoadedTools) -> Vec<&str> {
    loaded.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The refused files, as `line:column: message (suggestion)`.
fn diagnostics(loaded: &LoadedTools) -> Vec<String> {
    let one = |it: &super::Diagnostic| {
        let place = it.line.zip(it.column).map(|(line, column)| format!("{line}:{column}: "));
        let hint = it.suggestion.as_ref().map(|hint| format!(" ({hint})"));
        format!("{}{}{}", place.unwrap_or_default(), it.message, hint.unwrap_or_default())
    };
    loaded.refused.iter().map(one).collect()
}

/// A tool `it` with one subcommand `go` that has these options and positional arguments.
fn go(options: Value, positionals: Value) -> Arc<CommandTool> {
    with(json!({
        "name": "go", "description": "Goes.", "options": options, "positional_args": positionals,
    }))
}

fn with(subcommand: Value) -> Arc<CommandTool> {
    let file = json!({
        "name": "it", "description": "It.", "command": "it", "subcommand": [subcommand],
    });
    let loaded = read(&file.to_string());
    assert!(loaded.refused.is_empty(), "{:?}", diagnostics(&loaded));
    Arc::clone(&loaded.tools[0])
}

/// The complete command line of a call.
fn words(tool: &CommandTool, arguments: Value, scope: &Path) -> Result<Vec<String>, super::Error> {
    let planned = tool.plan(&arguments, scope)?;
    assert_eq!(planned.steps.len(), 1);
    let step = &planned.steps[0];
    Ok([vec![step.program.clone()], step.arguments.clone()].concat())
}
