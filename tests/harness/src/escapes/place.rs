//! A scope with everything around it that must stay as it is.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::{NamedTempFile, TempDir};

use super::{Net, ears::Ears};
use crate::{Outcome, outcome};

/// Programs call faster than agents do.
const UNLIMITED: &str = "[rate_limits]\nrps = 0\nrpm = 0\nconcurrency = 0\nwrites_per_second = 0\n";

/// A tool whose argument must stay inside.
const TOUCH: &str = r#"{ "name": "touch", "description": "Change the time of a file", "command": "touch",
  "synchronous": true, "subcommand": [{ "name": "default", "description": "Change the time of a file",
  "positional_args": [{ "name": "path", "type": "string", "format": "path", "required": true,
  "description": "Which file" }] }] }"#;

/// Whether the server holds commands to their scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It does.
    Sandbox,
    /// It was told not to: attempts must be seen.
    Nothing,
}

/// What can be told of everything in a folder.
pub(super) type State = BTreeMap<PathBuf, String>;

/// A scope, and around it folders, a home and listeners; all of it ends with this.
pub struct Place {
    pub(super) ears: Ears,
    /// What must not be told.
    pub(super) secret: String,
    /// What may be told, as a control.
    pub(super) own: String,
    /// How a hidden file is named by the file system itself.
    pub(super) handle: String,
    at_home: NamedTempFile,
    root: TempDir,
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    /// Builds one.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let secret = || format!("deskhand-secret-{:032x}", fastrand::u128(..));
        let (secret, own) = (secret(), secret());
        let at = |name: &str| root.path().canonicalize().unwrap().join(name);
        for (name, text) in [("hidden", &secret[..]), ("home", &secret), ("shown", "as it was")] {
            furnish(&at(name), text);
        }
        fs::create_dir_all(at("home").join(".config/deskhand")).unwrap();
        fs::write(at("home").join(".config/deskhand/config.toml"), UNLIMITED).unwrap();
        for name in ["scope/bin", "scope/a", "tools", "cache"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("tools/touch.json"), TOUCH).unwrap();
        let bin = at("scope/bin");
        let source =
            |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("src/escapes").join(name);
        let mut compile = Command::new("cc");
        compile.args(["-O1", "-o"]).arg(bin.join("calls")).arg(source("calls.c"));
        Outcome::of(&mut compile).expect_ok();
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-o"]).arg(bin.join("library.so"));
        Outcome::of(compile.arg(source("library.c"))).expect_ok();
        let mut handle = Command::new(bin.join("calls"));
        let handle = Outcome::of(handle.arg("handle").arg(at("hidden/f")));
        let handle = if handle.code == Some(0) { handle.text() } else { "1 00".to_owned() };
        let home = std::env::var("HOME").unwrap_or_else(|_| "/tmp".to_owned());
        let at_home = tempfile::Builder::new().prefix(".deskhand-e2e-").tempfile_in(home).unwrap();
        fs::write(at_home.path(), &secret).unwrap();
        let (hidden, shown) = (at("hidden"), at("shown"));
        Self { ears: Ears::new(&[&hidden, &shown]), secret, own, handle, at_home, root }
    }

    /// A folder or file of it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The file in the home of who runs this.
    pub(super) fn at_home(&self) -> &Path {
        self.at_home.path()
    }

    /// The command of a server here. It starts in a hidden folder, with secrets in its variables and an
    /// open file that is not closed to its children.
    pub fn server(&self, net: Net, hold: Hold) -> Command {
        let mut command = Command::new("/bin/sh");
        command.env_clear().args(["-c", "exec 9<f; exec \"$@\"", "sh"]).arg(outcome::binary());
        command.args(["mcp", "serve", "--toolsets", "cli", "--sandbox-scope"]);
        command.arg(self.at("scope")).arg("--tools-dir").arg(self.at("tools"));
        match hold {
            Hold::Sandbox => {}
            Hold::Nothing => drop(command.arg("--no-sandbox")),
        }
        let network = match net {
            Net::Off => "off".to_owned(),
            Net::On => "on".to_owned(),
            Net::Port => self.ears.ports().1.to_string(),
        };
        command.current_dir(self.at("hidden"));
        command.env("HOME", self.at("home")).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("DESKHAND_COMMANDS_NETWORK", network);
        command.env("DESKHAND_COMMANDS_READABLE", self.at("shown"));
        command.env("DESKHAND_HTTP_TOKEN", &self.secret).env("AWS_SECRET_ACCESS_KEY", &self.secret);
        command
    }

    /// How everything is that must stay so.
    pub(super) fn state(&self) -> State {
        let mut all = State::new();
        for folder in ["hidden", "shown", "home/.ssh", "home/.aws"] {
            look(&self.at(folder), &mut all);
        }
        look(self.at_home(), &mut all);
        all
    }
}

/// Fills a folder with what attempts are made on.
pub(super) fn furnish(folder: &Path, text: &str) {
    for name in ["d", ".ssh", ".aws"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in ["f", ".ssh/id_rsa", ".netrc", ".aws/credentials"] {
        fs::write(folder.join(name), format!("{text} as it was\n")).unwrap();
    }
}

/// Everything in a folder.
pub(super) fn state_of(folder: &Path) -> State {
    let mut all = State::new();
    look(folder, &mut all);
    all
}

fn look(path: &Path, all: &mut State) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    let text = if meta.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let said = format!(
        "{:o} {}:{} {} links, {} bytes, {}.{} {}.{} {:?}",
        meta.mode(),
        meta.uid(),
        meta.gid(),
        meta.nlink(),
        meta.size(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
        String::from_utf8_lossy(&text)
    );
    all.insert(path.to_owned(), said);
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look(&entry.path(), all);
        }
    }
}
