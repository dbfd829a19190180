//! A sandbox scope with folders, secrets and listeners around it that commands must not touch.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::{NamedTempFile, TempDir};

use super::{NetworkAccess, listeners::Listeners};
use crate::{Outcome, outcome};

/// Turns rate limits off. Tests call faster than agents do.
const NO_RATE_LIMITS: &str =
    "[rate_limits]\nrps = 0\nrpm = 0\nconcurrency = 0\nwrites_per_second = 0\n";

/// A tool with a path argument that must stay inside the scope.
const TOUCH: &str = r#"{ "name": "touch", "description": "Change the time of a file", "command": "touch",
  "synchronous": true, "subcommand": [{ "name": "default", "description": "Change the time of a file",
  "positional_args": [{ "name": "path", "type": "string", "format": "path", "required": true,
  "description": "Which file" }] }] }"#;

/// The confinement of commands by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Commands run in the sandbox.
    Sandboxed,
    /// The sandbox is off. Attempts must then succeed and be detected.
    Unconfined,
}

/// A description of each file in a folder, by path.
pub(super) type FolderState = BTreeMap<PathBuf, String>;

/// A scope surrounded by folders, a home and listeners. Dropping it removes everything.
pub struct SandboxFixture {
    pub(super) listeners: Listeners,
    /// The secret that must not leak.
    pub(super) secret: String,
    /// A secret inside the scope, which commands may read.
    pub(super) control_secret: String,
    /// The file-system handle of a hidden file.
    pub(super) file_handle: String,
    home_file: NamedTempFile,
    root: TempDir,
}

impl Default for SandboxFixture {
    fn default() -> Self {
        Self::new()
    }
}

impl SandboxFixture {
    /// Creates the folders, the helper programs and the listeners.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let secret = || format!("deskhand-secret-{:032x}", fastrand::u128(..));
        let (secret, control_secret) = (secret(), secret());
        let at = |name: &str| root.path().canonicalize().unwrap().join(name);
        for (name, text) in [("hidden", &secret[..]), ("home", &secret), ("shown", "as it was")] {
            fill_folder(&at(name), text);
        }
        fs::create_dir_all(at("home").join(".config/deskhand")).unwrap();
        fs::write(at("home").join(".config/deskhand/config.toml"), NO_RATE_LIMITS).unwrap();
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
        let mut file_handle = Command::new(bin.join("calls"));
        let file_handle = Outcome::of(file_handle.arg("handle").arg(at("hidden/f")));
        let file_handle =
            if file_handle.code == Some(0) { file_handle.text() } else { "1 00".to_owned() };
        let home = std::env::var("HOME").unwrap_or_else(|_| "/tmp".to_owned());
        let home_file =
            tempfile::Builder::new().prefix(".deskhand-e2e-").tempfile_in(home).unwrap();
        fs::write(home_file.path(), &secret).unwrap();
        let (hidden, shown) = (at("hidden"), at("shown"));
        Self {
            listeners: Listeners::new(&[&hidden, &shown]),
            secret,
            control_secret,
            file_handle,
            home_file,
            root,
        }
    }

    /// Returns the path of a file or folder of the fixture.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The file in the home folder of the user who runs the tests.
    pub(super) fn home_file(&self) -> &Path {
        self.home_file.path()
    }

    /// Returns the command that starts a server. It starts in a hidden folder, with secrets in its
    /// environment and an inheritable open file.
    pub fn server(&self, network: NetworkAccess, confinement: Confinement) -> Command {
        let mut command = Command::new("/bin/sh");
        command.env_clear().args(["-c", "exec 9<f; exec \"$@\"", "sh"]).arg(outcome::binary());
        command.args(["mcp", "serve", "--toolsets", "cli", "--sandbox-scope"]);
        command.arg(self.path("scope")).arg("--tools-dir").arg(self.path("tools"));
        match confinement {
            Confinement::Sandboxed => {}
            Confinement::Unconfined => drop(command.arg("--no-sandbox")),
        }
        let network = match network {
            NetworkAccess::Off => "off".to_owned(),
            NetworkAccess::On => "on".to_owned(),
            NetworkAccess::OnePort => self.listeners.ports().1.to_string(),
        };
        command.current_dir(self.path("hidden"));
        command.env("HOME", self.path("home")).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("DESKHAND_COMMANDS_NETWORK", network);
        command.env("DESKHAND_COMMANDS_READABLE", self.path("shown"));
        command.env("DESKHAND_HTTP_TOKEN", &self.secret).env("AWS_SECRET_ACCESS_KEY", &self.secret);
        command
    }

    /// Returns the state of everything that must stay unchanged.
    pub(super) fn state(&self) -> FolderState {
        let mut all = FolderState::new();
        for folder in ["hidden", "shown", "home/.ssh", "home/.aws"] {
            record(&self.path(folder), &mut all);
        }
        record(self.home_file(), &mut all);
        all
    }
}

/// Creates the files that attempts act on.
pub(super) fn fill_folder(folder: &Path, text: &str) {
    for name in ["d", ".ssh", ".aws"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in ["f", ".ssh/id_rsa", ".netrc", ".aws/credentials"] {
        fs::write(folder.join(name), format!("{text} as it was\n")).unwrap();
    }
}

/// Returns the state of a folder.
pub(super) fn state_of(folder: &Path) -> FolderState {
    let mut all = FolderState::new();
    record(folder, &mut all);
    all
}

fn record(path: &Path, all: &mut FolderState) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    let text = if meta.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let description = format!(
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
    all.insert(path.to_owned(), description);
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            record(&entry.path(), all);
        }
    }
}
