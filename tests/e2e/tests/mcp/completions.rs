//! Completions from running apps and their elements, refined by earlier arguments.

use harness::{App, TestDesktop};
use serde_json::{Value, json};

use super::stdio_client::StdioClient;

fn complete(
    client: &mut StdioClient,
    reference: Value,
    name: &str,
    typed: &str,
    context: Value,
) -> Vec<String> {
    let params = json!({
        "ref": reference,
        "argument": { "name": name, "value": typed },
        "context": { "arguments": context },
    });
    let answer = client.request("completion/complete", params);
    let completion = &answer["result"]["completion"];
    let complete: Vec<String> =
        serde_json::from_value(completion["values"].clone()).unwrap_or_else(|_| panic!("{answer}"));
    assert!(complete.len() <= 100 && completion["hasMore"].is_boolean(), "{answer}");
    assert!(completion["total"].as_u64().unwrap() >= complete.len() as u64, "{answer}");
    complete
}

fn prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

fn template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

#[test]
fn running_apps_and_windows_complete_prompts_and_uris() {
    let stage = TestDesktop::new();
    let editor = stage.start(App::Mousepad);
    let _settings = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let old = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let new = StdioClient::start_modern(&stage, &[], &json!({}));
    for mut client in [old, new] {
        let apps = complete(&mut client, prompt("test-app"), "app_name", "", json!({}));
        assert!(apps.contains(&"mousepad".to_owned()) && apps.len() >= 2, "{apps:?}");
        let apps =
            complete(&mut client, prompt("cross-app-copy"), "target_app", "MOUSE", json!({}));
        assert_eq!(apps, ["mousepad"]);
        let typed = "gedit, mou";
        let apps = complete(&mut client, prompt("automate-workflow"), "apps", typed, json!({}));
        assert_eq!(apps, ["gedit, mousepad"]);
        for scheme in ["deskhand", "axterminator"] {
            let reference = template(&format!("{scheme}://app/{{name}}/tree"));
            assert_eq!(complete(&mut client, reference, "name", "mouse", json!({})), ["mousepad"]);
            let reference = template(&format!("{scheme}://app/{{name}}/window/{{index}}/tree"));
            let context = json!({ "name": editor.pid_text() });
            assert_eq!(complete(&mut client, reference.clone(), "index", "", context), ["0"]);
            assert!(complete(&mut client, reference, "index", "", json!({})).is_empty());
        }
    }
}

#[test]
fn connected_apps_are_listed_first() {
    let stage = TestDesktop::new();
    let _editor = stage.start(App::Mousepad);
    let settings = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let reference = template("deskhand://app/{name}/state");
    let first = complete(&mut client, reference.clone(), "name", "", json!({}));
    let connected = client.call("ax_connect", json!({ "app": settings.pid_text() }));
    let name = connected["structuredContent"]["app_name"].as_str().unwrap().to_owned();
    assert_ne!(first[0], name, "{first:?}");
    assert_eq!(complete(&mut client, reference, "name", "", json!({}))[0], name);
}

#[test]
fn elements_of_the_named_app_complete_other_arguments() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Fixture("gtk3_settings.py", &[]));
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let named = json!({ "app_name": app.pid_text() });
    let regions = complete(&mut client, prompt("test-app"), "focus_area", "tool", named.clone());
    assert_eq!(regions, ["toolbar Main"]);
    let without_app = complete(&mut client, prompt("test-app"), "focus_area", "tool", json!({}));
    assert_eq!(without_app, ["toolbar"]);
    let destinations =
        complete(&mut client, prompt("navigate-to"), "destination", "", named.clone());
    assert!(destinations.contains(&"Settings".to_owned()), "{destinations:?}");
    let found = complete(&mut client, prompt("debug-ui"), "element_description", "delete", named);
    assert_eq!(found, ["Delete All Data"]);
    let source = json!({ "source_app": app.pid_text() });
    let found = complete(&mut client, prompt("cross-app-copy"), "source_element", "date", source);
    assert_eq!(found, ["Close date"]);
    let editor = stage.start(App::Mousepad);
    let named = json!({ "app_name": editor.pid_text() });
    let destinations = complete(&mut client, prompt("navigate-to"), "destination", "file >", named);
    assert!(
        destinations.iter().any(|destination| destination.starts_with("File > ")),
        "{destinations:?}"
    );
}

#[test]
fn fixed_values_are_offered_and_unknown_references_are_refused() {
    let stage = TestDesktop::new();
    let mut client = StdioClient::start_initialized(&stage, &[], "2025-11-25", json!({}));
    let reference = |client: &mut StdioClient, name: &str, argument: &str| {
        complete(client, prompt(name), argument, "", json!({}))
    };
    assert_eq!(
        reference(&mut client, "extract-data", "output_format"),
        ["json", "csv", "markdown"]
    );
    assert_eq!(reference(&mut client, "accessibility-audit", "standard"), ["A", "AA", "AAA"]);
    assert_eq!(reference(&mut client, "automate-workflow", "dry_run"), ["true", "false"]);
    assert!(reference(&mut client, "extract-data", "data_description").is_empty());
    for (reference, argument) in [
        (prompt("no-such"), "x"),
        (prompt("test-app"), "no-such"),
        (template("deskhand://nowhere/{x}"), "x"),
        (template("deskhand://app/{name}/tree"), "index"),
    ] {
        let params = json!({ "ref": reference, "argument": { "name": argument, "value": "" } });
        let answer = client.request("completion/complete", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
