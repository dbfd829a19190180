//! Who is let in over HTTP: by a token, by an authorization server, over TLS, and how far.

use std::{
    io::{Read, Write},
    process::Command,
    sync::Arc,
    time::Duration,
};

use harness::{Stage, outcome};
use serde_json::{Value, json};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring::default_provider,
};

use super::{
    issuer::{AUDIENCE, Issuer, Key, forged, message, now},
    web::{Server, hello, request},
};

const TOKEN: &str = "correct-horse-battery-staple";

fn ping() -> Value {
    request(7, "ping", json!({}))
}

#[test]
fn where_a_token_is_set_nobody_comes_without_it() {
    let stage = Stage::new();
    let server = Server::set(&stage, &["--sse", "--conformance"], &[("MCP_API_KEY", TOKEN)]);
    let wrong = [
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
        for authorization in &wrong {
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
    let known = [("Authorization", bearer.as_str())];
    assert_eq!(server.send("GET", "/metrics", &known, b"").status, 200);
    assert_eq!(server.get("/health").json(), json!({ "status": "ok" }));
    assert_eq!(server.send("GET", "/health", &known, b"").json()["sessions"], 1);
}

#[test]
fn beyond_this_machine_a_server_asks_who_comes_or_does_not_start() {
    for at in ["0.0.0.0:0", "[::]:0"] {
        let mut command = Command::new(outcome::binary());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let output = command.args(["mcp", "serve", "--http", at]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("can be reached from other machines"), "{said}");
        assert!(said.contains("DESKHAND_HTTP_TOKEN"), "{said}");
        assert!(!said.contains("private desktop"), "it was refused too late: {said}");
    }
}

/// Everything that is not a token for this server, and what makes it so.
fn bad_tokens(issuer: &Issuer) -> Vec<(&'static str, String)> {
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
    let head = |more: Value| {
        let mut head = json!({ "alg": "ES256", "kid": "first" });
        for (name, value) in more.as_object().cloned().unwrap() {
            head[name] = value;
        }
        head
    };
    let stranger = Key::new("first");
    let shared = head(json!({ "alg": "HS256" }));
    let bob = issuer.key.token(&issuer.claims("bob", "deskhand:read"));
    let swapped = format!("{signed}.{}", bob.rsplit_once('.').unwrap().1);
    vec![
        ("expired", with("exp", json!(now() - 3600))),
        ("not valid yet", with("nbf", json!(now() + 3600))),
        ("for another server", with("aud", json!("https://other.example/mcp"))),
        ("for a longer name", with("aud", json!(format!("{AUDIENCE}.evil.example")))),
        ("for nobody", with("aud", json!([]))),
        ("of another issuer", with("iss", json!("https://evil.example"))),
        ("of two issuers", with("iss", json!([issuer.at, "https://evil.example"]))),
        ("expiry is no time", with("exp", json!("never"))),
        ("whose it is, is empty", with("sub", json!(""))),
        ("no expiry", without("exp")),
        ("no audience", without("aud")),
        ("no issuer", without("iss")),
        ("no subject", without("sub")),
        ("alg none", format!("{}.", message(&head(json!({ "alg": "none" })), &claims))),
        ("alg nOnE", format!("{}.{signature}", message(&head(json!({ "alg": "nOnE" })), &claims))),
        ("no alg", format!("{}.{signature}", message(&json!({ "kid": "first" }), &claims))),
        ("HS256 by the public key", forged(public.to_string().as_bytes(), &shared, &claims)),
        ("HS256 by x", forged(public["x"].as_str().unwrap().as_bytes(), &shared, &claims)),
        ("another kind of key", issuer.key.sign(&head(json!({ "alg": "RS256" })), &claims)),
        ("a key nobody knows", issuer.key.sign(&head(json!({ "kid": "x" })), &claims)),
        ("a stranger's key", stranger.token(&claims)),
        (
            "a key it brings itself",
            stranger.sign(&head(json!({ "jwk": stranger.public() })), &claims),
        ),
        (
            "a key it says where to find",
            stranger.sign(&head(json!({ "jku": format!("{}/evil", issuer.at) })), &claims),
        ),
        ("a path for a key", issuer.key.sign(&head(json!({ "kid": "../../dev/null" })), &claims)),
        (
            "something we must know",
            issuer.key.sign(&head(json!({ "crit": ["exp"], "exp": 1 })), &claims),
        ),
        ("another's signature", swapped),
        ("no signature", format!("{signed}.")),
        ("two parts", signed.to_owned()),
        ("four parts", format!("{good}.{signature}")),
        ("no JWT", "x".repeat(2000)),
    ]
}

#[test]
fn tokens_of_the_issuer_let_in_and_nothing_else_does() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &["--conformance"], &issuer.variables());
    let asked = request(1, "initialize", hello("2025-11-25"));
    let first = server.post_as("no-token", None, &asked);
    let challenge = first.header("www-authenticate").unwrap();
    let metadata = challenge.split("resource_metadata=\"").nth(1).unwrap();
    let metadata = metadata.split('"').next().unwrap().split(&server.at).nth(1).unwrap();
    let told = server.get(metadata).json();
    assert_eq!(told["authorization_servers"], json!([issuer.at]));
    assert_eq!(told["resource"], format!("http://{}/mcp", server.at));
    assert_eq!(server.get("/.well-known/oauth-protected-resource").json(), told);
    for (what, token) in bad_tokens(&issuer) {
        let reply = server.post_as(&token, None, &asked);
        assert_eq!(reply.status, 401, "{what}: {}", reply.head);
        let challenge = reply.header("www-authenticate").unwrap();
        assert!(challenge.contains("error=\"invalid_token\""), "{what}: {challenge}");
    }
    assert!(issuer.fetched() <= 2, "keys were fetched {} times", issuer.fetched());
    let nothing = server.post_as(&issuer.token("ann", "openid deskhand:other"), None, &asked);
    assert_eq!(nothing.status, 403, "{}", nothing.head);
    let challenge = nothing.header("www-authenticate").unwrap();
    assert!(challenge.contains("error=\"insufficient_scope\", scope=\"deskhand:read\""));
    let mut several = issuer.claims("ann", "");
    several["aud"] = json!(["https://other.example", AUDIENCE]);
    several["scp"] = json!(["deskhand:act"]);
    for token in [issuer.token("ann", "openid deskhand:read"), issuer.key.token(&several)] {
        assert_eq!(server.post_as(&token, None, &asked).status, 200);
    }
}

