//! Hand-written and random calls that try to bypass the policy on real apps. The apps report what
//! happened to them, and the audit log what was refused; the replies of the server are not trusted.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use harness::hostile::desktop::audit_records;
use harness::hostile::{
    Attack, Era, GateCheck, ProtectedDesktop, RawClient, Setup, Transport, attacks, protected,
    random_calls,
};
use serde_json::{Value, json};

/// Half of the rows run over stdio with the older protocol, the other half over HTTP with the newer
/// one. `cargo xtask soak gate` runs all combinations.
fn play(setups: &[Setup], rows: &[Attack]) {
    let half = |odd: usize| rows.iter().copied().skip(odd).step_by(2).collect::<Vec<Attack>>();
    let mut scene = ProtectedDesktop::new();
    let mut judge = GateCheck::default();
    for setup in setups {
        judge.run_attacks(&mut scene, *setup, Transport::Stdio, Era::Handshake, &half(0));
        judge.run_attacks(&mut scene, *setup, Transport::Http, Era::PerRequest, &half(1));
    }
    assert!(judge.escapes.is_empty(), "{:#?}", judge.escapes);
    assert!(judge.refused > rows.len() / 10, "{} of {}", judge.refused, judge.calls);
}

#[test]
fn denied_app_is_neither_read_nor_changed() {
    let all = attacks::denied();
    play(&[Setup::Denied], &all[..all.len() / 2]);
}

#[test]
fn denied_app_is_protected_under_every_name_and_path() {
    let all = attacks::denied();
    play(&[Setup::Denied], &all[all.len() / 2..]);
}

#[test]
fn write_blocked_app_is_not_changed() {
    play(&[Setup::WriteBlocked], &attacks::write_blocked());
}

#[test]
fn read_only_modes_change_nothing() {
    play(&[Setup::Sandboxed, Setup::ReadOnly], &attacks::read_only());
}

#[test]
fn safe_mode_does_nothing_destructive_without_consent() {
    play(&[Setup::Safe], &attacks::consent());
}

