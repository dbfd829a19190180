//! Calls that try to get past the gate: by hand and by lot, before real apps. Nobody believes the
//! server's answers; the apps tell what was done to them, and the log what was refused.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use harness::hostile::scene::records;
use harness::hostile::{Caller, Door, Era, Judge, Row, Scene, Setup, fuzzed, harm, rows};
use serde_json::{Value, json};

/// Half of the rows come by one door in one era, half by the other in the other; `cargo xtask soak
/// gate` plays all of them everywhere.
fn play(setups: &[Setup], rows: &[Row]) {
    let half = |odd: usize| rows.iter().copied().skip(odd).step_by(2).collect::<Vec<Row>>();
    let mut scene = Scene::new();
    let mut judge = Judge::default();
    for setup in setups {
        judge.play(&mut scene, *setup, Door::Stdio, Era::Handshake, &half(0));
        judge.play(&mut scene, *setup, Door::Http, Era::Later, &half(1));
    }
    assert!(judge.escapes.is_empty(), "{:#?}", judge.escapes);
    assert!(judge.refused > rows.len() / 10, "{} of {}", judge.refused, judge.calls);
}

#[test]
fn an_app_that_may_not_be_read_is_neither_read_nor_changed() {
    let all = rows::denied();
    play(&[Setup::Denied], &all[..all.len() / 2]);
}

#[test]
fn an_app_that_may_not_be_read_is_so_by_every_name_and_place() {
    let all = rows::denied();
    play(&[Setup::Denied], &all[all.len() / 2..]);
}

#[test]
fn an_app_that_may_not_be_changed_is_not_changed() {
    play(&[Setup::WriteBlocked], &rows::write_blocked());
}

#[test]
fn where_only_looking_is_allowed_nothing_changes() {
    play(&[Setup::Sandboxed, Setup::ReadOnly], &rows::looking());
}

#[test]
fn nothing_is_lost_without_a_yes() {
    play(&[Setup::Safe], &rows::consent());
}

