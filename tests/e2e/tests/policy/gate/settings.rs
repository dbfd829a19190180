//! Settings as a person makes them: by flag, variable and file, told where they come from, and
//! handed on to private desktops.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use harness::{Outcome, Stage, outcome};
use serde_json::{Value, json};

/// A person without a display, whose folders are here.
struct Person(tempfile::TempDir);

impl Person {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("dh").tempdir().unwrap())
    }

    fn folder(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn writes(&self, file: &str, text: &str) -> std::path::PathBuf {
        let path = self.folder("config").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn command(&self, words: &[&str], set: &[(&str, &str)]) -> Command {
        let mut command = Command::new(outcome::binary());
        command.args(words).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        for name in ["config", "data", "state", "cache", "runtime"] {
            let variable = format!("DESKHAND_{}_DIR", name.to_uppercase());
            command.env(variable, self.folder(name));
        }
        command.env("DESKHAND_DESKTOPS", self.folder("s")).envs(set.iter().copied());
        command
    }

    fn runs(&self, words: &[&str], set: &[(&str, &str)]) -> Outcome {
        Outcome::of(&mut self.command(words, set))
    }

    /// What `config show` says of a key: its value and where it comes from.
    fn has(&self, words: &[&str], set: &[(&str, &str)], key: &str) -> (Value, String) {
        let line = [&["config", "show", "--format", "json"], words].concat();
        found(&self.runs(&line, set).json(), key)
    }
}

fn found(shown: &Value, key: &str) -> (Value, String) {
    let rows = shown["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    (row["value"].clone(), row["source"].as_str().unwrap().to_owned())
}

#[test]
fn each_value_is_told_with_its_source_and_the_stronger_one_holds() {
    let person = Person::new();
    let key = "server.security_mode";
    assert_eq!(person.has(&[], &[], key), (json!("normal"), "default".to_owned()));
    let file = person.writes("config.toml", "[server]\n\nsecurity_mode = \"safe\"\n");
    let line = format!("{}:3", file.display());
    assert_eq!(person.has(&[], &[], key), (json!("safe"), line));
    let alias = ("AXTERMINATOR_SECURITY_MODE", "sandboxed");
    assert_eq!(person.has(&[], &[alias], key), (json!("sandboxed"), alias.0.to_owned()));
    let own = ("DESKHAND_SECURITY_MODE", "normal");
    assert_eq!(person.has(&[], &[alias, own], key), (json!("normal"), own.0.to_owned()));
    let flag = ["--security-mode", "safe"];
    let from_flag = (json!("safe"), "--security-mode".to_owned());
    assert_eq!(person.has(&flag, &[alias, own], key), from_flag);
    let at = person.has(&["--http", "127.0.0.1:9"], &[], "http.address");
    assert_eq!(at, (json!("127.0.0.1:9"), "--http".to_owned()));
    let (folder, from) = person.has(&[], &[], "folders.config");
    assert_eq!(folder, json!(person.folder("config")));
    assert_eq!(from, "DESKHAND_CONFIG_DIR");
}

#[test]
fn what_is_shown_is_what_holds() {
    let person = Person::new();
    person.writes("config.toml", "[server]\nsecurity_mode = \"sandboxed\"\n");
    let count = |words: &[&str], set: &[(&str, &str)]| {
        let line = [&["mcp", "tools", "--format", "json"], words].concat();
        person.runs(&line, set).json().as_array().unwrap().len()
    };
    let sandboxed = count(&[], &[]);
    let all = count(&[], &[("DESKHAND_SECURITY_MODE", "normal")]);
    assert!(sandboxed < all, "{sandboxed} of {all}");
    let read_only = [("DESKHAND_SECURITY_MODE", "normal"), ("ACCESSIBILITY_MCP_READ_ONLY", "1")];
    assert!((sandboxed..all).contains(&count(&[], &read_only)));
    assert_eq!(count(&["--security-mode", "normal"], &[]), all);
}

#[test]
fn a_secret_is_shown_as_set_and_never_read_from_a_file() {
    let person = Person::new();
    let secret = "correct-horse-battery";
    let shown = person.runs(&["config", "show"], &[("MCP_API_KEY", secret)]);
    assert!(shown.text().contains("MCP_API_KEY") && !shown.text().contains(secret), "{shown}");
    let has = person.has(&[], &[("MCP_API_KEY", secret)], "http.token");
    assert_eq!(has, (json!("set"), "MCP_API_KEY".to_owned()));
    let file = person.writes("config.toml", &format!("[http]\ntoken = \"{secret}\"\n"));
    let refused = person.runs(&["config", "show", "--format", "json"], &[]);
    let error = refused.expect_error("config_invalid");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("{}:2:1: ", file.display())), "{message}");
    assert!(error["hint"].as_str().unwrap().contains("DESKHAND_HTTP_TOKEN"), "{error}");
    assert!(!refused.stderr.contains(secret), "{refused}");
}

