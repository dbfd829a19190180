//! HTTP authentication and authorization: bearer token, OAuth, TLS and scopes.

use std::{
    io::{Read, Write},
    process::Command,
    sync::Arc,
    time::Duration,
};

use harness::{TestDesktop, outcome};
use serde_json::{Value, json};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring::default_provider,
};

use super::{
    http_server::{HttpServer, initialize_params, request_message},
    oauth_issuer::{AUDIENCE, Key, OauthIssuer, hmac_token, now, signed_part},
};

const TOKEN: &str = "correct-horse-battery-staple";

fn ping() -> Value {
    request_message(7, "ping", json!({}))
}

#[test]
fn requests_without_the_configured_token_are_refused() {
    let stage = TestDesktop::new();
    let server =
        HttpServer::start_with(&stage, &["--sse", "--conformance"], &[("MCP_API_KEY", TOKEN)]);
    let invalid = [
        None,
        Some("Bearer".to_owned()),
        Some("Bearer wrong".to_owned()),
        Some(format!("Basic {TOKEN}")),
        Some(format!("Bearer {}", &TOKEN[1..])),
        Some(format!("Bearer {TOKEN}x")),
        Some(format!("Bearer {TOKEN}, Bearer {TOKEN}")),
        Some(TOKEN.to_owned()),
    ];
    let with_token = format!("/mcp?access_token={TOKEN}&token={TOKEN}");
    let paths = [
        ("POST", "/mcp"),
        ("POST", &with_token),
        ("GET", "/sse"),
        ("POST", "/messages"),
        ("GET", "/metrics"),
    ];
    for (method, path) in paths {
        for authorization in &invalid {
            let mut headers = vec![("Content-Type", "application/json"), ("Accept", "*/*")];
            headers.extend(authorization.as_deref().map(|it| ("Authorization", it)));
            let reply = server.send(method, path, &headers, ping().to_string().as_bytes());
            assert_eq!(reply.status, 401, "{method} {path} {authorization:?}: {}", reply.head);
            let challenge = reply.header("www-authenticate").unwrap();
            assert!(challenge.starts_with("Bearer realm="), "{challenge}");
            assert_eq!(reply.json()["error"]["code"], -32600);
        }
    }
    let session = server.session_as(TOKEN);
    let reply = server.post_as(TOKEN, Some(&session), &ping());
    assert_eq!(reply.status, 200, "{}", reply.head);
    let bearer = format!("bearer {TOKEN}");
    let authorized = [("Authorization", bearer.as_str())];
    assert_eq!(server.send("GET", "/metrics", &authorized, b"").status, 200);
    assert_eq!(server.get("/health").json(), json!({ "status": "ok" }));
    assert_eq!(server.send("GET", "/health", &authorized, b"").json()["sessions"], 1);
}

#[test]
fn public_address_without_authentication_is_refused() {
    for at in ["0.0.0.0:0", "[::]:0"] {
        let mut command = Command::new(outcome::binary());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let output = command.args(["mcp", "serve", "--http", at]).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{stderr}");
        assert!(stderr.contains("can be reached from other machines"), "{stderr}");
        assert!(stderr.contains("DESKHAND_HTTP_TOKEN"), "{stderr}");
        assert!(
            !stderr.contains("private desktop"),
            "the server must refuse before it starts a desktop: {stderr}"
        );
    }
}

