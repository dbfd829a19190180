use std::time::Duration;

use deskhand::settings::Flags;

use super::*;

fn endpoint(words: &[&str], set: &[(&str, &str)]) -> Result<Endpoint, CallFailure> {
    with_file(words, set, "")
}

fn with_file(words: &[&str], set: &[(&str, &str)], text: &str) -> Result<Endpoint, CallFailure> {
    let settings = Settings::from_values(flags(words), set, text);
    Endpoint::from_settings(&settings.unwrap())
}

/// Reads flags in the form that the command line passes on: a word after a flag is its value, and a
/// switch has the value `true`.
fn flags(words: &[&str]) -> Flags {
    let mut flags: Vec<(String, Option<String>)> = Vec::new();
    for word in words {
        match (word.strip_prefix("--"), flags.last_mut()) {
            (Some("sse"), _) => flags.push(("sse".to_owned(), Some("true".to_owned()))),
            (Some(name), _) => flags.push((name.to_owned(), None)),
            (None, Some((_, value))) => *value = Some((*word).to_owned()),
            (None, None) => panic!("`{word}` is no flag"),
        }
    }
    Flags::new(flags)
}

fn web(words: &[&str], set: &[(&str, &str)]) -> HttpOptions {
    match endpoint(words, set).unwrap() {
        Endpoint::Http(web) => *web,
        other @ (Endpoint::Stdio | Endpoint::Socket(_)) => panic!("{other:?}"),
    }
}

fn address(text: &str) -> ListenAddress {
    ListenAddress::Tcp(text.parse().unwrap())
}

#[test]
fn stdio_is_the_default() {
    assert_eq!(endpoint(&[], &[]).unwrap(), Endpoint::Stdio);
    let stray = [("MCP_HTTP_PORT", "9"), ("MCP_HTTP_SOCKET", "/s"), ("MCP_TRANSPORT", "")];
    assert_eq!(endpoint(&[], &stray).unwrap(), Endpoint::Stdio);
    assert_eq!(endpoint(&[], &[("MCP_TRANSPORT", "stdio")]).unwrap(), Endpoint::Stdio);
}

#[test]
fn flags_select_the_transport_and_variables_configure_it() {
    let usual = web(&["--http"], &[]);
    assert_eq!((usual.listen, usual.sse), (address("127.0.0.1:8741"), false));
    assert_eq!(usual.heartbeat, Duration::from_secs(30));
    assert_eq!(usual.session_idle_timeout, Duration::from_secs(3600));
    assert_eq!((usual.auth, usual.tls), (HttpAuth::default(), None));
    assert_eq!((usual.limits.max_sessions, usual.limits.request_interval), (256, None));
    let both = web(&["--http", "127.0.0.1:9"], &[("MCP_HTTP_PORT", "8")]);
    assert_eq!(both.listen, address("127.0.0.1:9"));
    assert_eq!(web(&["--http"], &[("MCP_HTTP_PORT", "8")]).listen, address("127.0.0.1:8"));
    let both = web(&["--sse", "--http", "[::1]:7"], &[("MCP_TRANSPORT", "stdio")]);
    assert_eq!((both.listen, both.sse), (address("[::1]:7"), true));
    assert!(web(&["--sse"], &[]).sse);
    assert_eq!(endpoint(&["--socket", "/s"], &[]).unwrap(), Endpoint::Socket("/s".into()));
    assert_eq!(web(&["--socket", "/s", "--sse"], &[]).listen, ListenAddress::Unix("/s".into()));
    let beat = web(&["--sse", "--heartbeat", "0.5"], &[("MCP_HEARTBEAT_INTERVAL", "9")]);
    assert_eq!(beat.heartbeat, Duration::from_millis(500));
}

#[test]
fn variables_select_the_transport_without_flags() {
    let set = [
        ("MCP_TRANSPORT", "sse"),
        ("MCP_HTTP_PORT", "8080"),
        ("MCP_HEARTBEAT_INTERVAL", "5"),
        ("MCP_CONNECTION_TIMEOUT", "60"),
    ];
    let one = web(&[], &set);
    assert_eq!((one.listen, one.sse), (address("127.0.0.1:8080"), true));
    assert_eq!((one.heartbeat.as_secs(), one.session_idle_timeout.as_secs()), (5, 60));
    let socket = [("MCP_TRANSPORT", "sse"), ("MCP_HTTP_SOCKET", "/tmp/mcp-server.sock")];
    assert_eq!(web(&[], &socket).listen, ListenAddress::Unix("/tmp/mcp-server.sock".into()));
    let lines = [("DESKHAND_TRANSPORT", "socket"), ("DESKHAND_HTTP_SOCKET", "/s")];
    assert_eq!(endpoint(&[], &lines).unwrap(), Endpoint::Socket("/s".into()));
    let older = [("AXTERMINATOR_HTTP_PORT", "1"), ("AXTERMINATOR_HTTP_BIND", "::1")];
    assert_eq!(web(&["--http"], &older).listen, address("[::1]:1"));
    let ours = [("MCP_TRANSPORT", "stdio"), ("DESKHAND_TRANSPORT", "http")];
    assert!(!web(&[], &ours).sse);
}

