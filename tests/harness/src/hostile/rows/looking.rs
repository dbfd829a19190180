//! What changes something, against servers that let it be looked at only.

use super::{
    Row,
    Step::{Ask, Call, Front, Garbled, Raw},
    row,
};

/// Every way to change the apps.
pub(super) const WRITES: &[Row] = &[
    row("look only: a click", &[Call("ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    row("look only: a click by a ref", &[Call("ax_click", r#"{"app":"$V","query":"$VREF"}"#)]),
    row(
        "look only: a click by the real pointer",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"focus"}"#)],
    ),
    row(
        "look only: the other button",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","click_type":"right"}"#)],
    ),
    row("look only: a check box", &[Call("ax_click", r#"{"app":"$V","query":"Armed"}"#)]),
    row("look only: a click at a place", &[Call("ax_click_at", r#"{"x":$VX,"y":$VY}"#)]),
    row("look only: a text", &[Call("ax_type", r#"{"app":"$V","text":"x","query":"Ledger"}"#)]),
    row(
        "look only: a text into the editor",
        &[Call("ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#)],
    ),
    row(
        "look only: a text into the editor by the real keyboard",
        &[Call("ax_type", r#"{"app":"$M","text":"x","mode":"focus"}"#)],
    ),
    row(
        "look only: a value",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Ledger","value":"x"}"#)],
    ),
    row(
        "look only: a level",
        &[Call("ax_set_value", r#"{"app":"$V","query":"Level","value":"50"}"#)],
    ),
    row("look only: a key", &[Call("ax_key_press", r#"{"app":"$V","key":"x"}"#)]),
    row(
        "look only: a key for whoever has the keyboard",
        &[Front("$V"), Call("ax_key_press", r#"{"key":"x"}"#), Front("$C")],
    ),
    row(
        "look only: scrolling",
        &[Call("ax_scroll", r#"{"app":"$V","direction":"down","query":"Level"}"#)],
    ),
    row(
        "look only: dragging",
        &[Call("ax_drag", r#"{"app":"$V","from_query":"Ledger","to_query":"Press me"}"#)],
    ),
    row(
        "look only: dragging by places",
        &[Call("ax_drag", r#"{"app":"$V","from_x":$VX,"from_y":$VY,"to_x":$MX,"to_y":$MY}"#)],
    ),
    row(
        "look only: a call as a task",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"task":{}}"#,
        )],
    ),
    row(
        "look only: a call in a batch",
        &[Raw(
            r#"[{"jsonrpc":"2.0","id":"l1","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}]"#,
        )],
    ),
    row(
        "look only: by an alias",
        &[
            Call("ax_connect", r#"{"app":"$V","alias":"free"}"#),
            Call("ax_click", r#"{"app":"free","query":"Press me"}"#),
        ],
    ),
    row(
        "look only: an unknown field that allows it",
        &[Garbled("ax_click", r#"{"app":"$V","query":"Press me","read_only":false}"#)],
    ),
];

/// Ways round a mode.
pub(super) const MODES: &[Row] = &[
    row(
        "mode: a tool that was not offered, in capitals",
        &[Call("Ax_Click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    row(
        "mode: a yes nobody asked for",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true,"remember":true}}}}"#,
        )],
    ),
    row(
        "mode: a made-up state",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_type","arguments":{"app":"$V","text":"x"},"requestState":"AAAA","inputResponses":{}}"#,
        )],
    ),
    row(
        "mode: a mode among the arguments",
        &[Call("ax_click", r#"{"app":"$V","query":"Press me","mode":"normal"}"#)],
    ),
    row(
        "mode: a mode in the meta",
        &[Ask(
            "tools/call",
            r#"{"_meta":{"security_mode":"normal","ceiling":"normal"},"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row("mode: a program started", &[Call("open", r#"{"what":"xterm"}"#)]),
    row("mode: a script", &[Call("ax_run_script", r#"{"script":"touch /tmp/x"}"#)]),
    row("mode: a window moved", &[Call("window_move", r#"{"window":"1","x":0,"y":0}"#)]),
    row("mode: something copied", &[Call("ax_clipboard", r#"{"action":"write","text":"x"}"#)]),
    row(
        "mode: the method in capitals",
        &[Ask("TOOLS/CALL", r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#)],
    ),
];
