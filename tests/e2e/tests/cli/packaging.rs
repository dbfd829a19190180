//! Packaging files for macOS, as far as they can be checked without a Mac.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use harness::{Outcome, outcome};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/macos")
}

/// Reads a property list with Python's `plistlib`.
fn read_plist(name: &str) -> Value {
    let read =
        "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    Outcome::of(Command::new("python3").args(["-c", read]).arg(folder().join(name))).json()
}

/// The options that a command lists in its help.
fn options(words: &[&str]) -> BTreeSet<String> {
    let help = Outcome::of(Command::new(outcome::binary()).args(words).arg("--help")).text();
    let words = help.split_whitespace().map(|word| word.trim_end_matches(','));
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn bundle_declares_its_identity_and_permission_reasons() {
    let info = read_plist("Info.plist");
    assert_eq!(info["CFBundleExecutable"], "deskhand");
    assert_eq!(info["LSUIElement"], true);
    assert!(info["NSAppleEventsUsageDescription"].as_str().unwrap().len() > 40, "{info}");
    for key in ["CFBundleIdentifier", "CFBundleName", "CFBundleVersion", "LSMinimumSystemVersion"] {
        assert!(info[key].is_string(), "{key}: {info}");
    }
    let entitlements = read_plist("entitlements.plist");
    let all: Vec<&String> = entitlements.as_object().unwrap().keys().collect();
    assert_eq!(all, ["com.apple.security.automation.apple-events"]);
}

#[test]
fn launch_agent_and_formula_use_existing_options() {
    let agent = read_plist("org.deskhand.agent.plist");
    let words: Vec<&str> = agent["ProgramArguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    assert_eq!(words[..3], ["@PROGRAM@", "mcp", "serve"]);
    let known = options(&["mcp", "serve"]);
    assert!(known.contains("--socket"), "{known:?}");
    for word in words.iter().filter(|word| word.starts_with("--")) {
        assert!(known.contains(*word), "{word} is not an option; options: {known:?}");
    }
    assert_eq!(agent["LimitLoadToSessionType"], "Aqua");
    let formula = fs::read_to_string(folder().join("deskhand.rb")).unwrap();
    let serve = formula.lines().find(|line| line.contains("\"serve\"")).unwrap();
    for word in serve.split('"').filter(|word| word.starts_with("--")) {
        assert!(known.contains(word), "{word} is not an option; options: {known:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let mut command = Command::new(outcome::binary());
        let script = Outcome::of(command.args(["completions", shell]));
        assert!(formula.contains(&format!(":{shell}")) && script.code == Some(0), "{script}");
    }
}

#[test]
fn scripts_are_valid_shell_and_fill_every_placeholder() {
    let mut replaced = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "sh") {
            continue;
        }
        let outcome = Outcome::of(Command::new("sh").arg("-n").arg(&path));
        assert_eq!(outcome.code, Some(0), "{outcome}");
        let text = fs::read_to_string(&path).unwrap();
        replaced.extend(placeholders(&text));
    }
    for name in ["Info.plist", "org.deskhand.agent.plist"] {
        let text = fs::read_to_string(folder().join(name)).unwrap();
        for placeholder in placeholders(&text) {
            assert!(replaced.contains(&placeholder), "no script replaces {placeholder} of {name}");
        }
    }
}

/// Placeholders such as `@VERSION@`.
fn placeholders(text: &str) -> BTreeSet<String> {
    let is_name = |word: &&str| !word.is_empty() && word.chars().all(|it| it.is_ascii_uppercase());
    text.split('@').filter(is_name).map(|word| format!("@{word}@")).collect()
}