#[test]
fn a_bad_file_is_refused_by_name_and_line_wherever_it_would_hold() {
    let stage = Stage::new();
    let file = stage.info().folders.config.join("config.toml");
    for (text, place) in [
        ("[server]\nsecurty_mode = \"safe\"\n", "2:1: "),
        ("[rate_limits]\nrps = \"many\"\n", "2:7: "),
        ("[server\n", "1:8: "),
    ] {
        stage.settings(text);
        for words in [&["windows"][..], &["mcp", "serve"], &["mcp", "tools"], &["config", "show"]] {
            let outcome = stage.deskhand(&[words, &["--format", "json"]].concat());
            let error = outcome.expect_error("config_invalid");
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("{}:{place}", file.display())), "{message}");
        }
        // These must work when nothing else does.
        for words in [&["--version"][..], &["desktop", "list"], &["completions", "bash"]] {
            stage.deskhand(words).expect_ok();
        }
    }
    let shown = stage.deskhand(&["config", "show"]);
    assert_eq!(shown.code, Some(1), "{shown}");
    assert!(shown.text().contains("server.security_mode"), "what holds without it: {shown}");
    stage.settings("");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    stage.deskhand(&["windows", "--format", "json"]).expect_error("config_unsafe");
    fs::remove_file(&file).unwrap();
    stage.deskhand(&["windows", "--format", "json"]).expect_ok();
    let bad = Outcome::of(
        stage
            .command(outcome::binary())
            .args(["windows", "--format", "json"])
            .env("AXTERMINATOR_RATE_LIMIT_RPS", "lots"),
    );
    let error = bad.expect_error("invalid_parameter");
    assert!(error["message"].as_str().unwrap().contains("AXTERMINATOR_RATE_LIMIT_RPS=lots"));
}

#[test]
fn on_a_private_desktop_the_settings_of_its_person_hold() {
    let person = Person::new();
    let file = person.writes("config.toml", "[rate_limits]\nrps = 7\n");
    let binary = outcome::binary().display().to_string();
    let inside = ["desktop", "run", "--", &binary, "config", "show", "--format", "json"];
    let set = [("ACCESSIBILITY_MCP_READ_ONLY", "yes"), ("DESKHAND_HTTP_TOKEN", "a-long-secret")];
    let shown = person.runs(&inside, &set).json();
    assert_eq!(found(&shown, "rate_limits.rps"), (json!(7), format!("{}:2", file.display())));
    let from_outside = (json!(true), "ACCESSIBILITY_MCP_READ_ONLY".to_owned());
    assert_eq!(found(&shown, "server.read_only"), from_outside);
    assert_eq!(found(&shown, "http.token").0, Value::Null, "secrets stay outside");
    for folder in ["config", "data", "state", "runtime"] {
        let (path, _) = found(&shown, &format!("folders.{folder}"));
        assert_eq!(path, json!(person.folder(folder)));
    }
}

#[test]
fn the_desktop_a_command_starts_for_itself_is_bound_by_them_too() {
    let person = Person::new();
    let write = ["clipboard", "write", "x", "--format", "json"];
    let refused = person.runs(&write, &[("DESKHAND_READ_ONLY", "1")]);
    assert!(refused.error()["message"].as_str().unwrap().contains("read-only"), "{refused}");
    person.runs(&write, &[]).expect_ok();
    let log = fs::read_to_string(person.folder("data").join("audit.jsonl")).unwrap();
    assert!(log.contains("clipboard"), "{log}");
    person.writes("config.toml", "[server]\nsecurity_mode = 1\n");
    person.runs(&write, &[]).expect_error("config_invalid");
}

#[test]
fn a_program_an_agent_starts_does_not_get_the_token() {
    let stage = Stage::new();
    let names = ["DESKHAND_HTTP_TOKEN", "AXTERMINATOR_HTTP_TOKEN", "MCP_API_KEY"];
    let mut open = stage.command(outcome::binary());
    open.args(["open", "mousepad", "--format", "json", "--timeout", "60"]);
    open.envs(names.map(|name| (name, "correct-horse-battery"))).env("KEPT", "kept-horse");
    let opened = Outcome::of(&mut open).json();
    let environ = fs::read(format!("/proc/{}/environ", opened["pid"])).unwrap();
    let environ = String::from_utf8_lossy(&environ);
    assert!(environ.contains("kept-horse") && !environ.contains("correct-horse"), "{environ}");
}

#[test]
fn what_a_test_does_stays_in_the_folders_of_its_stage() {
    let stage = Stage::new();
    stage.deskhand(&["clipboard", "write", "x"]).expect_ok();
    let folders = &stage.info().folders;
    assert!(folders.data.join("audit.jsonl").exists());
    for folder in [&folders.config, &folders.data, &folders.state, &folders.runtime] {
        assert!(folder.starts_with(stage.info().home.parent().unwrap()), "{folder:?}");
    }
}

#[test]
fn approvals_by_hand_are_listed_with_their_end_and_only_from_a_safe_file() {
    let person = Person::new();
    let list = || person.runs(&["approvals", "list", "--format", "json"], &[]);
    assert_eq!(list().json(), json!([]));
    let text = "[[approval]]\napp = \"/usr/bin/mousepad\"\ntool = \"ax_click\"\n\
                expires = 2099-01-01\n\
                [[approval]]\napp = \"*\"\ntool = \"ax_scroll\"\nexpires = 2001-01-01\n";
    let file = person.writes("approvals.toml", text);
    let held = list().json();
    let one = json!([{
        "app": "/usr/bin/mousepad",
        "tool": "ax_click",
        "expires": "2099-01-01T00:00:00Z",
        "origin": "by_hand",
    }]);
    assert_eq!(held, one);
    assert!(person.runs(&["approvals", "list"], &[]).text().contains("/usr/bin/mousepad"));
    let gone = person.runs(&["approvals", "revoke", "--all", "--format", "json"], &[]).json();
    assert_eq!(gone, json!({ "revoked": [] }));
    assert_eq!(list().json(), one, "the file by hand is the person's to edit");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let error = list().expect_error("approvals_unsafe");
    assert!(error["hint"].as_str().unwrap().contains("chmod 600"));
    person.writes("approvals.toml", "[[approval]]\napp = \"a\"\n");
    let error = list().expect_error("approvals_invalid");
    assert!(
        error["message"].as_str().unwrap().contains("approvals.toml:1:1: missing field `tool`")
    );
    assert!(Path::new(&file).exists());
}