/// Tokens that are invalid for this server, with the reason.
fn bad_tokens(issuer: &OauthIssuer) -> Vec<(&'static str, String)> {
    let claims = issuer.claims("ann", "deskhand:full");
    let with = |name: &str, value: Value| {
        let mut changed = claims.clone();
        changed[name] = value;
        issuer.key.token(&changed)
    };
    let without = |name: &str| {
        let mut changed = claims.clone();
        changed.as_object_mut().unwrap().remove(name);
        issuer.key.token(&changed)
    };
    let good = issuer.key.token(&claims);
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let public = issuer.key.public();
    let header = |more: Value| {
        let mut header = json!({ "alg": "ES256", "kid": "first" });
        for (name, value) in more.as_object().cloned().unwrap() {
            header[name] = value;
        }
        header
    };
    let other_key = Key::new("first");
    let shared = header(json!({ "alg": "HS256" }));
    let bob = issuer.key.token(&issuer.claims("bob", "deskhand:read"));
    let swapped = format!("{signed}.{}", bob.rsplit_once('.').unwrap().1);
    vec![
        ("expired", with("exp", json!(now() - 3600))),
        ("not valid yet", with("nbf", json!(now() + 3600))),
        ("wrong audience", with("aud", json!("https://other.example/mcp"))),
        ("audience with a suffix", with("aud", json!(format!("{AUDIENCE}.evil.example")))),
        ("empty audience", with("aud", json!([]))),
        ("wrong issuer", with("iss", json!("https://evil.example"))),
        ("two issuers", with("iss", json!([issuer.address, "https://evil.example"]))),
        ("expiry is not a number", with("exp", json!("never"))),
        ("empty subject", with("sub", json!(""))),
        ("no expiry", without("exp")),
        ("no audience", without("aud")),
        ("no issuer", without("iss")),
        ("no subject", without("sub")),
        ("alg none", format!("{}.", signed_part(&header(json!({ "alg": "none" })), &claims))),
        (
            "alg nOnE",
            format!("{}.{signature}", signed_part(&header(json!({ "alg": "nOnE" })), &claims)),
        ),
        ("no alg", format!("{}.{signature}", signed_part(&json!({ "kid": "first" }), &claims))),
        (
            "HS256 signed with the public key",
            hmac_token(public.to_string().as_bytes(), &shared, &claims),
        ),
        (
            "HS256 signed with the x coordinate",
            hmac_token(public["x"].as_str().unwrap().as_bytes(), &shared, &claims),
        ),
        ("wrong algorithm", issuer.key.sign(&header(json!({ "alg": "RS256" })), &claims)),
        ("unknown key id", issuer.key.sign(&header(json!({ "kid": "x" })), &claims)),
        ("key of another issuer", other_key.token(&claims)),
        (
            "embedded key (jwk)",
            other_key.sign(&header(json!({ "jwk": other_key.public() })), &claims),
        ),
        (
            "key URL in the token (jku)",
            other_key.sign(&header(json!({ "jku": format!("{}/evil", issuer.address) })), &claims),
        ),
        ("path as key id", issuer.key.sign(&header(json!({ "kid": "../../dev/null" })), &claims)),
        (
            "unknown critical header",
            issuer.key.sign(&header(json!({ "crit": ["exp"], "exp": 1 })), &claims),
        ),
        ("signature of another token", swapped),
        ("no signature", format!("{signed}.")),
        ("two parts", signed.to_owned()),
        ("four parts", format!("{good}.{signature}")),
        ("not a JWT", "x".repeat(2000)),
    ]
}

