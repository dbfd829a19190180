//! Target for the redaction of tool arguments in audit records.

use deskhand_engine::{CallerSession, Catalogue};
use deskhand_tools::PrivateArg;
use serde_json::{Value, json};

use crate::Target;

/// Text typed into an app appears in no audit record, whatever JSON type it has.
pub(crate) const TARGET: Target = Target {
    name: "arguments",
    run,
    words: &[
        "\"text\":",
        "\"value\":",
        "\"keys\":",
        "\"app\":",
        "\"query\":",
        "\"content\":",
        "null",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"TEXT\":",
        "\"text \":",
        "\"te\\u0078t\":",
    ],
    rounds: 3_000,
};

/// Stands for typed text.
const SECRET: &str = "tr0ub4dor-and-3";

fn run(data: &[u8]) {
    thread_local! {
        static CATALOGUE: Catalogue = Catalogue::all();
    }
    let Ok(mut given) = serde_json::from_slice::<Value>(data) else { return };
    // Coverage guidance finds this text and uses it in arguments that audit records do show.
    if given.to_string().contains(SECRET) {
        return;
    }
    let session = CallerSession::default();
    CATALOGUE.with(|all| {
        for entry in all.iter() {
            let redacted = entry.redacted_args(&given, &session);
            assert!(redacted.is_object(), "{redacted}");
            let Some(fields) = given.as_object_mut() else { continue };
            for private in entry.private() {
                let name = match private {
                    PrivateArg::Text(name) | PrivateArg::Keys(name) | PrivateArg::Typed(name) => {
                        *name
                    }
                };
                let old =
                    fields.insert(name.to_owned(), json!([SECRET, { "a": SECRET }, [[SECRET]]]));
                let redacted =
                    entry.redacted_args(&Value::Object(fields.clone()), &session).to_string();
                assert!(!redacted.contains(SECRET), "{}: {redacted}", entry.name());
                match old {
                    Some(old) => fields.insert(name.to_owned(), old),
                    None => fields.shift_remove(name),
                };
            }
        }
    });
}
