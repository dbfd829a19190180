use std::time::Duration;

use deskhand_engine::SecurityMode;
use deskhand_model::Explain;

use super::{
    config_file::ConfigFile,
    table::{TABLE, http},
    *,
};

fn settings(flags: &[(&str, &str)], set: &[(&str, &str)], text: &str) -> Settings {
    let flag = |(name, value): &(&str, &str)| {
        ((*name).to_owned(), Some((*value).to_owned()).filter(|value| !value.is_empty()))
    };
    let flags = Flags::new(flags.iter().map(flag).collect());
    Settings::from_values(flags, set, text).unwrap()
}

fn parse_error(text: &str) -> Error {
    ConfigFile::parse(text, "config.toml").unwrap_err()
}

#[test]
fn flags_override_variables_which_override_the_file() {
    let file = "[server]\n# why\nsecurity_mode = \"safe\"\n";
    let found = |flags: &[(&str, &str)], set: &[(&str, &str)], file: &str| {
        settings(flags, set, file).resolve(&table::SECURITY_MODE).unwrap()
    };
    let flag = [("security-mode", "sandboxed")];
    let variable = [("DESKHAND_SECURITY_MODE", "normal")];
    let (mode, source) = (SecurityMode::Sandboxed, SettingSource::Flag("security-mode"));
    assert_eq!(found(&flag, &variable, file), Resolved { value: mode, source });
    let (mode, source) = (SecurityMode::Normal, SettingSource::Variable("DESKHAND_SECURITY_MODE"));
    assert_eq!(found(&[], &variable, file), Resolved { value: mode, source });
    let (mode, source) = (SecurityMode::Safe, SettingSource::File("config.toml".to_owned(), 3));
    assert_eq!(found(&[], &[], file), Resolved { value: mode, source });
    assert_eq!(
        found(&[], &[], ""),
        Resolved { value: SecurityMode::Normal, source: SettingSource::Default }
    );
    let empty = [("DESKHAND_SECURITY_MODE", " ")];
    assert_eq!(found(&[], &empty, file).value, SecurityMode::Safe);
}

#[test]
fn sources_are_shown_by_name() {
    for (source, shown) in [
        (SettingSource::Flag("read-only"), "--read-only"),
        (SettingSource::Variable("MCP_API_KEY"), "MCP_API_KEY"),
        (SettingSource::File("/c/config.toml".to_owned(), 7), "/c/config.toml:7"),
        (SettingSource::Default, "default"),
    ] {
        assert_eq!(source.to_string(), shown);
    }
}

#[test]
fn no_two_settings_share_a_key_a_flag_or_a_variable() {
    let all = || TABLE.iter().map(|setting| setting.info());
    let names: Vec<&str> = all()
        .flat_map(|info| info.variables.iter().copied().chain([info.key]).chain(info.flag))
        .collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len());
    for info in all() {
        assert!(info.variables[0].starts_with("DESKHAND_"), "{}", info.key);
        assert!(info.key.contains('.') && !info.help.is_empty() && !info.expects.is_empty());
    }
}

#[test]
fn defaults_can_be_set_explicitly() {
    for setting in TABLE.iter().filter(|setting| setting.info().set_by == SetBy::Any) {
        let default = setting.default_value();
        let text = match &default {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null | serde_json::Value::Array(_) => continue,
            other @ (serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Object(_)) => other.to_string(),
        };
        assert!(setting.accepts(RawValue::Text(&text)), "{}: {text}", setting.info().key);
        let shown =
            setting.current_value(&settings(&[], &[(setting.info().variables[0], &text)], ""));
        assert_eq!(shown.unwrap().0, default, "{}", setting.info().key);
    }
}

