//! Availability checks of tools. One check serves all subcommands.

use std::fs;

use crate::fixture::{Fixture, TestResult};
use deskhand_run::{AvailabilityChecks, CheckedTools, mtdf};

#[test]
fn failing_checks_are_reported_and_each_check_runs_once() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let tools = tempfile::tempdir()?;
    let define = |name: &str, check: &str| {
        let text = format!(
            r#"{{"name":"{name}","description":"d","command":"sh","availability_check":{check},
                "install_instructions":"install it","subcommand":[
                {{"name":"one","description":"d"}},{{"name":"two","description":"d"}}]}}"#
        );
        fs::write(tools.path().join(format!("{name}.json")), text)
    };
    define(
        "good",
        r#"{"command":"sh","args":["-c","echo x >> ran"],"skip_subcommand_args":true}"#,
    )?;
    define("bad", r#"{"command":"sh","args":["-c","exit 9"],"skip_subcommand_args":true}"#)?;
    define(
        "gone",
        r#"{"command":"no-such-program-anywhere","args":[],"skip_subcommand_args":true}"#,
    )?;
    let loaded = mtdf::load(tools.path(), &[]);
    assert!(loaded.refused.is_empty(), "{:?}", loaded.refused);
    let mut checks = AvailabilityChecks::default();
    let CheckedTools { available, unavailable } = checks.partition(&loaded.tools, &session);
    let names: Vec<&str> = available.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good_one", "good_two"]);
    let reason: Vec<&str> = unavailable.iter().map(|(_, reason)| reason.as_str()).collect();
    assert_eq!(reason.len(), 4);
    assert!(reason.iter().any(|reason| reason.contains("exited with code 9")), "{reason:?}");
    assert!(reason.iter().any(|reason| reason.contains("no-such-program")), "{reason:?}");
    assert_eq!(fs::read_to_string(fixture.scope.join("ran"))?, "x\n");
    checks.forget_failures();
    checks.partition(&loaded.tools, &session);
    assert_eq!(fs::read_to_string(fixture.scope.join("ran"))?, "x\n");
    Ok(())
}