#[test]
fn a_new_key_is_found_and_made_up_ones_are_not_looked_for_again_and_again() {
    let stage = Stage::new();
    let mut issuer = Issuer::begin();
    let server = Server::set(&stage, &["--conformance"], &issuer.variables());
    let asked = request(1, "initialize", hello("2025-11-25"));
    let old = issuer.token("ann", "deskhand:read");
    assert_eq!(server.post_as(&old, None, &asked).status, 200);
    issuer.rotate("second");
    assert_eq!(server.post_as(&issuer.token("ann", "deskhand:read"), None, &asked).status, 200);
    assert_eq!(server.post_as(&old, None, &asked).status, 401, "its key is no more");
    assert_eq!(issuer.fetched(), 2);
    for number in 0..100 {
        let made_up = Key::new(&format!("made-up-{number}"));
        let token = made_up.token(&issuer.claims("ann", "deskhand:full"));
        assert_eq!(server.post_as(&token, None, &asked).status, 401);
    }
    assert!(issuer.fetched() <= 3, "keys were fetched {} times", issuer.fetched());
    let variables = issuer.variables().map(|(name, value)| (name, value.to_owned()));
    let token = issuer.token("ann", "deskhand:read");
    drop(issuer);
    assert_eq!(server.post_as(&token, None, &asked).status, 200, "known keys still count");
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let lonely = Server::set(&stage, &["--conformance"], &variables);
    let reply = lonely.post_as(&token, None, &asked);
    assert_eq!(reply.status, 503, "{}", reply.head);
    assert_eq!(reply.header("retry-after").as_deref(), Some("10"));
}

#[test]
fn who_asks_and_hangs_up_keeps_nobody_out() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &["--conformance"], &issuer.variables());
    let asked = request(1, "initialize", hello("2025-11-25"));
    issuer.slow_down();
    let stranger = Key::new("made-up").token(&issuer.claims("eve", "deskhand:full"));
    for _ in 0..6 {
        let mut line = server.connect();
        let head = format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {stranger}\r\n\r\n",
            server.at
        );
        line.write_all(head.as_bytes()).unwrap();
        // Long enough for it to be read, too short for the issuer.
        std::thread::sleep(Duration::from_millis(20));
    }
    let hers = server.post_as(&issuer.token("ann", "deskhand:read"), None, &asked);
    assert_eq!(hers.status, 200, "{}", hers.head);
    assert!(issuer.fetched() <= 2, "keys were fetched {} times", issuer.fetched());
}

#[test]
fn scopes_are_how_far_somebody_may_go() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &[], &issuer.variables());
    let [read, act, full] =
        ["read", "act", "full"].map(|scope| issuer.token("ann", &format!("deskhand:{scope}")));
    let tools = |token: &str| -> Vec<String> {
        let session = server.session_as(token);
        let mut reply = server.post_as(token, Some(&session), &request(1, "tools/list", json!({})));
        let answer = reply.first(|it| it["id"] == 1).unwrap();
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
    let call = request(2, "tools/call", json!({ "name": "ax_clipboard", "arguments": arguments }));
    let refused = server.post_as(&read, Some(&session), &call);
    assert_eq!(refused.status, 403, "a session opened with more lends nothing: {}", refused.head);
    assert_eq!(copied(), "by act");
}

