//! A password typed into fields of every toolkit, through every door, is in nothing that was written:
//! no answer, no log, no file, no picture.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use harness::{App, Program, Stage, Tree};
use serde_json::json;

use crate::gate::wire::{Web, Wire};

/// What the fields hold at first.
const PRESET: &str = "hunter2-secret";

/// A program with password fields, and what the fields are called.
type Fields = (App, &'static [&'static str]);

/// A word nobody has used before; letters and digits, so that every keyboard has them.
fn canary(door: &str) -> String {
    let chance: String = (0..14).map(|_| fastrand::alphanumeric()).collect();
    format!("{door}{chance}")
}

/// Every way a secret could be written.
fn spellings(secret: &str) -> Vec<Vec<u8>> {
    let mut all = vec![secret.as_bytes().to_vec()];
    all.push(secret.chars().rev().collect::<String>().into_bytes());
    for shift in 0..3 {
        let padded = format!("{}{secret}", "x".repeat(shift));
        let coded = STANDARD.encode(padded);
        // The letters at both ends depend on what stands around.
        all.push(coded.as_bytes()[4..coded.len() - 4].to_vec());
    }
    all.push(secret.encode_utf16().flat_map(u16::to_le_bytes).collect());
    all.push(secret.encode_utf16().flat_map(u16::to_be_bytes).collect());
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    all.push(hex.to_uppercase().into_bytes());
    all.push(hex.into_bytes());
    all
}

/// How often any spelling of a secret occurs.
fn found(bytes: &[u8], secret: &str) -> usize {
    let finds = |wanted: &Vec<u8>| memchr::memmem::find_iter(bytes, wanted).count();
    spellings(secret).iter().map(finds).sum()
}

fn assert_clean(what: &str, bytes: &[u8], secrets: &[String]) {
    for secret in secrets {
        let hits = found(bytes, secret);
        let at = memchr::memmem::find(bytes, secret.as_bytes()).unwrap_or_default();
        let around = &bytes[at.saturating_sub(120)..(at + 120).min(bytes.len())];
        assert_eq!(hits, 0, "{what} has {secret}: {}", String::from_utf8_lossy(around));
    }
}

/// All files below a folder, but for those of the programs themselves.
fn files(folder: &Path) -> Vec<PathBuf> {
    const OF_PROGRAMS: [&str; 3] = ["chromium", "firefox", ".java"];
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !OF_PROGRAMS.iter().any(|known| name == *known) {
            all.extend(files(&path));
        } else if kind.is_file() {
            all.push(path);
        }
    }
    all
}

/// The words a picture shows.
fn read_picture(file: &Path) -> String {
    let run = Command::new("tesseract").arg(file).args(["-", "--psm", "11"]).output();
    let run = run.unwrap_or_else(|error| panic!("tesseract: {error}"));
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).replace([' ', '\n'], "")
}

fn start(stage: &Stage, programs: &[Fields]) -> Vec<(Program, &'static [&'static str])> {
    let started: Vec<_> =
        programs.iter().map(|(app, fields)| (stage.start_unseen(*app), *fields)).collect();
    for (program, fields) in &started {
        let there = |tree: &Tree| {
            let passwords = tree.elements.iter().filter(|one| one.kind == "password");
            passwords.map(|one| one.reference.as_str()).collect::<HashSet<_>>().len()
                >= fields.len()
        };
        stage.until(program, "password fields", there);
    }
    started
}

