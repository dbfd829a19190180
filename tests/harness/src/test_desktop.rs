//! A private desktop with real programs, operated by the built `deskhand`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::process::Command;
use std::time::{Duration, Instant};

use deskhand_linux::private::{DesktopInfo, DesktopOptions, ScopedDesktop, SettingsScope, Size};
use serde_json::Value;

use crate::timing::APP_START_TIMEOUT;
use crate::{App, Outcome, Program, Tree, outcome};

/// Turns rate limits off. Tests call faster than agents do; tests of limits set their own.
const NO_RATE_LIMITS: &str = "\
[rate_limits]
rps = 0
rpm = 0
concurrency = 0
writes_per_second = 0
";

/// A private desktop for one test. Dropping it ends everything on it.
#[derive(Debug)]
pub struct TestDesktop {
    desktop: ScopedDesktop,
}

impl Default for TestDesktop {
    fn default() -> Self {
        Self::new()
    }
}

impl TestDesktop {
    /// Starts a desktop with one display of 1920x1080.
    pub fn new() -> Self {
        Self::with_displays(&["1920x1080"])
    }

    /// Starts a desktop with several displays side by side.
    pub fn with_displays(sizes: &[&str]) -> Self {
        let size = |text: &&str| text.parse::<Size>().expect("a display size looks like 800x600");
        let displays = sizes.iter().map(size).collect();
        let options = DesktopOptions {
            displays,
            settings: SettingsScope::Desktop,
            ..DesktopOptions::default()
        };
        let desktop =
            ScopedDesktop::up(&options).unwrap_or_else(|error| panic!("no desktop: {error}"));
        let desktop = Self { desktop };
        desktop.write_app_rules("default_write_blocked = false");
        desktop.write_settings(NO_RATE_LIMITS);
        desktop
    }

    /// Writes the `config.toml` of this desktop.
    pub fn write_settings(&self, text: &str) {
        let folder = &self.desktop.folders.config;
        std::fs::create_dir_all(folder).expect("the desktop's home is writable");
        std::fs::write(folder.join("config.toml"), text).expect("the desktop's home is writable");
    }

    /// Writes the `security.toml` of this desktop. `apps` is the content of its `[apps]` table.
    pub fn write_app_rules(&self, apps: &str) {
        let folder = &self.desktop.folders.config;
        std::fs::create_dir_all(folder).expect("the desktop's home is writable");
        std::fs::write(folder.join("security.toml"), format!("[apps]\n{apps}\n"))
            .expect("the desktop's home is writable");
    }

    /// Returns the description of the desktop.
    pub fn info(&self) -> &DesktopInfo {
        &self.desktop
    }

    /// Returns a command that runs on this desktop.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        self.desktop.apply(&mut command);
        command
    }

    /// Runs the built `deskhand` on this desktop.
    pub fn deskhand<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Outcome {
        Outcome::of(self.command(outcome::binary()).args(arguments))
    }

    /// Reads the whole tree of an app, with a timeout of 30 s.
    pub fn tree(&self, program: &Program) -> Tree {
        let pid = program.pid_text();
        let arguments =
            ["tree", "--app", &pid, "--flat", "--hidden", "--format", "json", "--timeout", "30"];
        let outcome = self.deskhand(&arguments);
        serde_json::from_value(outcome.json()).unwrap_or_else(|error| panic!("{outcome}: {error}"))
    }

    /// Returns the apps that `deskhand apps` lists.
    pub fn apps(&self) -> Vec<Value> {
        let outcome = self.deskhand(&["apps", "--format", "json", "--timeout", "10"]);
        outcome.json().as_array().cloned().unwrap_or_default()
    }

    /// Returns the windows that `deskhand windows` lists.
    pub fn windows(&self) -> Vec<Value> {
        let outcome = self.deskhand(&["windows", "--format", "json", "--timeout", "10"]);
        outcome.json().as_array().cloned().unwrap_or_default()
    }

    /// Starts a program without waiting.
    pub fn launch(&self, app: App) -> Program {
        Program::start(&mut app.command(&self.desktop))
    }

    /// Starts an app and waits until it is registered and has a window. Its tree has not been read
    /// yet.
    pub fn start_unread(&self, app: App) -> Program {
        self.start_with(app, |_| {})
    }

    /// Like [`Self::start_unread`], with a change to the command.
    pub fn start_with(&self, app: App, change: impl FnOnce(&mut Command)) -> Program {
        let before: HashSet<u32> = self.apps().iter().filter_map(pid_of).collect();
        let mut command = app.command(&self.desktop);
        change(&mut command);
        let mut program = Program::start(&mut command);
        if let App::Fixture(name, _) = app {
            let ready = if name == "gtk3_mutations.py" { r#"{"ready": true}"# } else { "ready" };
            program.wait_for(ready);
        }
        let end = Instant::now() + APP_START_TIMEOUT;
        loop {
            let apps = self.apps();
            let fresh = |one: &&Value| pid_of(one).is_some_and(|pid| !before.contains(&pid));
            let mut ready =
                apps.iter().filter(|one| one["windows"].as_u64() > Some(0)).filter(fresh);
            if let Some(pid) = ready.next().and_then(pid_of) {
                program.set_app_pid(pid);
                return program;
            }
            assert!(
                program.is_alive() || app_may_hand_over(app),
                "{} exited during its start",
                app.name()
            );
            assert!(Instant::now() < end, "{} did not register: {apps:?}", app.name());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Starts an app and waits until its tree is complete and has stopped growing.
    pub fn start(&self, app: App) -> Program {
        let program = self.start_unread(app);
        if let App::Chromium("form.html") | App::Firefox("form.html") = app {
            // Browsers expose a page before its layout is known.
            let laid_out = |tree: &Tree| {
                tree.find(|one| one.title == "Send news" && one.bounds.is_some()).is_some()
            };
            self.until(&program, "the page", laid_out);
        }
        self.settle(&program, app.at_least());
        program
    }

    /// Waits until the tree has at least this many elements and has stopped growing.
    pub fn settle(&self, program: &Program, at_least: usize) -> Tree {
        let end = Instant::now() + APP_START_TIMEOUT;
        let mut last = 0;
        loop {
            let tree = self.tree(program);
            let count = tree.elements.len();
            if count >= at_least && count == last {
                return tree;
            }
            assert!(
                Instant::now() < end,
                "still {count} of {at_least} elements: {}",
                tree.summary()
            );
            last = count;
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Reads the tree repeatedly until a condition holds, then returns it. Panics after 20 s.
    pub fn until(&self, program: &Program, what: &str, condition: impl Fn(&Tree) -> bool) -> Tree {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let tree = self.tree(program);
            if condition(&tree) {
                return tree;
            }
            assert!(Instant::now() < end, "waited in vain for {what}: {}", tree.summary());
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn pid_of(app: &Value) -> Option<u32> {
    u32::try_from(app["pid"].as_u64()?).ok()
}

/// Returns `true` for launchers that exit once the real program runs.
fn app_may_hand_over(app: App) -> bool {
    matches!(app, App::Writer | App::Calc | App::Firefox(_) | App::Chromium(_))
}