/// Every variable of another system: name, value, the setting it sets, and the value shown.
const ALIASES: &[(&str, &str, &str, &str)] = &[
    ("AXTERMINATOR_LOG_LEVEL", "debug", "server.log_level", "\"debug\""),
    ("AXTERMINATOR_SECURITY_MODE", "safe", "server.security_mode", "\"safe\""),
    ("AXTERMINATOR_CONFIRM_DESTRUCTIVE", "false", "server.confirm_destructive", "false"),
    ("AXTERMINATOR_ALLOWED_APPS", "a, b", "security.allowed_apps", "[\"a\",\"b\"]"),
    ("AXTERMINATOR_DENIED_APPS", "a", "security.denied_apps", "[\"a\"]"),
    ("AXTERMINATOR_HTTP_PORT", "9", "http.port", "9"),
    ("AXTERMINATOR_HTTP_BIND", "::1", "http.bind", "\"::1\""),
    ("AXTERMINATOR_HTTP_TOKEN", "x", "http.token", "\"set\""),
    ("AXTERMINATOR_RATE_LIMIT_RPS", "1", "rate_limits.rps", "1"),
    ("AXTERMINATOR_RATE_LIMIT_RPM", "2", "rate_limits.rpm", "2"),
    ("AXTERMINATOR_CONCURRENCY", "3", "rate_limits.concurrency", "3"),
    ("AXTERMINATOR_VLM_RATE_LIMIT", "4", "vlm.rate_limit", "4"),
    ("AXTERMINATOR_SCRIPT_RATE_LIMIT", "0", "rate_limits.script_rpm", "0"),
    ("AXTERMINATOR_AUDIT_LOG", "/l", "audit_log.file", "\"/l\""),
    ("ACCESSIBILITY_MCP_READ_ONLY", "1", "server.read_only", "true"),
    ("ACCESSIBILITY_MCP_RATE_LIMIT", "5", "rate_limits.writes_per_second", "5"),
    ("ACCESSIBILITY_MCP_BLOCKLIST", "a,b", "security.write_blocked_apps", "[\"a\",\"b\"]"),
    ("MCP_TRANSPORT", "sse", "server.transport", "\"sse\""),
    ("MCP_HTTP_PORT", "8080", "http.port", "8080"),
    ("MCP_HTTP_ADDRESS", "127.0.0.1:9000", "http.address", "\"127.0.0.1:9000\""),
    ("MCP_HTTP_SOCKET", "/s", "http.socket", "\"/s\""),
    ("MCP_CORS_ORIGIN", "*", "http.cors_origin", "[\"*\"]"),
    ("MCP_HEARTBEAT_INTERVAL", "15s", "http.heartbeat_interval", "\"15s\""),
    ("MCP_CONNECTION_TIMEOUT", "300", "http.connection_timeout", "\"5m\""),
    ("MCP_HTTP_READ_TIMEOUT", "60s", "http.read_timeout", "\"1m\""),
    ("MCP_HTTP_WRITE_TIMEOUT", "120s", "http.write_timeout", "\"2m\""),
    ("MCP_TLS_CERT_FILE", "/c", "http.tls_cert", "\"/c\""),
    ("MCP_TLS_KEY_FILE", "/k", "http.tls_key", "\"/k\""),
    ("MCP_API_KEY", "x", "http.token", "\"set\""),
    ("MCP_RATE_LIMIT", "0.5", "http.rate_limit", "0.5"),
    ("MCP_AUDIT_LOG_FILE", "/l", "audit_log.file", "\"/l\""),
    ("MACOS_USE_REQUEST_TIMEOUT", "60", "server.timeout", "\"1m\""),
    ("MACOS_USE_DEBUG", "true", "server.log_level", "\"debug\""),
    ("AHMA_SANDBOX_SCOPE", "/p", "commands.scope", "\"/p\""),
    ("AHMA_TOOLS_DIR", "/t", "commands.tools", "\"/t\""),
    ("AHMA_SYNC", "1", "commands.sync", "true"),
    ("AHMA_TIMEOUT", "300", "commands.timeout", "\"5m\""),
    ("AHMA_LOG_TARGET", "stderr", "log.to", "\"stderr\""),
    ("MCP_SHELL_COMMANDS_ENABLED", "false", "commands.shell", "false"),
];

