//! The log of a server: for those who run it, in a file a day or on standard error, without what anybody
//! typed.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use harness::Stage;
use serde_json::json;

use crate::gate::wire::Wire;

fn logs(stage: &Stage) -> Vec<PathBuf> {
    let folder = stage.info().folders.cache.join("logs");
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn works(stage: &Stage, options: &[&str]) -> String {
    let mut wire = Wire::with(stage, options);
    let secret = json!({ "app": "nobody", "query": "Name", "text": "hunter2" });
    wire.tool("ax_type", &secret);
    wire.tool("ax_run_script", &json!({ "script": "echo correct-horse" }));
    wire.ends()
}

#[test]
fn a_file_a_day_is_for_the_person_alone_and_tells_no_secrets() {
    let stage = Stage::new();
    let errors = works(&stage, &["--debug"]);
    assert!(!errors.contains("INFO"), "{errors}");
    let [file] = logs(&stage).try_into().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("deskhand.20") && name.ends_with(".log"), "{name}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    for told in ["starting", "version=\"0.", "mode=\"normal\"", "ax_type", "ax_run_script", "ended"]
    {
        assert!(text.contains(told), "{told}: {text}");
    }
    for never in ["hunter2", "correct-horse", "\u{1b}["] {
        assert!(!text.contains(never), "{text}");
    }
}

#[test]
fn on_standard_error_there_is_no_file_and_no_colour_without_a_terminal() {
    let stage = Stage::new();
    let errors = works(&stage, &["--log-to-stderr"]);
    assert!(errors.contains("INFO") && errors.contains("starting"), "{errors}");
    assert!(!errors.contains("ax_type") && !errors.contains('\u{1b}'), "{errors}");
    assert!(logs(&stage).is_empty());
}

#[test]
fn a_log_that_cannot_be_written_is_told_and_keeps_nobody_from_working() {
    let stage = Stage::new();
    let cache = &stage.info().folders.cache;
    fs::create_dir_all(cache).unwrap();
    fs::write(cache.join("logs"), "in the way").unwrap();
    let errors = works(&stage, &[]);
    assert!(errors.contains("cannot write a log to"), "{errors}");
}
