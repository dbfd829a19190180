//! Log records of real calls: who speaks, what is told and what never is, and that clients hear only
//! as much as they want.

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

/// Calls a tool and returns the records that came before its answer, and the answer.
fn recorded(talk: &mut Talk, tool: &str, arguments: Value, meta: Value) -> (Vec<Value>, Value) {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let id = talk.request("tools/call", params);
    let mut records = Vec::new();
    loop {
        let message = talk.next();
        if message["method"] == "notifications/message" {
            records.push(message["params"].clone());
        }
        if message["id"] == id {
            return (records, message["result"].clone());
        }
    }
}

fn of<'a>(records: &'a [Value], logger: &str) -> Option<&'a Value> {
    records.iter().find(|record| record["logger"] == logger)
}

#[test]
fn a_call_tells_what_was_asked_how_it_went_and_how_long_it_took() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let find = json!({ "app": app.pid_text(), "query": "Keep everything" });
    let (records, _) = recorded(&mut talk, "ax_find", find, json!({}));
    let record = of(&records, "deskhand.tools.find").unwrap_or_else(|| panic!("{records:?}"));
    let data = &record["data"];
    assert_eq!((&data["tool"], &data["found"]), (&json!("ax_find"), &json!(true)), "{record}");
    assert_eq!(data["query"], "Keep everything", "{record}");
    assert_eq!(data["cache_hit"], false, "{record}");
    assert!(data["strategy"].is_string(), "{record}");
    let (whole, apps) = (data["duration_ms"].as_f64(), data["ax_duration_ms"].as_f64());
    assert!(apps > Some(0.0) && whole >= apps, "{record}");
    assert!(of(&records, "deskhand.audit").is_none(), "a look changes nothing: {records:?}");

    let missing = json!({ "app": app.pid_text(), "query": "Nothing of the kind" });
    let (records, answer) = recorded(&mut talk, "ax_find", missing, json!({}));
    assert_eq!(answer["isError"], true, "{answer}");
    let record = of(&records, "deskhand.tools.find").unwrap();
    assert_eq!((&record["level"], &record["data"]["code"]), (&json!("error"), &json!("no_match")));
}

#[test]
fn what_changes_something_is_audited_and_what_was_typed_is_never_told() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    talk.ask("logging/setLevel", json!({ "level": "debug" }));
    let typed = json!({
        "app": app.pid_text(), "query": "Close date", "text": "quite-a-secret", "clear_first": true,
    });
    let (records, answer) = recorded(&mut talk, "ax_type", typed, json!({}));
    assert_eq!(answer["structuredContent"]["effect"], "confirmed", "{answer}");
    let audit = of(&records, "deskhand.audit").unwrap_or_else(|| panic!("{records:?}"));
    assert_eq!(audit["level"], "notice", "{audit}");
    assert_eq!(audit["data"]["effect"], "confirmed", "{audit}");
    let told = json!(records).to_string();
    assert!(!told.contains("quite-a-secret") && !told.contains("tomorrow"), "{told}");
    let copied = json!({ "action": "write", "text": "another-secret" });
    let (records, _) = recorded(&mut talk, "ax_clipboard", copied, json!({}));
    assert!(of(&records, "deskhand.audit").is_some(), "{records:?}");
    assert!(!json!(records).to_string().contains("another-secret"), "{records:?}");
}

#[test]
fn a_click_that_loses_something_is_flagged_and_the_answer_told() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let delete = json!({ "app": app.pid_text(), "query": "Delete All Data" });
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({ "elicitation": {} }));
    let params = json!({ "name": "ax_click", "arguments": delete });
    let call = talk.request("tools/call", params);
    let question = talk.first(|message| message["method"] == "elicitation/create");
    let no = json!({ "action": "decline" });
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": no }));
    let audit = talk.first(|message| message["params"]["logger"] == "deskhand.audit");
    let data = &audit["params"]["data"];
    assert_eq!(
        (&data["confirmed"], &data["effect"]),
        (&json!(false), &json!("refused")),
        "{audit}"
    );
    assert_eq!(data["result"], "elicitation_declined", "{audit}");
    assert_eq!(data["security_flags"], json!(["destructive_keyword"]), "{audit}");
    assert_eq!(talk.answer(call)["result"]["isError"], true);

    let mut mute = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let (records, _) = recorded(&mut mute, "ax_click", delete, json!({}));
    let warned = records.iter().find(|record| record["level"] == "warning");
    let warned = warned.unwrap_or_else(|| panic!("{records:?}"));
    assert!(warned["data"].to_string().contains("without confirmation"), "{warned}");
    let audit = of(&records, "deskhand.audit").unwrap();
    assert_eq!(audit["data"]["security_flags"], json!(["destructive_keyword"]), "{audit}");
    assert!(audit["data"].get("confirmed").is_none(), "{audit}");
}

#[test]
fn clients_hear_records_from_their_own_level_on() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let count = |talk: &mut Talk, level: &str| {
        talk.ask("logging/setLevel", json!({ "level": level }));
        let copied = json!({ "action": "write", "text": "x" });
        recorded(talk, "ax_clipboard", copied, json!({})).0.len()
    };
    assert_eq!(count(&mut talk, "debug"), 2, "its record and the audit");
    assert_eq!(count(&mut talk, "notice"), 1, "the audit alone");
    assert_eq!(count(&mut talk, "error"), 0);
    let wrong = talk.ask("logging/setLevel", json!({ "level": "loud" }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");

    let mut talk = Talk::modern(&stage, &[], &json!({}));
    let mut count = |meta: Value| {
        let copied = json!({ "action": "write", "text": "x" });
        recorded(&mut talk, "ax_clipboard", copied, meta).0.len()
    };
    let level = |word: &str| json!({ "io.modelcontextprotocol/logLevel": word });
    assert_eq!(count(json!({})), 0, "silent where no level is asked for");
    assert_eq!((count(level("info")), count(level("notice")), count(level("alert"))), (2, 1, 0));
}

#[test]
fn a_flood_of_records_is_cut_and_the_client_told_how_many_it_lost() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &["--conformance"], "2025-11-25", json!({}));
    let flood = json!({ "name": "test_log_flood", "arguments": {} });
    let id = talk.request("tools/call", flood);
    let (mut heard, mut lost) = (0, 0);
    let mut answered = false;
    while lost == 0 || !answered {
        let message = talk.next();
        answered |= message["id"] == id;
        if message["method"] == "notifications/message" {
            match message["params"]["data"]["dropped_records"].as_u64() {
                Some(count) => lost += count,
                None => heard += 1,
            }
        }
    }
    assert_eq!(heard + lost, 1_000, "every record was heard or counted");
    assert!(lost > 0, "{heard}");
}