/// A window of the protected app comes under the pointer while clicks are pending.
#[test]
fn protected_window_raised_under_the_pointer_gets_no_click() {
    let mut scene = ProtectedDesktop::new();
    let (x, y) = scene.protected.vault_at;
    let free = scene.test_desktop.window_inspector().window_of(scene.unprotected.pid());
    let id = format!("{free:#x}");
    let over = format!("0,{},{},-1,-1", x - 100, y - 100);
    let moved = scene.test_desktop.command("wmctrl").args(["-i", "-r", &id, "-e", &over]).status();
    assert!(moved.unwrap().success());
    let (command, log) = scene.server(Setup::Denied);
    let mut caller = RawClient::start(command, Transport::Stdio, Era::Handshake, &json!({}));
    let mut judge = GateCheck::default();
    for round in 0..40 {
        let click = json!({ "name": "ax_click_at", "arguments": { "x": x, "y": y } });
        let call =
            json!({ "jsonrpc": "2.0", "id": 500 + round, "method": "tools/call", "params": click });
        caller.send_line(&call.to_string());
        std::thread::sleep(Duration::from_millis(round % 8 * 3));
        scene.protected.vault.write_line(if round % 2 == 0 { "raise" } else { "lower" });
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut pending: HashSet<u64> = (500..540).collect();
    let end = Instant::now() + Duration::from_secs(60);
    // On a busy machine most clicks are still pending here.
    for round in 0.. {
        if pending.is_empty() {
            break;
        }
        assert!(Instant::now() < end, "calls without a reply: {pending:?}");
        scene.protected.vault.write_line(if round % 2 == 0 { "raise" } else { "lower" });
        if let Some(line) = caller.next_line(Duration::from_millis(25)) {
            let answer: Value = serde_json::from_str(&line).unwrap();
            answer["id"].as_u64().map(|id| pending.remove(&id));
        }
    }
    drop(caller);
    judge.check_aftermath(&mut scene, Setup::Denied, &log);
    assert!(judge.escapes.is_empty(), "{:#?}", judge.escapes);
    let of =
        |result: &str| audit_records(&log).iter().filter(|one| one["result"] == result).count();
    let (sent, refused) = (of("ok"), of("app_blocked"));
    assert!(
        sent > 0 && refused > 0,
        "clicks must hit both windows: {sent} sent, {refused} refused"
    );
}

/// Shows that the detectors work: allowed actions are visible to the same checks.
#[test]
fn detectors_report_allowed_actions() {
    let mut scene = ProtectedDesktop::new();
    let (command, log) = scene.server(Setup::Safe);
    let mut caller = RawClient::start(command, Transport::Stdio, Era::Handshake, &json!({}));
    let mut call = |scene: &ProtectedDesktop, tool: &str, arguments: &str| {
        let arguments = scene.expand(arguments);
        caller.request("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
    };
    let answer = call(&scene, "ax_get_tree", r#"{"app":"$V"}"#);
    assert!(!protected::leaks(&answer, "").is_empty(), "{answer}");
    let answer = call(&scene, "ax_screenshot", r#"{"app":"$V"}"#);
    assert!(!protected::leaks(&answer, "").is_empty(), "the screenshot does not show the app");
    call(&scene, "ax_click", r#"{"app":"$V","query":"Press me"}"#);
    let answer = call(&scene, "ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#);
    let harm = scene.protected.harm(&scene.test_desktop);
    for marker in ["Press me", "editor was written"] {
        assert!(harm.iter().any(|one| one.contains(marker)), "{marker}: {harm:?} after {answer}");
    }
    assert!(audit_records(&log).iter().any(|one| one["result"] == "ok"));
}

/// Sends a click that needs consent. Returns the key of the prompt, the request state and the
/// parameters.
fn request_consent(caller: &mut RawClient, query: &str, app: &str) -> (String, String, Value) {
    let arguments = json!({ "app": app, "query": query });
    let params = json!({ "name": "ax_click", "arguments": arguments });
    let answer: Value =
        serde_json::from_str(&caller.request("tools/call", &params.to_string())).unwrap();
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let key = result["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    (key, result["requestState"].as_str().unwrap().to_owned(), params)
}

#[test]
fn approval_is_valid_for_one_call_only() {
    let mut scene = ProtectedDesktop::new();
    for door in [Transport::Stdio, Transport::Http] {
        let (command, _) = scene.server(Setup::Safe);
        let mut caller = RawClient::start(command, door, Era::PerRequest, &json!({}));
        let app = scene.protected.vault.pid_text();
        let approve =
            |key: &str| json!({ key: { "action": "accept", "content": { "confirm": true } } });
        let (key, state, params) = request_consent(&mut caller, "Delete everything", &app);
        let with = |params: &Value, state: &str, answers: Value| {
            let mut again = params.clone();
            again["requestState"] = json!(state);
            again["inputResponses"] = answers;
            again.to_string()
        };
        let reversed_state: String = state.chars().rev().collect();
        let mut other_tool = params.clone();
        other_tool["name"] = json!("ax_set_value");
        other_tool["arguments"]["value"] = json!("x");
        let mut other_call = params.clone();
        other_call["arguments"]["click_type"] = json!("double");
        for (case, forged) in [
            ("a changed state", with(&params, &format!("{state}A"), approve(&key))),
            ("a reversed state", with(&params, &reversed_state, approve(&key))),
            ("the state of another tool", with(&other_tool, &state, approve(&key))),
            ("the state of another call", with(&other_call, &state, approve(&key))),
            ("an approval without its state", with(&params, "", approve(&key))),
        ] {
            caller.request("tools/call", &forged);
            let reports = scene.protected.take_reports();
            assert!(reports.is_empty(), "{door:?}, {case}: {reports:?}");
        }
        // The valid approval, repeated.
        let approved = with(&params, &state, approve(&key));
        for _ in 0..5 {
            caller.request("tools/call", &approved);
        }
        let pressed = count_deletions(&mut scene);
        assert_eq!(pressed, if door == Transport::Stdio { 1 } else { 2 }, "{door:?}");
        // A denial, then an approval of the same prompt.
        let (key, state, params) = request_consent(&mut caller, "Delete everything", &app);
        let no = json!({ &key: { "action": "decline" } });
        caller.request("tools/call", &with(&params, &state, no));
        caller.request("tools/call", &with(&params, &state, approve(&key)));
        assert_eq!(count_deletions(&mut scene), pressed, "{door:?}");
        // An approval of one prompt must not be valid for another call.
        let (key, state, _) =
            request_consent(&mut caller, "//button[@title='Delete everything']", &app);
        caller.request("tools/call", &with(&params, &state, approve(&key)));
        assert_eq!(count_deletions(&mut scene), pressed, "{door:?}");
    }
}

/// Number of times the vault reports that its button was pressed, after pending events have arrived.
fn count_deletions(scene: &mut ProtectedDesktop) -> u64 {
    std::thread::sleep(Duration::from_millis(300));
    scene.protected.take_reports();
    scene.protected.state()["pressed"]["Delete everything"].as_u64().unwrap_or(0)
}

#[test]
fn random_calls_change_no_protected_app() {
    let mut scene = ProtectedDesktop::new();
    let tools = random_calls::tools(&mut scene);
    let mut escapes = Vec::new();
    let started = Instant::now();
    let mut seed = 1;
    // Runs for a fixed time. `cargo xtask soak gate` runs many more.
    while started.elapsed() < Duration::from_secs(12) {
        for setup in [Setup::Denied, Setup::WriteBlocked, Setup::Sandboxed, Setup::ReadOnly] {
            let judge = random_calls::run(&mut scene, setup, &tools, 40, seed, || {});
            escapes.extend(judge.escapes);
        }
        seed += 1;
    }
    assert!(escapes.is_empty(), "{escapes:#?}");
}
