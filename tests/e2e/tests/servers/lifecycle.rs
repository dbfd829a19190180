//! Remote servers that start, stop, hang or send too much.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_client::{ConnectionState, Error, RemoteContent, RemoteEffect, RemoteStatus};
use deskhand_model::{Delivery, Explain};
use serde_json::{Map, json};

use super::fixtures::{Home, call, everything, free_port, tool, until};

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/mcp")
}

#[test]
fn same_tool_of_two_servers_is_listed_twice_and_both_work() {
    let (one, other) = (free_port(), free_port());
    let _servers = [everything(one), everything(other)];
    let home = Home::with(json!({
        "one": { "url": url(one), "exclude_tools": ["get-env"] },
        "other": { "url": url(other), "prefix": "o", "trust_annotations": true },
        "off": { "url": url(free_port()), "enabled": false },
    }));
    let servers = home.servers();
    until(&servers, "one", |state| *state == ConnectionState::Connected);
    until(&servers, "other", |state| *state == ConnectionState::Connected);
    for name in ["one_echo", "o_echo"] {
        let answer = call(&servers, name, json!({ "message": name })).unwrap();
        assert_eq!(answer.content, [RemoteContent::Text(format!("Echo: {name}"))]);
    }
    let picture = call(&servers, "one_get-tiny-image", json!({})).unwrap();
    let is_png = |piece: &RemoteContent| matches!(piece, RemoteContent::Image { mime_type, .. } if mime_type == "image/png");
    assert!(picture.content.iter().any(is_png), "{picture:?}");
    let structured = call(&servers, "o_get-structured-content", json!({ "location": "Chicago" }));
    assert!(structured.unwrap().structured.is_some_and(|it| it["temperature"].is_number()));
    let failed = call(&servers, "one_get-sum", json!({ "a": "no number" })).unwrap();
    assert_eq!(failed.status, RemoteStatus::Failed);
    let has = |name: &str| servers.tools().iter().any(|tool| tool.name == name);
    assert!(has("o_get-env") && !has("one_get-env"));
    // Without `trust_annotations`, no tool of a server counts as read-only.
    assert!(
        servers
            .tools()
            .iter()
            .filter(|it| it.server == "one")
            .all(|it| it.effect != RemoteEffect::ReadOnly)
    );
    let listed = home.deskhand(&["servers", "list"]).json();
    assert_eq!(listed[2]["state"], "off");
}

#[test]
fn stopped_server_is_reported_and_reconnected() {
    let port = free_port();
    let server = everything(port);
    let home = Home::with(json!({ "all": { "url": url(port) } }));
    let servers = home.servers();
    let changes = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&changes);
    servers.on_change(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    until(&servers, "all", |state| *state == ConnectionState::Connected);
    let echo = tool(&servers, "all_echo");
    server.kill();
    let arguments = json!({ "message": "x" }).as_object().unwrap().clone();
    let deadline = || Instant::now() + Duration::from_secs(10);
    let error = servers.call(&echo, arguments.clone(), deadline(), &|| false).unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
    until(&servers, "all", |state| matches!(state, ConnectionState::Disconnected(_)));
    assert!(servers.tools().is_empty());
    let error = servers.call(&echo, arguments, deadline(), &|| false).unwrap_err();
    assert_eq!((error.code(), error.delivery()), ("server_down", Delivery::NotSent));
    let changes_before = changes.load(Ordering::Relaxed);
    let _server = everything(port);
    until(&servers, "all", |state| *state == ConnectionState::Connected);
    call(&servers, "all_echo", json!({ "message": "back" })).unwrap();
    assert!(changes_before >= 2 && changes.load(Ordering::Relaxed) > changes_before);
}

#[test]
fn hung_server_does_not_delay_others_and_calls_time_out() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free_port();
    let _server = everything(port);
    let home = Home::with(json!({
        "silent": { "url": url(silent.local_addr().unwrap().port()) },
        "all": { "url": url(port) },
    }));
    let servers = home.servers();
    until(&servers, "all", |state| *state == ConnectionState::Connected);
    assert_ne!(servers.status()[0].state, ConnectionState::Connected);
    let long = tool(&servers, "all_trigger-long-running-operation");
    let arguments = json!({ "duration": 60, "steps": 2 }).as_object().unwrap().clone();
    let short_deadline = Instant::now() + Duration::from_millis(300);
    let error = servers.call(&long, arguments.clone(), short_deadline, &|| false).unwrap_err();
    assert_eq!((error.code(), error.delivery()), ("timeout", Delivery::Unknown));
    let long_deadline = Instant::now() + Duration::from_secs(60);
    let error = servers.call(&long, arguments, long_deadline, &|| true).unwrap_err();
    assert_eq!(error.code(), "cancelled");
    call(&servers, "all_echo", json!({ "message": "still here" })).unwrap();
}

#[test]
fn endless_response_is_cut_off() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // A server that sends spaces forever. It ends with the test process.
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut request = [0; 65_536];
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
                let _ = stream.read(&mut request);
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(&[b' '; 65_536]).is_ok() {}
            });
        }
    });
    let home = Home::with(json!({ "chatty": { "url": url(port) } }));
    let servers = home.servers();
    until(
        &servers,
        "chatty",
        |state| matches!(state, ConnectionState::Disconnected(reason) if reason.contains("longer than")),
    );
    let unknown_tool = deskhand_client::RemoteTool {
        server: "chatty".to_owned(),
        name: "chatty_x".to_owned(),
        remote_name: "x".to_owned(),
        description: String::new(),
        title: None,
        input_schema: Map::new(),
        effect: RemoteEffect::Modifies,
        timeout: Duration::from_secs(1),
    };
    let error = servers.call(&unknown_tool, Map::new(), Instant::now(), &|| false).unwrap_err();
    assert_eq!(error.code(), "server_down");
}
