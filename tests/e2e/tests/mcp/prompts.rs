//! Prompts: the seven are listed, filled in, refused where something is missing, and name nothing
//! that is not offered.

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

const NAMES: [&str; 7] = [
    "test-app",
    "navigate-to",
    "extract-data",
    "automate-workflow",
    "debug-ui",
    "accessibility-audit",
    "cross-app-copy",
];

fn filled(prompt: &Value) -> Value {
    let arguments = prompt["arguments"].as_array().unwrap();
    let one = |argument: &Value| {
        let name = argument["name"].as_str().unwrap().to_owned();
        let value = match name.as_str() {
            "output_format" => "csv",
            "standard" => "AA",
            "dry_run" | "include_a11y_audit" => "true",
            _ => "something",
        };
        (name, json!(value))
    };
    Value::Object(arguments.iter().map(one).collect())
}

fn words(answer: &Value) -> String {
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn all_seven_are_listed_and_filled_in_for_clients_of_both_eras() {
    let stage = Stage::new();
    let old = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let new = Talk::modern(&stage, &[], &json!({}));
    for mut talk in [old, new] {
        let listed = talk.ask("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"].as_array().unwrap().clone();
        let names: Vec<&str> =
            prompts.iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
        assert_eq!(names, NAMES);
        for prompt in &prompts {
            assert!(prompt["title"].is_string() && prompt["description"].is_string(), "{prompt}");
            let params = json!({ "name": prompt["name"], "arguments": filled(prompt) });
            let got = talk.ask("prompts/get", params);
            assert_eq!(got["result"]["messages"][0]["role"], "user", "{got}");
            assert!(words(&got).contains("something"), "{got}");
        }
    }
}

#[test]
fn a_prompt_names_only_tools_that_are_offered() {
    let stage = Stage::new();
    for options in [
        &["--read-only"][..],
        &["--tools", "ax_find,ax_click"],
        &["--exclude-tools", "ax_assert,ax_screenshot"],
        &[],
    ] {
        let mut talk = Talk::initialized(&stage, options, "2025-06-18", json!({}));
        let listed = talk.ask("tools/list", json!({}))["result"]["tools"].clone();
        let offered: Vec<&str> =
            listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let prompts = talk.ask("prompts/list", json!({}))["result"]["prompts"].clone();
        for prompt in prompts.as_array().unwrap() {
            let params = json!({ "name": prompt["name"], "arguments": filled(prompt) });
            let text = words(&talk.ask("prompts/get", params));
            let named = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            for tool in named.filter(|word| word.starts_with("ax_")) {
                assert!(offered.contains(&tool), "{options:?}: {tool} in {text}");
            }
        }
    }
}

#[test]
fn what_is_missing_or_unknown_is_told_by_name() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let refused = |talk: &mut Talk, params: Value, word: &str| {
        let answer = talk.ask("prompts/get", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{answer}");
    };
    refused(&mut talk, json!({ "name": "no-such" }), "no-such");
    refused(&mut talk, json!({ "name": "test-app" }), "app_name");
    let half = json!({ "name": "navigate-to", "arguments": { "app_name": "x" } });
    refused(&mut talk, half, "destination");
    let odd = json!({
        "name": "accessibility-audit", "arguments": { "app_name": "x", "standard": "AAAA" },
    });
    refused(&mut talk, odd, "A, AA, AAA");
    let answer = talk.ask("prompts/list", json!({ "cursor": "nonsense" }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    talk.assert_quiet();
}

#[test]
fn a_prompt_about_a_running_app_shows_what_it_shows() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::modern(&stage, &[], &json!({}));
    let arguments = json!({ "app_name": app.pid_text(), "focus_area": "toolbar Main" });
    let got = talk.ask("prompts/get", json!({ "name": "test-app", "arguments": arguments }));
    assert!(words(&got).contains("toolbar Main"), "{got}");
    let shown = &got["result"]["messages"][1]["content"];
    assert_eq!(shown["type"], "resource", "{got}");
    let uri = shown["resource"]["uri"].as_str().unwrap();
    assert_eq!(uri, format!("deskhand://app/{}/tree", app.pid_text()));
    let text = shown["resource"]["text"].as_str().unwrap();
    assert!(text.contains("Delete All Data"), "{got}");
    let mark = shown["resource"]["_meta"]["dev.deskhand/from-apps"]["mark"].as_str().unwrap();
    let between = text.starts_with(&format!("<{mark}>\n")) && text.ends_with(&format!("</{mark}>"));
    assert!(between, "no app speaks in the person's name: {got}");
    let arguments = json!({ "app_name": "nobody-runs-this" });
    let got = talk.ask("prompts/get", json!({ "name": "test-app", "arguments": arguments }));
    assert_eq!(got["result"]["messages"].as_array().unwrap().len(), 1, "{got}");
}
