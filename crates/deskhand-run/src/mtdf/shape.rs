//! Whether a file has the fields the published schema knows, with values of the right kind. The
//! schema itself is what is looked at, so the two cannot disagree.

use std::sync::LazyLock;

use jsonc_parser::ast;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::{
    definition::Definition,
    nearest::nearest,
    source::{Remark, below, short},
};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12();
    let Value::Object(made) =
        settings.into_generator().into_root_schema_for::<Definition>().to_value()
    else {
        return Value::Bool(true);
    };
    // What it is comes first, for whoever reads it.
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

/// The schema of a file in the tools folder.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// Everything about a file's fields that the schema does not allow.
pub(super) fn check(root: &ast::Value<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    Walk { remarks: &mut remarks }.value(root, &SCHEMA, "", "a tool");
    remarks
}

struct Walk<'a> {
    remarks: &'a mut Vec<Remark>,
}

impl Walk<'_> {
    /// `what` names the value: `description`, or `a tool` for the whole.
    fn value(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let schema = resolved(schema);
        let alternatives = alternatives(schema);
        if !alternatives.is_empty() {
            return self.one_of(value, &alternatives, at, what);
        }
        let kinds = kinds(schema);
        if !kinds.is_empty() && !kinds.iter().any(|kind| fits(value, kind)) {
            let why = format!("{what} must be {}, not {}", said(&kinds), kind_of(value));
            self.remarks.push(Remark::new(at, why));
            return;
        }
        self.words(value, schema, at, what);
        self.bounds(value, schema, at, what);
        match value {
            ast::Value::Object(object) => self.object(object, schema, at, what),
            ast::Value::Array(array) if schema["items"].is_object() => {
                for (index, element) in array.elements.iter().enumerate() {
                    let what = format!("an element of {what}");
                    self.value(element, &schema["items"], &format!("{at}/{index}"), &what);
                }
            }
            ast::Value::Array(_)
            | ast::Value::StringLit(_)
            | ast::Value::NumberLit(_)
            | ast::Value::BooleanLit(_)
            | ast::Value::NullKeyword(_) => {}
        }
    }

    /// The alternative of the value's kind decides; words of an enumeration are one alternative.
    fn one_of(&mut self, value: &ast::Value<'_>, all: &[&Value], at: &str, what: &str) {
        let words: Vec<&str> = all.iter().filter_map(|one| one["const"].as_str()).collect();
        if let (ast::Value::StringLit(text), false) = (value, words.is_empty()) {
            return self.word(&text.value, &words, at, what);
        }
        let fitting = all.iter().find(|one| kinds(one).iter().any(|kind| fits(value, kind)));
        match fitting {
            Some(one) => self.value(value, one, at, what),
            None => {
                let kinds: Vec<&str> = all.iter().flat_map(|one| kinds(one)).collect();
                let why = format!("{what} must be {}, not {}", said(&kinds), kind_of(value));
                self.remarks.push(Remark::new(at, why));
            }
        }
    }

    fn words(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let words: Vec<&str> = match schema["enum"].as_array() {
            Some(all) => all.iter().filter_map(Value::as_str).collect(),
            None => schema["const"].as_str().into_iter().collect(),
        };
        if let (ast::Value::StringLit(text), false) = (value, words.is_empty()) {
            self.word(&text.value, &words, at, what);
        }
    }

    fn bounds(&mut self, value: &ast::Value<'_>, schema: &Value, at: &str, what: &str) {
        let ast::Value::NumberLit(number) = value else { return };
        let Ok(number) = number.value.parse::<f64>() else { return };
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if let Some(least) = least.filter(|least| number < *least) {
            self.remarks.push(Remark::new(at, format!("{what} must be at least {least}")));
        }
        if let Some(most) = most.filter(|most| number > *most) {
            self.remarks.push(Remark::new(at, format!("{what} must be at most {most}")));
        }
    }

    fn word(&mut self, word: &str, words: &[&str], at: &str, what: &str) {
        if words.contains(&word) {
            return;
        }
        let all: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let why = format!("{what} `{}` is not known; it can be {}", short(word), all.join(", "));
        let near = nearest(word, words.iter().copied());
        self.remarks.push(Remark::new(at, why).suggesting(near.map(meant)));
    }

    fn object(&mut self, object: &ast::Object<'_>, schema: &Value, at: &str, what: &str) {
        let owner = schema["title"].as_str().filter(|_| !at.is_empty()).unwrap_or(what);
        let fields = schema["properties"].as_object();
        let closed = schema["additionalProperties"] == Value::Bool(false);
        for field in &object.properties {
            let name = field.name.as_str();
            let at = below(at, name);
            match fields.and_then(|fields| fields.get(name)) {
                Some(schema) => self.value(&field.value, schema, &at, &format!("`{name}`")),
                None if closed => {
                    let known = fields.into_iter().flat_map(|all| all.keys().map(String::as_str));
                    let near = nearest(name, known).map(meant);
                    let why = format!("`{}` is not a field of {owner}", short(name));
                    self.remarks.push(Remark::of_name(at, why).suggesting(near));
                }
                None if schema["additionalProperties"].is_object() => {
                    let what = format!("`{}`", short(name));
                    self.value(&field.value, &schema["additionalProperties"], &at, &what);
                }
                None => {}
            }
        }
        let has = |name: &str| object.properties.iter().any(|field| field.name.as_str() == name);
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|name| !has(name)) {
            self.remarks.push(Remark::new(at, format!("{owner} has no `{name}`")));
        }
    }
}

fn meant(word: &str) -> String {
    format!("did you mean `{word}`?")
}

fn resolved(schema: &Value) -> &Value {
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
        let one = resolved(one);
        match alternatives(one) {
            inner if inner.is_empty() => flat.push(one),
            inner => flat.extend(inner),
        }
    }
    flat
}

fn kinds(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn fits(value: &ast::Value<'_>, kind: &str) -> bool {
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

fn kind_of(value: &ast::Value<'_>) -> &'static str {
    match value {
        ast::Value::StringLit(_) => "text",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::BooleanLit(_) => "true or false",
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "an array",
        ast::Value::NullKeyword(_) => "null",
    }
}

fn said(kinds: &[&str]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for kind in kinds {
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
