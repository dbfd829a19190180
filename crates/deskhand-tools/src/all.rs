//! The list of all built-in tools.

use crate::{ToolEntry, Vocabulary, ax, cli, commands, desktop, inspect, resources};

/// Returns all built-in tools, in the order the CLI lists them.
pub fn all() -> Vec<ToolEntry> {
    let vocabularies = [
        (Vocabulary::Commands, commands::all()),
        (Vocabulary::Ax, ax::all()),
        (Vocabulary::Desktop, desktop::all()),
        (Vocabulary::Inspect, inspect::all()),
        (Vocabulary::Cli, cli::all()),
        (Vocabulary::Resources, resources::all()),
    ];
    let placed = vocabularies.into_iter().flat_map(|(vocabulary, tools)| {
        tools.into_iter().map(move |tool| tool.in_vocabulary(vocabulary))
    });
    placed.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::all;
    use crate::PrivateArg;

    /// Names of arguments that carry user text. Commands and scripts are recorded: they are the act itself.
    const WRITTEN: &[&str] = &[
        "contains_text",
        "content",
        "html",
        "key",
        "keys",
        "password",
        "rtf",
        "text",
        "url",
        "value",
    ];

    /// Returns `true` if a value of this schema can carry user text.
    fn is_written(name: &str, schema: &Value, root: &Value) -> bool {
        let deeper = |below: &Value| match below["$ref"].as_str() {
            Some(place) => root.pointer(place.trim_start_matches('#')).cloned().unwrap_or_default(),
            None => below.clone(),
        };
        let inside = |below: &Value| match below {
            Value::Object(_) => is_written("", &deeper(below), root),
            Value::Array(all) => all.iter().any(|one| is_written("", &deeper(one), root)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        let schema = deeper(schema);
        let fields = schema["properties"].as_object().into_iter().flatten();
        WRITTEN.contains(&name)
            || fields.into_iter().any(|(name, field)| is_written(name, field, root))
            || ["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"]
                .iter()
                .any(|part| inside(&schema[*part]))
    }

    #[test]
    fn what_somebody_writes_is_in_no_record() {
        for entry in all() {
            let private: Vec<&str> = entry
                .private()
                .iter()
                .map(|one| match one {
                    PrivateArg::Text(name) | PrivateArg::Keys(name) | PrivateArg::Typed(name) => {
                        *name
                    }
                })
                .collect();
            let schema = entry.full_input_schema();
            let none = serde_json::Map::new();
            let fields = schema["properties"].as_object().unwrap_or(&none);
            for (name, field) in fields {
                let hidden = private.contains(&name.as_str());
                assert!(hidden || !is_written(name, field, &schema), "{}: {name}", entry.name());
            }
            assert!(private.iter().all(|name| fields.contains_key(*name)), "{}", entry.name());
        }
    }

    #[test]
    fn what_an_element_is_expected_to_hold_is_in_no_record() {
        let all = all();
        let assert = all.iter().find(|entry| entry.name() == "ax_assert").unwrap();
        let arguments = serde_json::json!({
            "app": "7", "query": "Name", "assertions": { "value": "hunter2" },
        });
        let redacted = assert.redacted_args(&arguments, &crate::CallerSession::default());
        assert!(
            redacted["query"] == "Name" && !redacted.to_string().contains("hunter2"),
            "{redacted}"
        );
    }
}
