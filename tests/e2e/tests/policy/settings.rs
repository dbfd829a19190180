//! Settings from flags, variables and files: their precedence, their reported source, and their use
//! on private desktops.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use harness::{Outcome, TestDesktop, outcome};
use serde_json::{Value, json};

/// A user without a display, with temporary folders.
struct User(tempfile::TempDir);

impl User {
    fn new() -> Self {
        Self(tempfile::Builder::new().prefix("dh").tempdir().unwrap())
    }

    fn folder(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write_config(&self, file: &str, text: &str) -> std::path::PathBuf {
        let path = self.folder("config").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn command(&self, words: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(outcome::binary());
        command.args(words).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        for name in ["config", "data", "state", "cache", "runtime"] {
            let variable = format!("DESKHAND_{}_DIR", name.to_uppercase());
            command.env(variable, self.folder(name));
        }
        command.env("DESKHAND_DESKTOPS", self.folder("s")).envs(variables.iter().copied());
        command
    }

    fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Outcome {
        Outcome::of(&mut self.command(words, variables))
    }

    /// The value and the source that `config show` reports for a key.
    fn setting(&self, words: &[&str], variables: &[(&str, &str)], key: &str) -> (Value, String) {
        let line = [&["config", "show", "--format", "json"], words].concat();
        find_setting(&self.run(&line, variables).json(), key)
    }
}

fn find_setting(shown: &Value, key: &str) -> (Value, String) {
    let rows = shown["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == key).unwrap();
    (row["value"].clone(), row["source"].as_str().unwrap().to_owned())
}

#[test]
fn setting_has_a_source_and_precedence_is_respected() {
    let user = User::new();
    let key = "server.security_mode";
    assert_eq!(user.setting(&[], &[], key), (json!("normal"), "default".to_owned()));
    let file = user.write_config("config.toml", "[server]\n\nsecurity_mode = \"safe\"\n");
    let line = format!("{}:3", file.display());
    assert_eq!(user.setting(&[], &[], key), (json!("safe"), line));
    let alias = ("AXTERMINATOR_SECURITY_MODE", "sandboxed");
    assert_eq!(user.setting(&[], &[alias], key), (json!("sandboxed"), alias.0.to_owned()));
    let own_variable = ("DESKHAND_SECURITY_MODE", "normal");
    assert_eq!(
        user.setting(&[], &[alias, own_variable], key),
        (json!("normal"), own_variable.0.to_owned())
    );
    let flag = ["--security-mode", "safe"];
    let from_flag = (json!("safe"), "--security-mode".to_owned());
    assert_eq!(user.setting(&flag, &[alias, own_variable], key), from_flag);
    let at = user.setting(&["--http", "127.0.0.1:9"], &[], "http.address");
    assert_eq!(at, (json!("127.0.0.1:9"), "--http".to_owned()));
    let (folder, from) = user.setting(&[], &[], "folders.config");
    assert_eq!(folder, json!(user.folder("config")));
    assert_eq!(from, "DESKHAND_CONFIG_DIR");
}

#[test]
fn shown_settings_are_in_effect() {
    let user = User::new();
    user.write_config("config.toml", "[server]\nsecurity_mode = \"sandboxed\"\n");
    let count = |words: &[&str], variables: &[(&str, &str)]| {
        let line = [&["mcp", "tools", "--format", "json"], words].concat();
        user.run(&line, variables).json().as_array().unwrap().len()
    };
    let sandboxed = count(&[], &[]);
    let all = count(&[], &[("DESKHAND_SECURITY_MODE", "normal")]);
    assert!(sandboxed < all, "{sandboxed} of {all}");
    let read_only = [("DESKHAND_SECURITY_MODE", "normal"), ("ACCESSIBILITY_MCP_READ_ONLY", "1")];
    assert!((sandboxed..all).contains(&count(&[], &read_only)));
    assert_eq!(count(&["--security-mode", "normal"], &[]), all);
}

#[test]
fn secret_is_shown_as_set_and_refused_in_a_file() {
    let user = User::new();
    let secret = "correct-horse-battery";
    let shown = user.run(&["config", "show"], &[("MCP_API_KEY", secret)]);
    assert!(shown.text().contains("MCP_API_KEY") && !shown.text().contains(secret), "{shown}");
    let setting = user.setting(&[], &[("MCP_API_KEY", secret)], "http.token");
    assert_eq!(setting, (json!("set"), "MCP_API_KEY".to_owned()));
    let file = user.write_config("config.toml", &format!("[http]\ntoken = \"{secret}\"\n"));
    let refused = user.run(&["config", "show", "--format", "json"], &[]);
    let error = refused.expect_error("config_invalid");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("{}:2:1: ", file.display())), "{message}");
    assert!(error["hint"].as_str().unwrap().contains("DESKHAND_HTTP_TOKEN"), "{error}");
    assert!(!refused.stderr.contains(secret), "{refused}");
}

#[test]
fn invalid_file_is_refused_with_its_position_by_every_command() {
    let stage = TestDesktop::new();
    let file = stage.info().folders.config.join("config.toml");
    for (text, position) in [
        ("[server]\nsecurty_mode = \"safe\"\n", "2:1: "),
        ("[rate_limits]\nrps = \"many\"\n", "2:7: "),
        ("[server\n", "1:8: "),
    ] {
        stage.write_settings(text);
        for words in [&["windows"][..], &["mcp", "serve"], &["mcp", "tools"], &["config", "show"]] {
            let outcome = stage.deskhand(&[words, &["--format", "json"]].concat());
            let error = outcome.expect_error("config_invalid");
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("{}:{position}", file.display())), "{message}");
        }
        // These commands must work with an invalid settings file.
        for words in [&["--version"][..], &["desktop", "list"], &["completions", "bash"]] {
            stage.deskhand(words).expect_ok();
        }
    }
    let shown = stage.deskhand(&["config", "show"]);
    assert_eq!(shown.code, Some(1), "{shown}");
    assert!(
        shown.text().contains("server.security_mode"),
        "the remaining settings must be shown: {shown}"
    );
    stage.write_settings("");
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
fn private_desktop_uses_the_settings_of_its_user() {
    let user = User::new();
    let file = user.write_config("config.toml", "[rate_limits]\nrps = 7\n");
    let binary = outcome::binary().display().to_string();
    let inside = ["desktop", "run", "--", &binary, "config", "show", "--format", "json"];
    let variables =
        [("ACCESSIBILITY_MCP_READ_ONLY", "yes"), ("DESKHAND_HTTP_TOKEN", "a-long-secret")];
    let shown = user.run(&inside, &variables).json();
    assert_eq!(
        find_setting(&shown, "rate_limits.rps"),
        (json!(7), format!("{}:2", file.display()))
    );
    let inherited = (json!(true), "ACCESSIBILITY_MCP_READ_ONLY".to_owned());
    assert_eq!(find_setting(&shown, "server.read_only"), inherited);
    assert_eq!(
        find_setting(&shown, "http.token").0,
        Value::Null,
        "the token must not be passed on"
    );
    for folder in ["config", "data", "state", "runtime"] {
        let (path, _) = find_setting(&shown, &format!("folders.{folder}"));
        assert_eq!(path, json!(user.folder(folder)));
    }
}

