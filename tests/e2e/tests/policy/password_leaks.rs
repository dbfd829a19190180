//! A password typed into fields of every toolkit over stdio, HTTP and the command line appears in
//! no reply, log, file or screenshot.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use harness::{App, Program, TestDesktop, Tree};
use serde_json::json;

use crate::recording_clients::{HttpClient, StdioClient};

/// The initial value of the password fields.
const PRESET: &str = "hunter2-secret";

/// A program with password fields, and the titles of the fields.
type Fields = (App, &'static [&'static str]);

/// A random word of letters and digits, which every keyboard layout can type.
fn random_secret(prefix: &str) -> String {
    let random: String = (0..14).map(|_| fastrand::alphanumeric()).collect();
    format!("{prefix}{random}")
}

/// All encodings in which a secret could appear: plain, reversed, base64, UTF-16 and hexadecimal.
fn encodings(secret: &str) -> Vec<Vec<u8>> {
    let mut all = vec![secret.as_bytes().to_vec()];
    all.push(secret.chars().rev().collect::<String>().into_bytes());
    for shift in 0..3 {
        let padded = format!("{}{secret}", "x".repeat(shift));
        let encoded = STANDARD.encode(padded);
        // The first and last base64 characters depend on the surrounding bytes.
        all.push(encoded.as_bytes()[4..encoded.len() - 4].to_vec());
    }
    all.push(secret.encode_utf16().flat_map(u16::to_le_bytes).collect());
    all.push(secret.encode_utf16().flat_map(u16::to_be_bytes).collect());
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    all.push(hex.to_uppercase().into_bytes());
    all.push(hex.into_bytes());
    all
}

/// Number of occurrences of any encoding of a secret.
fn count_occurrences(bytes: &[u8], secret: &str) -> usize {
    let count = |wanted: &Vec<u8>| memchr::memmem::find_iter(bytes, wanted).count();
    encodings(secret).iter().map(count).sum()
}

fn assert_absent(source: &str, bytes: &[u8], secrets: &[String]) {
    for secret in secrets {
        let hits = count_occurrences(bytes, secret);
        let at = memchr::memmem::find(bytes, secret.as_bytes()).unwrap_or_default();
        let around = &bytes[at.saturating_sub(120)..(at + 120).min(bytes.len())];
        assert_eq!(hits, 0, "{source} contains {secret}: {}", String::from_utf8_lossy(around));
    }
}

/// All files below a folder, except the profiles of the apps themselves.
fn list_files(folder: &Path) -> Vec<PathBuf> {
    const APP_PROFILES: [&str; 3] = ["chromium", "firefox", ".java"];
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !APP_PROFILES.iter().any(|known| name == *known) {
            all.extend(list_files(&path));
        } else if kind.is_file() {
            all.push(path);
        }
    }
    all
}

/// Reads the text in an image with `tesseract`.
fn ocr(file: &Path) -> String {
    let run = Command::new("tesseract").arg(file).args(["-", "--psm", "11"]).output();
    let run = run.unwrap_or_else(|error| panic!("tesseract: {error}"));
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).replace([' ', '\n'], "")
}

fn start_all(stage: &TestDesktop, programs: &[Fields]) -> Vec<(Program, &'static [&'static str])> {
    let started: Vec<_> =
        programs.iter().map(|(app, fields)| (stage.start_unread(*app), *fields)).collect();
    for (program, fields) in &started {
        let has_fields = |tree: &Tree| {
            let passwords = tree.elements.iter().filter(|one| one.kind == "password");
            passwords.map(|one| one.reference.as_str()).collect::<HashSet<_>>().len()
                >= fields.len()
        };
        stage.until(program, "password fields", has_fields);
    }
    started
}

