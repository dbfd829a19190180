//! Ambiguous messages, and tool names that are almost right.

use super::{
    Attack,
    Step::{Call, InvalidCall, Raw, Request},
    attack,
};

pub(super) const ATTACKS: &[Attack] = &[
    attack(
        "the app given twice, the unprotected one first",
        &[Call("ax_click", r#"{"app":"$C","app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "the app given twice, the unprotected one last",
        &[Call("ax_click", r#"{"app":"$V","app":"$C","query":"Press me"}"#)],
    ),
    attack(
        "the app given again in upper case",
        &[InvalidCall("ax_click", r#"{"app":"$C","App":"$V","query":"Press me"}"#)],
    ),
    attack(
        "the app given again with an escape sequence",
        &[Call("ax_click", r#"{"app":"$C","\u0061pp":"$V","query":"Press me"}"#)],
    ),
    attack(
        "the app as an object",
        &[InvalidCall("ax_click", r#"{"app":{"app":"$V"},"query":"Press me"}"#)],
    ),
    attack("the app as a list", &[InvalidCall("ax_click", r#"{"app":["$V"],"query":"Press me"}"#)]),
    attack(
        "the app as null with a pid field",
        &[InvalidCall("ax_click", r#"{"app":null,"pid":$V,"query":"Press me"}"#)],
    ),
    attack(
        "the query as an object with an app",
        &[InvalidCall("ax_click", r#"{"app":"$C","query":{"app":"$V","text":"Press me"}}"#)],
    ),
    attack(
        "an unknown field that forces the call",
        &[InvalidCall("ax_click", r#"{"app":"$V","query":"Press me","force":true}"#)],
    ),
    attack(
        "an unknown field that sets a mode",
        &[InvalidCall("ax_click", r#"{"app":"$V","query":"Press me","security_mode":"normal"}"#)],
    ),
    attack(
        "arguments as a string",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":"{\"app\":\"$V\",\"query\":\"Press me\"}"}"#,
        )],
    ),
    attack(
        "arguments as a list",
        &[Request("tools/call", r#"{"name":"ax_click","arguments":["$V","Press me"]}"#)],
    ),
    attack(
        "arguments given twice",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$C","query":"7"},"arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack(
        "the name given twice",
        &[Request(
            "tools/call",
            r#"{"name":"ax_find","name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack(
        "parameters given twice",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d1","method":"tools/call","params":{"name":"ax_find","arguments":{"app":"$C","query":"7"}},"params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    attack(
        "the method given twice",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d2","method":"tools/list","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    attack(
        "a call without an id",
        &[Raw(
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    attack(
        "a call in a batch",
        &[Raw(
            r#"[{"jsonrpc":"2.0","id":"d3","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}]"#,
        )],
    ),
    attack(
        "two calls on one line",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d4","method":"ping"}{"jsonrpc":"2.0","id":"d5","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    attack(
        "an answer without a question",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true,"proceed":true}}}"#,
        )],
    ),
    attack(
        "a _meta that claims another caller",
        &[Request(
            "tools/call",
            r#"{"_meta":{"dev.deskhand/session":"common","principal":"","door":"own"},"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack("a tool name in upper case", &[Call("AX_CLICK", r#"{"app":"$V","query":"Press me"}"#)]),
    attack(
        "a tool name with a leading space",
        &[Call(" ax_click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "a tool name with a trailing space",
        &[Call("ax_click ", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "a tool name with a newline",
        &[Call("ax_click\n", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "a tool name with a null character",
        &[Call("ax_click\0", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack("a tool name with a hyphen", &[Call("ax-click", r#"{"app":"$V","query":"Press me"}"#)]),
    attack(
        "a tool name with a Cyrillic c",
        &[Call("ax_\u{441}lick", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack(
        "a tool name with an invisible character",
        &[Call("ax_\u{200b}click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    attack("a tool name as a path", &[Call("../ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    attack(
        "a tool of the CLI",
        &[Call("click", r#"{"app":"$V","query":"Press me","target":"Press me"}"#)],
    ),
    attack("a tool that ends programs", &[Call("quit", r#"{"app":"$V","force":true}"#)]),
    attack("a tool that starts programs", &[Call("open", r#"{"what":"mousepad"}"#)]),
    attack("a tool that closes windows", &[Call("window_close", r#"{"window":"1"}"#)]),
    attack("an internal view", &[Call("view_tree", r#"{"app":"$V"}"#)]),
    attack("an empty tool name", &[Call("", r#"{"app":"$V","query":"Press me"}"#)]),
    attack(
        "a tool name in a list",
        &[Request(
            "tools/call",
            r#"{"name":["ax_click"],"arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    attack(
        "a deeply nested argument",
        &[InvalidCall(
            "ax_click",
            r#"{"app":"$V","query":[[[[[[[[[[[[[[[[[[[[[[[["Press me"]]]]]]]]]]]]]]]]]]]]]]]]}"#,
        )],
    ),
    attack(
        "a forged state",
        &[Request(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"requestState":"eyJhbGciOiJub25lIn0.e30.","inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}}"#,
        )],
    ),
];