#[test]
fn automatic_desktop_uses_the_settings_of_its_user() {
    let user = User::new();
    let write = ["clipboard", "write", "x", "--format", "json"];
    let refused = user.run(&write, &[("DESKHAND_READ_ONLY", "1")]);
    assert!(refused.error()["message"].as_str().unwrap().contains("read-only"), "{refused}");
    user.run(&write, &[]).expect_ok();
    let log = fs::read_to_string(user.folder("data").join("audit.jsonl")).unwrap();
    assert!(log.contains("clipboard"), "{log}");
    user.write_config("config.toml", "[server]\nsecurity_mode = 1\n");
    user.run(&write, &[]).expect_error("config_invalid");
}

#[test]
fn opened_program_does_not_inherit_the_token() {
    let stage = TestDesktop::new();
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
fn test_desktop_uses_its_own_folders() {
    let stage = TestDesktop::new();
    stage.deskhand(&["clipboard", "write", "x"]).expect_ok();
    let folders = &stage.info().folders;
    assert!(folders.data.join("audit.jsonl").exists());
    for folder in [&folders.config, &folders.data, &folders.state, &folders.runtime] {
        assert!(folder.starts_with(stage.info().home.parent().unwrap()), "{folder:?}");
    }
}

#[test]
fn manual_approvals_are_listed_only_from_a_safe_file() {
    let user = User::new();
    let list = || user.run(&["approvals", "list", "--format", "json"], &[]);
    assert_eq!(list().json(), json!([]));
    let text = "[[approval]]\napp = \"/usr/bin/mousepad\"\ntool = \"ax_click\"\n\
                expires = 2099-01-01\n\
                [[approval]]\napp = \"*\"\ntool = \"ax_scroll\"\nexpires = 2001-01-01\n";
    let file = user.write_config("approvals.toml", text);
    let approvals = list().json();
    let one = json!([{
        "app": "/usr/bin/mousepad",
        "tool": "ax_click",
        "expires": "2099-01-01T00:00:00Z",
        "origin": "by_hand",
    }]);
    assert_eq!(approvals, one);
    assert!(user.run(&["approvals", "list"], &[]).text().contains("/usr/bin/mousepad"));
    let revoked = user.run(&["approvals", "revoke", "--all", "--format", "json"], &[]).json();
    assert_eq!(revoked, json!({ "revoked": [] }));
    assert_eq!(list().json(), one, "revoke must not change the manual file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let error = list().expect_error("approvals_unsafe");
    assert!(error["hint"].as_str().unwrap().contains("chmod 600"));
    user.write_config("approvals.toml", "[[approval]]\napp = \"a\"\n");
    let error = list().expect_error("approvals_invalid");
    assert!(
        error["message"].as_str().unwrap().contains("approvals.toml:1:1: missing field `tool`")
    );
    assert!(Path::new(&file).exists());
}
