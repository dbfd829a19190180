//! Golden files: tool declarations, help texts and generated documentation pages.
//!
//! `cargo xtask bless` rewrites the files. A normal test run only compares them.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod platform_traits;
mod platforms_page;
mod settings_page;
mod tools_page;

use std::{fs, path::PathBuf, process::Command};

use deskhand_engine::{Catalogue, ToolEntry, Vocabulary};
use serde_json::{Value, json};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file with the current output, or writes it if `BLESS` is set.
fn compare_golden(path: &str, current: &str, outdated: &mut Vec<String>) {
    let file = repository().join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, current).unwrap();
    } else if fs::read_to_string(&file).unwrap_or_default() != current {
        outdated.push(path.to_owned());
    }
}

fn assert_up_to_date(outdated: &[String]) {
    assert!(
        outdated.is_empty(),
        "outdated golden files, run `cargo xtask bless` and review the diff: {outdated:#?}"
    );
}

fn declaration(entry: &ToolEntry) -> Value {
    if let Some(title) = entry.title() {
        return json!({
            "name": entry.name(),
            "title": title,
            "about": entry.description(),
            "toolsets": entry.toolsets().iter().map(|set| set.word()).collect::<Vec<_>>(),
            "task": format!("{:?}", entry.task_support()),
            "effect": format!("{:?}", entry.effect()),
            "input": entry.input_schema(),
            "output": entry.output_schema(),
        });
    }
    json!({
        "name": entry.name(),
        "about": entry.description(),
        "effect": format!("{:?}", entry.effect()),
        "arguments": entry.full_input_schema(),
        "output": entry.full_output_schema(),
    })
}

#[test]
fn tool_declarations_match_golden_files() {
    let mut outdated = Vec::new();
    for entry in Catalogue::all().iter() {
        let text = serde_json::to_string_pretty(&declaration(entry)).unwrap() + "\n";
        let name = match entry.vocabulary() {
            // These vocabularies share names with others.
            Vocabulary::Desktop | Vocabulary::Inspect => {
                format!("{}/{}", entry.vocabulary().word(), entry.name())
            }
            Vocabulary::Commands
            | Vocabulary::Ax
            | Vocabulary::Cli
            | Vocabulary::Resources
            | Vocabulary::Dynamic => entry.name().to_owned(),
        };
        compare_golden(&format!("tests/golden/tools/{name}.json"), &text, &mut outdated);
    }
    assert_up_to_date(&outdated);
}

#[test]
fn help_texts_match_golden_files() {
    let mut outdated = Vec::new();
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
        // Help is wrapped to the terminal width, which must be the same on every machine.
        let out = command.args(*words).arg("--help").env("COLUMNS", "100").output().unwrap();
        assert!(out.status.success(), "{words:?}");
        let name = if words.is_empty() { "deskhand".to_owned() } else { words.join("-") };
        let text = String::from_utf8(out.stdout).unwrap();
        compare_golden(&format!("tests/golden/help/{name}.txt"), &text, &mut outdated);
    }
    assert_up_to_date(&outdated);
}

#[test]
fn tool_definition_schema_matches_golden_file() {
    let mut command = Command::new(harness::outcome::binary());
    let out = command.args(["tools", "schema"]).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let mut outdated = Vec::new();
    let text = String::from_utf8(out.stdout).unwrap();
    compare_golden("docs/tool-definition.schema.json", &text, &mut outdated);
    assert_up_to_date(&outdated);
}

#[test]
fn tools_page_matches_golden_file() {
    let mut outdated = Vec::new();
    compare_golden("docs/tools.md", &tools_page::render(&Catalogue::all()), &mut outdated);
    assert_up_to_date(&outdated);
}

#[test]
fn platforms_page_matches_golden_file() {
    let mut outdated = Vec::new();
    let page = platforms_page::render(&repository(), &Catalogue::all());
    compare_golden("docs/platforms.md", &page, &mut outdated);
    assert_up_to_date(&outdated);
}

#[test]
fn settings_page_matches_golden_file() {
    let mut command = Command::new(harness::outcome::binary());
    // An empty environment, so that no setting of this machine appears on the page.
    command.env_clear().env("HOME", "/home/you").args(["config", "show", "--format", "json"]);
    let out = command.output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let shown: Value = serde_json::from_slice(&out.stdout).unwrap();
    let mut outdated = Vec::new();
    compare_golden("docs/config.md", &settings_page::render(&shown), &mut outdated);
    assert_up_to_date(&outdated);
}
