//! Target for the redaction of key combinations in audit records.

use deskhand_engine::{CallerSession, Catalogue};
use serde_json::{Value, json};

use crate::Target;

/// A combination that types a character appears in no audit record.
pub(crate) const TARGET: Target = Target {
    name: "keys",
    run,
    words: &[
        "ctrl+",
        "cmd+",
        "shift+",
        "alt+",
        "altgr+",
        "super+",
        "+",
        "++",
        "Return",
        "F5",
        "F24",
        "F25",
        "plus",
        "space",
        "bracketleft",
        "Delete",
        "arrow_left",
        "page-up",
    ],
    rounds: 1_500,
};

fn run(data: &[u8]) {
    thread_local! {
        static CATALOGUE: Catalogue = Catalogue::all();
    }
    let text = String::from_utf8_lossy(data);
    let redacted = |value: Value| {
        CATALOGUE.with(|all| {
            let key = deskhand_engine::Vocabulary::Ax.tool("ax_key_press");
            let entry = all.get(&key).expect("the key tool exists");
            entry.redacted_args(&json!({ "key": value }), &CallerSession::default())["key"].clone()
        })
    };
    let alone = redacted(json!(text));
    let shown = alone.as_str().expect("a string stays a string");
    if shown == text {
        // A combination that is shown does not type a character, or includes a modifier.
        let mut letters = text.trim().chars();
        let is_one = letters.next().is_some() && letters.next().is_none();
        assert!(!is_one, "a character was recorded: {text:?}");
    }
    let listed = redacted(json!([text, [text]]));
    assert_eq!(listed[0], alone);
    assert_eq!(listed[1][0], alone);
}
