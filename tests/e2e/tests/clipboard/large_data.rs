//! Large data is transferred in chunks in both directions and arrives unchanged.

use std::time::Instant;

use harness::{App, TestDesktop};
use serde_json::json;

use crate::{read, until, write, write_image, xclip, xclip_copy};

#[test]
fn five_megabytes_of_text_from_xclip_are_read() {
    let stage = TestDesktop::new();
    let text: String = (0..400_000).map(|n| format!("Zeile {n:06} ü\n")).collect();
    assert!(text.len() > 5 << 20);
    xclip_copy(&stage, "UTF8_STRING", text.as_bytes());
    let path = stage.info().home.join("all.txt");
    let output = ["clipboard", "read", "--output", path.to_str().unwrap(), "--format", "json"];
    let started = Instant::now();
    let copied = stage.deskhand(&output).json();
    println!("read {} bytes in {:?}", text.len(), started.elapsed());
    assert_eq!(copied["bytes"], text.len());
    assert!(std::fs::read_to_string(path).unwrap() == text, "the text was changed");
    let part = stage.deskhand(&["clipboard", "read", "--limit", "100", "--format", "json"]).json();
    assert_eq!((&part["cut"], part["text"].as_str().unwrap().chars().count()), (&json!(true), 100));
    let shown = stage.deskhand(&["clipboard", "read"]).text();
    assert!(
        shown.contains("truncated; use --limit") && shown.len() < 30_000,
        "{} bytes",
        shown.len()
    );
}

#[test]
fn five_megabytes_of_text_from_qt_are_read() {
    let stage = TestDesktop::new();
    let mut qt = stage.start_unread(App::Fixture("qt6_clipboard.py", &[]));
    qt.write_line(&json!({"do": "set", "big": 6_000_000}).to_string());
    qt.wait_for("true");
    let path = stage.info().home.join("all.txt");
    let path_text = path.to_str().unwrap();
    let output =
        ["clipboard", "read", "--output", path_text, "--format", "json", "--timeout", "20"];
    until("the copy of Qt", || (stage.deskhand(&output).code == Some(0)).then_some(()));
    assert!(std::fs::read_to_string(path).unwrap() == "abcdefghij".repeat(600_000));
}

#[test]
fn five_megabyte_image_reaches_xclip_qt_and_gtk_unchanged() {
    let stage = TestDesktop::new();
    let path = stage.info().home.join("noise.png");
    let file = write_image(&path, 1600, 1200);
    assert!(file.len() > 5 << 20);
    let started = Instant::now();
    let done = write(&stage, &["--image", path.to_str().unwrap()]);
    println!("wrote and read back {} bytes in {:?}", file.len(), started.elapsed());
    assert!(done.to_string().contains("1600x1200 pixels"), "{done}");
    assert!(xclip(&stage, "image/png") == file, "xclip read different bytes");
    let back = stage.info().home.join("back.png");
    let path_text = back.to_str().unwrap();
    let read_image = ["clipboard", "read", "--form", "image", "--output", path_text];
    stage.deskhand(&read_image).expect_ok();
    assert!(std::fs::read(back).unwrap() == file, "deskhand read different bytes");
    let image = json!({"width": 1600, "height": 1200, "first": [255, 0, 0], "last": [0, 0, 255]});
    for (fixture, command) in [("qt6_clipboard.py", "look"), ("gtk4_clipboard.py", "texture")] {
        let mut program = stage.start_unread(App::Fixture(fixture, &[]));
        program.write_line(&json!({"do": command}).to_string());
        let line =
            program.next_line(std::time::Duration::from_secs(30)).expect("the program answers");
        let content: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(*content.get("image").unwrap_or(&content), image, "{fixture}");
    }
    assert_eq!(read(&stage, "image")["from"], "deskhand");
}
