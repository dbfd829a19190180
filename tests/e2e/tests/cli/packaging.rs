//! What goes with a release for macOS, as far as it can be judged without a Mac.
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

/// A property list as Python reads it.
fn list(name: &str) -> Value {
    let read =
        "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    Outcome::of(Command::new("python3").args(["-c", read]).arg(folder().join(name))).json()
}

/// The options a command really has.
fn options(words: &[&str]) -> BTreeSet<String> {
    let help = Outcome::of(Command::new(outcome::binary()).args(words).arg("--help")).text();
    let words = help.split_whitespace().map(|word| word.trim_end_matches(','));
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn the_program_says_what_it_is_and_why_it_asks() {
    let info = list("Info.plist");
    assert_eq!(info["CFBundleExecutable"], "deskhand");
    assert_eq!(info["LSUIElement"], true);
    assert!(info["NSAppleEventsUsageDescription"].as_str().unwrap().len() > 40, "{info}");
    for key in ["CFBundleIdentifier", "CFBundleName", "CFBundleVersion", "LSMinimumSystemVersion"] {
        assert!(info[key].is_string(), "{key}: {info}");
    }
    let entitlements = list("entitlements.plist");
    let all: Vec<&String> = entitlements.as_object().unwrap().keys().collect();
    assert_eq!(all, ["com.apple.security.automation.apple-events"]);
}

#[test]
fn the_agent_and_the_formula_use_options_that_exist() {
    let agent = list("org.deskhand.agent.plist");
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
        assert!(known.contains(*word), "{word} is none of {known:?}");
    }
    assert_eq!(agent["LimitLoadToSessionType"], "Aqua");
    let formula = fs::read_to_string(folder().join("deskhand.rb")).unwrap();
    let serve = formula.lines().find(|line| line.contains("\"serve\"")).unwrap();
    for word in serve.split('"').filter(|word| word.starts_with("--")) {
        assert!(known.contains(word), "{word} is none of {known:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let mut command = Command::new(outcome::binary());
        let script = Outcome::of(command.args(["completions", shell]));
        assert!(formula.contains(&format!(":{shell}")) && script.code == Some(0), "{script}");
    }
}

#[test]
fn the_scripts_are_shell_and_every_place_is_filled_in() {
    let mut filled = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "sh") {
            continue;
        }
        let outcome = Outcome::of(Command::new("sh").arg("-n").arg(&path));
        assert_eq!(outcome.code, Some(0), "{outcome}");
        let text = fs::read_to_string(&path).unwrap();
        filled.extend(places(&text));
    }
    for name in ["Info.plist", "org.deskhand.agent.plist"] {
        let text = fs::read_to_string(folder().join(name)).unwrap();
        for place in places(&text) {
            assert!(filled.contains(&place), "no script fills {place} of {name} in");
        }
    }
}

/// The places to fill in, such as `@VERSION@`.
fn places(text: &str) -> BTreeSet<String> {
    let is_name = |word: &&str| !word.is_empty() && word.chars().all(|it| it.is_ascii_uppercase());
    text.split('@').filter(is_name).map(|word| format!("@{word}@")).collect()
}
