//! What the product promises in writing: tool declarations, help texts and the page made of them.
//! `cargo xtask bless` rewrites these files; a test run only compares.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod page;
mod platforms;
mod settings;

use std::{fs, path::PathBuf, process::Command};

use deskhand_engine::{Catalogue, Entry};
use serde_json::{Value, json};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file with what the product says now, or writes it when blessing.
fn golden(path: &str, now: &str, wrong: &mut Vec<String>) {
    let file = repository().join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, now).unwrap();
    } else if fs::read_to_string(&file).unwrap_or_default() != now {
        wrong.push(path.to_owned());
    }
}

fn assert_blessed(wrong: &[String]) {
    assert!(wrong.is_empty(), "not what was blessed (see `cargo xtask bless`): {wrong:#?}");
}

fn declaration(entry: &Entry) -> Value {
    if let Some(title) = entry.title() {
        return json!({
            "name": entry.name(),
            "title": title,
            "about": entry.about(),
            "toolsets": entry.toolsets().iter().map(|set| set.word()).collect::<Vec<_>>(),
            "task": format!("{:?}", entry.task()),
            "effect": format!("{:?}", entry.effect()),
            "input": entry.input_schema(),
            "output": entry.output_schema(),
        });
    }
    json!({
        "name": entry.name(),
        "about": entry.about(),
        "effect": format!("{:?}", entry.effect()),
        "arguments": entry.arguments(),
        "output": entry.output(),
    })
}

#[test]
fn tool_declarations_are_as_blessed() {
    let mut wrong = Vec::new();
    for entry in Catalogue::all().iter() {
        let text = serde_json::to_string_pretty(&declaration(entry)).unwrap() + "\n";
        golden(&format!("tests/golden/tools/{}.json", entry.name()), &text, &mut wrong);
    }
    assert_blessed(&wrong);
}

#[test]
fn help_texts_are_as_blessed() {
    let mut wrong = Vec::new();
    let commands: &[&[&str]] = &[
        &[],
        &["check"],
        &["apps"],
        &["windows"],
        &["tree"],
        &["find"],
        &["attributes"],
        &["watch"],
        &["desktop"],
        &["desktop", "up"],
        &["desktop", "run"],
        &["desktop", "down"],
        &["mcp"],
        &["mcp", "serve"],
        &["mcp", "tools"],
        &["mcp", "install"],
        &["tools"],
        &["tools", "validate"],
        &["tools", "list"],
        &["config", "show"],
        &["approvals"],
        &["approvals", "revoke"],
        &["audit-log", "show"],
        &["audit-log", "verify"],
        &["halt"],
        &["resume"],
        &["completions"],
    ];
    for words in commands {
        let mut command = Command::new(harness::outcome::binary());
        // Help is wrapped to the terminal, which must be the same everywhere.
        let out = command.args(*words).arg("--help").env("COLUMNS", "100").output().unwrap();
        assert!(out.status.success(), "{words:?}");
        let name = if words.is_empty() { "deskhand".to_owned() } else { words.join("-") };
        let text = String::from_utf8(out.stdout).unwrap();
        golden(&format!("tests/golden/help/{name}.txt"), &text, &mut wrong);
    }
    assert_blessed(&wrong);
}

#[test]
fn the_schema_of_tool_definitions_is_as_blessed() {
    let mut command = Command::new(harness::outcome::binary());
    let out = command.args(["tools", "schema"]).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let mut wrong = Vec::new();
    let text = String::from_utf8(out.stdout).unwrap();
    golden("docs/tool-definition.schema.json", &text, &mut wrong);
    assert_blessed(&wrong);
}

#[test]
fn the_page_of_tools_is_as_blessed() {
    let mut wrong = Vec::new();
    golden("docs/tools.md", &page::of_tools(&Catalogue::all()), &mut wrong);
    assert_blessed(&wrong);
}

#[test]
fn the_page_of_platforms_is_as_blessed() {
    let mut wrong = Vec::new();
    let page = platforms::page(&repository(), &Catalogue::all());
    golden("docs/platforms.md", &page, &mut wrong);
    assert_blessed(&wrong);
}

#[test]
fn the_page_of_settings_is_as_blessed() {
    let mut command = Command::new(harness::outcome::binary());
    // Nothing of this machine may show: a person who has set nothing, at home in an empty place.
    command.env_clear().env("HOME", "/home/you").args(["config", "show", "--format", "json"]);
    let out = command.output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let shown: Value = serde_json::from_slice(&out.stdout).unwrap();
    let mut wrong = Vec::new();
    golden("docs/config.md", &settings::page(&shown), &mut wrong);
    assert_blessed(&wrong);
}
