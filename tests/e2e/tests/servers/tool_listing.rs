//! Listing the tools of a server once.

use std::time::{Duration, Instant};

use deskhand_client::{ListTarget, ServerConfig, TokenStorage, list_tools};
use deskhand_model::Explain;
use harness::interop;
use serde_json::json;

use super::fixtures::{Home, TIMEOUT, everything, free_port};

fn server_command(extra: &[&str]) -> Vec<String> {
    let program = "@modelcontextprotocol/server-everything/dist/index.js";
    let node = interop::node().get_program().to_string_lossy().into_owned();
    let module = interop::module(program).to_string_lossy().into_owned();
    [node, module].into_iter().chain(extra.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn tools_are_listed_over_http_and_stdio_and_the_program_is_ended() {
    let port = free_port();
    let _server = everything(port);
    let server = ServerConfig::from_url(&format!("http://127.0.0.1:{port}/mcp")).unwrap();
    let http = ListTarget::Http(Box::new(server), TokenStorage::new("/nonexistent"));
    let over_http = list_tools(&http, Instant::now() + TIMEOUT).unwrap();
    // A unique argument that identifies the process.
    let marker = format!("mark-{port}-{}", std::process::id());
    let program = ListTarget::Command(server_command(&["stdio", &marker]));
    let over_stdio = list_tools(&program, Instant::now() + TIMEOUT).unwrap();
    let names = |all: &[deskhand_client::ToolDescription]| {
        all.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert!(names(&over_http).contains(&"echo".to_owned()));
    assert_eq!(names(&over_http), names(&over_stdio));
    let echo = over_http.iter().find(|one| one.name == "echo").unwrap();
    assert!(echo.schema["properties"]["message"].is_object() && !echo.description.is_empty());
    assert_eq!(count_processes(&marker), 0);
}

#[test]
fn tools_list_command_accepts_a_server_address() {
    let port = free_port();
    let _server = everything(port);
    let home = Home::with(json!({}));
    let address = format!("http://127.0.0.1:{port}/mcp");
    let listed = home.deskhand(&["tools", "list", "--server", &address]).json();
    let all = listed.as_array().unwrap_or_else(|| panic!("{listed}"));
    assert!(all.iter().any(|tool| tool["name"] == "echo"), "{listed}");
    let unreachable = format!("http://127.0.0.1:{}/mcp", free_port());
    let outcome = home.deskhand(&["tools", "list", "--server", &unreachable]);
    assert_eq!(outcome.code, Some(1), "{outcome}");
}

#[test]
fn silent_program_is_ended_at_the_deadline_with_its_children() {
    let marker = format!("{}.{}", 5_000, std::process::id());
    let script = format!("sleep {marker} & exec sleep {marker}");
    let program = ListTarget::Command(["sh", "-c", &script].map(str::to_owned).to_vec());
    let error = list_tools(&program, Instant::now() + Duration::from_millis(500)).unwrap_err();
    assert_eq!(error.code(), "timeout");
    let until = Instant::now() + TIMEOUT;
    while count_processes(&marker) > 0 {
        assert!(Instant::now() < until, "{} processes are left", count_processes(&marker));
    }
    let missing = ListTarget::Command(vec!["/nonexistent/server".to_owned()]);
    assert_eq!(list_tools(&missing, until).unwrap_err().code(), "program_failed");
}

/// Number of processes with a marker on their command line.
fn count_processes(marker: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
}
