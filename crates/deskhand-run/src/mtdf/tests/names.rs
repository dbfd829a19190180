//! The tools of a file, their names, and the values they inherit.

use std::time::Duration;

use serde_json::{Value, json};

use super::{LoadedTools, diagnostics, loaded, names, read};

fn file(name: &str, subcommands: Value) -> Value {
    json!({ "name": name, "description": "d", "command": name, "subcommand": subcommands })
}

fn sub(name: &str) -> Value {
    json!({ "name": name, "description": "d" })
}

fn of(value: &Value) -> LoadedTools {
    read(&value.to_string())
}

#[test]
fn tool_names_consist_of_file_and_subcommand_names() {
    let nested =
        json!({ "name": "remote", "description": "d", "subcommand": [sub("add"), sub("default")] });
    let loaded = of(&file("git", json!([sub("status"), sub("default"), nested])));
    assert_eq!(names(&loaded), ["git", "git_remote", "git_remote_add", "git_status"]);
    let titles: Vec<&str> = loaded.tools.iter().map(|tool| tool.title.as_str()).collect();
    assert_eq!(titles, ["git", "git remote", "git remote add", "git status"]);
}

#[test]
fn disabled_tools_are_left_out() {
    let mut whole = file("a", json!([sub("x")]));
    whole["enabled"] = json!(false);
    assert_eq!(of(&whole), LoadedTools::default());
    let mut off = sub("x");
    off["enabled"] = json!(false);
    off["availability_check"] = json!("which x");
    assert_eq!(names(&of(&file("a", json!([off, sub("y")])))), ["a_y"]);
    let group =
        json!({ "name": "g", "description": "d", "enabled": false, "subcommand": [sub("x")] });
    assert_eq!(names(&of(&file("a", json!([group])))), [""; 0]);
}

#[test]
fn names_that_clients_refuse_are_refused() {
    for (value, part) in [
        (file("a b", json!([])), "is not a valid tool name"),
        (file("", json!([])), "is not a valid tool name"),
        (file(&"a".repeat(65), json!([])), "is not a valid tool name"),
        (file("a", json!([sub("status_check")])), "rename it to `status-check`"),
        (file("a", json!([sub("ä")])), "is not a valid subcommand name"),
        (file("a", json!([sub(&"b".repeat(63))])), "longer than 64"),
        (file("a", json!([sub("x"), sub("x")])), "duplicate name `x`"),
        (file("status", json!([])), "a tool of the server itself"),
    ] {
        let diagnostics = diagnostics(&of(&value)).join("\n");
        assert!(diagnostics.contains(part), "{value}: {diagnostics}");
    }
}

#[test]
fn first_file_keeps_a_duplicate_name() {
    let nested = json!({ "name": "remote", "description": "d", "subcommand": [sub("add")] });
    let loaded = loaded(&[
        ("one.json", file("git", json!([nested]))),
        ("two.json", file("git_remote", json!([sub("add"), sub("rm")]))),
    ]);
    assert_eq!(names(&loaded), ["git_remote_add"]);
    assert!(diagnostics(&loaded)[0].contains("`git_remote_add` is already defined by one.json"));
    assert!(loaded.refused[0].file.ends_with("two.json"));
}

#[test]
fn synchronous_and_timeout_are_inherited() {
    let mut value = file("t", json!([sub("a"), sub("b"), sub("c")]));
    value["synchronous"] = json!(true);
    value["timeout_seconds"] = json!(600);
    value["subcommand"][1]["synchronous"] = json!(false);
    value["subcommand"][1]["timeout_seconds"] = json!(5);
    value["subcommand"][2]["synchronous"] = json!(null);
    let loaded = of(&value);
    let inherited: Vec<_> =
        loaded.tools.iter().map(|tool| (tool.synchronous, tool.timeout)).collect();
    let seconds = |count| Some(Duration::from_secs(count));
    assert_eq!(
        inherited,
        [(Some(true), seconds(600)), (Some(false), seconds(5)), (Some(true), seconds(600))]
    );
    assert!(loaded.tools[1].description.contains("continue with other work"));
    assert_eq!(loaded.tools[0].description, "d");
    assert_eq!(of(&file("t", json!([sub("a")]))).tools[0].synchronous, None);
}

#[test]
fn hints_are_added_to_descriptions() {
    let mut value = file("t", json!([sub("test"), sub("bench"), sub("add")]));
    value["hints"] = json!({
        "test": "Run it often.", "dependencies": "Look first.", "custom": { "bench": "Slow." },
    });
    let loaded = of(&value);
    let summaries: Vec<&str> = loaded.tools.iter().map(|tool| tool.summary.as_str()).collect();
    assert_eq!(summaries, ["d\nLook first.", "d\nSlow.", "d\nRun it often."]);
}

#[test]
fn availability_check_is_a_line_or_its_parts() {
    let mut value = file("cargo", json!([sub("nextest"), sub("build"), sub("fmt")]));
    value["availability_check"] = json!("which cargo");
    value["install_instructions"] = json!("See rustup.rs");
    value["subcommand"][0]["availability_check"] = json!({ "args": ["--version"] });
    value["subcommand"][0]["install_instructions"] = json!("cargo install cargo-nextest");
    value["subcommand"][2]["availability_check"] = json!({
        "command": "rustfmt", "skip_subcommand_args": true, "success_exit_codes": [0, 1],
    });
    let loaded = of(&value);
    let probe = |index: usize| {
        let probe = loaded.tools[index].availability.clone().unwrap();
        (format!("{} {}", probe.program, probe.arguments.join(" ")), probe.success_codes)
    };
    assert_eq!(names(&loaded), ["cargo_build", "cargo_fmt", "cargo_nextest"]);
    assert_eq!(probe(0), ("which cargo".to_owned(), vec![0]));
    assert_eq!(probe(1), ("rustfmt ".to_owned(), vec![0, 1]));
    assert_eq!(probe(2), ("cargo nextest --version".to_owned(), vec![0]));
    let install = |index: usize| loaded.tools[index].install_instructions.clone().unwrap();
    assert_eq!(install(0), "See rustup.rs");
    assert_eq!(install(2), "cargo install cargo-nextest");
}