#[test]
fn variables_of_other_systems_are_aliases() {
    for (name, value, key, shown) in ALIASES {
        let setting = TABLE.iter().find(|setting| setting.info().key == *key).unwrap();
        let (now, source) = setting.current_value(&settings(&[], &[(name, value)], "")).unwrap();
        assert_eq!((now.to_string().as_str(), &source), (*shown, &SettingSource::Variable(name)));
        let own = setting.info().variables[0];
        let (_, source) =
            setting.current_value(&settings(&[], &[(name, value), (own, value)], "")).unwrap();
        assert_eq!(source, SettingSource::Variable(own));
    }
    let aliases = TABLE.iter().flat_map(|setting| setting.info().variables.iter().skip(1));
    for name in aliases {
        assert!(ALIASES.iter().any(|(tested, ..)| tested == name), "{name}");
    }
}

#[test]
fn booleans_have_several_spellings() {
    for (text, meant) in [
        ("true", true),
        ("1", true),
        ("yes", true),
        ("TRUE", true),
        ("Yes", true),
        ("false", false),
        ("0", false),
        ("no", false),
    ] {
        let set = [("DESKHAND_READ_ONLY", text)];
        assert_eq!(settings(&[], &set, "").get(&table::READ_ONLY), Ok(meant), "{text}");
    }
    let set = [("DESKHAND_READ_ONLY", "maybe")];
    let error = settings(&[], &set, "").get(&table::READ_ONLY).unwrap_err();
    assert_eq!(error.to_string(), "invalid value: DESKHAND_READ_ONLY=maybe");
    assert_eq!(error.advice(), Some("expected true or false".into()));
}

#[test]
fn durations_have_a_unit_or_are_seconds() {
    for (text, millis) in [
        ("30s", 30_000),
        ("30", 30_000),
        ("0.5", 500),
        ("500ms", 500),
        ("1m 30s", 90_000),
        ("2h", 7_200_000),
    ] {
        let set = [("MCP_HEARTBEAT_INTERVAL", text)];
        let time = settings(&[], &set, "").get(&http::HEARTBEAT).unwrap();
        assert_eq!(time, Duration::from_millis(millis), "{text}");
    }
    for (text, millis) in [("30", 30_000), ("0.5", 500), ("\"15s\"", 15_000)] {
        let file = format!("[http]\nheartbeat_interval = {text}\n");
        let time = settings(&[], &[], &file).get(&http::HEARTBEAT).unwrap();
        assert_eq!(time, Duration::from_millis(millis), "{text}");
    }
    for text in ["0", "0s", "-1", "soon", "25h", "NaN", "inf"] {
        let set = [("MCP_HEARTBEAT_INTERVAL", text)];
        assert!(settings(&[], &set, "").get(&http::HEARTBEAT).is_err(), "{text}");
    }
}

