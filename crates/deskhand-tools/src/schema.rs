//! JSON schemas of arguments and outputs. The CLI and the documentation use full schemas. MCP
//! clients get minimal ones, because they pay for every token and many do not resolve references.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Returns the schema of the arguments with all references inlined.
pub(crate) fn sent<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Returns the schema of the output. A field is required only if it is always present.
pub(crate) fn answered<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The descriptions that a minimal schema keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descriptions {
    /// Keep the descriptions of fields.
    OfFields,
    /// Keep none: the field names are enough.
    None,
}

/// Returns the schema in the form that MCP clients accept: one flat type per value and only the
/// facts a caller needs.
pub(crate) fn lean(schema: Value, words: Descriptions) -> Value {
    let mut schema = plain(schema, words);
    if let Value::Object(all) = &mut schema {
        all.remove("description");
    }
    schema
}

fn plain(schema: Value, words: Descriptions) -> Value {
    let Value::Object(mut all) = schema else { return schema };
    // An argument may always be left out, but a field that is always present can be null.
    let nullable: Vec<String> = match words {
        Descriptions::OfFields => Vec::new(),
        Descriptions::None => required_nullable_fields(&all),
    };
    merge_only(&mut all, "anyOf");
    choices(&mut all);
    let unsigned =
        all.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"));
    all.retain(|name, value| match name.as_str() {
        "$schema" | "title" | "format" => false,
        "description" => words == Descriptions::OfFields,
        "default" => !value.is_null(),
        "minimum" => !unsigned,
        name => !name.starts_with("x-"),
    });
    one_type(&mut all);
    let each = |(name, value): (String, Value)| {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(fields)) => Value::Object(
                fields
                    .into_iter()
                    .map(|(name, field)| {
                        let mut field = plain(field, words);
                        if nullable.contains(&name) {
                            allow_null(&mut field);
                        }
                        (name, field)
                    })
                    .collect(),
            ),
            ("items" | "additionalProperties", inner) => plain(inner, words),
            ("description", Value::String(text)) => Value::from(text.replace('\n', " ")),
            (_, other) => other,
        };
        (name, value)
    };
    Value::Object(all.into_iter().map(each).collect())
}

/// Returns the names of fields that are always present and can be null.
fn required_nullable_fields(all: &Map<String, Value>) -> Vec<String> {
    let is_null = |one: &Value| one == "null" || one["type"] == "null";
    let has_null = |list: &Value| list.as_array().is_some_and(|all| all.iter().any(is_null));
    let required = all.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str).filter(|name| {
        let field = &all.get("properties").unwrap_or(&Value::Null)[*name];
        has_null(&field["type"]) || has_null(&field["anyOf"])
    });
    names.map(str::to_owned).collect()
}

/// Adds null to the type of a value.
fn allow_null(schema: &mut Value) {
    if let Some(word) = schema["type"].as_str() {
        schema["type"] = Value::from(vec![word, "null"]);
    }
}

/// Removes `null` from the type of an optional field, which is not required anyway.
fn merge_only(all: &mut Map<String, Value>, word: &str) {
    let Some(Value::Array(several)) = all.get(word) else { return };
    let is_null = |one: &&Value| one["type"] == "null";
    let mut real: Vec<Value> = several.iter().filter(|one| !is_null(one)).cloned().collect();
    if let (1, Some(Value::Object(only))) = (real.len(), real.pop()) {
        all.remove(word);
        for (name, value) in only {
            all.entry(name).or_insert(value);
        }
    }
}

/// Replaces an enum with documented variants by a plain list of its values.
fn choices(all: &mut Map<String, Value>) {
    let Some(Value::Array(several)) = all.get("oneOf") else { return };
    let words: Option<Vec<Value>> = several.iter().map(|one| one.get("const").cloned()).collect();
    if let Some(words) = words {
        all.remove("oneOf");
        all.insert("type".to_owned(), Value::from("string"));
        all.insert("enum".to_owned(), Value::from(words));
    }
}

fn one_type(all: &mut Map<String, Value>) {
    if let Some(Value::Array(several)) = all.get("type") {
        let mut real = several.iter().filter(|one| *one != "null").cloned();
        if let (Some(only), None) = (real.next(), real.next()) {
            all.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = all.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_may_be_absent_has_one_type_and_no_null() {
        let fat = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Args",
            "description": "All of it.",
            "type": "object",
            "properties": {
                "app": { "type": ["string", "null"], "description": "The\napp.", "default": null },
                "kind": {
                    "description": "Which.",
                    "anyOf": [
                        { "oneOf": [
                            { "const": "a", "type": "string", "description": "First." },
                            { "const": "b", "type": "string" },
                        ] },
                        { "type": "null" },
                    ],
                },
                "count": { "type": "integer", "format": "uint32", "minimum": 0, "x-positional": true },
            },
            "required": ["count"],
        });
        assert_eq!(
            lean(fat.clone(), Descriptions::OfFields),
            json!({
                "type": "object",
                "properties": {
                    "app": { "type": "string", "description": "The app." },
                    "kind": { "description": "Which.", "type": "string", "enum": ["a", "b"] },
                    "count": { "type": "integer" },
                },
                "required": ["count"],
            })
        );
        let silent = lean(fat, Descriptions::None).to_string();
        assert!(!silent.contains("description"), "{silent}");
    }
}
