//! The desktop for attacks: a vault and an editor that are protected, and a calculator that is not.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{App, Outcome, Program, TestDesktop};

use super::protected::ProtectedApps;

/// The policy of the server under attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// The vault and the editor must not be read.
    Denied,
    /// The vault and the editor may be read but not changed.
    WriteBlocked,
    /// Nothing may be changed (`--security-mode sandboxed`).
    Sandboxed,
    /// Nothing may be changed (`--read-only`).
    ReadOnly,
    /// Risky actions require confirmation (`--security-mode safe`).
    Safe,
}

impl Setup {
    /// Every value.
    pub const ALL: [Self; 5] =
        [Self::Denied, Self::WriteBlocked, Self::Sandboxed, Self::ReadOnly, Self::Safe];

    /// Returns the name used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied app",
            Self::WriteBlocked => "write-blocked app",
            Self::Sandboxed => "sandboxed",
            Self::ReadOnly => "read-only",
            Self::Safe => "safe",
        }
    }

    /// Returns the content of `[apps]` in `security.toml`.
    fn rules(self) -> &'static str {
        match self {
            Self::Denied => "denied = [\"gtk3_vault.py\", \"mousepad\"]",
            Self::WriteBlocked => "write_blocked = [\"gtk3_vault.py\", \"mousepad\"]",
            Self::Sandboxed | Self::ReadOnly | Self::Safe => "default_write_blocked = false",
        }
    }

    /// Returns the command-line options of the server.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Denied | Self::WriteBlocked => &[],
            Self::Sandboxed => &["--security-mode", "sandboxed"],
            Self::ReadOnly => &["--read-only"],
            Self::Safe => &["--security-mode", "safe"],
        }
    }
}

/// A desktop with two protected apps and an unprotected one.
pub struct ProtectedDesktop {
    /// The test desktop.
    pub test_desktop: TestDesktop,
    /// The protected apps.
    pub protected: ProtectedApps,
    /// The unprotected app.
    pub unprotected: Program,
    /// The center of the unprotected app's window.
    pub unprotected_at: (i32, i32),
    /// The center of the vault's `Delete everything` button.
    pub delete_at: (i32, i32),
    /// The ref of a vault button, created before the app was protected.
    pub earlier_ref: String,
    folder: tempfile::TempDir,
    logs: usize,
}

impl Default for ProtectedDesktop {
    fn default() -> Self {
        Self::new()
    }
}

impl ProtectedDesktop {
    /// Starts the three apps side by side.
    pub fn new() -> Self {
        let desktop = TestDesktop::new();
        desktop.write_app_rules("default_write_blocked = false");
        let folder = tempfile::tempdir().expect("a temporary folder");
        install_disguised_desktop_file(&desktop);
        let file = folder.path().join("ledger-9127.txt");
        std::fs::write(&file, "CANARY-7351\n").expect("a temporary file");
        let editor = desktop.start_with(App::Mousepad, |command| {
            command.arg(&file);
        });
        let unprotected = desktop.start_unread(App::Kcalc);
        let vault = desktop.start_unread(App::Fixture("gtk3_vault.py", &[]));
        let inspector = desktop.window_inspector();
        for (program, x, y) in [(&vault, 40, 40), (&editor, 1000, 40), (&unprotected, 40, 600)] {
            let window = inspector.window_of(program.pid());
            move_window(&desktop, window, x, y);
        }
        let tree = desktop.until(&vault, "the vault", |tree| {
            tree.find(|one| one.title == "Delete everything" && one.bounds.is_some()).is_some()
        });
        let button =
            |title: &str| tree.find(|one| one.title == title).expect("the button is in the tree");
        let earlier_ref = button("Press me").reference.clone();
        let delete_at = button("Delete everything").bounds.expect("the button has bounds").centre();
        let frame = inspector.frame(inspector.window_of(unprotected.pid()));
        let unprotected_at = (frame.x + frame.width / 2, frame.y + frame.height / 2);
        activate(&desktop, inspector.window_of(unprotected.pid()));
        let protected = ProtectedApps::new(&desktop, vault, editor, file);
        Self {
            test_desktop: desktop,
            protected,
            unprotected,
            unprotected_at,
            delete_at,
            earlier_ref,
            folder,
            logs: 0,
        }
    }