/// A window of the protected app comes under the pointer while calls are on their way.
#[test]
fn a_window_that_swaps_under_the_pointer_gets_nothing() {
    let mut scene = Scene::new();
    let (x, y) = scene.protected.vault_at;
    let free = scene.stage.desk().window_of(scene.free.pid());
    let id = format!("{free:#x}");
    let over = format!("0,{},{},-1,-1", x - 100, y - 100);
    let moved = scene.stage.command("wmctrl").args(["-i", "-r", &id, "-e", &over]).status();
    assert!(moved.unwrap().success());
    let (command, log) = scene.server(Setup::Denied);
    let mut caller = Caller::start(command, Door::Stdio, Era::Handshake, &json!({}));
    let mut judge = Judge::default();
    for round in 0..40 {
        let click = json!({ "name": "ax_click_at", "arguments": { "x": x, "y": y } });
        let call =
            json!({ "jsonrpc": "2.0", "id": 500 + round, "method": "tools/call", "params": click });
        caller.say(&call.to_string());
        std::thread::sleep(Duration::from_millis(round % 8 * 3));
        scene.protected.vault.say(if round % 2 == 0 { "raise" } else { "lower" });
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut open: HashSet<u64> = (500..540).collect();
    let end = Instant::now() + Duration::from_secs(60);
    // On a busy machine most of them are still on their way.
    for round in 0.. {
        if open.is_empty() {
            break;
        }
        assert!(Instant::now() < end, "not answered: {open:?}");
        scene.protected.vault.say(if round % 2 == 0 { "raise" } else { "lower" });
        if let Some(line) = caller.line(Duration::from_millis(25)) {
            let answer: Value = serde_json::from_str(&line).unwrap();
            answer["id"].as_u64().map(|id| open.remove(&id));
        }
    }
    drop(caller);
    judge.afterwards(&mut scene, Setup::Denied, &log);
    assert!(judge.escapes.is_empty(), "{:#?}", judge.escapes);
    let of = |result: &str| records(&log).iter().filter(|one| one["result"] == result).count();
    let (sent, refused) = (of("ok"), of("app_blocked"));
    assert!(sent > 0 && refused > 0, "clicks fell on both: {sent} sent, {refused} refused");
}

/// What is allowed is seen by the same eyes that must see nothing elsewhere.
#[test]
fn the_apps_and_the_answers_do_tell() {
    let mut scene = Scene::new();
    let (command, log) = scene.server(Setup::Safe);
    let mut caller = Caller::start(command, Door::Stdio, Era::Handshake, &json!({}));
    let mut call = |scene: &Scene, tool: &str, arguments: &str| {
        let arguments = scene.filled(arguments);
        caller.ask("tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
    };
    let answer = call(&scene, "ax_get_tree", r#"{"app":"$V"}"#);
    assert!(!harm::leaks(&answer, "").is_empty(), "{answer}");
    let answer = call(&scene, "ax_screenshot", r#"{"app":"$V"}"#);
    assert!(!harm::leaks(&answer, "").is_empty(), "no pixel was seen");
    call(&scene, "ax_click", r#"{"app":"$V","query":"Press me"}"#);
    let answer = call(&scene, "ax_type", r#"{"app":"$M","text":"x","query":"role:text"}"#);
    let harm = scene.protected.harm(&scene.stage);
    for sign in ["Press me", "editor was written"] {
        assert!(harm.iter().any(|one| one.contains(sign)), "{sign}: {harm:?} after {answer}");
    }
    assert!(records(&log).iter().any(|one| one["result"] == "ok"));
}

/// What a server of the later era asks, and the state it gives along.
fn asked(caller: &mut Caller, query: &str, app: &str) -> (String, String, Value) {
    let arguments = json!({ "app": app, "query": query });
    let params = json!({ "name": "ax_click", "arguments": arguments });
    let answer: Value =
        serde_json::from_str(&caller.ask("tools/call", &params.to_string())).unwrap();
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let key = result["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    (key, result["requestState"].as_str().unwrap().to_owned(), params)
}

#[test]
fn a_yes_is_good_for_the_one_call_it_was_given_to() {
    let mut scene = Scene::new();
    for door in [Door::Stdio, Door::Http] {
        let (command, _) = scene.server(Setup::Safe);
        let mut caller = Caller::start(command, door, Era::Later, &json!({}));
        let app = scene.protected.vault.pid_text();
        let yes =
            |key: &str| json!({ key: { "action": "accept", "content": { "confirm": true } } });
        let (key, state, params) = asked(&mut caller, "Delete everything", &app);
        let with = |params: &Value, state: &str, answers: Value| {
            let mut again = params.clone();
            again["requestState"] = json!(state);
            again["inputResponses"] = answers;
            again.to_string()
        };
        let turned: String = state.chars().rev().collect();
        let mut other = params.clone();
        other["name"] = json!("ax_set_value");
        other["arguments"]["value"] = json!("x");
        let mut elsewhere = params.clone();
        elsewhere["arguments"]["click_type"] = json!("double");
        for (story, forged) in [
            ("a state that was changed", with(&params, &format!("{state}A"), yes(&key))),
            ("a state turned round", with(&params, &turned, yes(&key))),
            ("the state of another tool", with(&other, &state, yes(&key))),
            ("the state of another call", with(&elsewhere, &state, yes(&key))),
            ("an answer without its state", with(&params, "", yes(&key))),
        ] {
            caller.ask("tools/call", &forged);
            let told = scene.protected.told();
            assert!(told.is_empty(), "{door:?}, {story}: {told:?}");
        }
        // The real yes, and the same again and again.
        let real = with(&params, &state, yes(&key));
        for _ in 0..5 {
            caller.ask("tools/call", &real);
        }
        let pressed = deleted(&mut scene);
        assert_eq!(pressed, if door == Door::Stdio { 1 } else { 2 }, "{door:?}");
        // A no, then a yes to the same question.
        let (key, state, params) = asked(&mut caller, "Delete everything", &app);
        let no = json!({ &key: { "action": "decline" } });
        caller.ask("tools/call", &with(&params, &state, no));
        caller.ask("tools/call", &with(&params, &state, yes(&key)));
        assert_eq!(deleted(&mut scene), pressed, "{door:?}");
        // A person's yes to something else is none to this.
        let (key, state, _) = asked(&mut caller, "//button[@title='Delete everything']", &app);
        caller.ask("tools/call", &with(&params, &state, yes(&key)));
        assert_eq!(deleted(&mut scene), pressed, "{door:?}");
    }
}

/// How often the vault says its button was pressed, once nothing more comes.
fn deleted(scene: &mut Scene) -> u64 {
    std::thread::sleep(Duration::from_millis(300));
    scene.protected.told();
    scene.protected.state()["pressed"]["Delete everything"].as_u64().unwrap_or(0)
}

#[test]
fn calls_by_lot_change_nothing_that_is_protected() {
    let mut scene = Scene::new();
    let tools = fuzzed::tools(&mut scene);
    let mut escapes = Vec::new();
    let begun = Instant::now();
    let mut seed = 1;
    // As many as fit; all of them are `cargo xtask soak gate`.
    while begun.elapsed() < Duration::from_secs(12) {
        for setup in [Setup::Denied, Setup::WriteBlocked, Setup::Sandboxed, Setup::ReadOnly] {
            let judge = fuzzed::run(&mut scene, setup, &tools, 40, seed, || {});
            escapes.extend(judge.escapes);
        }
        seed += 1;
    }
    assert!(escapes.is_empty(), "{escapes:#?}");
}
