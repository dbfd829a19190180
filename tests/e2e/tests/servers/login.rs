//! Logging in, staying logged in, and being turned away.

use std::{fs, os::unix::fs::PermissionsExt};

use deskhand_client::{Outcome, State};
use deskhand_model::Explain;
use serde_json::{Value, json};

use super::scene::{Desk, Home, Issuer, call, until};

fn sheet(home: &Home) -> Value {
    serde_json::from_str(&fs::read_to_string(home.tokens()).unwrap()).unwrap()
}

fn change(home: &Home, pointer: &str, value: Value) {
    let mut sheet = sheet(home);
    *sheet.pointer_mut(pointer).unwrap() = value;
    fs::write(home.tokens(), sheet.to_string()).unwrap();
}

const ACCESS: &str = "/credentials/token_response/access_token";
const REFRESH: &str = "/credentials/token_response/refresh_token";

fn text(home: &Home, pointer: &str) -> String {
    sheet(home).pointer(pointer).unwrap().as_str().unwrap().to_owned()
}

fn works(home: &Home) {
    let servers = home.servers();
    until(&servers, "desk", |state| *state == State::Up);
    let answer = call(&servers, "desk_ax_is_accessible", json!({})).unwrap();
    assert_eq!(answer.outcome, Outcome::Done, "{answer:?}");
    assert!(answer.structured.is_some());
}

#[test]
fn a_login_lasts_through_expiry_and_ends_when_it_is_taken_back() {
    let issuer = Issuer::start();
    let desk = Desk::start(&issuer);
    let home = Home::with(json!({ "desk": { "type": "http", "url": desk.at } }));

    let before = home.deskhand(&["servers", "list"]).json();
    assert_eq!(
        (&before[0]["state"], &before[0]["logged_in"]),
        (&json!("login_needed"), &json!(false))
    );

    let servers = home.servers();
    until(&servers, "desk", |state| *state == State::LoginNeeded);
    let run = home.logs_in(&issuer, "desk", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    // Who waits for a login sees it by itself.
    until(&servers, "desk", |state| *state == State::Up);
    drop(servers);

    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.tokens()), 0o600);
    assert_eq!(mode(home.tokens().parent().unwrap()), 0o700);
    works(&home);
    let [access, refresh] = [ACCESS, REFRESH].map(|pointer| text(&home, pointer));

    // Long past its time: renewed before it is used.
    change(&home, "/credentials/token_received_at", json!(1_000_000));
    works(&home);
    assert_ne!(text(&home, ACCESS), access);
    assert_ne!(text(&home, REFRESH), refresh);
    assert_eq!(mode(&home.tokens()), 0o600);

    // Refused by the server: renewed then.
    change(&home, ACCESS, json!("nonsense"));
    works(&home);
    assert_ne!(text(&home, ACCESS), "nonsense");

    // Taken back by the authorization server: the person is asked again.
    let client = text(&home, "/credentials/client_id");
    issuer.revokes(&client, &text(&home, REFRESH));
    change(&home, ACCESS, json!("nonsense"));
    let servers = home.servers();
    until(&servers, "desk", |state| *state == State::LoginNeeded);
    assert!(servers.tools().is_empty());
    let run = home.logs_in(&issuer, "desk", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    until(&servers, "desk", |state| *state == State::Up);
    drop(servers);

    assert_eq!(home.deskhand(&["servers", "logout", "desk"]).json(), json!({ "forgotten": true }));
    let after = home.deskhand(&["servers", "list"]).json();
    assert_eq!(after[0]["state"], "login_needed");
}

#[test]
fn who_says_no_or_brings_a_forged_state_logs_nobody_in() {
    let issuer = Issuer::start();
    let desk = Desk::start(&issuer);
    let known = json!({
        "url": desk.at, "atlassian_client_id": "known",
        "atlassian_client_secret": "a-secret-of-the-file", "prefix": "known",
    });
    let home = Home::with(json!({ "desk": { "url": desk.at }, "known": known }));

    let run = home.logs_in(&issuer, "desk", "no");
    let error = run.expect_error("login_refused");
    assert!(error["message"].as_str().unwrap().contains("the person said no"), "{error}");
    assert!(!home.path("data/servers").exists());

    let run = home.logs_in(&issuer, "desk", "liar");
    assert_eq!(run.code, Some(0), "{run}");
    works(&home);
    assert_eq!(home.deskhand(&["servers", "logout", "desk"]).code, Some(0));

    // A client the authorization server knows already, by the secret of the file; also to renew.
    let run = home.logs_in(&issuer, "known", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    change(&home, "/credentials/token_received_at", json!(1_000_000));
    let servers = home.servers();
    until(&servers, "known", |state| *state == State::Up);
    call(&servers, "known_ax_is_accessible", json!({})).unwrap();

    let nobody = home.deskhand(&["servers", "login", "nobody"]).expect_error("no_server");
    assert!(nobody.to_string().contains("desk, known"), "{nobody}");
}

#[test]
fn a_server_without_logins_says_so() {
    let port = super::scene::free_port();
    let _server = super::scene::everything(port);
    let home = Home::with(json!({ "all": { "url": format!("http://127.0.0.1:{port}/mcp") } }));
    let config = home.servers();
    until(&config, "all", |state| *state == State::Up);
    let error = home.deskhand(&["servers", "login", "all"]).expect_error("login_failed");
    assert!(error.to_string().contains("it may need no login"), "{error}");
    let unknown = deskhand_client::Server::at("http://example.com/").unwrap_err();
    assert_eq!(unknown.code(), "config_invalid");
}
