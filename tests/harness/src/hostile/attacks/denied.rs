//! Every tool on an app that must not be read, and indirect ways through other tools.

use super::{
    Attack,
    Step::{Activate, Call, Request, VaultCommand},
    attack,
};

pub(super) const ATTACKS: &[Attack] = &[
    attack("its tree", &[Call("ax_get_tree", r#"{"app":"$V"}"#)]),
    attack(
        "its tree with hidden elements",
        &[Call("ax_get_tree", r#"{"app":"$V","include_invisible":true}"#)],
    ),
    attack("a part of its tree", &[Call("ax_get_tree", r#"{"app":"$V","root_query":"Press me"}"#)]),
    attack("a page of its tree", &[Call("ax_get_tree", r#"{"app":"$V","cursor":"100"}"#)]),
    attack("an element", &[Call("ax_find", r#"{"app":"$V","query":"Ledger"}"#)]),
    attack(
        "an element by XPath",
        &[Call(
            "ax_find",
            r#"{"app":"$V","query":"//*[contains(@value,'C')]","strategy":"xpath"}"#,
        )],
    ),
    attack(
        "an element by a regular expression on its value",
        &[Call(
            "ax_find",
            r#"{"app":"$V","query":"^CANARY-[0-9]+$","strategy":"regex","explain":true}"#,
        )],
    ),
    attack("a value", &[Call("ax_get_value", r#"{"app":"$V","query":"Ledger"}"#)]),
    attack("attributes", &[Call("ax_get_attributes", r#"{"app":"$V","query":"Ledger"}"#)]),
    attack("its windows", &[Call("ax_list_windows", r#"{"app":"$V"}"#)]),
    attack("the editor's windows", &[Call("ax_list_windows", r#"{"app":"$M"}"#)]),
    attack("all apps", &[Call("ax_list_apps", "{}")]),
    attack("a screenshot of it", &[Call("ax_screenshot", r#"{"app":"$V"}"#)]),
    attack(
        "a screenshot of its window",
        &[Call("ax_screenshot", r#"{"app":"$V","window_index":0}"#)],
    ),
    attack("a screenshot of the whole screen", &[Call("ax_screenshot", "{}")]),
    attack(
        "a screenshot of its position",
        &[Call("ax_screenshot", r#"{"region":{"x":40,"y":40,"w":400,"h":300}}"#)],
    ),
    attack(
        "a screenshot of an app next to it",
        &[Call("ax_screenshot", r#"{"app":"$C","region":{"x":0,"y":0,"w":1900,"h":1000}}"#)],
    ),
    attack(
        "a screenshot of an app that it covers",
        &[Activate("$V"), Call("ax_screenshot", r#"{"app":"$C"}"#), Activate("$C")],
    ),
    attack(
        "an assertion about a value in it",
        &[Call(
            "ax_assert",
            r#"{"app":"$V","query":"Ledger","assertions":{"value":"CANARY-7351"}}"#,
        )],
    ),
    attack(
        "an assertion that an element exists in it",
        &[Call("ax_assert", r#"{"app":"$V","query":"Press me","assertions":{"exists":true}}"#)],
    ),
    attack("waiting until it is idle", &[Call("ax_wait_idle", r#"{"app":"$V","timeout_ms":300}"#)]),
    attack("a connection", &[Call("ax_connect", r#"{"app":"$V"}"#)]),
    attack("a click", &[Call("ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    attack(
        "a double click",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","click_type":"double"}"#)],
    ),
    attack(
        "a click with the real pointer",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"focus"}"#)],
    ),
    attack("a click by an old ref", &[Call("ax_click", r#"{"app":"$V","query":"$VREF"}"#)]),
    attack("a text", &[Call("ax_type", r#"{"app":"$V","text":"x","query":"Ledger"}"#)]),
    attack("text without a field", &[Call("ax_type", r#"{"app":"$V","text":"x"}"#)]),
    attack(
        "text with the real keyboard",
        &[Call(
            "ax_type",
            r#"{"app":"$V","text":"x","query":"Ledger","mode":"focus","clear_first":true}"#,
        )],
    ),
    attack(
        "text into the editor",
        &[Call("ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "setting a value",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Ledger","value":""}"#)],
    ),
    attack(
        "setting a value in the editor",
        &[Call("ax_set_value", r#"{"app":"$M","query":"role:text","value":""}"#)],
    ),
    attack("a key", &[Call("ax_key_press", r#"{"app":"$V","key":"Delete"}"#)]),
    attack(
        "a key with modifiers",
        &[Call("ax_key_press", r#"{"app":"$M","key":"s","modifiers":["ctrl"]}"#)],
    ),
    attack(
        "a key that would close it",
        &[Call("ax_key_press", r#"{"app":"$M","key":"F4","modifiers":["opt"]}"#)],
    ),
    attack(
        "a key for the focused app, which is the vault",
        &[
            Activate("$V"),
            Call("ax_key_press", r#"{"key":"x"}"#),
            Call("ax_key_press", r#"{"key":"Return"}"#),
            Activate("$C"),
        ],
    ),
    attack(
        "window manager keys while its window is active",
        &[
            Activate("$V"),
            Call("ax_key_press", r#"{"key":"F4","modifiers":["opt"]}"#),
            Activate("$C"),
        ],
    ),
    attack(
        "text for another app while it has the focus",
        &[
            Activate("$V"),
            Call("ax_type", r#"{"app":"$C","text":"12","mode":"background"}"#),
            Activate("$C"),
        ],
    ),
    attack("scrolling", &[Call("ax_scroll", r#"{"app":"$V","direction":"down","amount":5}"#)]),
    attack(
        "scrolling an element",
        &[Call("ax_scroll", r#"{"app":"$V","query":"Level","direction":"up"}"#)],
    ),
    attack(
        "dragging inside it",
        &[Call("ax_drag", r#"{"app":"$V","from_query":"Ledger","to_query":"Press me"}"#)],
    ),
    attack(
        "dragging into it with coordinates of another app",
        &[Call("ax_drag", r#"{"app":"$C","from_x":$FX,"from_y":$FY,"to_x":$VX,"to_y":$VY}"#)],
    ),
    attack(
        "dragging out of it with coordinates",
        &[Call("ax_drag", r#"{"app":"$C","from_x":$VX,"from_y":$VY,"to_x":$FX,"to_y":$FY}"#)],
    ),
    attack(
        "dragging from another app's element into it",
        &[Call(
            "ax_drag",
            r#"{"app":"$C","from_query":"7","to_x":$VX,"to_y":$VY,"duration_ms":50}"#,
        )],
    ),
    attack("a click at its position", &[Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#)]),
    attack(
        "a double click at its position",
        &[Call("ax_click_at", r#"{"x":$VX,"y":$VY,"click_type":"double"}"#)],
    ),
    attack(
        "a right click at its position",
        &[Call("ax_click_at", r#"{"x":$VX,"y":$VY,"click_type":"right"}"#)],
    ),
    attack("a click at the editor's position", &[Call("ax_click_at", r#"{"x":$MX,"y":$MY}"#)]),
    attack(
        "a click outside the screen",
        &[Call("ax_click_at", r#"{"x":2147483647,"y":-2147483648}"#)],
    ),
    attack(
        "a path into it from another app",
        &[Call(
            "ax_click",
            r#"{"app":"$C","query":"app($V)/window[0]/button[@title='Press me']"}"#,
        )],
    ),
    attack("its ref used for another app", &[Call("ax_click", r#"{"app":"$C","query":"$VREF"}"#)]),
    attack(
        "XPath that leaves the other app",
        &[Call(
            "ax_click",
            r#"{"app":"$C","query":"//button[@title='Press me'] | /..//*[@title='Press me']"}"#,
        )],
    ),
    attack(
        "a click after it changed its title",
        &[
            VaultCommand("title KCalc"),
            Call("ax_click", r#"{"app":"KCalc","query":"Press me"}"#),
            VaultCommand("title ledger-9127"),
        ],
    ),
    attack(
        "a click after it renamed its window",
        &[
            VaultCommand("name kcalc"),
            Call("ax_click", r#"{"app":"$V","query":"Press me"}"#),
            Call("ax_list_windows", r#"{"app":"$V"}"#),
        ],
    ),
    attack(
        "a click after the user activated it",
        &[Activate("$V"), Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#), Activate("$C")],
    ),
    attack(
        "its text in session information and events",
        &[
            Call("ax_session_info", "{}"),
            Request("resources/read", r#"{"uri":"deskhand://app/$V/events"}"#),
        ],
    ),
    attack(
        "reading the clipboard, which is allowed",
        &[Call("ax_clipboard", r#"{"action":"read"}"#)],
    ),
];
