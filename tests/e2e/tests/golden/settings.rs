//! The page of settings, made of what the program itself says of them.

use std::fmt::Write;

use serde_json::Value;

const HEAD: &str = "\
<!-- Made by `cargo xtask bless` from the table of settings; do not edit. -->
# Settings

A setting is set by a flag, an environment variable, or a line in `config.toml`. A flag overrides a
variable, which overrides the file, which overrides the default. `deskhand config show` lists every setting
with its value and source. It takes the flags of `deskhand mcp serve`, so it shows what such a server would
use.

```toml
# ~/.config/deskhand/config.toml
[server]
security_mode = \"safe\"

[rate_limits]
rps = 20
```

An unknown key or an invalid value in the file is an error with a line and a column. Every command that uses
settings fails until the file is fixed. The file must not be writable for every user. Secrets are read only
from environment variables; a secret in the file is an error.

Durations are written as `30s`, `5m` or `1h 30m`, or as a number of seconds. In variables, booleans are
`true`, `1` or `yes` and `false`, `0` or `no`, and lists are separated by commas. An empty variable counts as
not set.

Programs on a private desktop have a separate home folder, but the same settings: they get the paths of the
folders and the variables below, without secrets.

Keys of axterminator's `config.toml` have the same meaning here. These settings have no effect, and
`config show` and `mcp serve` print a warning for each one that is set: `vlm.backend`
(`AXTERMINATOR_VLM_BACKEND`), `cache.tree_ttl_ms` (`AXTERMINATOR_TREE_CACHE_MS`),
`cache.screenshot_debounce_ms`, `AHMA_NO_SANDBOX`, `AHMA_DISABLE_SANDBOX`, `MACOS_USE_SERVER_ADDR`,
`MACOS_USE_SERVER_TLS` and `MACOS_USE_SERVER_CERT_FILE`.

Only `--no-sandbox` or `DESKHAND_NO_SANDBOX` turns the sandbox off.
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
            let columns = "| key | default | set by | description |\n|---|---|---|---|\n";
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
