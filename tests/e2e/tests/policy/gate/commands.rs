//! Command-line tools as a person sets them up: where they work, what holds them, and that a server which
//! cannot hold them does not start.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use harness::{Outcome, outcome};

/// A person without a display.
struct Person(tempfile::TempDir);

impl Person {
    fn new() -> Self {
        let person = Self(tempfile::tempdir().unwrap());
        for name in ["first", "second", "own"] {
            fs::create_dir(person.folder(name)).unwrap();
        }
        person
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

fn shown(path: &Path) -> String {
    format!("{}\n", path.display())
}

#[test]
fn commands_work_in_the_folder_that_is_set_and_need_no_desktop() {
    let person = Person::new();
    let pwd = |words: &[&str], set: &[(&str, &Path)]| {
        let mut command = person.command(&[&["shell", "pwd; echo x > made"], words].concat());
        Outcome::of(command.envs(set.iter().copied())).text()
    };
    let (first, second) = (person.folder("first"), person.folder("second"));
    let (theirs, own) = ("AHMA_SANDBOX_SCOPE", "DESKHAND_SANDBOX_SCOPE");
    assert_eq!(pwd(&[], &[]), shown(&first));
    assert_eq!(pwd(&[], &[(theirs, &second)]), shown(&second));
    assert_eq!(pwd(&[], &[(theirs, &first), (own, &second)]), shown(&second));
    let flag = ["--sandbox-scope", second.to_str().unwrap()];
    assert_eq!(pwd(&flag, &[(theirs, &first)]), shown(&second));
    assert!(first.join("made").exists() && second.join("made").exists());
    for refused in [person.folder("own"), person.folder(""), person.folder("own/config")] {
        fs::create_dir_all(&refused).unwrap();
        let words = ["shell", "true", "--format", "json", "--sandbox-scope"];
        let mut command = person.command(&[&words[..], &[refused.to_str().unwrap()]].concat());
        Outcome::of(&mut command).expect_error("invalid_scope");
    }
}

#[test]
fn without_a_sandbox_nothing_runs_unless_the_person_wants_it_so() {
    let person = Person::new();
    let outside = person.folder("second").join("outside");
    let line = format!("echo x > {}", outside.display());
    let held = Outcome::of(&mut person.command(&["shell", &line]));
    assert!(held.code != Some(0) && !outside.exists(), "{held}");
    let ignored = Outcome::of(person.command(&["shell", &line]).env("AHMA_NO_SANDBOX", "1"));
    assert!(ignored.code != Some(0) && !outside.exists(), "{ignored}");
    assert!(ignored.stderr.contains("warning: AHMA_NO_SANDBOX has no effect"), "{ignored}");
    let free = Outcome::of(person.command(&["shell", &line]).env("DESKHAND_NO_SANDBOX", "1"));
    assert!(outside.exists() && free.stderr.contains("warning: the sandbox is off"), "{free}");

    // Inside a sandbox no other can be made: the server says so, and how to go on.
    let program = outcome::binary();
    let inside = |options: &str| {
        let line = format!("{} mcp serve --toolsets cli {options} < /dev/null", program.display());
        let mut command = person.command(&["shell", &line]);
        Outcome::of(command.env("DESKHAND_COMMANDS_READABLE", program.parent().unwrap()))
    };
    let refused = inside("");
    assert!(refused.code != Some(0), "{refused}");
    for told in ["sandbox", "--no-sandbox", "not served without"] {
        assert!(refused.to_string().contains(told), "{told}: {refused}");
    }
    let served = inside("--no-sandbox");
    assert!(served.code == Some(0), "{served}");
}