#[test]
fn only_valid_tokens_of_the_issuer_are_accepted() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &["--conformance"], &issuer.variables());
    let initialize = request_message(1, "initialize", initialize_params("2025-11-25"));
    let first = server.post_as("no-token", None, &initialize);
    let challenge = first.header("www-authenticate").unwrap();
    let metadata = challenge.split("resource_metadata=\"").nth(1).unwrap();
    let metadata = metadata.split('"').next().unwrap().split(&server.address).nth(1).unwrap();
    let metadata_document = server.get(metadata).json();
    assert_eq!(metadata_document["authorization_servers"], json!([issuer.address]));
    assert_eq!(metadata_document["resource"], format!("http://{}/mcp", server.address));
    assert_eq!(server.get("/.well-known/oauth-protected-resource").json(), metadata_document);
    for (case, token) in bad_tokens(&issuer) {
        let reply = server.post_as(&token, None, &initialize);
        assert_eq!(reply.status, 401, "{case}: {}", reply.head);
        let challenge = reply.header("www-authenticate").unwrap();
        assert!(challenge.contains("error=\"invalid_token\""), "{case}: {challenge}");
    }
    assert!(issuer.fetched() <= 2, "keys were fetched {} times", issuer.fetched());
    let without_scope =
        server.post_as(&issuer.token("ann", "openid deskhand:other"), None, &initialize);
    assert_eq!(without_scope.status, 403, "{}", without_scope.head);
    let challenge = without_scope.header("www-authenticate").unwrap();
    assert!(challenge.contains("error=\"insufficient_scope\", scope=\"deskhand:read\""));
    let mut several = issuer.claims("ann", "");
    several["aud"] = json!(["https://other.example", AUDIENCE]);
    several["scp"] = json!(["deskhand:act"]);
    for token in [issuer.token("ann", "openid deskhand:read"), issuer.key.token(&several)] {
        assert_eq!(server.post_as(&token, None, &initialize).status, 200);
    }
}

#[test]
fn rotated_key_is_found_and_unknown_keys_are_not_fetched_repeatedly() {
    let stage = TestDesktop::new();
    let mut issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &["--conformance"], &issuer.variables());
    let initialize = request_message(1, "initialize", initialize_params("2025-11-25"));
    let old = issuer.token("ann", "deskhand:read");
    assert_eq!(server.post_as(&old, None, &initialize).status, 200);
    issuer.rotate("second");
    assert_eq!(
        server.post_as(&issuer.token("ann", "deskhand:read"), None, &initialize).status,
        200
    );
    assert_eq!(server.post_as(&old, None, &initialize).status, 401, "the old key must be rejected");
    assert_eq!(issuer.fetched(), 2);
    for number in 0..100 {
        let unknown_key = Key::new(&format!("made-up-{number}"));
        let token = unknown_key.token(&issuer.claims("ann", "deskhand:full"));
        assert_eq!(server.post_as(&token, None, &initialize).status, 401);
    }
    assert!(issuer.fetched() <= 3, "keys were fetched {} times", issuer.fetched());
    let variables = issuer.variables().map(|(name, value)| (name, value.to_owned()));
    let token = issuer.token("ann", "deskhand:read");
    drop(issuer);
    assert_eq!(
        server.post_as(&token, None, &initialize).status,
        200,
        "cached keys must stay valid"
    );
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let isolated_server = HttpServer::start_with(&stage, &["--conformance"], &variables);
    let reply = isolated_server.post_as(&token, None, &initialize);
    assert_eq!(reply.status, 503, "{}", reply.head);
    assert_eq!(reply.header("retry-after").as_deref(), Some("10"));
}

#[test]
fn disconnected_clients_do_not_block_authentication() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &["--conformance"], &issuer.variables());
    let initialize = request_message(1, "initialize", initialize_params("2025-11-25"));
    issuer.slow_down();
    let other_key = Key::new("made-up").token(&issuer.claims("eve", "deskhand:full"));
    for _ in 0..6 {
        let mut connection = server.connect();
        let header = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {other_key}\r\n\r\n",
            server.address
        );
        connection.write_all(header.as_bytes()).unwrap();
        // Long enough for the server to read the request, too short for the issuer to answer.
        std::thread::sleep(Duration::from_millis(20));
    }
    let reply = server.post_as(&issuer.token("ann", "deskhand:read"), None, &initialize);
    assert_eq!(reply.status, 200, "{}", reply.head);
    assert!(issuer.fetched() <= 2, "keys were fetched {} times", issuer.fetched());
}

