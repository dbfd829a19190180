//! Which tools a file makes, what they are called, and what they take over.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Loaded, loaded, names, read, told};

fn file(name: &str, subcommands: Value) -> Value {
    json!({ "name": name, "description": "d", "command": name, "subcommand": subcommands })
}

fn sub(name: &str) -> Value {
    json!({ "name": name, "description": "d" })
}

fn of(value: &Value) -> Loaded {
    read(&value.to_string())
}

#[test]
fn a_tool_is_called_by_its_file_and_its_subcommands() {
    let nested =
        json!({ "name": "remote", "description": "d", "subcommand": [sub("add"), sub("default")] });
    let loaded = of(&file("git", json!([sub("status"), sub("default"), nested])));
    assert_eq!(names(&loaded), ["git", "git_remote", "git_remote_add", "git_status"]);
    let titles: Vec<&str> = loaded.tools.iter().map(|tool| tool.title.as_str()).collect();
    assert_eq!(titles, ["git", "git remote", "git remote add", "git status"]);
}

#[test]
fn what_is_switched_off_is_gone() {
    let mut whole = file("a", json!([sub("x")]));
    whole["enabled"] = json!(false);
    assert_eq!(of(&whole), Loaded::default());
    let mut off = sub("x");
    off["enabled"] = json!(false);
    off["availability_check"] = json!("which x");
    assert_eq!(names(&of(&file("a", json!([off, sub("y")])))), ["a_y"]);
    let group =
        json!({ "name": "g", "description": "d", "enabled": false, "subcommand": [sub("x")] });
    assert_eq!(names(&of(&file("a", json!([group])))), [""; 0]);
}

#[test]
fn names_that_clients_would_refuse_are_refused() {
    for (value, part) in [
        (file("a b", json!([])), "cannot be the name of a tool"),
        (file("", json!([])), "cannot be the name of a tool"),
        (file(&"a".repeat(65), json!([])), "cannot be the name of a tool"),
        (file("a", json!([sub("status_check")])), "call it `status-check`"),
        (file("a", json!([sub("ä")])), "cannot be the name of a subcommand"),
        (file("a", json!([sub(&"b".repeat(63))])), "longer than 64"),
        (file("a", json!([sub("x"), sub("x")])), "`x` stands here twice"),
        (file("status", json!([])), "a tool of the server itself"),
    ] {
        let told = told(&of(&value)).join("\n");
        assert!(told.contains(part), "{value}: {told}");
    }
}

#[test]
fn of_two_files_that_make_one_name_the_first_keeps_it() {
    let nested = json!({ "name": "remote", "description": "d", "subcommand": [sub("add")] });
    let loaded = loaded(&[
        ("one.json", file("git", json!([nested]))),
        ("two.json", file("git_remote", json!([sub("add"), sub("rm")]))),
    ]);
    assert_eq!(names(&loaded), ["git_remote_add"]);
    assert!(told(&loaded)[0].contains("`git_remote_add` is already made by one.json"));
    assert!(loaded.refused[0].file.ends_with("two.json"));
}

#[test]
fn synchronous_and_timeout_are_taken_over_unless_said_otherwise() {
    let mut value = file("t", json!([sub("a"), sub("b"), sub("c")]));
    value["synchronous"] = json!(true);
    value["timeout_seconds"] = json!(600);
    value["subcommand"][1]["synchronous"] = json!(false);
    value["subcommand"][1]["timeout_seconds"] = json!(5);
    value["subcommand"][2]["synchronous"] = json!(null);
    let loaded = of(&value);
    let said: Vec<_> = loaded.tools.iter().map(|tool| (tool.synchronous, tool.timeout)).collect();
    let seconds = |count| Some(Duration::from_secs(count));
    assert_eq!(
        said,
        [(Some(true), seconds(600)), (Some(false), seconds(5)), (Some(true), seconds(600))]
    );
    assert!(loaded.tools[1].about.contains("go on with other work"));
    assert_eq!(loaded.tools[0].about, "d");
    assert_eq!(of(&file("t", json!([sub("a")]))).tools[0].synchronous, None);
}

#[test]
fn hints_reach_the_descriptions_of_their_subcommands() {
    let mut value = file("t", json!([sub("test"), sub("bench"), sub("add")]));
    value["hints"] = json!({
        "test": "Run it often.", "dependencies": "Look first.", "custom": { "bench": "Slow." },
    });
    let loaded = of(&value);
    let said: Vec<&str> = loaded.tools.iter().map(|tool| tool.summary.as_str()).collect();
    assert_eq!(said, ["d\nLook first.", "d\nSlow.", "d\nRun it often."]);
}

#[test]
fn availability_is_a_line_or_its_parts() {
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
        (format!("{} {}", probe.program, probe.arguments.join(" ")), probe.good)
    };
    assert_eq!(names(&loaded), ["cargo_build", "cargo_fmt", "cargo_nextest"]);
    assert_eq!(probe(0), ("which cargo".to_owned(), vec![0]));
    assert_eq!(probe(1), ("rustfmt ".to_owned(), vec![0, 1]));
    assert_eq!(probe(2), ("cargo nextest --version".to_owned(), vec![0]));
    let install = |index: usize| loaded.tools[index].install_instructions.clone().unwrap();
    assert_eq!(install(0), "See rustup.rs");
    assert_eq!(install(2), "cargo install cargo-nextest");
}
