//! A tool whose own check fails is told apart, with the reason; one check serves all its subcommands.

use std::fs;

use crate::place::{Outcome, Place};
use deskhand_run::{Checks, Sorted, mtdf};

#[test]
fn a_tool_whose_check_fails_is_told_apart_and_a_check_runs_once() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
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
    let mut checks = Checks::default();
    let Sorted { usable, others } = checks.sort(&loaded.tools, &workshop);
    let names: Vec<&str> = usable.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good_one", "good_two"]);
    let why: Vec<&str> = others.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(why.len(), 4);
    assert!(why.iter().any(|why| why.contains("exit code 9")), "{why:?}");
    assert!(why.iter().any(|why| why.contains("no-such-program")), "{why:?}");
    assert_eq!(fs::read_to_string(place.scope.join("ran"))?, "x\n");
    checks.forget_faults();
    checks.sort(&loaded.tools, &workshop);
    assert_eq!(fs::read_to_string(place.scope.join("ran"))?, "x\n");
    Ok(())
}