/// Types passwords into fields through every door, looks at them in every way, and searches all that
/// was written.
fn kept(programs: &[Fields]) {
    let stage = Stage::new();
    let programs = start(&stage, programs);
    let mut wire = Wire::start(&stage);
    wire.request("logging/setLevel", &json!({ "level": "debug" }));
    let mut web = Web::start(&stage);
    let secrets = [canary("w"), canary("h"), canary("c"), PRESET.to_owned()];
    let [by_wire, by_web, by_command, _] = &secrets;
    let folder = stage.info().home.join("canary");
    fs::create_dir_all(&folder).unwrap();
    let mut told: Vec<u8> = Vec::new();
    let mut pictures = Vec::new();
    for (program, fields) in &programs {
        let pid = program.pid_text();
        for view in ["tree", "state", "events"] {
            wire.request(
                "resources/subscribe",
                &json!({ "uri": format!("deskhand://app/{pid}/{view}") }),
            );
        }
        for field in *fields {
            let typed =
                wire.tool("ax_type", &json!({ "app": pid, "query": field, "text": by_wire }));
            let typed = &typed["result"]["structuredContent"];
            let sent = !matches!(typed["effect"].as_str(), None | Some("no_effect" | "refused"));
            assert!(sent, "{pid} {field}: {typed}");
            if Some(field) == fields.first() {
                let by_keys =
                    json!({ "app": pid, "query": field, "text": by_wire, "mode": "focus" });
                let typed = wire.tool("ax_type", &by_keys);
                assert_eq!(typed["result"]["isError"], false, "{pid} {field}: {typed}");
            }
            web.tool("ax_type", &json!({ "app": pid, "query": field, "text": by_web }));
            let outcome = stage.deskhand(&["type", by_command, "--into", field, "--app", &pid]);
            told.extend(outcome.stdout);
            told.extend(outcome.stderr.as_bytes());
            for (tool, arguments) in [
                ("ax_get_value", json!({ "app": pid, "query": field })),
                ("ax_get_attributes", json!({ "app": pid, "query": field })),
                ("ax_find", json!({ "app": pid, "query": field })),
                ("ax_find", json!({ "app": pid, "query": by_wire })),
            ] {
                let answer = if arguments["query"] == *by_wire {
                    // The answer to a question may repeat it.
                    let answer = wire.tool(tool, &arguments).to_string();
                    wire.forget_last();
                    answer.replace(by_wire, "")
                } else {
                    wire.tool(tool, &arguments).to_string()
                };
                assert_clean(tool, answer.as_bytes(), &secrets);
            }
        }
        wire.tool(
            "ax_get_tree",
            &json!({ "app": pid, "include_invisible": true, "max_depth": 100 }),
        );
        for view in ["tree", "state", "events"] {
            wire.request(
                "resources/read",
                &json!({ "uri": format!("deskhand://app/{pid}/{view}") }),
            );
        }
        for form in ["text", "json"] {
            let all = ["tree", "--hidden", "--app", &pid, "--format", form, "--max-tokens", "0"];
            told.extend(stage.deskhand(&all).stdout);
        }
        let picture = folder.join(format!("{pid}.png"));
        let to = picture.display().to_string();
        stage.deskhand(&["screenshot", "--app", &pid, "--full", "--output", &to]).expect_ok();
        pictures.push(picture);
    }
    assert_clean("the command line", &told, &secrets);
    assert_clean("standard output", &wire.heard(), &secrets);
    assert_clean("standard error", &wire.errors(), &secrets);
    assert_clean("HTTP", &web.heard(), &secrets);
    assert_clean("/metrics", web.get("/metrics").as_bytes(), &secrets);
    for picture in &pictures {
        assert_clean("a picture", read_picture(picture).as_bytes(), &secrets);
    }
    let info = stage.info();
    let folders = &info.folders;
    let written = [&info.home, &info.runtime_dir, &info.state_dir, &folders.data, &folders.state];
    let mut logged = false;
    for file in written.into_iter().chain([&folders.runtime]).flat_map(|folder| files(folder)) {
        logged |= file.ends_with("audit.jsonl");
        let bytes = fs::read(&file).unwrap_or_default();
        assert_clean(&file.display().to_string(), &bytes, &secrets);
    }
    assert!(logged, "there is an audit log");
}

#[test]
fn gtk() {
    kept(&[
        (App::Fixture("gtk3_passwords.py", &[]), &["Password", "Hidden entry"]),
        (App::Fixture("gtk4_passwords.py", &[]), &["Password", "Hidden entry"]),
    ]);
}

#[test]
fn qt_and_swing() {
    kept(&[
        (App::Fixture("qt_passwords.py", &["5"]), &["Password", "Hidden entry"]),
        (App::Fixture("qt_passwords.py", &["6"]), &["Password", "Hidden entry"]),
        (App::SwingForm, &["Password"]),
    ]);
}

#[test]
fn chromium() {
    kept(&[(App::Chromium("form.html"), &["Password"])]);
}

#[test]
fn firefox() {
    kept(&[(App::Firefox("form.html"), &["Password"])]);
}

/// A field that shows what was typed, because somebody asked it to, is still a password field.
#[test]
fn a_password_that_is_shown_to_the_person_is_shown_to_nobody_else() {
    let stage = Stage::new();
    let secret = PRESET.to_owned();
    for version in [&["5"], &["6"]] {
        let program = stage.start_unseen(App::Fixture("qt_passwords.py", version));
        let pid = program.pid_text();
        let mut wire = Wire::start(&stage);
        let look = json!({ "app": pid, "include_invisible": true });
        let before = wire.tool("ax_get_tree", &look).to_string();
        assert_eq!(before.matches("(secret)").count(), 4, "{before}");
        let shown =
            wire.tool("ax_click", &json!({ "app": pid, "query": "role:checkbox title:Show" }));
        assert_eq!(shown["result"]["isError"], false, "{shown}");
        let picture = stage.info().home.join(format!("truth-{}.png", version[0]));
        let larger = ["-window", "root", "-resize", "300%"];
        let shot = stage.command("import").args(larger).arg(&picture).status();
        assert!(shot.unwrap().success());
        assert!(read_picture(&picture).contains("hunter2"), "the person sees it");
        wire.tool("ax_get_tree", &look);
        for field in ["Password", "Hidden entry"] {
            wire.tool("ax_get_value", &json!({ "app": pid, "query": field }));
            wire.tool("ax_type", &json!({ "app": pid, "query": field, "text": "x" }));
        }
        let own = stage.info().home.join(format!("own-{}.png", version[0]));
        let taken = wire.tool("ax_screenshot", &json!({ "app": pid }));
        let data =
            taken["result"]["content"][0]["data"].as_str().unwrap_or_else(|| panic!("{taken}"));
        fs::write(&own, STANDARD.decode(data).unwrap()).unwrap();
        assert!(!read_picture(&own).contains("hunter2"), "the picture shows it");
        assert_clean("standard output", &wire.heard(), std::slice::from_ref(&secret));
    }
}
