//! What `mcp.json` may say, and what is said about what it may not.

use deskhand_model::Explain;

use super::*;

fn parse(text: &str) -> Result<Config> {
    let variable = |name: &str| (name == "SECRET").then(|| "s3cret".to_owned());
    Config::parse(text, "mcp.json", &variable)
}

fn refusal(text: &str) -> (String, Option<String>) {
    let error = parse(text).unwrap_err();
    (error.to_string(), error.hint())
}

#[test]
fn the_peers_own_form_is_read() {
    let config = parse(
        r#"{ "servers": { "jira": { "type": "http", "url": "https://api.example.com/mcp",
            "atlassian_client_id": "me", "atlassian_client_secret": "${SECRET}" } } }"#,
    )
    .unwrap();
    let jira = config.server("jira").unwrap();
    let identity = jira.identity.clone().unwrap();
    assert_eq!((identity.id.as_str(), identity.secret.as_deref()), ("me", Some("s3cret")));
    assert_eq!((jira.prefix.as_str(), jira.use_it, jira.trust), ("jira", Use::On, Trust::Nothing));
    assert!(!format!("{jira:?}").contains("s3cret"));
}

#[test]
fn what_other_clients_write_is_read_and_programs_are_named_and_left_out() {
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
    assert_eq!(config.servers[1].use_it, Use::Off);
    assert_eq!(config.skipped[0].name, "files");
}

#[test]
fn faults_are_told_with_line_and_column() {
    let unknown = refusal("{ \"servers\": {\n  \"a\": { \"ulr\": \"https://x/\" } } }");
    assert_eq!(unknown.0, "mcp.json:2:10: there is no field `ulr`");
    assert_eq!(unknown.1.as_deref(), Some("`url` may be meant"));
    let syntax = refusal("{ \"servers\": {\n  \"a\" } }");
    assert!(syntax.0.starts_with("mcp.json:2:"), "{}", syntax.0);
    let kind = refusal(r#"{ "servers": { "a": { "type": "sse", "url": "https://x/" } } }"#);
    assert_eq!(kind.0, "mcp.json:1:31: `type` is not \"http\"");
    let unset = refusal(r#"{ "servers": { "a": { "url": "https://x/", "client_id": "${NO}" } } }"#);
    assert!(unset.0.contains("the variable NO is not set"), "{}", unset.0);
    let nothing = refusal(r#"{ "servers": { "a": {} } }"#);
    assert!(nothing.0.contains("a server with a `url`"), "{}", nothing.0);
}

#[test]
fn plain_http_goes_to_this_machine_alone_unless_the_person_says_otherwise() {
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
fn headers_of_the_protocol_are_not_the_persons_to_set() {
    for header in ["Accept", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID", "no good"] {
        let text = format!(
            r#"{{ "servers": {{ "a": {{ "url": "https://x/", "headers": {{ "{header}": "1" }} }} }} }}"#
        );
        assert!(refusal(&text).0.starts_with("mcp.json:1:"), "{header}");
    }
}

#[test]
fn two_servers_cannot_share_a_prefix() {
    let text = r#"{ "servers": { "a": { "url": "https://x/" },
                                 "b": { "url": "https://y/", "prefix": "a" } } }"#;
    assert!(refusal(text).0.contains("`a` has this one"));
    let odd = r#"{ "servers": { "a": { "url": "https://x/", "prefix": "no good" } } }"#;
    assert!(refusal(odd).0.contains("letters, digits"));
}
