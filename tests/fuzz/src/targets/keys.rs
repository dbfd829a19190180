//! Key combinations, as far as records tell them: the one who decides that reads them first.

use deskhand_engine::{Catalogue, Session};
use serde_json::{Value, json};

use crate::Target;

/// A combination that writes a character is never on record.
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
        static ALL: Catalogue = Catalogue::all();
    }
    let text = String::from_utf8_lossy(data);
    let told = |value: Value| {
        ALL.with(|all| {
            let entry = all.get(&deskhand_engine::Vocabulary::Ax.tool("ax_key_press")).expect("a tool that presses keys");
            entry.told(&json!({ "key": value }), &Session::default())["key"].clone()
        })
    };
    let alone = told(json!(text));
    let shown = alone.as_str().expect("a text stays a text");
    if shown == text {
        // What is shown has a key that writes nothing, or one that is held beside it.
        let mut letters = text.trim().chars();
        let is_one = letters.next().is_some() && letters.next().is_none();
        assert!(!is_one, "a character is on record: {text:?}");
    }
    let listed = told(json!([text, [text]]));
    assert_eq!(listed[0], alone);
    assert_eq!(listed[1][0], alone);
}
