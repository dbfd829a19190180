//! Login to remote servers: success, token renewal, revocation and refusal.

use std::{fs, os::unix::fs::PermissionsExt};

use deskhand_client::{ConnectionState, RemoteStatus};
use deskhand_model::Explain;
use harness::TestDesktop;
use serde_json::{Value, json};

use super::fixtures::{Home, Issuer, OauthServer, call, until};

fn read_tokens(home: &Home) -> Value {
    serde_json::from_str(&fs::read_to_string(home.tokens()).unwrap()).unwrap()
}

fn set_token_field(home: &Home, pointer: &str, value: Value) {
    let mut tokens = read_tokens(home);
    *tokens.pointer_mut(pointer).unwrap() = value;
    fs::write(home.tokens(), tokens.to_string()).unwrap();
}

const ACCESS_TOKEN: &str = "/credentials/token_response/access_token";
const REFRESH_TOKEN: &str = "/credentials/token_response/refresh_token";

fn token_field(home: &Home, pointer: &str) -> String {
    read_tokens(home).pointer(pointer).unwrap().as_str().unwrap().to_owned()
}

fn assert_tool_works(home: &Home) {
    let servers = home.servers();
    until(&servers, "desk", |state| *state == ConnectionState::Connected);
    let answer = call(&servers, "desk_ax_is_accessible", json!({})).unwrap();
    assert_eq!(answer.status, RemoteStatus::Succeeded, "{answer:?}");
    assert!(answer.structured.is_some());
}

#[test]
fn login_survives_expiry_and_ends_with_revocation() {
    let desktop = TestDesktop::new();
    let issuer = Issuer::start();
    let desk = OauthServer::start(&desktop, &issuer);
    let home = Home::with(json!({ "desk": { "type": "http", "url": desk.url } }));

    let before = home.deskhand(&["servers", "list"]).json();
    assert_eq!(
        (&before[0]["state"], &before[0]["logged_in"]),
        (&json!("login_needed"), &json!(false))
    );

    let servers = home.servers();
    until(&servers, "desk", |state| *state == ConnectionState::LoginRequired);
    let run = home.log_in(&issuer, "desk", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    // A waiting process notices the login.
    until(&servers, "desk", |state| *state == ConnectionState::Connected);
    drop(servers);

    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.tokens()), 0o600);
    assert_eq!(mode(home.tokens().parent().unwrap()), 0o700);
    assert_tool_works(&home);
    let [access, refresh] =
        [ACCESS_TOKEN, REFRESH_TOKEN].map(|pointer| token_field(&home, pointer));

    // An expired token is renewed before use.
    set_token_field(&home, "/credentials/token_received_at", json!(1_000_000));
    assert_tool_works(&home);
    assert_ne!(token_field(&home, ACCESS_TOKEN), access);
    assert_ne!(token_field(&home, REFRESH_TOKEN), refresh);
    assert_eq!(mode(&home.tokens()), 0o600);

    // A token that the server rejects is renewed.
    set_token_field(&home, ACCESS_TOKEN, json!("nonsense"));
    assert_tool_works(&home);
    assert_ne!(token_field(&home, ACCESS_TOKEN), "nonsense");

    // After revocation by the authorization server, a new login is needed.
    let client = token_field(&home, "/credentials/client_id");
    issuer.revoke(&client, &token_field(&home, REFRESH_TOKEN));
    set_token_field(&home, ACCESS_TOKEN, json!("nonsense"));
    let servers = home.servers();
    until(&servers, "desk", |state| *state == ConnectionState::LoginRequired);
    assert!(servers.tools().is_empty());
    let run = home.log_in(&issuer, "desk", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    until(&servers, "desk", |state| *state == ConnectionState::Connected);
    drop(servers);

    assert_eq!(home.deskhand(&["servers", "logout", "desk"]).json(), json!({ "forgotten": true }));
    let after = home.deskhand(&["servers", "list"]).json();
    assert_eq!(after[0]["state"], "login_needed");
}

#[test]
fn denied_login_and_forged_state_are_refused() {
    let desktop = TestDesktop::new();
    let issuer = Issuer::start();
    let desk = OauthServer::start(&desktop, &issuer);
    let known = json!({
        "url": desk.url, "atlassian_client_id": "known",
        "atlassian_client_secret": "a-secret-of-the-file", "prefix": "known",
    });
    let home = Home::with(json!({ "desk": { "url": desk.url }, "known": known }));

    let run = home.log_in(&issuer, "desk", "no");
    let error = run.expect_error("login_refused");
    assert!(error["message"].as_str().unwrap().contains("the user denied access"), "{error}");
    assert!(!home.path("data/servers").exists());

    let run = home.log_in(&issuer, "desk", "forged");
    assert_eq!(run.code, Some(0), "{run}");
    assert_tool_works(&home);
    assert_eq!(home.deskhand(&["servers", "logout", "desk"]).code, Some(0));

    // A client that is registered at the authorization server, with the secret from the
    // configuration file.
    let run = home.log_in(&issuer, "known", "yes");
    assert_eq!(run.code, Some(0), "{run}");
    set_token_field(&home, "/credentials/token_received_at", json!(1_000_000));
    let servers = home.servers();
    until(&servers, "known", |state| *state == ConnectionState::Connected);
    call(&servers, "known_ax_is_accessible", json!({})).unwrap();

    let unknown = home.deskhand(&["servers", "login", "no-such-server"]).expect_error("no_server");
    assert!(unknown.to_string().contains("desk, known"), "{unknown}");
}

#[test]
fn server_without_login_is_reported() {
    let port = super::fixtures::free_port();
    let _server = super::fixtures::everything(port);
    let home = Home::with(json!({ "all": { "url": format!("http://127.0.0.1:{port}/mcp") } }));
    let config = home.servers();
    until(&config, "all", |state| *state == ConnectionState::Connected);
    let error = home.deskhand(&["servers", "login", "all"]).expect_error("login_failed");
    assert!(error.to_string().contains("it may need no login"), "{error}");
    let unknown = deskhand_client::ServerConfig::from_url("http://example.com/").unwrap_err();
    assert_eq!(unknown.code(), "config_invalid");
}