#[test]
fn scopes_limit_the_available_tools() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &[], &issuer.variables());
    let [read, act, full] =
        ["read", "act", "full"].map(|scope| issuer.token("ann", &format!("deskhand:{scope}")));
    let tools = |token: &str| -> Vec<String> {
        let session = server.session_as(token);
        let mut reply =
            server.post_as(token, Some(&session), &request_message(1, "tools/list", json!({})));
        let answer = reply.first_message(|it| it["id"] == 1).unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let (few, many) = (tools(&read), tools(&act));
    assert!(few.contains(&"ax_find".to_owned()) && !few.contains(&"ax_click".to_owned()));
    assert!(many.contains(&"ax_click".to_owned()));
    let copy = |token: &str, words: &str| {
        let arguments = json!({ "action": "write", "text": words });
        server.call_as(token, "ax_clipboard", arguments)
    };
    let copied = || {
        let reply = server.call_as(&full, "ax_clipboard", json!({ "action": "read" }));
        reply.json()["result"]["structuredContent"]["text"].clone()
    };
    let done = copy(&act, "by act");
    assert_eq!(done.status, 200, "{}", done.head);
    assert_eq!(copied(), "by act");
    let refused = copy(&read, "by read");
    assert_eq!(refused.status, 403, "{}", refused.head);
    let challenge = refused.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\", scope=\"deskhand:act\""),
        "{challenge}"
    );
    let session = server.session_as(&full);
    let arguments = json!({ "action": "write", "text": "by read" });
    let call =
        request_message(2, "tools/call", json!({ "name": "ax_clipboard", "arguments": arguments }));
    let refused = server.post_as(&read, Some(&session), &call);
    assert_eq!(
        refused.status, 403,
        "the scope of the session owner must not be inherited: {}",
        refused.head
    );
    assert_eq!(copied(), "by act");
}

#[test]
fn audit_log_contains_principal_and_session() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &[], &issuer.variables());
    let token = issuer.token("ann", "deskhand:full");
    let session = server.session_as(&token);
    let arguments = json!({ "action": "write", "text": "words" });
    let call =
        request_message(2, "tools/call", json!({ "name": "ax_clipboard", "arguments": arguments }));
    let done =
        server.post_as(&token, Some(&session), &call).first_message(|it| it["id"] == 2).unwrap();
    assert_eq!(done["result"]["isError"], false, "{done}");
    let log = std::fs::read_to_string(stage.info().folders.data.join("audit.jsonl")).unwrap();
    let record: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(record["session_id"], session, "{record}");
    assert_eq!(record["principal"], format!("oauth {} ann", issuer.address), "{record}");
}

#[test]
fn session_belongs_to_its_principal() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &["--sse", "--conformance"], &issuer.variables());
    let (ann, bob) = (issuer.token("ann", "deskhand:full"), issuer.token("bob", "deskhand:full"));
    let session = server.session_as(&ann);
    let missing = server.post_as(&bob, Some("0000"), &ping());
    let (status, body) = (missing.status, missing.json());
    assert_eq!(status, 404);
    let foreign = server.post_as(&bob, Some(&session), &ping());
    assert_eq!(
        (foreign.status, foreign.json()),
        (status, body),
        "a foreign session must look like a missing one"
    );
    let bearer = format!("Bearer {bob}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Mcp-Session-Id", session.as_str()),
        ("Mcp-Protocol-Version", "2025-11-25"),
        ("Accept", "text/event-stream"),
    ];
    assert_eq!(server.send("GET", "/mcp", &headers, b"").status, 404);
    let last = [headers.as_slice(), &[("Last-Event-ID", "1-0")]].concat();
    assert_eq!(server.send("GET", "/mcp", &last, b"").status, 404);
    // DELETE returns the same status for a foreign session as for an unknown one.
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
    let ann_headers = format!("Bearer {ann}");
    let ann_headers = [("Authorization", ann_headers.as_str()), ("Accept", "text/event-stream")];
    let mut stream = server.send("GET", "/sse", &ann_headers, b"");
    let address = stream.event().unwrap().data;
    let json = ("Content-Type", "application/json");
    let body = request_message(1, "initialize", initialize_params("2024-11-05")).to_string();
    let bob_headers = [headers[0], json];
    assert_eq!(server.send("POST", &address, &bob_headers, body.as_bytes()).status, 404);
    let listening = address.replace("/messages", "/sse");
    assert_eq!(server.send("GET", &listening, &headers, b"").status, 404);
    assert_eq!(server.send("POST", &address, &[ann_headers[0], json], body.as_bytes()).status, 202);
    let again = issuer.token("ann", "deskhand:read");
    let reply = server.post_as(&again, Some(&session), &ping());
    assert_eq!(reply.status, 200, "any valid token of the owner must work: {}", reply.head);
}

