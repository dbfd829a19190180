//! Changes, attempted against servers that only allow reading.

use super::{
    Attack,
    Step::{Activate, Call, InvalidCall, Raw, Request},
    attack,
};

/// Every way to change an app.
pub(super) const WRITES: &[Attack] = &[
    attack("read only: a click", &[Call("ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    attack("read only: a click by a ref", &[Call("ax_click", r#"{"app":"$V","query":"$VREF"}"#)]),
    attack(
        "read only: a click with the real pointer",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"focus"}"#)],
    ),
    attack(
        "read only: a right click",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","click_type":"right"}"#)],
    ),
    attack("read only: a check box", &[Call("ax_click", r#"{"app":"$V","query":"Armed"}"#)]),
    attack("read only: a click at a position", &[Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#)]),
    attack("read only: text", &[Call("ax_type", r#"{"app":"$V","text":"x","query":"Ledger"}"#)]),
    attack(
        "read only: text into the editor",
        &[Call("ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "read only: text into the editor with the real keyboard",
        &[Call("ax_type", r#"{"app":"$M","text":"x","mode":"focus"}"#)],
    ),
    attack(
        "read only: a value",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Ledger","value":"x"}"#)],
    ),
    attack(
        "read only: a slider",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Level","value":"50"}"#)],
    ),
    attack("read only: a key", &[Call("ax_key_press", r#"{"app":"$V","key":"x"}"#)]),
    attack(
        "read only: a key for the focused app",
        &[Activate("$V"), Call("ax_key_press", r#"{"key":"x"}"#), Activate("$C")],
    ),
    attack(
        "read only: scrolling",
        &[Call("ax_scroll", r#"{"app":"$V","direction":"down","query":"Level"}"#)],
    ),
    attack(
        "read only: dragging",
        &[Call("ax_drag", r#"{"app":"$V","from_query":"Ledger","to_query":"Press me"}"#)],
    ),
    attack(
        "read only: dragging by coordinates",
        &[Call("ax_drag", r#"{"app":"$V","from_x":$VX,"from_y":$VY,"to_x":$MX,"to_y":$MY}"#)],
    ),
    attack(
        "read only: a call as a task",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"task":{}}"#,
        )],
    ),
    attack(
        "read only: a call in a batch",
        &[Raw(
            r#"[{"jsonrpc":"2.0","id":"l1","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}]"#,
        )],
    ),
    attack(
        "read only: by an alias",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"free"}"#),
            Call("ax_click", r#"{"app":"free","query":"Press me"}"#),
        ],
    ),
    attack(
        "read only: an unknown field that allows it",
        &[InvalidCall("ax_click", r#"{"app":"$V","query":"Press me","read_only":false}"#)],
    ),
];

/// Ways to bypass a mode.
pub(super) const MODES: &[Attack] = &[
    attack(
        "mode: a tool that is not offered, in upper case",
        &[Call("Ax_Click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "mode: an answer without a question",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true,"remember":true}}}}"#,
        )],
    ),
    attack(
        "mode: a forged state",
        &[Request(
            "tools/call",
            r#"{"name":"ax_type","arguments":{"app":"$V","text":"x"},"requestState":"AAAA","inputResponses":{}}"#,
        )],
    ),
    attack(
        "mode: a mode among the arguments",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"normal"}"#)],
    ),
    attack(
        "mode: a mode in _meta",
        &[Request(
            "tools/call",
            r#"{"_meta":{"security_mode":"normal","ceiling":"normal"},"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack("mode: starting a program", &[Call("open", r#"{"what":"xterm"}"#)]),
    attack("mode: running a script", &[Call("ax_run_script", r#"{"script":"touch /tmp/x"}"#)]),
    attack("mode: moving a window", &[Call("window_move", r#"{"window":"1","x":0,"y":0}"#)]),
    attack(
        "mode: writing to the clipboard",
        &[Call("ax_clipboard", r#"{"action":"write","text":"x"}"#)],
    ),
    attack(
        "mode: the method in upper case",
        &[Request(
            "TOOLS/CALL",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
];