#[test]
fn the_audit_log_says_who_did_it_and_in_which_session() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &[], &issuer.variables());
    let token = issuer.token("ann", "deskhand:full");
    let session = server.session_as(&token);
    let arguments = json!({ "action": "write", "text": "words" });
    let call = request(2, "tools/call", json!({ "name": "ax_clipboard", "arguments": arguments }));
    let done = server.post_as(&token, Some(&session), &call).first(|it| it["id"] == 2).unwrap();
    assert_eq!(done["result"]["isError"], false, "{done}");
    let log = std::fs::read_to_string(stage.info().folders.data.join("audit.jsonl")).unwrap();
    let begun: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(begun["session_id"], session, "{begun}");
    assert_eq!(begun["principal"], format!("oauth {} ann", issuer.at), "{begun}");
}

#[test]
fn a_session_is_of_whoever_opened_it() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &["--sse", "--conformance"], &issuer.variables());
    let (ann, bob) = (issuer.token("ann", "deskhand:full"), issuer.token("bob", "deskhand:full"));
    let session = server.session_as(&ann);
    let not_there = server.post_as(&bob, Some("0000"), &ping());
    let (status, why) = (not_there.status, not_there.json());
    assert_eq!(status, 404);
    let not_his = server.post_as(&bob, Some(&session), &ping());
    assert_eq!((not_his.status, not_his.json()), (status, why), "he cannot tell that it exists");
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
    // Whoever ends a session that is not there is told that it is gone, and so is he.
    assert_eq!(server.send("DELETE", "/mcp", &headers, b"").status, 204);
    let anns = format!("Bearer {ann}");
    let anns = [("Authorization", anns.as_str()), ("Accept", "text/event-stream")];
    let mut stream = server.send("GET", "/sse", &anns, b"");
    let address = stream.event().unwrap().data;
    let json = ("Content-Type", "application/json");
    let body = request(1, "initialize", hello("2024-11-05")).to_string();
    let his = [headers[0], json];
    assert_eq!(server.send("POST", &address, &his, body.as_bytes()).status, 404);
    let listening = address.replace("/messages", "/sse");
    assert_eq!(server.send("GET", &listening, &headers, b"").status, 404);
    assert_eq!(server.send("POST", &address, &[anns[0], json], body.as_bytes()).status, 202);
    let again = issuer.token("ann", "deskhand:read");
    let hers = server.post_as(&again, Some(&session), &ping());
    assert_eq!(hers.status, 200, "it is hers by any good token: {}", hers.head);
}

#[test]
fn a_stream_ends_with_the_token_that_opened_it() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let server = Server::set(&stage, &["--conformance"], &issuer.variables());
    let mut claims = issuer.claims("ann", "deskhand:full");
    // Clocks may be half a minute apart, so it counts for two seconds more.
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
fn over_tls_a_client_knows_whom_it_speaks_to() {
    let stage = Stage::new();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let variables = [
        ("MCP_TLS_CERT_FILE", chain.to_str().unwrap()),
        ("MCP_TLS_KEY_FILE", key.to_str().unwrap()),
        ("MCP_API_KEY", TOKEN),
    ];
    let server = Server::set(&stage, &["--conformance"], &variables);
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let speak = |name: &'static str| {
        let client = ClientConnection::new(Arc::new(config.clone()), name.try_into().unwrap());
        let mut stream = StreamOwned::new(client.unwrap(), server.connect());
        let body = request(1, "initialize", hello("2025-11-25")).to_string();
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
    assert_eq!(speak("localhost").unwrap(), "HTTP/1.0 200 OK");
    assert!(speak("desk.example").is_err(), "the certificate is another's");
    let mut plain = server.connect();
    plain.write_all(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // It may be cut off before or after it is told that this is no TLS.
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));
}

#[test]
fn who_comes_too_often_is_told_when_to_come_again() {
    let stage = Stage::new();
    let issuer = Issuer::begin();
    let limit = [issuer.variables().as_slice(), &[("MCP_RATE_LIMIT", "0.5")]].concat();
    let server = Server::set(&stage, &["--conformance"], &limit);
    let asked = request(1, "initialize", hello("2025-11-25"));
    let (ann, bob) = (issuer.token("ann", "deskhand:full"), issuer.token("bob", "deskhand:full"));
    assert_eq!(server.post_as(&ann, None, &asked).status, 200);
    let late = server.post_as(&ann, None, &asked);
    assert_eq!(late.status, 429, "{}", late.head);
    let wait: u64 = late.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=2).contains(&wait), "{wait}");
    assert!(late.json()["error"]["data"]["retry_after_ms"].as_u64() > Some(0));
    assert_eq!(server.post_as(&bob, None, &asked).status, 200, "she took nothing of his");
}
