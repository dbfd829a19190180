//! Every tool on an app that may not be read, and the ways round by other tools.

use super::{
    Row,
    Step::{Ask, Call, Front, Vault},
    row,
};

pub(super) const ROWS: &[Row] = &[
    row("its tree", &[Call("ax_get_tree", r#"{"app":"$V"}"#)]),
    row("its hidden tree", &[Call("ax_get_tree", r#"{"app":"$V","include_invisible":true}"#)]),
    row("a part of its tree", &[Call("ax_get_tree", r#"{"app":"$V","root_query":"Press me"}"#)]),
    row("a page of its tree", &[Call("ax_get_tree", r#"{"app":"$V","cursor":"100"}"#)]),
    row("an element", &[Call("ax_find", r#"{"app":"$V","query":"Ledger"}"#)]),
    row(
        "an element by XPath",
        &[Call(
            "ax_find",
            r#"{"app":"$V","query":"//*[contains(@value,'C')]","strategy":"xpath"}"#,
        )],
    ),
    row(
        "an element by a pattern that tests its words",
        &[Call(
            "ax_find",
            r#"{"app":"$V","query":"^CANARY-[0-9]+$","strategy":"regex","explain":true}"#,
        )],
    ),
    row("a value", &[Call("ax_get_value", r#"{"app":"$V","query":"Ledger"}"#)]),
    row("attributes", &[Call("ax_get_attributes", r#"{"app":"$V","query":"Ledger"}"#)]),
    row("its windows", &[Call("ax_list_windows", r#"{"app":"$V"}"#)]),
    row("the editor's windows", &[Call("ax_list_windows", r#"{"app":"$M"}"#)]),
    row("all apps", &[Call("ax_list_apps", "{}")]),
    row("its picture", &[Call("ax_screenshot", r#"{"app":"$V"}"#)]),
    row("the picture of its window", &[Call("ax_screenshot", r#"{"app":"$V","window_index":0}"#)]),
    row("a picture of everything", &[Call("ax_screenshot", "{}")]),
    row(
        "a picture of where it is",
        &[Call("ax_screenshot", r#"{"region":{"x":40,"y":40,"w":400,"h":300}}"#)],
    ),
    row(
        "a picture of an app it lies beside",
        &[Call("ax_screenshot", r#"{"app":"$C","region":{"x":0,"y":0,"w":1900,"h":1000}}"#)],
    ),
    row(
        "a picture of an app it lies over",
        &[Front("$V"), Call("ax_screenshot", r#"{"app":"$C"}"#), Front("$C")],
    ),
    row(
        "whether something holds in it",
        &[Call(
            "ax_assert",
            r#"{"app":"$V","query":"Ledger","assertions":{"value":"CANARY-7351"}}"#,
        )],
    ),
    row(
        "whether something exists in it",
        &[Call("ax_assert", r#"{"app":"$V","query":"Press me","assertions":{"exists":true}}"#)],
    ),
    row("its rest", &[Call("ax_wait_idle", r#"{"app":"$V","timeout_ms":300}"#)]),
    row("a connection", &[Call("ax_connect", r#"{"app":"$V"}"#)]),
    row("a click", &[Call("ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    row(
        "two clicks",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","click_type":"double"}"#)],
    ),
    row(
        "a click by the real pointer",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"focus"}"#)],
    ),
    row("a click by an old ref", &[Call("ax_click", r#"{"app":"$V","query":"$VREF"}"#)]),
    row("a text", &[Call("ax_type", r#"{"app":"$V","text":"x","query":"Ledger"}"#)]),
    row("a text without a field", &[Call("ax_type", r#"{"app":"$V","text":"x"}"#)]),
    row(
        "a text by the real keyboard",
        &[Call(
            "ax_type",
            r#"{"app":"$V","text":"x","query":"Ledger","mode":"focus","clear_first":true}"#,
        )],
    ),
    row(
        "a text into the editor",
        &[Call("ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#)],
    ),
    row("a value set", &[Call("ax_set_value", r#"{"app":"$V","query":"Ledger","value":""}"#)]),
    row(
        "a value set in the editor",
        &[Call("ax_set_value", r#"{"app":"$M","query":"role:text","value":""}"#)],
    ),
    row("a key", &[Call("ax_key_press", r#"{"app":"$V","key":"Delete"}"#)]),
    row(
        "a key with modifiers",
        &[Call("ax_key_press", r#"{"app":"$M","key":"s","modifiers":["ctrl"]}"#)],
    ),
    row(
        "a key that would close it",
        &[Call("ax_key_press", r#"{"app":"$M","key":"F4","modifiers":["opt"]}"#)],
    ),
    row(
        "a key for whoever has the keyboard, which it has",
        &[
            Front("$V"),
            Call("ax_key_press", r#"{"key":"x"}"#),
            Call("ax_key_press", r#"{"key":"Return"}"#),
            Front("$C"),
        ],
    ),
    row(
        "keys that reach the window manager from its window",
        &[Front("$V"), Call("ax_key_press", r#"{"key":"F4","modifiers":["opt"]}"#), Front("$C")],
    ),
    row(
        "a text for another app while it has the keyboard",
        &[
            Front("$V"),
            Call("ax_type", r#"{"app":"$C","text":"12","mode":"background"}"#),
            Front("$C"),
        ],
    ),
    row("scrolling", &[Call("ax_scroll", r#"{"app":"$V","direction":"down","amount":5}"#)]),
    row(
        "scrolling at an element",
        &[Call("ax_scroll", r#"{"app":"$V","query":"Level","direction":"up"}"#)],
    ),
    row(
        "dragging inside",
        &[Call("ax_drag", r#"{"app":"$V","from_query":"Ledger","to_query":"Press me"}"#)],
    ),
    row(
        "dragging by places of another app",
        &[Call("ax_drag", r#"{"app":"$C","from_x":$FX,"from_y":$FY,"to_x":$VX,"to_y":$VY}"#)],
    ),
    row(
        "dragging out of it by places",
        &[Call("ax_drag", r#"{"app":"$C","from_x":$VX,"from_y":$VY,"to_x":$FX,"to_y":$FY}"#)],
    ),
    row(
        "dragging from another app's element into it",
        &[Call(
            "ax_drag",
            r#"{"app":"$C","from_query":"7","to_x":$VX,"to_y":$VY,"duration_ms":50}"#,
        )],
    ),
    row("a click where it is", &[Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#)]),
    row(
        "a double click where it is",
        &[Call("ax_click_at", r#"{"x":$VX,"y":$VY,"click_type":"double"}"#)],
    ),
    row(
        "the other button where it is",
        &[Call("ax_click_at", r#"{"x":$VX,"y":$VY,"click_type":"right"}"#)],
    ),
    row("a click where the editor is", &[Call("ax_click_at", r#"{"x":$MX,"y":$MY}"#)]),
    row("a click beyond the screen", &[Call("ax_click_at", r#"{"x":2147483647,"y":-2147483648}"#)]),
    row(
        "a path into it from another app",
        &[Call(
            "ax_click",
            r#"{"app":"$C","query":"app($V)/window[0]/button[@title='Press me']"}"#,
        )],
    ),
    row("a ref of it on another app", &[Call("ax_click", r#"{"app":"$C","query":"$VREF"}"#)]),
    row(
        "XPath beyond the other app",
        &[Call(
            "ax_click",
            r#"{"app":"$C","query":"//button[@title='Press me'] | /..//*[@title='Press me']"}"#,
        )],
    ),
    row(
        "a click after it took another title",
        &[
            Vault("title KCalc"),
            Call("ax_click", r#"{"app":"KCalc","query":"Press me"}"#),
            Vault("title ledger-9127"),
        ],
    ),
    row(
        "a click after it calls its window another name",
        &[
            Vault("name kcalc"),
            Call("ax_click", r#"{"app":"$V","query":"Press me"}"#),
            Call("ax_list_windows", r#"{"app":"$V"}"#),
        ],
    ),
    row(
        "a click after a person brought it forward",
        &[Front("$V"), Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#), Front("$C")],
    ),
    row(
        "its words among what happened",
        &[
            Call("ax_session_info", "{}"),
            Ask("resources/read", r#"{"uri":"deskhand://app/$V/events"}"#),
        ],
    ),
    row(
        "what was copied stays readable, and tells nothing of it",
        &[Call("ax_clipboard", r#"{"action":"read"}"#)],
    ),
];
