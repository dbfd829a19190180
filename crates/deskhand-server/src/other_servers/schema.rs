//! Normalizes the schemas of other servers for MCP clients: no references, no alternatives at the top level,
//! no hidden characters, limited size.

use serde_json::{Map, Value, json};

/// The maximum nesting of a schema.
const MAX_DEPTH: usize = 12;
/// The maximum size of a schema in bytes; a larger one becomes a plain object.
const MAX_BYTES: usize = 64 << 10;
/// Keywords that clients reject at the top level of a schema.
const ALTERNATIVES: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// Returns the schema with all references replaced by their targets.
pub(super) fn normalize(schema: &Map<String, Value>) -> Value {
    let mut budget = MAX_BYTES;
    let whole = Value::Object(schema.clone());
    let Some(Value::Object(mut all)) = inline(&whole, &whole, MAX_DEPTH, &mut budget) else {
        return json!({ "type": "object" });
    };
    for word in ["$defs", "definitions", "$schema", "$id"].into_iter().chain(ALTERNATIVES) {
        all.remove(word);
    }
    all.insert("type".to_owned(), json!("object"));
    Value::Object(all)
}

/// Returns the value with references resolved; `None` if it exceeds the depth or the size budget.
fn inline(value: &Value, whole: &Value, depth: usize, budget: &mut usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    *budget = budget.checked_sub(8)?;
    Some(match value {
        Value::Object(fields) => {
            if let Some(pointer) = fields.get("$ref").and_then(Value::as_str) {
                let found = pointer.strip_prefix('#').and_then(|path| whole.pointer(path));
                // A recursive or dangling reference allows any value.
                let target = found.and_then(|found| inline(found, whole, depth, budget));
                return Some(target.unwrap_or_else(|| json!({})));
            }
            let mut all = Map::new();
            for (name, value) in fields.iter().filter(|(name, _)| !is_definitions(name)) {
                *budget = budget.checked_sub(name.len())?;
                all.insert(clean(name), inline(value, whole, depth, budget)?);
            }
            Value::Object(all)
        }
        Value::Array(values) => {
            let each = |value: &Value| inline(value, whole, depth, budget);
            Value::Array(values.iter().map(each).collect::<Option<_>>()?)
        }
        Value::String(text) => {
            *budget = budget.checked_sub(text.len())?;
            Value::from(clean(text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

fn is_definitions(name: &str) -> bool {
    name == "$defs" || name == "definitions"
}

fn clean(text: &str) -> String {
    deskhand_model::clean::clean(text, &mut |_| {}).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(schema: Value) -> Value {
        normalize(schema.as_object().unwrap())
    }

    #[test]
    fn references_are_replaced_by_their_targets() {
        let schema = normalized(json!({
            "type": "object",
            "properties": { "at": { "$ref": "#/$defs/Point" }, "nowhere": { "$ref": "#/none" } },
            "$defs": { "Point": { "type": "object", "properties": { "x": { "type": "number" } } } },
        }));
        assert_eq!(schema["properties"]["at"]["properties"]["x"]["type"], "number");
        assert_eq!(schema["properties"]["nowhere"], json!({}));
        assert!(!schema.to_string().contains("$"));
    }

    #[test]
    fn recursive_large_and_deceptive_schemas_are_limited() {
        let endless = json!({
            "properties": { "next": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": { "properties": { "next": { "$ref": "#/$defs/Node" } } } },
        });
        assert!(!normalized(endless).to_string().contains("$ref"));
        assert_eq!(
            normalized(json!({ "anyOf": [{}], "x": "y".repeat(100_000) })),
            json!({ "type": "object" })
        );
        let hidden =
            normalized(json!({ "properties": { "a": { "description": "x\u{202e}\u{e0041}y" } } }));
        assert_eq!(hidden["properties"]["a"]["description"], "xy");
    }
}
