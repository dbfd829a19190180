//! Changes, attempted against servers that only allow reading.

use super::{
    Attack,
    Step::{Request, Call, Activate, InvalidCall, Raw},
    attack,
};

/// Every way to change an app.
pub(super) const WRITES: &[Attack] = &[
    attack("look only: a click", &[Call("ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    attack("look only: a click by a ref", &[Call("ax_click", r#"{"app":"$V","query":"$VREF"}"#)]),
    attack(
        "look only: a click by the real pointer",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"focus"}"#)],
    ),
    attack(
        "look only: the other button",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","click_type":"right"}"#)],
    ),
    attack("look only: a check box", &[Call("ax_click", r#"{"app":"$V","query":"Armed"}"#)]),
    attack("look only: a click at a place", &[Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#)]),
    attack("look only: a text", &[Call("ax_type", r#"{"app":"$V","text":"x","query":"Ledger"}"#)]),
    attack(
        "look only: a text into the editor",
        &[Call("ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#)],
    ),
    attack(
        "look only: a text into the editor by the real keyboard",
        &[Call("ax_type", r#"{"app":"$M","text":"x","mode":"focus"}"#)],
    ),
    attack(
        "look only: a value",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Ledger","value":"x"}"#)],
    ),
    attack(
        "look only: a level",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Level","value":"50"}"#)],
    ),
    attack("look only: a key", &[Call("ax_key_press", r#"{"app":"$V","key":"x"}"#)]),
    attack(
        "look only: a key for whoever has the keyboard",
        &[Activate("$V"), Call("ax_key_press", r#"{"key":"x"}"#), Activate("$C")],
    ),
    attack(
        "look only: scrolling",
        &[Call("ax_scroll", r#"{"app":"$V","direction":"down","query":"Level"}"#)],
    ),
    attack(
        "look only: dragging",
        &[Call("ax_drag", r#"{"app":"$V","from_query":"Ledger","to_query":"Press me"}"#)],
    ),
    attack(
        "look only: dragging by places",
        &[Call("ax_drag", r#"{"app":"$V","from_x":$VX,"from_y":$VY,"to_x":$MX,"to_y":$MY}"#)],
    ),
    attack(
        "look only: a call as a task",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"task":{}}"#,
        )],
    ),
    attack(
        "look only: a call in a batch",
        &[Raw(
            r#"[{"jsonrpc":"2.0","id":"l1","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}]"#,
        )],
    ),
    attack(
        "look only: by an alias",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"free"}"#),
            Call("ax_click", r#"{"app":"free","query":"Press me"}"#),
        ],
    ),
    attack(
        "look only: an unknown field that allows it",
        &[InvalidCall("ax_click", r#"{"app":"$V","query":"Press me","read_only":false}"#)],
    ),
];

/// Ways to bypass a mode.
pub(super) const MODES: &[Attack] = &[
    attack(
        "mode: a tool that was not offered, in capitals",
        &[Call("Ax_Click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "mode: a yes nobody asked for",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true,"remember":true}}}}"#,
        )],
    ),
    attack(
        "mode: a made-up state",
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
        "mode: a mode in the meta",
        &[Request(
            "tools/call",
            r#"{"_meta":{"security_mode":"normal","ceiling":"normal"},"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack("mode: a program started", &[Call("open", r#"{"what":"xterm"}"#)]),
    attack("mode: a script", &[Call("ax_run_script", r#"{"script":"touch /tmp/x"}"#)]),
    attack("mode: a window moved", &[Call("window_move", r#"{"window":"1","x":0,"y":0}"#)]),
    attack("mode: something copied", &[Call("ax_clipboard", r#"{"action":"write","text":"x"}"#)]),
    attack(
        "mode: the method in capitals",
        &[Request("TOOLS/CALL", r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#)],
    ),
];
