use std::time::Duration;

use deskhand_engine::Mode;
use deskhand_mcp::Level;
use deskhand_model::Explain;

use super::{
    file::Sheet,
    table::{TABLE, http},
    *,
};

fn settings(flags: &[(&str, &str)], set: &[(&str, &str)], text: &str) -> Settings {
    Settings::for_tests(Flags::given(flags), set, text)
}

fn refused(text: &str) -> Error {
    Sheet::parse(text, "config.toml").unwrap_err()
}

#[test]
fn a_flag_counts_more_than_a_variable_more_than_the_file_more_than_nothing() {
    let file = "[server]\n# why\nsecurity_mode = \"safe\"\n";
    let found = |flags: &[(&str, &str)], set: &[(&str, &str)], file: &str| {
        settings(flags, set, file).find(&table::SECURITY_MODE).unwrap()
    };
    let flag = [("security-mode", "sandboxed")];
    let variable = [("DESKHAND_SECURITY_MODE", "normal")];
    let (mode, source) = (Mode::Sandboxed, Source::Flag("security-mode"));
    assert_eq!(found(&flag, &variable, file), Found { value: mode, source });
    let (mode, source) = (Mode::Normal, Source::Variable("DESKHAND_SECURITY_MODE"));
    assert_eq!(found(&[], &variable, file), Found { value: mode, source });
    let (mode, source) = (Mode::Safe, Source::File("config.toml".to_owned(), 3));
    assert_eq!(found(&[], &[], file), Found { value: mode, source });
    assert_eq!(found(&[], &[], ""), Found { value: Mode::Normal, source: Source::Usual });
    let empty = [("DESKHAND_SECURITY_MODE", " ")];
    assert_eq!(found(&[], &empty, file).value, Mode::Safe);
}

#[test]
fn sources_are_told_as_a_person_would_look_for_them() {
    for (source, told) in [
        (Source::Flag("read-only"), "--read-only"),
        (Source::Variable("MCP_API_KEY"), "MCP_API_KEY"),
        (Source::File("/c/config.toml".to_owned(), 7), "/c/config.toml:7"),
        (Source::Usual, "default"),
    ] {
        assert_eq!(source.to_string(), told);
    }
}

#[test]
fn no_two_settings_share_a_key_a_flag_or_a_variable() {
    let all = || TABLE.iter().map(|one| one.about());
    let names: Vec<&str> = all()
        .flat_map(|about| about.names.iter().copied().chain([about.key]).chain(about.flag))
        .collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len());
    for about in all() {
        assert!(about.names[0].starts_with("DESKHAND_"), "{}", about.key);
        assert!(about.key.contains('.') && !about.help.is_empty() && !about.takes.is_empty());
    }
}

#[test]
fn what_is_usual_can_be_written_down_and_means_the_same() {
    for declared in TABLE.iter().filter(|one| one.about().by == By::Anything) {
        let usual = declared.usual();
        let text = match &usual {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null | serde_json::Value::Array(_) => continue,
            other @ (serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Object(_)) => other.to_string(),
        };
        assert!(declared.takes(Raw::Text(&text)), "{}: {text}", declared.about().key);
        let shown = declared.found(&settings(&[], &[(declared.about().names[0], &text)], ""));
        assert_eq!(shown.unwrap().0, usual, "{}", declared.about().key);
    }
}

/// Every variable of the other systems, with a value that is not the usual one, and what it sets.
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
    ("AHMA_NO_SANDBOX", "1", "commands.no_sandbox", "true"),
    ("AHMA_DISABLE_SANDBOX", "1", "commands.no_sandbox", "true"),
    ("AHMA_TOOLS_DIR", "/t", "commands.tools", "\"/t\""),
    ("AHMA_SYNC", "1", "commands.sync", "true"),
    ("AHMA_TIMEOUT", "300", "commands.timeout", "\"5m\""),
    ("AHMA_LOG_TARGET", "stderr", "log.to", "\"stderr\""),
    ("MCP_SHELL_COMMANDS_ENABLED", "false", "commands.shell", "false"),
];

#[test]
fn variables_of_the_other_systems_set_what_they_set_there() {
    for (name, value, key, shown) in ALIASES {
        let declared = TABLE.iter().find(|one| one.about().key == *key).unwrap();
        let (now, source) = declared.found(&settings(&[], &[(name, value)], "")).unwrap();
        assert_eq!((now.to_string().as_str(), &source), (*shown, &Source::Variable(name)));
        let own = declared.about().names[0];
        let (_, source) =
            declared.found(&settings(&[], &[(name, value), (own, value)], "")).unwrap();
        assert_eq!(source, Source::Variable(own));
    }
    let aliases = TABLE.iter().flat_map(|one| one.about().names.iter().skip(1));
    for name in aliases {
        assert!(ALIASES.iter().any(|(tested, ..)| tested == name), "{name}");
    }
}

