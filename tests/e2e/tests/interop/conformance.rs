//! Runs the official MCP conformance suite against the built server, including all extension
//! scenarios.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use harness::{TestDesktop, interop, outcome};
use serde_json::Value;

/// Kills the server when the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended by itself; the suite reports that.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_server(stage: &TestDesktop) -> (Server, String) {
    let mut child = stage
        .command(outcome::binary())
        .args(["mcp", "serve", "--conformance", "--http", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let start =
        line.find("http://").unwrap_or_else(|| panic!("no address in the startup line: {line}"));
    (Server(child), line[start..].trim().to_owned())
}

/// Runs all scenarios of a protocol version. Returns the number of passed checks.
fn count_passed_checks(version: &str) -> usize {
    let stage = TestDesktop::new();
    let (_server, url) = start_server(&stage);
    let results = tempfile::tempdir().unwrap();
    let run = interop::node()
        .arg(interop::module("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &url, "--requirements", version, "-o"])
        .arg(results.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    let summary = output.split("=== SUMMARY ===").nth(1).unwrap_or_else(|| panic!("{output}"));
    assert!(run.status.success(), "{summary}");
    // The summary of the suite omits extensions. The check files contain them.
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
fn conformance_suite_2025_11_25_passes() {
    assert_eq!(count_passed_checks("2025-11-25"), 83);
}

#[test]
fn conformance_suite_2026_07_28_passes_with_tasks() {
    assert_eq!(count_passed_checks("2026-07-28"), 196);
}
