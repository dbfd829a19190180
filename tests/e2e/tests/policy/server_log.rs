//! The diagnostic log of a server: a daily file or standard error, without secrets.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use harness::TestDesktop;
use serde_json::json;

use crate::recording_clients::StdioClient;

fn logs(stage: &TestDesktop) -> Vec<PathBuf> {
    let folder = stage.info().folders.cache.join("logs");
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn run_server(stage: &TestDesktop, options: &[&str]) -> String {
    let mut client = StdioClient::with_options(stage, options);
    let type_args = json!({ "app": "no-such-app", "query": "Name", "text": "hunter2" });
    client.tool("ax_type", &type_args);
    client.tool("ax_run_script", &json!({ "script": "echo correct-horse" }));
    client.finish()
}

#[test]
fn daily_log_file_is_private_and_contains_no_secrets() {
    let stage = TestDesktop::new();
    let errors = run_server(&stage, &["--debug"]);
    assert!(!errors.contains("INFO"), "{errors}");
    let [file] = logs(&stage).try_into().unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("deskhand.20") && name.ends_with(".log"), "{name}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    for expected in
        ["starting", "version=\"0.", "mode=\"normal\"", "ax_type", "ax_run_script", "ended"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    for secret in ["hunter2", "correct-horse", "\u{1b}["] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn stderr_log_writes_no_file_and_no_colour() {
    let stage = TestDesktop::new();
    let errors = run_server(&stage, &["--log-to-stderr"]);
    assert!(errors.contains("INFO") && errors.contains("starting"), "{errors}");
    assert!(!errors.contains("ax_type") && !errors.contains('\u{1b}'), "{errors}");
    assert!(logs(&stage).is_empty());
}

#[test]
fn unwritable_log_is_reported_and_the_server_works() {
    let stage = TestDesktop::new();
    let cache = &stage.info().folders.cache;
    fs::create_dir_all(cache).unwrap();
    fs::write(cache.join("logs"), "in the way").unwrap();
    let errors = run_server(&stage, &[]);
    assert!(errors.contains("cannot write a log to"), "{errors}");
}