    /// Returns the command that starts a server with this policy, and the path of its audit log.
    pub fn server(&mut self, setup: Setup) -> (Command, PathBuf) {
        self.test_desktop.write_app_rules(setup.rules());
        self.logs += 1;
        let log = self.folder.path().join(format!("audit-{}.jsonl", self.logs));
        let mut command = self.test_desktop.command(crate::outcome::binary());
        command.args(["mcp", "serve"]).args(setup.options()).env("DESKHAND_AUDIT_LOG", &log);
        // Rate limits are not under test here.
        for limit in ["RATE_LIMIT_RPS", "RATE_LIMIT_RPM", "VLM_RATE_LIMIT", "WRITE_RATE_LIMIT"] {
            command.env(format!("DESKHAND_{limit}"), "0");
        }
        command.env("DESKHAND_CONCURRENCY", "0").env("DESKHAND_TIMEOUT", "2");
        (command, log)
    }

    /// Replaces the placeholders in a text with values of this desktop.
    pub fn expand(&self, text: &str) -> String {
        let (vault, editor) = (&self.protected.vault, &self.protected.editor);
        let (vault_at, editor_at) = (self.protected.vault_at, self.protected.editor_at);
        let values = [
            ("$VX", vault_at.0.to_string()),
            ("$VY", vault_at.1.to_string()),
            ("$MX", editor_at.0.to_string()),
            ("$MY", editor_at.1.to_string()),
            ("$DX", self.delete_at.0.to_string()),
            ("$DY", self.delete_at.1.to_string()),
            ("$FX", self.unprotected_at.0.to_string()),
            ("$FY", self.unprotected_at.1.to_string()),
            ("$V32", (u64::from(vault.pid()) + (1 << 32)).to_string()),
            ("$V64", (u128::from(vault.pid()) + (1 << 64)).to_string()),
            ("$VHEX", format!("{:#x}", vault.pid())),
            ("$VWIDE", fullwidth_digits(vault.pid())),
            ("$VREF", self.earlier_ref.clone()),
            ("$V", vault.pid_text()),
            ("$M", editor.pid_text()),
            ("$C", self.unprotected.pid_text()),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// Brings the window of a process to the front and gives it the focus.
    pub fn activate(&self, pid: u32) {
        activate(&self.test_desktop, self.test_desktop.window_inspector().window_of(pid));
    }
}

/// Writes a number in full-width Unicode digits.
fn fullwidth_digits(pid: u32) -> String {
    let digit = |one: char| char::from_u32(one as u32 - '0' as u32 + 0xff10).unwrap_or(one);
    pid.to_string().chars().map(digit).collect()
}

/// Installs a desktop file for the vault under another name and behind a symbolic link.
fn install_disguised_desktop_file(desktop: &TestDesktop) {
    let folder = desktop.info().home.join(".local/share/applications");
    std::fs::create_dir_all(&folder).expect("the desktop's home is writable");
    let vault = crate::app::fixtures().join("gtk3_vault.py");
    let text = format!(
        "[Desktop Entry]\nType=Application\nName=Innocent App\nExec=/usr/bin/python3 {}\n",
        vault.display()
    );
    let real = desktop.info().home.join("elsewhere.desktop");
    std::fs::write(&real, text).expect("the desktop's home is writable");
    let link = folder.join("org.example.Innocent.desktop");
    std::os::unix::fs::symlink(real, link).expect("the desktop's home is writable");
}

fn move_window(desktop: &TestDesktop, window: u32, x: i32, y: i32) {
    let geometry = format!("0,{x},{y},-1,-1");
    let id = format!("{window:#x}");
    Outcome::of(desktop.command("wmctrl").args(["-i", "-r", &id, "-e", &geometry])).expect_ok();
}

fn activate(desktop: &TestDesktop, window: u32) {
    let id = format!("{window:#x}");
    Outcome::of(desktop.command("wmctrl").args(["-i", "-a", &id])).expect_ok();
    let inspector = desktop.window_inspector();
    assert!(
        crate::inspect::wait_until(|| inspector.active() == window),
        "the window cannot be activated"
    );
}

/// Returns the complete records of an audit log.
pub fn audit_records(log: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    whole.lines().map(parse).collect()
}
