//! The official conformance suite of MCP against the built server: everything it asks for, and every
//! extension scenario it runs without asking.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use harness::{Stage, interop, outcome};
use serde_json::Value;

/// Ends the server with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the suite has noticed then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(stage: &Stage) -> (Server, String) {
    let mut child = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--conformance", "--http", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let at = line.find("http://").unwrap_or_else(|| panic!("it does not say where: {line}"));
    (Server(child), line[at..].trim().to_owned())
}

/// Runs everything the suite has for a version, and returns how many checks passed.
fn passes(version: &str) -> usize {
    let stage = Stage::new();
    let (_server, url) = serve(&stage);
    let results = tempfile::tempdir().unwrap();
    let run = interop::node()
        .arg(interop::module("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &url, "--requirements", version, "-o"])
        .arg(results.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    let summary = said.split("=== SUMMARY ===").nth(1).unwrap_or_else(|| panic!("{said}"));
    assert!(run.status.success(), "{summary}");
    // The suite's own verdict leaves extensions out; the checks on disk do not.
    let mut passed = 0;
    for scenario in fs::read_dir(results.path()).unwrap() {
        let file = scenario.unwrap().path().join("checks.json");
        let checks: Vec<Value> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        for check in checks {
            match check["status"].as_str().unwrap() {
                "SUCCESS" => passed += 1,
                "INFO" | "SKIPPED" => {}
                other => panic!("{other}: {check:#}"),
            }
        }
    }
    assert!(summary.contains(&format!("Total: {passed} passed, 0 failed")), "{passed}: {summary}");
    passed
}

#[test]
fn everything_of_2025_11_25_passes() {
    assert_eq!(passes("2025-11-25"), 83);
}

#[test]
fn everything_of_2026_07_28_passes_with_tasks() {
    assert_eq!(passes("2026-07-28"), 196);
}
