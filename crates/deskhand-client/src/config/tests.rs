//! Valid and invalid configurations.

use deskhand_model::Explain;

use super::*;

fn parse(text: &str) -> Result<Config> {
    let variable = |name: &str| (name == "SECRET").then(|| "s3cret".to_owned());
    Config::parse(text, "mcp.json", &variable)
}

fn parse_error(text: &str) -> (String, Option<deskhand_model::Advice>) {
    let error = parse(text).unwrap_err();
    (error.to_string(), error.advice())
}

#[test]
fn a_configuration_of_ahma_is_read() {
    let config = parse(
        r#"{ "servers": { "jira": { "type": "http", "url": "https://api.example.com/mcp",
            "atlassian_client_id": "me", "atlassian_client_secret": "${SECRET}" } } }"#,
    )
    .unwrap();
    let jira = config.server("jira").unwrap();
    let client = jira.oauth_client.clone().unwrap();
    assert_eq!((client.id.as_str(), client.secret.as_deref()), ("me", Some("s3cret")));
    assert_eq!(
        (jira.prefix.as_str(), jira.activation, jira.trust),
        ("jira", Activation::Enabled, Trust::Nothing)
    );
    assert!(!format!("{jira:?}").contains("s3cret"));
}

#[test]
fn configurations_of_other_clients_are_read_and_programs_are_skipped() {
    let config = parse(
        r#"{ // comments are welcome
          "mcpServers": {
            "web": { "url": "https://example.com/mcp", "headers": { "X-Key": "${env:SECRET}" } },
            "files": { "command": "npx", "args": ["-y", "files"] },
            "off": { "url": "http://localhost:1/mcp", "enabled": false },
          } }"#,
    )
    .unwrap();
    assert_eq!(config.servers.len(), 2);
    let (name, value) = &config.servers[0].headers[0];
    assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-key", "s3cret"));
    assert!(!format!("{config:?}").contains("s3cret"));
    assert_eq!(config.servers[1].activation, Activation::Disabled);
    assert_eq!(config.skipped[0].name, "files");
}

#[test]
fn errors_have_a_line_and_a_column() {
    let unknown = parse_error("{ \"servers\": {\n  \"a\": { \"ulr\": \"https://x/\" } } }");
    assert_eq!(unknown.0, "mcp.json:2:10: unknown field `ulr`");
    assert_eq!(unknown.1, Some("did you mean `url`?".into()));
    let syntax = parse_error("{ \"servers\": {\n  \"a\" } }");
    assert!(syntax.0.starts_with("mcp.json:2:"), "{}", syntax.0);
    let kind = parse_error(r#"{ "servers": { "a": { "type": "sse", "url": "https://x/" } } }"#);
    assert_eq!(kind.0, "mcp.json:1:31: `type` is not \"http\"");
    let unset =
        parse_error(r#"{ "servers": { "a": { "url": "https://x/", "client_id": "${NO}" } } }"#);
    assert!(unset.0.contains("the environment variable NO is not set"), "{}", unset.0);
    let nothing = parse_error(r#"{ "servers": { "a": {} } }"#);
    assert!(nothing.0.contains("a server with a `url`"), "{}", nothing.0);
}

#[test]
fn plain_http_to_other_machines_must_be_allowed() {
    let one = |url: &str, more: &str| {
        parse(&format!(r#"{{ "servers": {{ "a": {{ "url": "{url}"{more} }} }} }}"#))
    };
    for url in ["http://127.0.0.1:3000/mcp", "http://localhost/mcp", "http://[::1]:9/mcp"] {
        assert!(one(url, "").is_ok(), "{url}");
    }
    for url in ["http://example.com/mcp", "http://127.0.0.1.example.com/", "ftp://example.com/"] {
        assert!(one(url, "").is_err(), "{url}");
    }
    assert!(one("http://example.com/mcp", r#", "allow_http": true"#).is_ok());
}

#[test]
fn headers_of_the_protocol_cannot_be_set() {
    for header in ["Accept", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID", "no good"] {
        let text = format!(
            r#"{{ "servers": {{ "a": {{ "url": "https://x/", "headers": {{ "{header}": "1" }} }} }} }}"#
        );
        assert!(parse_error(&text).0.starts_with("mcp.json:1:"), "{header}");
    }
}

#[test]
fn two_servers_cannot_share_a_prefix() {
    let text = r#"{ "servers": { "a": { "url": "https://x/" },
                                 "b": { "url": "https://y/", "prefix": "a" } } }"#;
    assert!(parse_error(text).0.contains("`a` has this one"));
    let odd = r#"{ "servers": { "a": { "url": "https://x/", "prefix": "no good" } } }"#;
    assert!(parse_error(odd).0.contains("letters, digits"));
}
