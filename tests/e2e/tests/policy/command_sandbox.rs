//! Command-line tools run in the configured folder and in the sandbox. A server that cannot create
//! a sandbox does not start.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use harness::{Outcome, outcome};

/// A user without a display, with temporary folders.
struct User(tempfile::TempDir);

impl User {
    fn new() -> Self {
        let user = Self(tempfile::tempdir().unwrap());
        for name in ["first", "second", "own"] {
            fs::create_dir(user.folder(name)).unwrap();
        }
        user
    }

    fn folder(&self, name: &str) -> std::path::PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(outcome::binary());
        command.args(words).current_dir(self.folder("first")).stdin(Stdio::null());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        for name in ["config", "data", "state", "cache", "runtime"] {
            let variable = format!("DESKHAND_{}_DIR", name.to_uppercase());
            command.env(variable, self.folder("own").join(name));
        }
        command
    }
}

fn pwd_line(path: &Path) -> String {
    format!("{}\n", path.display())
}

#[test]
fn commands_run_in_the_configured_folder_without_a_desktop() {
    let user = User::new();
    let pwd = |words: &[&str], set: &[(&str, &Path)]| {
        let mut command = user.command(&[&["shell", "pwd; echo x > made"], words].concat());
        Outcome::of(command.envs(set.iter().copied())).text()
    };
    let (first, second) = (user.folder("first"), user.folder("second"));
    let (alias, own) = ("AHMA_SANDBOX_SCOPE", "DESKHAND_SANDBOX_SCOPE");
    assert_eq!(pwd(&[], &[]), pwd_line(&first));
    assert_eq!(pwd(&[], &[(alias, &second)]), pwd_line(&second));
    assert_eq!(pwd(&[], &[(alias, &first), (own, &second)]), pwd_line(&second));
    let flag = ["--sandbox-scope", second.to_str().unwrap()];
    assert_eq!(pwd(&flag, &[(alias, &first)]), pwd_line(&second));
    assert!(first.join("made").exists() && second.join("made").exists());
    for refused in [user.folder("own"), user.folder(""), user.folder("own/config")] {
        fs::create_dir_all(&refused).unwrap();
        let words = ["shell", "true", "--format", "json", "--sandbox-scope"];
        let mut command = user.command(&[&words[..], &[refused.to_str().unwrap()]].concat());
        Outcome::of(&mut command).expect_error("invalid_scope");
    }
}

#[test]
fn commands_run_without_a_sandbox_only_if_configured() {
    let user = User::new();
    let outside = user.folder("second").join("outside");
    let line = format!("echo x > {}", outside.display());
    let sandboxed = Outcome::of(&mut user.command(&["shell", &line]));
    assert!(sandboxed.code != Some(0) && !outside.exists(), "{sandboxed}");
    let ignored = Outcome::of(user.command(&["shell", &line]).env("AHMA_NO_SANDBOX", "1"));
    assert!(ignored.code != Some(0) && !outside.exists(), "{ignored}");
    assert!(ignored.stderr.contains("warning: AHMA_NO_SANDBOX has no effect"), "{ignored}");
    let unsandboxed = Outcome::of(user.command(&["shell", &line]).env("DESKHAND_NO_SANDBOX", "1"));
    assert!(
        outside.exists() && unsandboxed.stderr.contains("warning: the sandbox is off"),
        "{unsandboxed}"
    );

    // A sandbox cannot be nested. The server inside one must fail and name the option to use.
    let program = outcome::binary();
    let inside = |options: &str| {
        let line = format!("{} mcp serve --toolsets cli {options} < /dev/null", program.display());
        let mut command = user.command(&["shell", &line]);
        Outcome::of(command.env("DESKHAND_COMMANDS_READABLE", program.parent().unwrap()))
    };
    let refused = inside("");
    assert!(refused.code != Some(0), "{refused}");
    for expected in ["sandbox", "--no-sandbox", "not served without"] {
        assert!(refused.to_string().contains(expected), "{expected}: {refused}");
    }
    let served = inside("--no-sandbox");
    assert!(served.code == Some(0), "{served}");
}
