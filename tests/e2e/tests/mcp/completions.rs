//! Completions: what runs and what is on the screen, refined by what was filled in before.

use harness::{App, Stage};
use serde_json::{Value, json};

use super::talk::Talk;

fn values(talk: &mut Talk, of: Value, name: &str, typed: &str, context: Value) -> Vec<String> {
    let params = json!({
        "ref": of,
        "argument": { "name": name, "value": typed },
        "context": { "arguments": context },
    });
    let answer = talk.ask("completion/complete", params);
    let completion = &answer["result"]["completion"];
    let values: Vec<String> =
        serde_json::from_value(completion["values"].clone()).unwrap_or_else(|_| panic!("{answer}"));
    assert!(values.len() <= 100 && completion["hasMore"].is_boolean(), "{answer}");
    assert!(completion["total"].as_u64().unwrap() >= values.len() as u64, "{answer}");
    values
}

fn prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

fn template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

#[test]
fn running_apps_and_their_windows_complete_prompts_and_addresses() {
    let stage = Stage::new();
    let editor = stage.start(App::Mousepad);
    let _settings = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let old = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let new = Talk::modern(&stage, &[], &json!({}));
    for mut talk in [old, new] {
        let apps = values(&mut talk, prompt("test-app"), "app_name", "", json!({}));
        assert!(apps.contains(&"mousepad".to_owned()) && apps.len() >= 2, "{apps:?}");
        let apps = values(&mut talk, prompt("cross-app-copy"), "target_app", "MOUSE", json!({}));
        assert_eq!(apps, ["mousepad"]);
        let typed = "gedit, mou";
        let apps = values(&mut talk, prompt("automate-workflow"), "apps", typed, json!({}));
        assert_eq!(apps, ["gedit, mousepad"]);
        for scheme in ["deskhand", "axterminator"] {
            let of = template(&format!("{scheme}://app/{{name}}/tree"));
            assert_eq!(values(&mut talk, of, "name", "mouse", json!({})), ["mousepad"]);
            let of = template(&format!("{scheme}://app/{{name}}/window/{{index}}/tree"));
            let context = json!({ "name": editor.pid_text() });
            assert_eq!(values(&mut talk, of.clone(), "index", "", context), ["0"]);
            assert!(values(&mut talk, of, "index", "", json!({})).is_empty());
        }
    }
}

#[test]
fn connected_apps_come_first() {
    let stage = Stage::new();
    let _editor = stage.start(App::Mousepad);
    let settings = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let of = template("deskhand://app/{name}/state");
    let first = values(&mut talk, of.clone(), "name", "", json!({}));
    let connected = talk.call("ax_connect", json!({ "app": settings.pid_text() }));
    let name = connected["structuredContent"]["app_name"].as_str().unwrap().to_owned();
    assert_ne!(first[0], name, "{first:?}");
    assert_eq!(values(&mut talk, of, "name", "", json!({}))[0], name);
}

#[test]
fn parts_of_the_app_that_was_named_complete_the_rest() {
    let stage = Stage::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let named = json!({ "app_name": app.pid_text() });
    let regions = values(&mut talk, prompt("test-app"), "focus_area", "tool", named.clone());
    assert_eq!(regions, ["toolbar Main"]);
    let any = values(&mut talk, prompt("test-app"), "focus_area", "tool", json!({}));
    assert_eq!(any, ["toolbar"]);
    let places = values(&mut talk, prompt("navigate-to"), "destination", "", named.clone());
    assert!(places.contains(&"Settings".to_owned()), "{places:?}");
    let found = values(&mut talk, prompt("debug-ui"), "element_description", "delete", named);
    assert_eq!(found, ["Delete All Data"]);
    let source = json!({ "source_app": app.pid_text() });
    let found = values(&mut talk, prompt("cross-app-copy"), "source_element", "date", source);
    assert_eq!(found, ["Close date"]);
    let editor = stage.start(App::Mousepad);
    let named = json!({ "app_name": editor.pid_text() });
    let places = values(&mut talk, prompt("navigate-to"), "destination", "file >", named);
    assert!(places.iter().any(|place| place.starts_with("File > ")), "{places:?}");
}

#[test]
fn words_an_argument_takes_are_offered_and_what_does_not_exist_is_refused() {
    let stage = Stage::new();
    let mut talk = Talk::initialized(&stage, &[], "2025-11-25", json!({}));
    let of = |talk: &mut Talk, name: &str, argument: &str| {
        values(talk, prompt(name), argument, "", json!({}))
    };
    assert_eq!(of(&mut talk, "extract-data", "output_format"), ["json", "csv", "markdown"]);
    assert_eq!(of(&mut talk, "accessibility-audit", "standard"), ["A", "AA", "AAA"]);
    assert_eq!(of(&mut talk, "automate-workflow", "dry_run"), ["true", "false"]);
    assert!(of(&mut talk, "extract-data", "data_description").is_empty());
    for (of, argument) in [
        (prompt("no-such"), "x"),
        (prompt("test-app"), "no-such"),
        (template("deskhand://nowhere/{x}"), "x"),
        (template("deskhand://app/{name}/tree"), "index"),
    ] {
        let params = json!({ "ref": of, "argument": { "name": argument, "value": "" } });
        let answer = talk.ask("completion/complete", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
