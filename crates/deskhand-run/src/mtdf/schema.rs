//! Checks a file against the published JSON schema. It uses the schema itself, so the two cannot disagree.

use std::sync::LazyLock;

use jsonc_parser::ast;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::{
    definition::Definition,
    nearest::nearest,
    source::{Finding, child_pointer, shorten},
};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12();
    let Value::Object(made) =
        settings.into_generator().into_root_schema_for::<Definition>().to_value()
    else {
        return Value::Bool(true);
    };
    // Put the title first, for readers.
    let title = Value::from("A file of command-line tools (MCP Tool Definition Format)");
    let mut schema = Map::new();
    for name in ["$schema", "title", "description"] {
        let value = if name == "title" { Some(title.clone()) } else { made.get(name).cloned() };
        schema.extend(value.map(|value| (name.to_owned(), value)));
    }
    for (name, value) in made {
        schema.entry(name).or_insert(value);
    }
    Value::Object(schema)
});

/// The JSON schema of a file in a tools folder.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// Returns everything in a file that the schema does not allow.
pub(super) fn check(root: &ast::Value<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    SchemaWalker { findings: &mut findings }.check_value(root, &SCHEMA, "", "a tool");
    findings
}

struct SchemaWalker<'a> {
    findings: &'a mut Vec<Finding>,
}

impl SchemaWalker<'_> {
    /// Checks a value. `what` names it: `description`, or `a tool` for the whole file.
    fn check_value(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let schema = resolve_ref(schema);
        let alternatives = alternatives(schema);
        if !alternatives.is_empty() {
            return self.check_alternatives(value, &alternatives, at, what);
        }
        let types = types_of(schema);
        if !types.is_empty() && !types.iter().any(|kind| has_type(value, kind)) {
            let message =
                format!("{what} must be {}, not {}", describe_types(&types), describe_value(value));
            self.findings.push(Finding::new(at, message));
            return;
        }
        self.check_enum(value, schema, at, what);
        self.check_range(value, schema, at, what);
        match value {
            ast::Value::Object(object) => self.check_object(object, schema, at, what),
            ast::Value::Array(array) if schema["items"].is_object() => {
                for (index, element) in array.elements.iter().enumerate() {
                    let what = format!("an element of {what}");
                    self.check_value(element, &schema["items"], &format!("{at}/{index}"), &what);
                }
            }
            ast::Value::Array(_)
            | ast::Value::StringLit(_)
            | ast::Value::NumberLit(_)
            | ast::Value::BooleanLit(_)
            | ast::Value::NullKeyword(_) => {}
        }
    }

    /// Checks a value with the alternative that has its type. Enumerated words count as one alternative.
    fn check_alternatives(&mut self, value: &ast::Value<'_>, all: &[&Value], at: &str, what: &str) {
        let words: Vec<&str> = all.iter().filter_map(|one| one["const"].as_str()).collect();
        if let (ast::Value::StringLit(text), false) = (value, words.is_empty()) {
            return self.check_word(&text.value, &words, at, what);
        }
        let matching =
            all.iter().find(|one| types_of(one).iter().any(|kind| has_type(value, kind)));
        match matching {
            Some(one) => self.check_value(value, one, at, what),
            None => {
                let types: Vec<&str> = all.iter().flat_map(|one| types_of(one)).collect();
                let message = format!(
                    "{what} must be {}, not {}",
                    describe_types(&types),
                    describe_value(value)
                );
                self.findings.push(Finding::new(at, message));
            }
        }
    }

    fn check_enum(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let words: Vec<&str> = match schema["enum"].as_array() {
            Some(all) => all.iter().filter_map(Value::as_str).collect(),
            None => schema["const"].as_str().into_iter().collect(),
        };
        if let (ast::Value::StringLit(text), false) = (value, words.is_empty()) {
            self.check_word(&text.value, &words, at, what);
        }
    }

    fn check_range(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let ast::Value::NumberLit(number) = value else { return };
        let Ok(number) = number.value.parse::<f64>() else { return };
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if let Some(least) = least.filter(|least| number < *least) {
            self.findings.push(Finding::new(at, format!("{what} must be at least {least}")));
        }
        if let Some(most) = most.filter(|most| number > *most) {
            self.findings.push(Finding::new(at, format!("{what} must be at most {most}")));
        }
    }

    fn check_word(&mut self, word: &str, words: &[&str], at: &str, what: &str) {
        if words.contains(&word) {
            return;
        }
        let all: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let message = format!("unknown {what} `{}`; allowed: {}", shorten(word), all.join(", "));
        let near = nearest(word, words.iter().copied());
        self.findings.push(Finding::new(at, message).with_suggestion(near.map(did_you_mean)));
    }

    fn check_object(&mut self, object: &ast::Object<'_>, schema: &Value, at: &str, what: &str) {
        let owner = schema["title"].as_str().filter(|_| !at.is_empty()).unwrap_or(what);
        let fields = schema["properties"].as_object();
        let closed = schema["additionalProperties"] == Value::Bool(false);
        for field in &object.properties {
            let name = field.name.as_str();
            let at = child_pointer(at, name);
            match fields.and_then(|fields| fields.get(name)) {
                Some(schema) => self.check_value(&field.value, schema, &at, &format!("`{name}`")),
                None if closed => {
                    let known = fields.into_iter().flat_map(|all| all.keys().map(String::as_str));
                    let near = nearest(name, known).map(did_you_mean);
                    let message = format!("`{}` is not a field of {owner}", shorten(name));
                    self.findings.push(Finding::at_name(at, message).with_suggestion(near));
                }
                None if schema["additionalProperties"].is_object() => {
                    let what = format!("`{}`", shorten(name));
                    self.check_value(&field.value, &schema["additionalProperties"], &at, &what);
                }
                None => {}
            }
        }
        let has = |name: &str| object.properties.iter().any(|field| field.name.as_str() == name);
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|name| !has(name)) {
            self.findings.push(Finding::new(at, format!("{owner} has no `{name}`")));
        }
    }
}

fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

fn resolve_ref(schema: &Value) -> &Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    match name {
        Some(name) => &SCHEMA["$defs"][name],
        None if schema["$ref"] == "#" => &SCHEMA,
        None => schema,
    }
}

fn alternatives(schema: &Value) -> Vec<&Value> {
    let all = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    let mut flat = Vec::new();
    for one in all.into_iter().flatten() {
        let one = resolve_ref(one);
        match alternatives(one) {
            inner if inner.is_empty() => flat.push(one),
            inner => flat.extend(inner),
        }
    }
    flat
}

fn types_of(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn has_type(value: &ast::Value<'_>, kind: &str) -> bool {
    match value {
        ast::Value::StringLit(_) => kind == "string",
        ast::Value::NumberLit(number) => {
            kind == "number" || kind == "integer" && !number.value.contains(['.', 'e', 'E'])
        }
        ast::Value::BooleanLit(_) => kind == "boolean",
        ast::Value::Object(_) => kind == "object",
        ast::Value::Array(_) => kind == "array",
        ast::Value::NullKeyword(_) => kind == "null",
    }
}

fn describe_value(value: &ast::Value<'_>) -> &'static str {
    match value {
        ast::Value::StringLit(_) => "text",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::BooleanLit(_) => "true or false",
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "an array",
        ast::Value::NullKeyword(_) => "null",
    }
}

fn describe_types(types: &[&str]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for kind in types {
        let word = match *kind {
            "string" => "text",
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            "object" => "an object",
            "array" => "an array",
            _ => continue,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" or ")
}
