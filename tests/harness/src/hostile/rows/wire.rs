//! Messages that may be read in two ways, and tools by names that are almost theirs.

use super::{
    Row,
    Step::{Ask, Call, Garbled, Raw},
    row,
};

pub(super) const ROWS: &[Row] = &[
    row(
        "the app given twice, the free one first",
        &[Call("ax_click", r#"{"app":"$C","app":"$V","query":"Press me"}"#)],
    ),
    row(
        "the app given twice, the free one last",
        &[Call("ax_click", r#"{"app":"$V","app":"$C","query":"Press me"}"#)],
    ),
    row(
        "the app given again in other letters",
        &[Garbled("ax_click", r#"{"app":"$C","App":"$V","query":"Press me"}"#)],
    ),
    row(
        "the app given again with an escape",
        &[Call("ax_click", r#"{"app":"$C","\u0061pp":"$V","query":"Press me"}"#)],
    ),
    row(
        "the app as an object",
        &[Garbled("ax_click", r#"{"app":{"app":"$V"},"query":"Press me"}"#)],
    ),
    row("the app as a list", &[Garbled("ax_click", r#"{"app":["$V"],"query":"Press me"}"#)]),
    row(
        "the app as nothing, and a pid beside it",
        &[Garbled("ax_click", r#"{"app":null,"pid":$V,"query":"Press me"}"#)],
    ),
    row(
        "the query as an object with an app",
        &[Garbled("ax_click", r#"{"app":"$C","query":{"app":"$V","text":"Press me"}}"#)],
    ),
    row(
        "an unknown field that lifts a rule",
        &[Garbled("ax_click", r#"{"app":"$V","query":"Press me","force":true}"#)],
    ),
    row(
        "an unknown field that names a mode",
        &[Garbled("ax_click", r#"{"app":"$V","query":"Press me","security_mode":"normal"}"#)],
    ),
    row(
        "arguments as a text",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":"{\"app\":\"$V\",\"query\":\"Press me\"}"}"#,
        )],
    ),
    row(
        "arguments as a list",
        &[Ask("tools/call", r#"{"name":"ax_click","arguments":["$V","Press me"]}"#)],
    ),
    row(
        "arguments given twice",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$C","query":"7"},"arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row(
        "the name given twice",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_find","name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row(
        "parameters given twice",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d1","method":"tools/call","params":{"name":"ax_find","arguments":{"app":"$C","query":"7"}},"params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    row(
        "the method given twice",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d2","method":"tools/list","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    row(
        "a call without an id",
        &[Raw(
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    row(
        "a call in a batch",
        &[Raw(
            r#"[{"jsonrpc":"2.0","id":"d3","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}]"#,
        )],
    ),
    row(
        "two calls on one line",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":"d4","method":"ping"}{"jsonrpc":"2.0","id":"d5","method":"tools/call","params":{"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}}"#,
        )],
    ),
    row(
        "an answer to a question nobody put",
        &[Raw(
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true,"proceed":true}}}"#,
        )],
    ),
    row(
        "a meta that claims another caller",
        &[Ask(
            "tools/call",
            r#"{"_meta":{"dev.deskhand/session":"common","principal":"","door":"own"},"name":"ax_click","arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row("a tool in capitals", &[Call("AX_CLICK", r#"{"app":"$V","query":"Press me"}"#)]),
    row(
        "a tool with a space before it",
        &[Call(" ax_click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    row(
        "a tool with a space behind it",
        &[Call("ax_click ", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    row("a tool with a line end", &[Call("ax_click\n", r#"{"app":"$V","query":"Press me"}"#)]),
    row("a tool with a null", &[Call("ax_click\0", r#"{"app":"$V","query":"Press me"}"#)]),
    row("a tool with a hyphen", &[Call("ax-click", r#"{"app":"$V","query":"Press me"}"#)]),
    row(
        "a tool with a Cyrillic c",
        &[Call("ax_\u{441}lick", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    row(
        "a tool with something nobody sees",
        &[Call("ax_\u{200b}click", r#"{"app":"$V","query":"Press me"}"#)],
    ),
    row("a tool by a path", &[Call("../ax_click", r#"{"app":"$V","query":"Press me"}"#)]),
    row(
        "a tool of the command line",
        &[Call("click", r#"{"app":"$V","query":"Press me","target":"Press me"}"#)],
    ),
    row("a tool that ends programs", &[Call("quit", r#"{"app":"$V","force":true}"#)]),
    row("a tool that starts programs", &[Call("open", r#"{"what":"mousepad"}"#)]),
    row("a tool that closes windows", &[Call("window_close", r#"{"window":"1"}"#)]),
    row("a view that is not for callers", &[Call("view_tree", r#"{"app":"$V"}"#)]),
    row("a tool without a name", &[Call("", r#"{"app":"$V","query":"Press me"}"#)]),
    row(
        "a tool in a list",
        &[Ask(
            "tools/call",
            r#"{"name":["ax_click"],"arguments":{"app":"$V","query":"Press me"}}"#,
        )],
    ),
    row(
        "a deep argument",
        &[Garbled(
            "ax_click",
            r#"{"app":"$V","query":[[[[[[[[[[[[[[[[[[[[[[[["Press me"]]]]]]]]]]]]]]]]]]]]]]]]}"#,
        )],
    ),
    row(
        "a made-up state for it",
        &[Ask(
            "tools/call",
            r#"{"name":"ax_click","arguments":{"app":"$V","query":"Press me"},"requestState":"eyJhbGciOiJub25lIn0.e30.","inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}}"#,
        )],
    ),
];
