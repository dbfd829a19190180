//! Decoding of a caller's JSON into a tool's arguments.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Decodes the arguments. A field that is null counts as absent, because some clients send every
/// field.
///
/// # Errors
///
/// Returns a message that names the field that does not fit and the expected type.
pub(crate) fn decode<T: DeserializeOwned>(
    mut given: Value,
    schema: fn() -> Value,
) -> Result<T, String> {
    if given.is_null() {
        given = Value::Object(serde_json::Map::new());
    }
    let Value::Object(fields) = &mut given else {
        return Err("arguments: expected an object".to_owned());
    };
    fields.retain(|_, value| !value.is_null());
    serde_path_to_error::deserialize(&given).map_err(|error| {
        let missing = missing(&schema(), &given);
        if !missing.is_empty() {
            return format!("missing required fields: {}", missing.join(", "));
        }
        let path = error.path().to_string();
        let why = error.into_inner();
        if path == "." { why.to_string() } else { format!("{path}: {why}") }
    })
}

/// Returns the names of required fields that are missing.
fn missing(schema: &Value, given: &Value) -> Vec<String> {
    let required = schema["required"].as_array();
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    required.filter(|name| given.get(name).is_none()).map(|name| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::schema;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        app: String,
        query: String,
        #[serde(default)]
        wants: Wants,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Wants {
        enabled: Option<bool>,
    }

    fn refused(given: Value) -> String {
        decode::<Args>(given, schema::sent::<Args>).unwrap_err()
    }

    #[test]
    fn a_caller_learns_which_field_and_what_was_expected() {
        let wrong = json!({ "app": "a", "query": "q", "wants": { "enabled": "yes" } });
        let message = refused(wrong);
        assert_eq!(message, "wants.enabled: invalid type: string \"yes\", expected a boolean");
        assert_eq!(refused(json!({ "wants": {} })), "missing required fields: `app`, `query`");
        assert_eq!(refused(Value::Null), "missing required fields: `app`, `query`");
        let message = refused(json!({ "app": "a", "query": "q", "colour": 1 }));
        assert!(
            message.contains("unknown field `colour`") && message.contains("`wants`"),
            "{message}"
        );
        assert_eq!(refused(json!([1])), "arguments: expected an object");
    }

    #[test]
    fn null_is_as_good_as_absent() {
        let given = json!({ "app": "a", "query": "q", "wants": null });
        let args: Args = decode(given, schema::sent::<Args>).unwrap();
        assert_eq!((args.app.as_str(), args.query.as_str(), args.wants.enabled), ("a", "q", None));
    }
}
