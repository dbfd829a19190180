//! Every format is exchanged with xclip, xsel, Qt and GTK 4 in both directions.

use harness::{App, Program, TestDesktop};
use serde_json::{Value, json};

use crate::{WORDS, feed, read, until, write, write_image, xclip, xclip_copy};

fn send(program: &mut Program, command: &Value) -> Value {
    program.write_line(&command.to_string());
    let line = program.next_line(std::time::Duration::from_secs(20)).expect("the program answers");
    serde_json::from_str(&line).unwrap()
}

#[test]
fn written_text_is_read_by_xclip_and_xsel_under_every_text_target() {
    let stage = TestDesktop::new();
    write(&stage, &[WORDS]);
    for target in ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain"] {
        assert_eq!(String::from_utf8(xclip(&stage, target)).unwrap(), WORDS, "{target}");
    }
    let xsel = stage.command("xsel").args(["-b", "-o"]).output().expect("xsel is installed");
    assert_eq!(String::from_utf8(xsel.stdout).unwrap(), WORDS);
    let targets = String::from_utf8(xclip(&stage, "TARGETS")).unwrap();
    assert!(
        !targets.lines().any(|name| name == "STRING"),
        "STRING is offered for text outside Latin-1: {targets}"
    );
    write(&stage, &["Grün"]);
    assert_eq!(xclip(&stage, "STRING"), b"Gr\xfcn");
    assert_eq!(xclip(&stage, "COMPOUND_TEXT"), b"Gr\xfcn");
}

#[test]
fn text_of_xclip_and_xsel_is_read_in_every_encoding() {
    let stage = TestDesktop::new();
    xclip_copy(&stage, "UTF8_STRING", WORDS.as_bytes());
    assert_eq!(read(&stage, "text")["text"], WORDS);
    xclip_copy(&stage, "STRING", b"Gr\xfcn");
    assert_eq!(read(&stage, "text")["text"], "Grün");
    xclip_copy(&stage, "COMPOUND_TEXT", b"\x1b$(B\x46\x7c\x4b\x5c");
    assert_eq!(read(&stage, "text")["text"], "日本");
    feed(stage.command("xsel").args(["-b", "-i"]), WORDS.as_bytes());
    // xsel takes the selection only after its command has returned.
    until("the copy of xsel", || (read(&stage, "text")["text"] == WORDS).then_some(()));
    xclip_copy(&stage, "x-special/gnome-copied-files", b"copy\nfile:///etc/a%20b");
    assert_eq!(read(&stage, "files")["files"], json!(["/etc/a b"]));
    xclip_copy(&stage, "_NETSCAPE_URL", b"https://example.org/\nA title");
    assert_eq!(read(&stage, "url")["text"], "https://example.org/\nA title");
    xclip_copy(&stage, "application/rtf", br"{\rtf1 hello}");
    assert_eq!(read(&stage, "rtf")["text"], r"{\rtf1 hello}");
    xclip_copy(&stage, "image/bmp", b"BM and more");
    let bitmap = read(&stage, "image");
    assert_eq!((&bitmap["form"], &bitmap["bytes"]), (&json!("image/bmp"), &json!(11)));
}

#[test]
fn missing_format_error_lists_available_formats() {
    let stage = TestDesktop::new();
    let empty = stage.deskhand(&["clipboard", "read", "--format", "json"]);
    empty.expect_error("empty");
    write(&stage, &["--html", "<b>bold</b>"]);
    let missing = ["clipboard", "read", "--form", "image", "--format", "json"];
    let error = stage.deskhand(&missing).expect_error("no_form");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("text/html") && hint.contains("text/plain"), "{error}");
    let empty_write = stage.deskhand(&["clipboard", "write", "--format", "json"]);
    empty_write.expect_error("invalid_parameter");
}