#[test]
fn a_config_file_of_axterminator_is_read() {
    let text = "\
[server]
log_level = \"warning\"
security_mode = \"safe\"
confirm_destructive = false
[vlm]
backend = \"anthropic\"
rate_limit = 11
[http]
port = 8742
bind = \"127.0.0.2\"
[cache]
tree_ttl_ms = 500
screenshot_debounce_ms = 100
[security]
allowed_apps = [\"Calculator\", \"Safari\", \"VSCode\"]
denied_apps = [\"Keychain Access\", \"System Settings\"]
[rate_limits]
rps = 51
rpm = 1001
concurrency = 12
script_rpm = 6
";
    let set = settings(&[], &[], text);
    assert_eq!(set.get(&table::LOG_LEVEL), Ok("warning"));
    assert_eq!(set.get(&table::SECURITY_MODE), Ok(SecurityMode::Safe));
    assert_eq!(set.get(&table::CONFIRM), Ok(false));
    assert_eq!(set.get(&table::VISION_RPM), Ok(11));
    assert_eq!(set.get(&http::HTTP_PORT), Ok(8742));
    assert_eq!(set.get(&http::HTTP_BIND).unwrap().to_string(), "127.0.0.2");
    assert_eq!(set.get(&table::ALLOWED_APPS).unwrap(), ["Calculator", "Safari", "VSCode"]);
    assert_eq!(set.get(&table::DENIED_APPS).unwrap().len(), 2);
    assert_eq!(set.get(&table::RPS), Ok(51));
    assert_eq!(set.get(&table::RPM), Ok(1001));
    assert_eq!(set.get(&table::CONCURRENCY), Ok(12));
    assert_eq!(set.get(&table::SCRIPT_RPM), Ok(6));
    let without = set.unsupported_warnings().unwrap();
    assert_eq!(without.len(), 3, "{without:?}");
    assert!(without[0].starts_with("config.toml:6: `vlm.backend` has no effect: "), "{without:?}");
}

#[test]
fn every_toml_form_of_a_key_is_read() {
    for text in
        ["[http]\nport = 9\n", "http.port = 9\n", "http = { port = 9 }\n", "[http]\n\"port\" = 9\n"]
    {
        assert_eq!(settings(&[], &[], text).get(&http::HTTP_PORT), Ok(9), "{text}");
    }
}

#[test]
fn errors_in_the_file_have_a_line_and_a_column() {
    for (text, message, hint) in [
        (
            "[server]\nsecurty_mode = \"safe\"\n",
            "config.toml:2:1: unknown setting `server.securty_mode`",
            "did you mean `server.security_mode`?",
        ),
        (
            "[rates]\nrps = 5\n",
            "config.toml:1:2: unknown setting `rates`",
            "`deskhand config show` lists all settings",
        ),
        (
            "security_mode = \"safe\"\n",
            "config.toml:1:1: unknown setting `security_mode`",
            "did you mean `server.security_mode`?",
        ),
        (
            "[http]\n  port = \"many\"\n",
            "config.toml:2:10: invalid value for `http.port`: \"many\"",
            "expected a port from 0 to 65535 (0: any free port)",
        ),
        (
            "[http]\nport = 65536\n",
            "config.toml:2:8: invalid value for `http.port`: 65536",
            "expected a port from 0 to 65535 (0: any free port)",
        ),
        (
            "[rate_limits]\nrps = -1\n",
            "config.toml:2:7: invalid value for `rate_limits.rps`: -1",
            "expected an integer from 0 to 1000000 (0: no limit)",
        ),
        (
            "[server]\nconfirm_destructive = \"yes\"\n",
            "config.toml:2:23: invalid value for `server.confirm_destructive`: \"yes\"",
            "expected true or false",
        ),
        (
            "[security]\nallowed_apps = [\"a\", 5]\n",
            "config.toml:2:16: invalid value for `security.allowed_apps`: [\"a\", 5]",
            "expected a comma-separated list of names",
        ),
        (
            "[server]\nsecurity_mode = { a = 1 }\n",
            "config.toml:2:17: invalid value for `server.security_mode`: { a = 1 }",
            "expected normal, safe or sandboxed",
        ),
        (
            "[server.security_mode]\na = 1\n",
            "config.toml:1:1: invalid value for `server.security_mode`: a table",
            "expected normal, safe or sandboxed",
        ),
        (
            "[http]\ntoken = \"hunter2\"\n",
            "config.toml:2:1: `http.token` is a secret, and secrets are not read from files",
            "remove it from the file and set DESKHAND_HTTP_TOKEN",
        ),
        (
            "[vlm]\nanthropic_api_key = \"sk-ant\"\n",
            "config.toml:2:1: `vlm.anthropic_api_key` is a secret, and secrets are not read from \
             files",
            "remove it from the file; set secrets with environment variables",
        ),
        (
            "[folders]\nstate = \"/s\"\n",
            "config.toml:2:1: `folders.state` can only be set by an environment variable",
            "remove it from the file and set DESKHAND_STATE_DIR",
        ),
    ] {
        let error = parse_error(text);
        assert_eq!(error.to_string(), message);
        assert_eq!(error.advice(), Some(hint.into()), "{message}");
        assert_eq!(error.code(), "config_invalid");
        assert!(!format!("{error} {:?}", error.advice()).contains("hunter2"));
    }
}

#[test]
fn invalid_toml_has_a_line_and_a_column() {
    for (text, place) in [
        ("[server\n", "config.toml:1:8: "),
        ("[server]\nread_only = tru\n", "config.toml:2:13: "),
        ("[http]\nport = 1\nport = 2\n", "config.toml:3:1: "),
        ("a = \"\n", "config.toml:1:"),
    ] {
        let error = parse_error(text);
        assert!(error.to_string().starts_with(place), "{error}");
        assert!(matches!(error, Error::Syntax { .. }), "{error:?}");
        assert!(!error.to_string().contains('\n'));
    }
}

#[test]
fn an_invalid_variable_is_named_and_secrets_are_not_shown() {
    let set = [("AXTERMINATOR_RATE_LIMIT_RPS", "lots")];
    let error = settings(&[], &set, "").get(&table::RPS).unwrap_err();
    assert_eq!(error.to_string(), "invalid value: AXTERMINATOR_RATE_LIMIT_RPS=lots");
    let error = settings(&[("timeout", "0")], &[], "").get(&table::TIMEOUT).unwrap_err();
    assert_eq!(error.to_string(), "invalid value: --timeout 0");
    let set = [("DESKHAND_HTTP_TOKEN", "hunter2-hunter2")];
    let (shown, source) = http::TOKEN.current_value(&settings(&[], &set, "")).unwrap();
    assert_eq!((shown, source), ("set".into(), SettingSource::Variable("DESKHAND_HTTP_TOKEN")));
}

#[test]
fn a_variable_that_is_not_utf8_is_an_error() {
    use std::os::unix::ffi::OsStringExt;

    let odd = |name: &str| {
        (name == "DESKHAND_SECURITY_MODE")
            .then(|| std::ffi::OsString::from_vec(b"sandboxed\xff".to_vec()))
    };
    let set = Settings::with_sources(Flags::default(), Box::new(odd), crate::host::folders());
    let error = set.get(&table::SECURITY_MODE).unwrap_err();
    assert_eq!(error.code(), "invalid_parameter");
    assert!(
        error.to_string().starts_with("invalid value: DESKHAND_SECURITY_MODE=sandboxed"),
        "{error}"
    );
}

#[test]
fn unsupported_variables_produce_a_warning() {
    for unsupported in table::UNSUPPORTED {
        let Some(name) = unsupported.variable else { continue };
        let warnings = settings(&[], &[(name, "1")], "").unsupported_warnings().unwrap();
        assert_eq!(warnings, [format!("{name} has no effect: {}", unsupported.reason)]);
        assert!(settings(&[], &[(name, " ")], "").unsupported_warnings().unwrap().is_empty());
    }
}

#[test]
fn unsupported_variables_are_no_aliases() {
    let unsupported = table::UNSUPPORTED.iter().filter_map(|unsupported| unsupported.variable);
    for name in unsupported {
        let is_alias = |setting: &&&dyn AnySetting| setting.info().variables.contains(&name);
        assert!(!TABLE.iter().any(|setting| is_alias(&setting)), "{name}");
    }
}

#[test]
fn variables_of_ahma_do_not_turn_the_sandbox_off() {
    let no_sandbox = &table::commands::NO_SANDBOX;
    for name in ["AHMA_NO_SANDBOX", "AHMA_DISABLE_SANDBOX"] {
        let settings = settings(&[], &[(name, "1")], "");
        assert_eq!(settings.get(no_sandbox), Ok(false));
        let warning = format!(
            "{name} has no effect: the sandbox stays on; only --no-sandbox or DESKHAND_NO_SANDBOX \
             turns it off"
        );
        let warnings = settings.ignored_sandbox_variables();
        assert_eq!(warnings, [warning]);
        assert_eq!(settings.unsupported_warnings().unwrap(), warnings);
    }
    assert_eq!(settings(&[], &[("DESKHAND_NO_SANDBOX", "1")], "").get(no_sandbox), Ok(true));
    assert_eq!(settings(&[("no-sandbox", "true")], &[], "").get(no_sandbox), Ok(true));
    assert!(settings(&[], &[], "").ignored_sandbox_variables().is_empty());
}

#[test]
fn the_documentation_lists_the_unsupported_settings() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/config.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("These settings have no effect").unwrap();
    let (paragraph, _) = rest.split_once("\n\n").unwrap();
    let is_setting = |word: &&str| word.contains('.') || word.contains("_");
    let mut listed: Vec<&str> =
        paragraph.split('`').skip(1).step_by(2).filter(is_setting).collect();
    let mut unsupported: Vec<&str> =
        table::UNSUPPORTED.iter().flat_map(|it| it.key.into_iter().chain(it.variable)).collect();
    listed.sort_unstable();
    unsupported.sort_unstable();
    assert_eq!(listed, unsupported);
}

#[test]
fn network_access_is_off_on_or_a_list_of_ports() {
    let shown = |settings: Settings| {
        let found = settings.get(&table::commands::NETWORK).ok()?;
        values::network_to_json(&found).as_str().map(str::to_owned)
    };
    for (text, meant) in [
        ("off", Some("off")),
        ("On", Some("on")),
        ("false", Some("off")),
        ("443", Some("443")),
        ("443, 8080", Some("443,8080")),
        ("0,443", None),
        ("70000", None),
        ("some", None),
        ("off,443", None),
        (",", None),
    ] {
        let set = [("DESKHAND_COMMANDS_NETWORK", text)];
        assert_eq!(shown(settings(&[], &set, "")).as_deref(), meant, "{text}");
    }
    for (value, meant) in
        [("false", "off"), ("\"on\"", "on"), ("443", "443"), ("[80, 443]", "80,443")]
    {
        let file = format!("[commands]\nnetwork = {value}\n");
        assert_eq!(shown(settings(&[], &[], &file)).as_deref(), Some(meant), "{value}");
    }
    for value in ["0", "[]", "[0]", "[\"443\"]", "70000", "-1"] {
        let error = parse_error(&format!("[commands]\nnetwork = {value}\n"));
        assert_eq!(error.advice(), Some("expected off, on, or ports such as 443,8080".into()));
    }
}

#[test]
fn the_log_to_stderr_flag_has_no_value() {
    let found = settings(&[("log-to-stderr", "true")], &[("AHMA_LOG_TARGET", "file")], "");
    assert_eq!(found.get(&table::log::TARGET), Ok(values::LogTarget::Stderr));
    let found = settings(&[], &[("DESKHAND_LOG_TO", "none")], "").get(&table::log::TARGET);
    assert_eq!(found, Ok(values::LogTarget::None));
}

#[test]
fn the_halt_hotkey_is_checked() {
    for (keys, known) in [("Ctrl+Alt+H", true), ("none", true), ("Ctrl+Foo", false), ("H", false)] {
        let found = settings(&[], &[("DESKHAND_HALT_HOTKEY", keys)], "").get(&table::HALT_HOTKEY);
        assert_eq!(found.is_ok(), known, "{keys}: {found:?}");
    }
}

#[test]
fn an_address_can_be_a_port() {
    for (given, meant) in [
        ("8741", "127.0.0.1:8741"),
        (":9000", "0.0.0.0:9000"),
        ("localhost:9000", "127.0.0.1:9000"),
        ("[::1]:9", "[::1]:9"),
    ] {
        let found = settings(&[("http", given)], &[], "").get(&http::HTTP_ADDRESS).unwrap();
        assert_eq!(found.map(|at| at.to_string()).as_deref(), Some(meant));
    }
}

#[test]
fn three_flags_choose_the_transport() {
    for (flags, word, source) in [
        (&[("http", ""), ("sse", "true")][..], "sse", "--sse"),
        (&[("http", "127.0.0.1:1")], "http", "--http"),
        (&[("socket", "/s")], "socket", "--socket"),
        (&[("socket", "/s"), ("sse", "true")], "sse", "--sse"),
    ] {
        let found = settings(flags, &[("MCP_TRANSPORT", "stdio")], "").resolve(&table::TRANSPORT);
        let found = found.unwrap();
        assert_eq!((found.value.name(), found.source.to_string().as_str()), (word, source));
    }
}

#[test]
fn files_that_other_users_can_change_are_rejected() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    assert_eq!(crate::trusted_file::read_trusted(&path), Ok(None));
    std::fs::write(&path, "").unwrap();
    for (mode, code) in [(0o600, None), (0o664, None), (0o666, Some("config_unsafe"))] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let read = ConfigFile::read(&path);
        assert_eq!(read.err().map(|error| error.code()), code, "{mode:o}");
    }
    let error = crate::trusted_file::read_trusted(folder.path()).unwrap_err();
    assert_eq!(error.code(), "config_unsafe");
}
