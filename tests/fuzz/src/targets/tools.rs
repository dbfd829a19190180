//! Target for tool definition files and calls of the defined tools.

use std::path::Path;

use deskhand_run::mtdf::{CommandTool, LoadedTools, parse_text};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::Target;

/// A file is either accepted or refused, errors have a correct position, and no argument value
/// becomes an option.
pub(crate) const TARGET: Target = Target {
    name: "tool_definition",
    run,
    words: &[
        "\"name\":",
        "\"description\":",
        "\"command\":",
        "\"subcommand\":",
        "\"options\":",
        "\"positional_args\":",
        "\"positional_args_first\":",
        "\"end_of_options\":",
        "\"type\":",
        "\"items\":",
        "\"format\": \"path\"",
        "\"string\"",
        "\"boolean\"",
        "\"integer\"",
        "\"array\"",
        "\"required\": true",
        "\"default\":",
        "\"enum\":",
        "\"alias\":",
        "\"file_arg\": true",
        "\"file_flag\":",
        "\"sequence\"",
        "\"sequence\":",
        "\"tool\":",
        "\"args\":",
        "\"step_delay_ms\":",
        "\"skip_if_file_missing\":",
        "\"availability_check\":",
        "\"hints\":",
        "\"custom\":",
        "\"timeout_seconds\":",
        "\"synchronous\":",
        "\"enabled\": false",
        "\"working_directory\"",
        "null",
        "true",
        "1e999",
        "-0",
        "18446744073709551616",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\\u0000",
        "\\ud800",
        "\u{feff}",
        "..",
        "_",
        "--",
    ],
    rounds: 5_000,
};

/// A value that looks like an option and that no definition contains as an argument.
const OPTION_LIKE: &str = "-%evil%";

thread_local! {
    static SCOPE: TempDir = tempfile::tempdir().expect("a temporary folder");
}

fn run(data: &[u8]) {
    let read = |data: &[u8]| parse_text(Path::new("tool.json"), data, &["status"]);
    let loaded = read(data);
    assert_eq!(loaded, read(data), "parsing is deterministic");
    assert!(loaded.tools.is_empty() || loaded.refused.is_empty(), "{loaded:?}");
    let moved = read(&[b"\n", data].concat());
    match std::str::from_utf8(data) {
        Ok(text) => {
            assert_located(&loaded, text);
            // A byte order mark is only valid at the start of a file, and the file size is limited.
            if !text.starts_with('\u{feff}') && data.len() < 1 << 20 {
                assert_eq!(lines(&loaded, 1), lines(&moved, 0), "{text}");
            }
        }
        Err(_) => assert!(loaded.tools.is_empty() && !loaded.refused.is_empty()),
    }
    SCOPE.with(|scope| loaded.tools.iter().for_each(|tool| call(tool, scope.path())));
}

fn assert_located(loaded: &LoadedTools, text: &str) {
    for one in loaded.refused.iter().chain(&loaded.warnings) {
        assert!(!one.message.is_empty() && one.message.len() < 2_000, "{one}");
        let Some(line) = one.line else { continue };
        let there = text.split('\n').nth(line - 1).expect("the line exists");
        assert!(one.column.expect("a column") <= there.chars().count() + 1, "{one}");
    }
}

fn lines(loaded: &LoadedTools, offset: usize) -> Vec<Option<usize>> {
    loaded.refused.iter().map(|one| one.line.map(|line| line + offset)).collect()
}

fn call(tool: &CommandTool, scope: &Path) {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    assert!((1..=64).contains(&tool.name.len()) && tool.name.chars().all(fits), "{}", tool.name);
    let schema = tool.schema();
    let fields = schema["properties"].as_object().expect("fields");
    let meta = ["working_directory", "execution_mode", "timeout_seconds"];
    assert!(meta.iter().all(|name| fields.contains_key(*name)));
    let own_fields = fields.iter().filter(|(name, _)| !meta.contains(&name.as_str()));
    let arguments: Map<String, Value> =
        own_fields.map(|(name, field)| (name.clone(), sample(field))).collect();
    // Refusing an argument that cannot be passed safely is correct.
    let Ok(planned) = tool.plan(&Value::Object(arguments), scope) else { return };
    for step in &planned.steps {
        assert!(step.folder.starts_with(scope.canonicalize().expect("tests/apps exists")));
        let mut options = step.arguments.iter().take_while(|word| *word != "--");
        assert!(options.all(|word| word != OPTION_LIKE && !word.contains('\0')), "{step:?}");
    }
}

fn sample(schema: &Value) -> Value {
    if let Some(choices) = schema["enum"].as_array() {
        let choice = choices.first().cloned().unwrap_or_default();
        return if schema["type"] == "array" { json!([choice]) } else { choice };
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(-5),
        Some("array") => json!([sample(&schema["items"])]),
        _ => json!(OPTION_LIKE),
    }
}
