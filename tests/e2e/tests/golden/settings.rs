//! The page of settings, made of what the program itself says of them.

use std::fmt::Write;

use serde_json::Value;

const HEAD: &str = "\
<!-- Made by `cargo xtask bless` from the table of settings; do not edit. -->
# Settings

A setting is made by a flag, a variable, or a line in `config.toml`; the first of these that says
something counts. `deskhand config show` tells what holds and where it comes from; it takes the flags of
`deskhand mcp serve`, so it shows what such a server would have.

```toml
# ~/.config/deskhand/config.toml
[server]
security_mode = \"safe\"

[rate_limits]
rps = 20
```

The file is checked whole: an unknown key or a value that is not understood is refused with its line and
column, and nothing is done until it is mended. The file must not be writable by everybody. Secrets are
read from variables only; one in the file is refused, too.

Times are written like `30s`, `5m` or `1h 30m`, or as a number of seconds. In variables `true`, `1` and
`yes` mean yes, `false`, `0` and `no` mean no, and lists are separated by commas. A variable that is
empty counts as not set.

Programs on a private desktop have a home of their own, and yet these settings hold there: the desktop
hands on where the folders are, and the variables below, but no secrets.

Keys of axterminator's `config.toml` mean what they mean there. What the other systems let set and
nothing here is set by is read over, and `config show` and `mcp serve` say so: `vlm.backend`
(`AXTERMINATOR_VLM_BACKEND`), `cache.tree_ttl_ms` (`AXTERMINATOR_TREE_CACHE_MS`),
`cache.screenshot_debounce_ms`, `AHMA_SANDBOX_SCOPE`, `AHMA_NO_SANDBOX`, `MCP_SHELL_COMMANDS_ENABLED`,
`MACOS_USE_SERVER_ADDR`, `MACOS_USE_SERVER_TLS` and `MACOS_USE_SERVER_CERT_FILE`.
";

/// The page of what `deskhand config show` says.
pub(crate) fn page(shown: &Value) -> String {
    let mut page = HEAD.to_owned();
    let mut section = "";
    for row in shown["settings"].as_array().into_iter().flatten() {
        let text = |field: &str| row[field].as_str().unwrap_or_default();
        let (name, _) = text("key").split_once('.').unwrap_or_default();
        if name != section {
            section = name;
            let columns = "| key | usual | set by | what it is |\n|---|---|---|---|\n";
            write!(page, "\n## {section}\n\n{columns}").unwrap();
        }
        let variables = row["variables"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let by: Vec<String> = row["flag"]
            .as_str()
            .into_iter()
            .chain(variables)
            .map(|one| format!("`{one}`"))
            .collect();
        let usual = if section == "folders" { String::new() } else { usual(&row["default"]) };
        writeln!(
            page,
            "| `{}` | {usual} | {} | {}. Takes {}. |",
            text("key"),
            by.join(", "),
            text("help"),
            text("takes").replace('|', "\\|"),
        )
        .unwrap();
    }
    page
}

fn usual(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(list) if list.is_empty() => String::new(),
        Value::String(text) => format!("`{text}`"),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            format!("`{value}`")
        }
    }
}