/// Types passwords into the fields through every interface, reads them with every tool, and
/// searches all output.
fn check_no_leaks(programs: &[Fields]) {
    let stage = TestDesktop::new();
    let programs = start_all(&stage, programs);
    let mut stdio = StdioClient::start(&stage);
    stdio.request("logging/setLevel", &json!({ "level": "debug" }));
    let mut http = HttpClient::start(&stage);
    let secrets = [random_secret("w"), random_secret("h"), random_secret("c"), PRESET.to_owned()];
    let [stdio_secret, http_secret, cli_secret, _] = &secrets;
    let folder = stage.info().home.join("canary");
    fs::create_dir_all(&folder).unwrap();
    let mut cli_output: Vec<u8> = Vec::new();
    let mut screenshots = Vec::new();
    for (program, fields) in &programs {
        let pid = program.pid_text();
        for view in ["tree", "state", "events"] {
            stdio.request(
                "resources/subscribe",
                &json!({ "uri": format!("deskhand://app/{pid}/{view}") }),
            );
        }
        for field in *fields {
            let typed =
                stdio.tool("ax_type", &json!({ "app": pid, "query": field, "text": stdio_secret }));
            let typed = &typed["result"]["structuredContent"];
            let sent = !matches!(typed["effect"].as_str(), None | Some("no_effect" | "refused"));
            assert!(sent, "{pid} {field}: {typed}");
            if Some(field) == fields.first() {
                let by_keys =
                    json!({ "app": pid, "query": field, "text": stdio_secret, "mode": "focus" });
                let typed = stdio.tool("ax_type", &by_keys);
                assert_eq!(typed["result"]["isError"], false, "{pid} {field}: {typed}");
            }
            http.tool("ax_type", &json!({ "app": pid, "query": field, "text": http_secret }));
            let outcome = stage.deskhand(&["type", cli_secret, "--into", field, "--app", &pid]);
            cli_output.extend(outcome.stdout);
            cli_output.extend(outcome.stderr.as_bytes());
            for (tool, arguments) in [
                ("ax_get_value", json!({ "app": pid, "query": field })),
                ("ax_get_attributes", json!({ "app": pid, "query": field })),
                ("ax_find", json!({ "app": pid, "query": field })),
                ("ax_find", json!({ "app": pid, "query": stdio_secret })),
            ] {
                let answer = if arguments["query"] == *stdio_secret {
                    // The reply may repeat the query.
                    let answer = stdio.tool(tool, &arguments).to_string();
                    stdio.forget_last();
                    answer.replace(stdio_secret, "")
                } else {
                    stdio.tool(tool, &arguments).to_string()
                };
                assert_absent(tool, answer.as_bytes(), &secrets);
            }
        }
        stdio.tool(
            "ax_get_tree",
            &json!({ "app": pid, "include_invisible": true, "max_depth": 100 }),
        );
        for view in ["tree", "state", "events"] {
            stdio.request(
                "resources/read",
                &json!({ "uri": format!("deskhand://app/{pid}/{view}") }),
            );
        }
        for format in ["text", "json"] {
            let all = ["tree", "--hidden", "--app", &pid, "--format", format, "--max-tokens", "0"];
            cli_output.extend(stage.deskhand(&all).stdout);
        }
        let screenshot = folder.join(format!("{pid}.png"));
        let to = screenshot.display().to_string();
        stage.deskhand(&["screenshot", "--app", &pid, "--full", "--output", &to]).expect_ok();
        screenshots.push(screenshot);
    }
    assert_absent("the command line", &cli_output, &secrets);
    assert_absent("standard output", &stdio.output(), &secrets);
    assert_absent("standard error", &stdio.stderr(), &secrets);
    assert_absent("HTTP", &http.output(), &secrets);
    assert_absent("/metrics", http.get("/metrics").as_bytes(), &secrets);
    for screenshot in &screenshots {
        assert_absent("a screenshot", ocr(screenshot).as_bytes(), &secrets);
    }
    let info = stage.info();
    let folders = &info.folders;
    let written = [&info.home, &info.runtime_dir, &info.state_dir, &folders.data, &folders.state];
    let mut has_audit_log = false;
    for file in written.into_iter().chain([&folders.runtime]).flat_map(|folder| list_files(folder))
    {
        has_audit_log |= file.ends_with("audit.jsonl");
        let bytes = fs::read(&file).unwrap_or_default();
        assert_absent(&file.display().to_string(), &bytes, &secrets);
    }
    assert!(has_audit_log, "no audit log was written");
}

#[test]
fn gtk_passwords_do_not_leak() {
    check_no_leaks(&[
        (App::Fixture("gtk3_passwords.py", &[]), &["Password", "Hidden entry"]),
        (App::Fixture("gtk4_passwords.py", &[]), &["Password", "Hidden entry"]),
    ]);
}

#[test]
fn qt_and_swing_passwords_do_not_leak() {
    check_no_leaks(&[
        (App::Fixture("qt_passwords.py", &["5"]), &["Password", "Hidden entry"]),
        (App::Fixture("qt_passwords.py", &["6"]), &["Password", "Hidden entry"]),
        (App::SwingForm, &["Password"]),
    ]);
}

#[test]
fn chromium_password_does_not_leak() {
    check_no_leaks(&[(App::Chromium("form.html"), &["Password"])]);
}

#[test]
fn firefox_password_does_not_leak() {
    check_no_leaks(&[(App::Firefox("form.html"), &["Password"])]);
}

/// A Qt field that shows its text on request remains a password field.
#[test]
fn password_made_visible_in_the_app_stays_secret() {
    let stage = TestDesktop::new();
    let secret = PRESET.to_owned();
    for version in [&["5"], &["6"]] {
        let program = stage.start_unread(App::Fixture("qt_passwords.py", version));
        let pid = program.pid_text();
        let mut stdio = StdioClient::start(&stage);
        let tree_args = json!({ "app": pid, "include_invisible": true });
        let before = stdio.tool("ax_get_tree", &tree_args).to_string();
        assert_eq!(before.matches("(secret)").count(), 4, "{before}");
        let shown =
            stdio.tool("ax_click", &json!({ "app": pid, "query": "role:checkbox title:Show" }));
        assert_eq!(shown["result"]["isError"], false, "{shown}");
        let screenshot = stage.info().home.join(format!("truth-{}.png", version[0]));
        let larger = ["-window", "root", "-resize", "300%"];
        let shot = stage.command("import").args(larger).arg(&screenshot).status();
        assert!(shot.unwrap().success());
        assert!(ocr(&screenshot).contains("hunter2"), "the password is not visible on the screen");
        stdio.tool("ax_get_tree", &tree_args);
        for field in ["Password", "Hidden entry"] {
            stdio.tool("ax_get_value", &json!({ "app": pid, "query": field }));
            stdio.tool("ax_type", &json!({ "app": pid, "query": field, "text": "x" }));
        }
        let own_image = stage.info().home.join(format!("own-{}.png", version[0]));
        let captured = stdio.tool("ax_screenshot", &json!({ "app": pid }));
        let data = captured["result"]["content"][0]["data"]
            .as_str()
            .unwrap_or_else(|| panic!("{captured}"));
        fs::write(&own_image, STANDARD.decode(data).unwrap()).unwrap();
        assert!(!ocr(&own_image).contains("hunter2"), "the screenshot shows the password");
        assert_absent("standard output", &stdio.output(), std::slice::from_ref(&secret));
    }
}
