//! `clipboard_history` and `clipboard_watch` record what was copied, except secrets.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use harness::{App, Outcome, TestDesktop};
use serde_json::{Value, json};

use crate::{read, write, write_image, xclip_copy};

fn entries(stage: &TestDesktop) -> Vec<Value> {
    let history = stage.deskhand(&["clipboard", "history", "--format", "json"]).json();
    history["entries"].as_array().unwrap().clone()
}

/// Runs `clipboard watch` for `count` changes while `copy` runs.
fn watch(stage: &TestDesktop, count: usize, copy: impl FnOnce()) -> Vec<Value> {
    let mut command = stage.command(harness::outcome::binary());
    command.args(["clipboard", "watch", "--format", "json", "--duration", "30", "--count"]);
    command.arg(count.to_string());
    let outcome = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| Outcome::of(&mut command));
        std::thread::sleep(Duration::from_millis(1000));
        copy();
        watcher.join().unwrap()
    });
    let mut lines = outcome.expect_ok().json_lines();
    assert_eq!(lines.pop().unwrap()["changes"], count, "{outcome}");
    lines
}

/// Returns `true` if any file below a folder contains these bytes.
fn any_file_contains(folder: &Path, wanted: &[u8]) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            return any_file_contains(&path, wanted);
        }
        let bytes =
            if metadata.is_file() { std::fs::read(&path).unwrap_or_default() } else { vec![] };
        bytes.windows(wanted.len()).any(|some| some == wanted)
    })
}

#[test]
fn history_records_writes_and_reads_newest_first() {
    let stage = TestDesktop::new();
    assert!(entries(&stage).is_empty());
    write(&stage, &["--html", "<b>one</b>"]);
    read(&stage, "text");
    xclip_copy(&stage, "UTF8_STRING", b"two");
    read(&stage, "text");
    let path = stage.info().home.join("small.png");
    let file = write_image(&path, 8, 8);
    write(&stage, &["--image", path.to_str().unwrap()]);
    let all = entries(&stage);
    assert_eq!(all.len(), 3, "{all:?}");
    let origins: Vec<&Value> = all.iter().map(|entry| &entry["seen"]).collect();
    assert_eq!(origins, ["written", "read", "written"], "{all:?}");
    let image_path = all[0]["picture"].as_str().unwrap();
    assert_eq!(std::fs::read(image_path).unwrap(), file);
    assert_eq!(std::fs::metadata(image_path).unwrap().permissions().mode() & 0o777, 0o600);
    let first = stage.deskhand(&["clipboard", "history", "--entry", "1", "--format", "json"]);
    let first = first.json()["entries"][0].clone();
    assert_eq!((&first["html"], &first["text"]), (&json!("<b>one</b>"), &json!("one")));
    let limited =
        stage.deskhand(&["clipboard", "history", "--limit", "1", "--format", "json"]).json();
    assert_eq!((limited["entries"].as_array().unwrap().len(), &limited["more"]), (1, &json!(2)));
    stage.deskhand(&["clipboard", "clear", "--history"]).expect_ok();
    assert!(entries(&stage).is_empty() && !Path::new(image_path).exists());
}

#[test]
fn copies_of_other_apps_are_reported_and_recorded() {
    let stage = TestDesktop::new();
    let mut qt = stage.start_unread(App::Fixture("qt6_clipboard.py", &[]));
    let changes = watch(&stage, 3, || {
        qt.write_line(
            &json!({"do": "set", "text": "from Qt", "html": "<i>from Qt</i>"}).to_string(),
        );
        qt.wait_for("true");
        std::thread::sleep(Duration::from_millis(700));
        xclip_copy(&stage, "text/uri-list", b"file:///etc/passwd\r\n");
        std::thread::sleep(Duration::from_millis(700));
        stage.deskhand(&["clipboard", "clear"]).expect_ok();
    });
    assert!(changes[0]["what"].as_str().unwrap().contains("from Qt"), "{changes:?}");
    assert!(changes[0]["forms"].as_array().unwrap().contains(&json!("text/html")), "{changes:?}");
    assert!(
        changes[0]["from"].as_str().is_some_and(|name| name.contains("python3")),
        "{changes:?}"
    );
    assert_eq!(changes[2]["forms"], json!([]), "{changes:?}");
    let all = entries(&stage);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all[0]["files"], json!(["/etc/passwd"]));
    assert_eq!(all[1]["seen"], "watched");
}

#[test]
fn secret_is_never_shown_and_never_recorded() {
    const SECRET: &str = "correct-horse-battery";
    let stage = TestDesktop::new();
    let mut qt = stage.start_unread(App::Fixture("qt6_clipboard.py", &[]));
    let changes = watch(&stage, 2, || {
        let hint = json!({"x-kde-passwordManagerHint": "secret"});
        qt.write_line(&json!({"do": "set", "text": SECRET, "forms": hint}).to_string());
        qt.wait_for("true");
        std::thread::sleep(Duration::from_millis(700));
        let done = write(&stage, &[SECRET, "--concealed"]);
        assert!(!done.to_string().contains("horse"), "{done}");
    });
    assert!(changes.iter().all(|one| one["concealed"] == true), "{changes:?}");
    assert!(!format!("{changes:?}").contains("horse"), "{changes:?}");
    let path = stage.info().home.join("leak.txt");
    for form in [&["clipboard", "read"][..], &["clipboard", "read", "--form", "html"]] {
        let output = ["--output", path.to_str().unwrap(), "--format", "json"];
        let error = stage.deskhand(&[form, &output].concat()).expect_error("concealed");
        assert!(!error.to_string().contains("horse"), "{error}");
    }
    assert!(!path.exists());
    assert!(entries(&stage).is_empty());
    assert!(
        !any_file_contains(&stage.info().runtime_dir, SECRET.as_bytes()),
        "a file contains the secret"
    );
}