#[test]
fn yes_and_no_are_understood_in_every_usual_spelling() {
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
    assert_eq!(error.to_string(), "DESKHAND_READ_ONLY=maybe is not understood");
    assert_eq!(error.hint().as_deref(), Some("give true or false"));
}

#[test]
fn times_are_written_with_a_unit_or_in_seconds() {
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
fn the_file_of_axterminator_is_read_as_it_is() {
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
    assert_eq!(set.get(&table::LOG_LEVEL), Ok(Level::Warning));
    assert_eq!(set.get(&table::SECURITY_MODE), Ok(Mode::Safe));
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
    let without = set.without_effect().unwrap();
    assert_eq!(without.len(), 3, "{without:?}");
    assert!(without[0].starts_with("config.toml:6: `vlm.backend` has no effect: "), "{without:?}");
}

#[test]
fn keys_can_be_written_in_every_way_toml_has() {
    for text in
        ["[http]\nport = 9\n", "http.port = 9\n", "http = { port = 9 }\n", "[http]\n\"port\" = 9\n"]
    {
        assert_eq!(settings(&[], &[], text).get(&http::HTTP_PORT), Ok(9), "{text}");
    }
}

#[test]
fn mistakes_in_the_file_are_told_with_line_and_column() {
    for (text, told, hint) in [
        (
            "[server]\nsecurty_mode = \"safe\"\n",
            "config.toml:2:1: there is no setting `server.securty_mode`",
            "`server.security_mode` may be meant",
        ),
        (
            "[rates]\nrps = 5\n",
            "config.toml:1:2: there is no setting `rates`",
            "`deskhand config show` lists the settings there are",
        ),
        (
            "security_mode = \"safe\"\n",
            "config.toml:1:1: there is no setting `security_mode`",
            "`server.security_mode` may be meant",
        ),
        (
            "[http]\n  port = \"many\"\n",
            "config.toml:2:10: `http.port` cannot be \"many\"",
            "give a port from 0 to 65535; 0 takes one that is free",
        ),
        (
            "[http]\nport = 65536\n",
            "config.toml:2:8: `http.port` cannot be 65536",
            "give a port from 0 to 65535; 0 takes one that is free",
        ),
        (
            "[rate_limits]\nrps = -1\n",
            "config.toml:2:7: `rate_limits.rps` cannot be -1",
            "give a whole number from 0 to 1000000; 0 switches it off",
        ),
        (
            "[server]\nconfirm_destructive = \"yes\"\n",
            "config.toml:2:23: `server.confirm_destructive` cannot be \"yes\"",
            "give true or false",
        ),
        (
            "[security]\nallowed_apps = [\"a\", 5]\n",
            "config.toml:2:16: `security.allowed_apps` cannot be [\"a\", 5]",
            "give names, separated by commas",
        ),
        (
            "[server]\nsecurity_mode = { a = 1 }\n",
            "config.toml:2:17: `server.security_mode` cannot be { a = 1 }",
            "give normal, safe or sandboxed",
        ),
        (
            "[server.security_mode]\na = 1\n",
            "config.toml:1:1: `server.security_mode` cannot be a table",
            "give normal, safe or sandboxed",
        ),
        (
            "[http]\ntoken = \"hunter2\"\n",
            "config.toml:2:1: `http.token` is a secret, and secrets are not read from files",
            "take it out of the file and set the variable DESKHAND_HTTP_TOKEN",
        ),
        (
            "[vlm]\nanthropic_api_key = \"sk-ant\"\n",
            "config.toml:2:1: `vlm.anthropic_api_key` is a secret, and secrets are not read from \
             files",
            "take it out of the file; secrets are set by variables",
        ),
        (
            "[folders]\nstate = \"/s\"\n",
            "config.toml:2:1: `folders.state` says where this file is, so it cannot stand in it",
            "set the variable DESKHAND_STATE_DIR",
        ),
    ] {
        let error = refused(text);
        assert_eq!(error.to_string(), told);
        assert_eq!(error.hint().as_deref(), Some(hint), "{told}");
        assert_eq!(error.code(), "config_invalid");
        assert!(!format!("{error} {:?}", error.hint()).contains("hunter2"));
    }
}

#[test]
fn what_is_no_toml_is_told_with_line_and_column() {
    for (text, place) in [
        ("[server\n", "config.toml:1:8: "),
        ("[server]\nread_only = tru\n", "config.toml:2:13: "),
        ("[http]\nport = 1\nport = 2\n", "config.toml:3:1: "),
        ("a = \"\n", "config.toml:1:"),
    ] {
        let error = refused(text);
        assert!(error.to_string().starts_with(place), "{error}");
        assert!(matches!(error, Error::Syntax { .. }), "{error:?}");
        assert!(!error.to_string().contains('\n'));
    }
}

#[test]
fn a_bad_value_of_a_variable_is_told_by_its_name_and_a_secret_never() {
    let set = [("AXTERMINATOR_RATE_LIMIT_RPS", "lots")];
    let error = settings(&[], &set, "").get(&table::RPS).unwrap_err();
    assert_eq!(error.to_string(), "AXTERMINATOR_RATE_LIMIT_RPS=lots is not understood");
    let error = settings(&[("timeout", "0")], &[], "").get(&table::TIMEOUT).unwrap_err();
    assert_eq!(error.to_string(), "--timeout 0 is not understood");
    let set = [("DESKHAND_HTTP_TOKEN", "hunter2-hunter2")];
    let (shown, source) = http::TOKEN.found(&settings(&[], &set, "")).unwrap();
    assert_eq!((shown, source), ("set".into(), Source::Variable("DESKHAND_HTTP_TOKEN")));
}

#[test]
fn a_variable_that_is_no_text_is_refused_not_passed_over() {
    use std::os::unix::ffi::OsStringExt;

    let odd = |name: &str| {
        (name == "DESKHAND_SECURITY_MODE")
            .then(|| std::ffi::OsString::from_vec(b"sandboxed\xff".to_vec()))
    };
    let set = Settings::of(Flags::default(), Box::new(odd), crate::host::folders());
    let error = set.get(&table::SECURITY_MODE).unwrap_err();
    assert_eq!(error.code(), "invalid_parameter");
    assert!(error.to_string().starts_with("DESKHAND_SECURITY_MODE=sandboxed"), "{error}");
}

#[test]
fn what_nothing_here_is_set_by_is_told_where_it_is_set() {
    for idle in table::WITHOUT_EFFECT {
        let Some(name) = idle.name else { continue };
        let told = settings(&[], &[(name, "1")], "").without_effect().unwrap();
        assert_eq!(told, [format!("{name} has no effect: {}", idle.why)]);
        assert!(settings(&[], &[(name, " ")], "").without_effect().unwrap().is_empty());
    }
}

#[test]
fn the_network_of_commands_is_off_on_or_ports() {
    let shown = |settings: Settings| {
        let found = settings.get(&table::commands::NETWORK).ok()?;
        words::shown_network(&found).as_str().map(str::to_owned)
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
        let error = refused(&format!("[commands]\nnetwork = {value}\n"));
        assert_eq!(error.hint().as_deref(), Some("give off, on, or ports such as 443,8080"));
    }
}

#[test]
fn the_flag_that_logs_to_standard_error_needs_no_words() {
    let found = settings(&[("log-to-stderr", "true")], &[("AHMA_LOG_TARGET", "file")], "");
    assert_eq!(found.get(&table::log::TO), Ok(words::LogTo::Stderr));
    let found = settings(&[], &[("DESKHAND_LOG_TO", "none")], "").get(&table::log::TO);
    assert_eq!(found, Ok(words::LogTo::Nowhere));
}

#[test]
fn keys_that_halt_are_keys_there_are() {
    for (keys, known) in [("Ctrl+Alt+H", true), ("none", true), ("Ctrl+Foo", false), ("H", false)] {
        let found = settings(&[], &[("DESKHAND_HALT_HOTKEY", keys)], "").get(&table::HALT_HOTKEY);
        assert_eq!(found.is_ok(), known, "{keys}: {found:?}");
    }
}

#[test]
fn an_address_can_be_a_port_alone() {
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
fn three_flags_say_how_clients_come() {
    for (flags, word, source) in [
        (&[("http", ""), ("sse", "true")][..], "sse", "--sse"),
        (&[("http", "127.0.0.1:1")], "http", "--http"),
        (&[("socket", "/s")], "socket", "--socket"),
        (&[("socket", "/s"), ("sse", "true")], "sse", "--sse"),
    ] {
        let found = settings(flags, &[("MCP_TRANSPORT", "stdio")], "").find(&table::TRANSPORT);
        let found = found.unwrap();
        assert_eq!((found.value.word(), found.source.to_string().as_str()), (word, source));
    }
}

#[test]
fn files_others_can_change_are_not_read() {
    use std::os::unix::fs::PermissionsExt;

    let folder = std::env::temp_dir().join(format!("deskhand-settings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("config.toml");
    assert_eq!(file::text_of(&path), Ok(None));
    std::fs::write(&path, "").unwrap();
    for (mode, code) in [(0o600, None), (0o664, None), (0o666, Some("config_unsafe"))] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let read = Sheet::read(&path);
        assert_eq!(read.err().map(|error| error.code()), code, "{mode:o}");
    }
    assert_eq!(file::text_of(&folder).unwrap_err().code(), "config_unsafe");
    std::fs::remove_dir_all(&folder).unwrap();
}
