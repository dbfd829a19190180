//! The tool lists for MCP clients: flat schemas, fixed names and a token budget.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use deskhand_tools::{TaskSupport, ToolEntry, Toolset};
use serde_json::{Value, json};

/// The tokens of the whole default set, and of the lean one.
const MAX_TOKENS: usize = 6_000;
const MAX_TOKENS_CORE: usize = 2_500;

fn offered() -> Vec<ToolEntry> {
    let mut all: Vec<ToolEntry> = deskhand_tools::all();
    all.retain(|entry| entry.title().is_some());
    all.sort_by(|a, b| a.name().cmp(b.name()));
    all
}

/// A tool as `tools/list` shows it.
fn listed(entry: &ToolEntry) -> Value {
    let hints = entry.effect().hints();
    let mut tool = json!({
        "name": entry.name(),
        "title": entry.title(),
        "description": entry.description(),
        "inputSchema": entry.input_schema(),
        "outputSchema": entry.output_schema(),
        "annotations": {
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    });
    if entry.task_support() == TaskSupport::Optional {
        tool["execution"] = json!({ "taskSupport": "optional" });
    }
    tool
}

/// Counted with the vocabulary `o200k`, as everywhere in this repository.
fn tokens(of: Toolset) -> usize {
    let all = offered();
    let tools: Vec<Value> = all.iter().filter(|e| e.toolsets().contains(&of)).map(listed).collect();
    let text = serde_json::to_string(&json!({ "tools": tools })).unwrap();
    tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len()
}

#[test]
fn what_is_listed_costs_no_more_than_agreed() {
    let (ax, core) = (tokens(Toolset::Ax), tokens(Toolset::Core));
    eprintln!("tokens: {ax} in the default set, {core} in the lean one");
    assert!(ax <= MAX_TOKENS, "the default set costs {ax} tokens");
    assert!(core <= MAX_TOKENS_CORE, "the lean set costs {core} tokens");
}

/// Calls back for a schema and every schema inside it.
fn each(schema: &Value, see: &mut dyn FnMut(&Value)) {
    see(schema);
    for inner in schema["properties"].as_object().into_iter().flat_map(|all| all.values()) {
        each(inner, see);
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(name).filter(|inner| !inner.is_boolean()) {
            each(inner, see);
        }
    }
}

#[test]
fn schemas_are_flat_objects_of_one_type_each() {
    for entry in offered() {
        for (schema, is_output) in [(entry.input_schema(), false), (entry.output_schema(), true)] {
            assert_eq!(schema["type"], "object", "{}", entry.name());
            each(&schema, &mut |one| {
                let name = entry.name();
                // A field of an output that is always present may be null.
                let nullable = one["type"].as_array().is_some_and(|all| {
                    is_output && all.len() == 2 && all[0].is_string() && all[1] == "null"
                });
                assert!(one["type"].is_string() || nullable, "{name}: {one}");
                assert_ne!(one["type"], "null", "{name}: {one}");
                for word in ["$ref", "$defs", "oneOf", "anyOf", "allOf", "not", "title", "format"] {
                    assert!(one.get(word).is_none(), "{name} has {word}: {one}");
                }
            });
        }
    }
}

#[test]
fn the_tools_of_apps_are_there_by_their_names() {
    let all = offered();
    let of_apps = all.iter().filter(|entry| entry.toolsets().contains(&Toolset::Ax));
    let names: Vec<&str> = of_apps.map(|entry| entry.name()).collect();
    let expected = [
        "ax_assert",
        "ax_click",
        "ax_click_at",
        "ax_clipboard",
        "ax_connect",
        "ax_drag",
        "ax_find",
        "ax_get_attributes",
        "ax_get_tree",
        "ax_get_value",
        "ax_is_accessible",
        "ax_key_press",
        "ax_list_apps",
        "ax_list_windows",
        "ax_run_script",
        "ax_screenshot",
        "ax_scroll",
        "ax_session_info",
        "ax_set_value",
        "ax_type",
        "ax_wait_idle",
    ];
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| name.len() <= 40));
}

/// Name, required, optional with default, hints: read-only, destructive, idempotent.
type Promise =
    (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)], [u8; 3]);