#[test]
fn stream_ends_when_its_token_expires() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let server = HttpServer::start_with(&stage, &["--conformance"], &issuer.variables());
    let mut claims = issuer.claims("ann", "deskhand:full");
    // The server allows a clock skew of 30 seconds, so the token is valid for two more seconds.
    claims["exp"] = json!(now() - 28);
    let token = issuer.key.token(&claims);
    let session = server.session_as(&token);
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Mcp-Session-Id", session.as_str()),
        ("Mcp-Protocol-Version", "2025-11-25"),
        ("Accept", "text/event-stream"),
    ];
    let stream = server.send("GET", "/mcp", &headers, b"");
    assert_eq!(stream.status, 200, "{}", stream.head);
    stream.text();
    while now() <= claims["exp"].as_i64().unwrap() + 30 {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(server.post_as(&token, Some(&session), &ping()).status, 401);
    let fresh = issuer.token("ann", "deskhand:full");
    assert_eq!(server.post_as(&fresh, Some(&session), &ping()).status, 200);
}

#[test]
fn tls_certificate_is_verified_by_the_client() {
    let stage = TestDesktop::new();
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, certificate.cert.pem()).unwrap();
    std::fs::write(&key, certificate.signing_key.serialize_pem()).unwrap();
    let variables = [
        ("MCP_TLS_CERT_FILE", chain.to_str().unwrap()),
        ("MCP_TLS_KEY_FILE", key.to_str().unwrap()),
        ("MCP_API_KEY", TOKEN),
    ];
    let server = HttpServer::start_with(&stage, &["--conformance"], &variables);
    let mut roots = RootCertStore::empty();
    roots.add(certificate.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connect_as = |name: &'static str| {
        let client = ClientConnection::new(Arc::new(config.clone()), name.try_into().unwrap());
        let mut stream = StreamOwned::new(client.unwrap(), server.connect());
        let body = request_message(1, "initialize", initialize_params("2025-11-25")).to_string();
        write!(
            stream,
            "POST /mcp HTTP/1.0\r\nHost: {name}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = [0; 15];
        stream.read_exact(&mut answer)?;
        std::io::Result::Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    assert_eq!(connect_as("localhost").unwrap(), "HTTP/1.0 200 OK");
    assert!(connect_as("desk.example").is_err(), "a wrong host name was accepted");
    let mut plain = server.connect();
    plain.write_all(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // The server may close the connection before or after it reports that this is not TLS.
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn rate_limited_client_gets_retry_after() {
    let stage = TestDesktop::new();
    let issuer = OauthIssuer::start();
    let limit = [issuer.variables().as_slice(), &[("MCP_RATE_LIMIT", "0.5")]].concat();
    let server = HttpServer::start_with(&stage, &["--conformance"], &limit);
    let initialize = request_message(1, "initialize", initialize_params("2025-11-25"));
    let (ann, bob) = (issuer.token("ann", "deskhand:full"), issuer.token("bob", "deskhand:full"));
    assert_eq!(server.post_as(&ann, None, &initialize).status, 200);
    let late = server.post_as(&ann, None, &initialize);
    assert_eq!(late.status, 429, "{}", late.head);
    let wait: u64 = late.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait), "{wait}");
    assert!(late.json()["error"]["data"]["retry_after_ms"].as_u64() > Some(0));
    assert_eq!(
        server.post_as(&bob, None, &initialize).status,
        200,
        "the limit must be per principal"
    );
}