#[test]
fn a_stronger_source_overrides_a_part_of_the_address() {
    let at = |words: &[&str], set: &[(&str, &str)], file: &str| match with_file(words, set, file)
        .unwrap()
    {
        Endpoint::Http(web) => web.listen,
        other @ (Endpoint::Stdio | Endpoint::Socket(_)) => panic!("{other:?}"),
    };
    let one = [("MCP_HTTP_ADDRESS", "127.0.0.1:9000"), ("MCP_HTTP_PORT", "8")];
    assert_eq!(at(&["--http"], &one, ""), address("127.0.0.1:9000"));
    let file = "[http]\naddress = \"127.0.0.2:9000\"\n";
    assert_eq!(at(&["--http"], &[], file), address("127.0.0.2:9000"));
    assert_eq!(at(&["--http"], &[("MCP_HTTP_PORT", "8")], file), address("127.0.0.2:8"));
    assert_eq!(at(&["--http", "127.0.0.1:7"], &one, file), address("127.0.0.1:7"));
}

#[test]
fn variables_of_macos_use_sdk_configure_http() {
    let set = [
        ("MCP_TRANSPORT", "sse"),
        ("MCP_HTTP_ADDRESS", ":8443"),
        ("MCP_API_KEY", "a-very-secret-key"),
        ("MCP_RATE_LIMIT", "100"),
        ("MCP_CORS_ORIGIN", "https://myapp.example.com"),
        ("MCP_HTTP_READ_TIMEOUT", "60s"),
        ("MCP_HTTP_WRITE_TIMEOUT", "120s"),
        ("MCP_HEARTBEAT_INTERVAL", "15s"),
    ];
    let one = web(&[], &set);
    assert_eq!(one.listen, address("0.0.0.0:8443"));
    assert_eq!(one.auth.token, Some(BearerToken::new("a-very-secret-key").unwrap()));
    assert_eq!(one.limits.request_interval, Some(Duration::from_millis(10)));
    assert_eq!(one.allowed_origins, ["https://myapp.example.com"]);
    assert_eq!((one.limits.read_timeout.as_secs(), one.limits.write_timeout.as_secs()), (60, 120));
    assert_eq!(one.heartbeat.as_secs(), 15);
}

#[test]
fn reachable_addresses_need_authentication() {
    let set = [("MCP_TRANSPORT", "http"), ("MCP_HTTP_ADDRESS", ":8443")];
    assert!(endpoint(&[], &set).is_err());
    assert!(endpoint(&["--http", "0.0.0.0:1"], &[]).is_err());
    assert!(endpoint(&["--http", "0.0.0.0:1"], &[("MCP_API_KEY", "a-very-secret-key")]).is_ok());
}

#[test]
fn incomplete_settings_name_the_missing_one() {
    for (set, missing) in [
        ([("MCP_TRANSPORT", "http"), ("MCP_TLS_CERT_FILE", "/c")], "http.tls_key"),
        ([("MCP_TRANSPORT", "http"), ("MCP_TLS_KEY_FILE", "/k")], "http.tls_cert"),
        ([("MCP_TRANSPORT", "http"), ("DESKHAND_HTTP_OAUTH_AUDIENCE", "a")], "http.oauth_issuer"),
        ([("MCP_TRANSPORT", "socket"), ("X", "")], "http.socket"),
    ] {
        let failure = endpoint(&[], &set).unwrap_err();
        assert!(failure.hint.unwrap().contains(missing), "{set:?}");
    }
}

#[test]
fn invalid_variables_are_named() {
    for set in [
        [("MCP_TRANSPORT", "pigeon")].as_slice(),
        &[("MCP_TRANSPORT", "sse"), ("MCP_HTTP_PORT", "many")],
        &[("MCP_TRANSPORT", "sse"), ("MCP_HEARTBEAT_INTERVAL", "0")],
        &[("MCP_TRANSPORT", "sse"), ("MCP_CONNECTION_TIMEOUT", "-1")],
        &[("MCP_TRANSPORT", "sse"), ("MCP_RATE_LIMIT", "-1")],
        &[("MCP_TRANSPORT", "sse"), ("MCP_HTTP_ADDRESS", "nowhere")],
    ] {
        let failure = endpoint(&[], set).unwrap_err();
        let (name, value) = set[set.len() - 1];
        assert_eq!(failure.code, "invalid_parameter");
        assert!(failure.message.contains(&format!("{name}={value}")), "{}", failure.message);
    }
}
