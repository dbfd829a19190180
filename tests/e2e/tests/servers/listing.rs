//! The tools of any server, listed once.

use std::time::{Duration, Instant};

use deskhand_client::{Server, Storage, Target, list};
use deskhand_model::Explain;
use harness::interop;
use serde_json::json;

use super::scene::{Home, PATIENCE, everything, free_port};

fn words(of: &[&str]) -> Vec<String> {
    let program = "@modelcontextprotocol/server-everything/dist/index.js";
    let node = interop::node().get_program().to_string_lossy().into_owned();
    let module = interop::module(program).to_string_lossy().into_owned();
    [node, module].into_iter().chain(of.iter().map(|word| (*word).to_owned())).collect()
}

#[test]
fn tools_are_listed_over_http_and_of_a_program_that_is_ended() {
    let port = free_port();
    let _server = everything(port);
    let server = Server::at(&format!("http://127.0.0.1:{port}/mcp")).unwrap();
    let http = Target::Http(Box::new(server), Storage::new("/nonexistent"));
    let over_http = list(&http, Instant::now() + PATIENCE).unwrap();
    // A word of its own finds the program among all others.
    let mark = format!("mark-{port}-{}", std::process::id());
    let program = Target::Command(words(&["stdio", &mark]));
    let over_stdio = list(&program, Instant::now() + PATIENCE).unwrap();
    let names = |all: &[deskhand_client::Listed]| {
        all.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    assert!(names(&over_http).contains(&"echo".to_owned()));
    assert_eq!(names(&over_http), names(&over_stdio));
    let echo = over_http.iter().find(|one| one.name == "echo").unwrap();
    assert!(echo.schema["properties"]["message"].is_object() && !echo.description.is_empty());
    assert_eq!(alive(&mark), 0);
}

#[test]
fn tools_of_a_server_are_listed_by_its_address_on_the_command_line() {
    let port = free_port();
    let _server = everything(port);
    let home = Home::with(json!({}));
    let address = format!("http://127.0.0.1:{port}/mcp");
    let listed = home.deskhand(&["tools", "list", "--server", &address]).json();
    let all = listed.as_array().unwrap_or_else(|| panic!("{listed}"));
    assert!(all.iter().any(|tool| tool["name"] == "echo"), "{listed}");
    let nobody = format!("http://127.0.0.1:{}/mcp", free_port());
    let told = home.deskhand(&["tools", "list", "--server", &nobody]);
    assert_eq!(told.code, Some(1), "{told}");
}

#[test]
fn a_program_that_says_nothing_is_ended_by_the_deadline_with_all_it_started() {
    let mark = format!("{}.{}", 5_000, std::process::id());
    let script = format!("sleep {mark} & exec sleep {mark}");
    let program = Target::Command(["sh", "-c", &script].map(str::to_owned).to_vec());
    let error = list(&program, Instant::now() + Duration::from_millis(500)).unwrap_err();
    assert_eq!(error.code(), "timeout");
    let until = Instant::now() + PATIENCE;
    while alive(&mark) > 0 {
        assert!(Instant::now() < until, "{} are left", alive(&mark));
    }
    let missing = Target::Command(vec!["/nonexistent/server".to_owned()]);
    assert_eq!(list(&missing, until).unwrap_err().code(), "program_failed");
}

/// How many processes have a word on their command line.
fn alive(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}