#[test]
fn qt_reads_and_writes_every_format() {
    let stage = TestDesktop::new();
    let mut qt = stage.start_unread(App::Fixture("qt6_clipboard.py", &[]));
    let path = stage.info().home.join("a picture.png");
    write_image(&path, 40, 30);
    let path = path.to_str().unwrap();
    let files = format!("{path},/etc/passwd");
    let html = "<p>Grüße &amp; <b>日本</b></p>";
    let rtf = r"{\rtf1 Gr\'fc\'dfe}";
    let all = ["--html", html, "--rtf", rtf, "--image", path, "--files", &files];
    write(&stage, &all);
    let content = send(&mut qt, &json!({"do": "look"}));
    assert_eq!(content["text"], "Grüße & 日本", "{content}");
    assert_eq!(content["html"], html, "{content}");
    assert_eq!(content["rtf"], rtf, "{content}");
    let uri = format!("file://{path}");
    assert_eq!(content["urls"], json!([uri, "file:///etc/passwd"]), "{content}");
    let image = json!({"width": 40, "height": 30, "first": [255, 0, 0], "last": [0, 0, 255]});
    assert_eq!(content["image"], image, "{content}");
    write(&stage, &["--url", "https://example.org/ä"]);
    let content = send(&mut qt, &json!({"do": "look"}));
    assert_eq!(content["urls"], json!(["https://example.org/ä"]), "{content}");

    let copied = json!({"do": "set", "text": WORDS, "html": html, "urls": [uri], "image": [7, 5]});
    send(&mut qt, &copied);
    until("Qt's copy", || (read(&stage, "text")["text"] == WORDS).then_some(()));
    assert_eq!(read(&stage, "html")["text"], html);
    assert_eq!(read(&stage, "files")["files"], json!([path]));
    assert!(read(&stage, "image")["summary"].as_str().unwrap().starts_with("7x5 pixels"));
}

#[test]
fn gtk4_reads_every_format_and_writes_text_and_html() {
    let stage = TestDesktop::new();
    let mut gtk = stage.start_unread(App::Fixture("gtk4_clipboard.py", &[]));
    let path = stage.info().home.join("picture.png");
    write_image(&path, 40, 30);
    let path = path.to_str().unwrap();
    write(&stage, &[WORDS, "--html", "<b>日本</b>", "--image", path, "--files", path]);
    until("the new formats in GTK", || {
        let formats = send(&mut gtk, &json!({"do": "formats"}));
        formats.as_array()?.contains(&json!("text/html")).then_some(())
    });
    assert_eq!(send(&mut gtk, &json!({"do": "text"})), WORDS);
    assert_eq!(send(&mut gtk, &json!({"do": "files"})), json!([path]));
    let image = json!({"width": 40, "height": 30, "first": [255, 0, 0], "last": [0, 0, 255]});
    assert_eq!(send(&mut gtk, &json!({"do": "texture"})), image);
    let html = send(&mut gtk, &json!({"do": "bytes", "form": "text/html"}));
    assert_eq!(html["length"], "<b>日本</b>".len(), "{html}");

    send(&mut gtk, &json!({"do": "set", "text": "from GTK 4: ü 🙂"}));
    until("GTK's copy", || (read(&stage, "text")["text"] == "from GTK 4: ü 🙂").then_some(()));
    send(&mut gtk, &json!({"do": "set", "form": "text/html", "data": "<i>kursiv</i>"}));
    until("GTK's markup", || {
        let copied = stage.deskhand(&["clipboard", "read", "--form", "html", "--format", "json"]);
        (copied.code == Some(0) && copied.json()["text"] == "<i>kursiv</i>").then_some(())
    });
}

#[test]
fn primary_selection_is_separate() {
    let stage = TestDesktop::new();
    write(&stage, &["copied"]);
    write(&stage, &["selected", "--selection", "primary"]);
    let output = stage.command("xclip").args(["-selection", "primary", "-o"]).output().unwrap();
    assert_eq!(output.stdout, b"selected");
    assert_eq!(xclip(&stage, "UTF8_STRING"), b"copied");
    feed(stage.command("xclip").args(["-selection", "primary", "-i"]), b"by hand");
    let read = ["clipboard", "read", "--selection", "primary", "--format", "json"];
    assert_eq!(stage.deskhand(&read).json()["text"], "by hand");
}
