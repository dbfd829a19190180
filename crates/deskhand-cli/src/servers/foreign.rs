//! Schemas of other servers as clients take them: no references, no choice at the top, nothing hidden
//! in their words, and not without end.

use deskhand_model::clean;
use serde_json::{Map, Value, json};

/// A schema below so many others is no longer looked at.
const DEEPEST: usize = 12;
/// A longer schema is left out.
const LONGEST: usize = 64 << 10;
/// What clients do not take at the top.
const CHOICES: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// A schema in which everything stands where it is used.
pub(super) fn flat(schema: &Map<String, Value>) -> Value {
    let mut room = LONGEST;
    let whole = Value::Object(schema.clone());
    let Some(Value::Object(mut all)) = inlined(&whole, &whole, DEEPEST, &mut room) else {
        return json!({ "type": "object" });
    };
    for word in ["$defs", "definitions", "$schema", "$id"].into_iter().chain(CHOICES) {
        all.remove(word);
    }
    all.insert("type".to_owned(), json!("object"));
    Value::Object(all)
}

/// The value with what it refers to; nothing when that is too much.
fn inlined(value: &Value, whole: &Value, depth: usize, room: &mut usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    *room = room.checked_sub(8)?;
    Some(match value {
        Value::Object(fields) => {
            let meant = fields.get("$ref").and_then(Value::as_str);
            if let Some(pointer) = meant {
                let found = pointer.strip_prefix('#').and_then(|path| whole.pointer(path));
                // What refers to itself, or to nothing, may be anything.
                let target = found.and_then(|found| inlined(found, whole, depth, room));
                return Some(target.unwrap_or_else(|| json!({})));
            }
            let mut all = Map::new();
            for (name, value) in fields.iter().filter(|(name, _)| !is_aside(name)) {
                *room = room.checked_sub(name.len())?;
                all.insert(plain(name), inlined(value, whole, depth, room)?);
            }
            Value::Object(all)
        }
        Value::Array(values) => {
            let each = |value: &Value| inlined(value, whole, depth, room);
            Value::Array(values.iter().map(each).collect::<Option<_>>()?)
        }
        Value::String(text) => {
            *room = room.checked_sub(text.len())?;
            Value::from(plain(text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

fn is_aside(name: &str) -> bool {
    name == "$defs" || name == "definitions"
}

fn plain(text: &str) -> String {
    clean::clean(text, &mut |_| {}).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: Value) -> Value {
        flat(schema.as_object().unwrap())
    }

    #[test]
    fn what_is_referred_to_stands_where_it_is_used() {
        let schema = of(json!({
            "type": "object",
            "properties": { "at": { "$ref": "#/$defs/Point" }, "nowhere": { "$ref": "#/none" } },
            "$defs": { "Point": { "type": "object", "properties": { "x": { "type": "number" } } } },
        }));
        assert_eq!(schema["properties"]["at"]["properties"]["x"]["type"], "number");
        assert_eq!(schema["properties"]["nowhere"], json!({}));
        assert!(!schema.to_string().contains("$"));
    }

    #[test]
    fn a_schema_without_end_or_of_a_stranger_does_no_harm() {
        let endless = json!({
            "properties": { "next": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": { "properties": { "next": { "$ref": "#/$defs/Node" } } } },
        });
        assert!(!of(endless).to_string().contains("$ref"));
        assert_eq!(
            of(json!({ "anyOf": [{}], "x": "y".repeat(100_000) })),
            json!({ "type": "object" })
        );
        let hidden = of(json!({ "properties": { "a": { "description": "x\u{202e}\u{e0041}y" } } }));
        assert_eq!(hidden["properties"]["a"]["description"], "xy");
    }
}