const PROMISES: &[Promise] = &[
    ("ax_is_accessible", &[], &[], [1, 0, 1]),
    ("ax_connect", &["app"], &[("alias", "")], [0, 0, 1]),
    ("ax_list_apps", &[], &[], [1, 0, 1]),
    (
        "ax_find",
        &["app", "query"],
        &[("strategy", "\"auto\""), ("explain", "false"), ("include_invisible", "false")],
        [1, 0, 1],
    ),
    (
        "ax_get_tree",
        &["app"],
        &[
            ("root_query", ""),
            ("max_depth", "5"),
            ("include_invisible", "false"),
            ("compact", "false"),
            ("cursor", ""),
        ],
        [1, 0, 1],
    ),
    ("ax_get_attributes", &["app", "query"], &[], [1, 0, 1]),
    (
        "ax_click",
        &["app", "query"],
        &[("click_type", "\"single\""), ("mode", "\"background\"")],
        [0, 1, 0],
    ),
    ("ax_click_at", &["x", "y"], &[("click_type", "\"single\"")], [0, 1, 0]),
    (
        "ax_type",
        &["app", "text"],
        &[("query", ""), ("clear_first", "false"), ("mode", "\"background\"")],
        [0, 1, 0],
    ),
    ("ax_set_value", &["app", "query", "value"], &[], [0, 1, 1]),
    ("ax_scroll", &["app", "direction"], &[("query", ""), ("amount", "100")], [0, 0, 0]),
    (
        "ax_drag",
        &["app"],
        &[
            ("from_query", ""),
            ("to_query", ""),
            ("from_x", ""),
            ("from_y", ""),
            ("to_x", ""),
            ("to_y", ""),
            ("duration_ms", "500"),
        ],
        [0, 1, 0],
    ),
    ("ax_key_press", &["key"], &[("app", ""), ("modifiers", "")], [0, 1, 0]),
    ("ax_run_script", &["script"], &[("language", ""), ("timeout_ms", "10000")], [0, 1, 0]),
    ("ax_screenshot", &[], &[("app", ""), ("window_index", "0"), ("region", "")], [1, 0, 1]),
    ("ax_get_value", &["app", "query"], &[], [1, 0, 1]),
    ("ax_list_windows", &["app"], &[], [1, 0, 1]),
    ("ax_wait_idle", &["app"], &[("timeout_ms", "5000"), ("poll_ms", "100")], [1, 0, 1]),
    ("ax_assert", &["app", "query", "assertions"], &[], [1, 0, 1]),
    ("ax_clipboard", &["action"], &[("text", "")], [0, 0, 0]),
    ("ax_session_info", &[], &[], [1, 0, 1]),
];

#[test]
fn parameters_defaults_and_hints_are_those_promised() {
    let all = offered();
    for (name, required, optional, hints) in PROMISES {
        let entry = all.iter().find(|entry| entry.name() == *name).unwrap();
        let schema = entry.input_schema();
        let words = |list: &Value| -> Vec<String> {
            let list = list.as_array().into_iter().flatten();
            let mut all: Vec<String> = list.map(|v| v.as_str().unwrap().to_owned()).collect();
            all.sort();
            all
        };
        let mut sorted: Vec<&str> = required.to_vec();
        sorted.sort_unstable();
        assert_eq!(words(&schema["required"]), sorted, "{name}");
        let none = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        assert_eq!(properties.len(), required.len() + optional.len(), "{name}: {schema}");
        for (field, default) in *optional {
            let given = properties[*field].get("default").map(Value::to_string);
            assert_eq!(given.unwrap_or_default(), *default, "{name}.{field}");
        }
        let is = entry.effect().hints();
        let is = [is.read_only, is.destructive, is.idempotent].map(u8::from);
        assert_eq!(is, *hints, "{name}");
    }
    let choices = |name: &str, at: &str| {
        let entry = all.iter().find(|entry| entry.name() == name).unwrap();
        entry.input_schema().pointer(at).unwrap()["enum"].clone()
    };
    let strategies = json!(["auto", "exact", "contains", "regex", "role", "identifier", "xpath"]);
    assert_eq!(choices("ax_find", "/properties/strategy"), strategies);
    let clicks = json!(["single", "double", "right"]);
    assert_eq!(choices("ax_click", "/properties/click_type"), clicks);
    assert_eq!(choices("ax_click", "/properties/mode"), json!(["background", "focus", "auto"]));
    let ways = json!(["up", "down", "left", "right"]);
    assert_eq!(choices("ax_scroll", "/properties/direction"), ways);
    let modifiers = json!(["cmd", "ctrl", "opt", "shift"]);
    assert_eq!(choices("ax_key_press", "/properties/modifiers/items"), modifiers);
    assert_eq!(choices("ax_clipboard", "/properties/action"), json!(["read", "write"]));
}

#[test]
fn what_takes_long_may_be_a_task() {
    let all = offered();
    let tasks = all.iter().filter(|entry| entry.task_support() == TaskSupport::Optional);
    let names: Vec<&str> = tasks.map(|entry| entry.name()).collect();
    assert_eq!(names, ["ax_get_tree", "ax_run_script", "ax_wait_idle", "sandboxed_shell"]);
}

#[test]
fn of_what_is_offered_to_programs_only_the_shell_is_a_command_as_it_is() {
    let all = offered();
    let commands = all.iter().filter(|entry| !entry.command().is_empty());
    assert_eq!(commands.map(|entry| entry.name()).collect::<Vec<_>>(), ["sandboxed_shell"]);
}
