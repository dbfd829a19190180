//! Targets for protocol input: messages, headers and URIs.

use crate::Target;

/// JSON-RPC lines on a new connection and on an initialized one.
pub(crate) const JSON_RPC: Target = Target {
    name: "json_rpc",
    run: deskhand_mcp::fuzzing::json_rpc,
    words: &[
        "\"jsonrpc\":\"2.0\"",
        "\"id\":",
        "\"method\":",
        "\"params\":",
        "\"result\":",
        "\"error\":",
        "\"tools/call\"",
        "\"tools/list\"",
        "\"initialize\"",
        "\"server/discover\"",
        "\"ping\"",
        "\"resources/read\"",
        "\"subscriptions/listen\"",
        "\"tasks/get\"",
        "\"tasks/result\"",
        "\"deskhand/task/call\"",
        "\"notifications/cancelled\"",
        "\"requestId\":",
        "\"_meta\":",
        "\"task\":{}",
        "\"name\":",
        "\"arguments\":",
        "\"requestState\":",
        "\"inputResponses\":",
        "null",
        "true",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\\u0000",
        "\"2025-03-26\"",
        "\"elicitation/create\"",
        "\"action\":\"accept\"",
        "\"progressToken\":",
    ],
    rounds: 4_000,
};

/// The lines of a connection. The first byte sets the maximum length, the second the chunk size.
pub(crate) const LINES: Target = Target {
    name: "lines",
    run: deskhand_mcp::fuzzing::lines,
    words: &[
        "\n",
        "\r\n",
        "\n\n",
        " ",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "[",
        "]",
    ],
    rounds: 800,
};

/// The `Last-Event-ID` header of a reconnecting client.
pub(crate) const EVENT_ID: Target = Target {
    name: "event_id",
    run: deskhand_mcp::fuzzing::event_id,
    words: &["g.", "p", ".", "-", "+"],
    rounds: 60_000,
};

/// Resource URIs.
pub(crate) const URI: Target = Target {
    name: "uri",
    run: deskhand_mcp::fuzzing::uri,
    words: &[
        "deskhand://",
        "axterminator://",
        "app/",
        "/tree",
        "/state",
        "/window/",
        "/screenshot",
        "/events",
        "?cursor=",
        "result/",
        "clipboard",
        "apps",
        "system/status",
        "%2F",
        "%00",
        "%",
        "..",
        "//",
        "#",
        "@",
        ":",
    ],
    rounds: 40_000,
};

/// The `Authorization` header, checked by a server that trusts one key.
pub(crate) const TOKEN: Target = Target {
    name: "token",
    run: deskhand_mcp::fuzzing::token,
    words: &[
        "Bearer ",
        "bearer",
        ".",
        "eyJhbGciOiJub25lIn0",
        "eyJhbGciOiJSUzI1NiJ9",
        "eyJhbGciOiJIUzI1NiJ9",
        "=",
        "-",
        "_",
        ",",
        "\n",
        "e30",
    ],
    rounds: 4_000,
};
