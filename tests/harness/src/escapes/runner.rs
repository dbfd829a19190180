//! Runs attempts against a server one after the other and reports which succeeded.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    Attempt, Confinement, Control, Detection, NetworkAccess, SandboxFixture,
    fixture::{FolderState, fill_folder, state_of},
};
use crate::{
    hostile::{Era, RawClient, Transport},
    inspect,
};

/// The folder outside the scope that an attempt targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetFolder {
    /// A folder that commands cannot see.
    Hidden,
    /// A folder that commands may read.
    Readable,
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct EscapeReport {
    /// The number of attempts.
    pub attempts: usize,
    /// The number of permitted variants.
    pub controls: usize,
    /// Descriptions of attempts that succeeded.
    pub escapes: Vec<String>,
    /// Permitted variants that failed, and attempts that did not run.
    pub faults: Vec<String>,
}

impl EscapeReport {
    /// Adds the results of another run.
    pub fn add(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.controls += other.controls;
        self.escapes.extend(other.escapes);
        self.faults.extend(other.faults);
    }
}

/// A server and a client that makes it run scripts.
pub struct AttemptRunner<'a> {
    pub(super) fixture: &'a SandboxFixture,
    pub(super) client: RawClient,
    pub(super) report: EscapeReport,
    label: String,
    server: String,
    before: FolderState,
    next: usize,
}

/// The result of one script.
struct ScriptRun {
    /// Everything the script wrote.
    output: String,
    /// The exit code, or `None` if the script did not finish.
    exit: Option<i32>,
    folder: PathBuf,
}

impl<'a> AttemptRunner<'a> {
    /// Starts a server.
    pub fn start(
        fixture: &'a SandboxFixture,
        transport: Transport,
        network: NetworkAccess,
        confinement: Confinement,
    ) -> Self {
        let client = RawClient::start(
            fixture.server(network, confinement),
            transport,
            Era::Handshake,
            &json!({}),
        );
        let server = process_state(client.pid());
        fixture.listeners.take_reached();
        fixture.listeners.take_allowed_port_reached();
        let label = format!("{transport:?}, network {network:?}");
        let (before, report) = (fixture.state(), EscapeReport::default());
        Self { fixture, client, report, label, server, before, next: 0 }
    }

    /// Runs an attempt that must fail.
    pub fn attempt(&mut self, attempt: &Attempt, target: TargetFolder) {
        let script_run = self.run(&attempt.script, target, &attempt.control, None);
        self.report.attempts += 1;
        let mut evidence = self.detect_escapes(&script_run.output);
        if attempt.detection == Detection::Succeeded && script_run.exit == Some(0) {
            evidence.push(format!("the call succeeded: {}", script_run.output));
        }
        let what = format!("{} ({}, {target:?})", attempt.name, self.label);
        if !script_run.folder.join("output").exists() {
            self.report.faults.push(format!("{what}: the script did not run"));
        }
        if !evidence.is_empty() {
            self.report.escapes.push(format!(
                "{what}: {}\n  {}",
                attempt.script,
                evidence.join("\n  ")
            ));
        }
        self.remove_folder(&script_run);
    }

    /// Runs an attempt without the sandbox. It must succeed and be detected.
    pub fn attempt_unconfined(&mut self, attempt: &Attempt) {
        let script_run = self.run(&attempt.script, TargetFolder::Hidden, &attempt.control, None);
        self.report.attempts += 1;
        let evidence = self.detect_escapes(&script_run.output);
        if evidence.is_empty() {
            let why = format!(
                "{} was not detected without the sandbox: {}",
                attempt.name, script_run.output
            );
            self.report.faults.push(why);
        }
        self.remove_folder(&script_run);
        self.restore();
    }

    /// Runs the permitted variant of an attempt, which must succeed.
    pub fn control(&mut self, attempt: &Attempt) {
        let inside = self.fixture.path(&format!("scope/a/{}/inside", self.next));
        let script = match &attempt.control {
            Control::InScope => attempt.script.clone(),
            Control::OwnChild => format!("sleep 9 & PID=$!\n{}", attempt.script),
            Control::Script(script) => script.clone(),
        };
        let inside = (attempt.control == Control::InScope).then_some(inside);
        let script_run =
            self.run(&script, TargetFolder::Hidden, &attempt.control, inside.as_deref());
        self.report.controls += 1;
        let succeeded = match (&attempt.control, attempt.detection) {
            (Control::InScope, Detection::FileChanged) => {
                let now = state_of(&script_run.folder.join("inside"));
                fs::read_to_string(script_run.folder.join("before")).ok()
                    != Some(format!("{now:?}"))
            }
            (Control::InScope, Detection::SecretLeaked) => {
                script_run.output.contains(&self.fixture.control_secret)
            }
            (Control::InScope, Detection::ListenerReached | Detection::Succeeded)
            | (Control::OwnChild | Control::Script(_), _) => script_run.exit == Some(0),
        };
        if !succeeded {
            let why = format!("{} ({}) inside: {}", attempt.name, self.label, script_run.output);
            self.report.faults.push(why);
        }
        self.remove_folder(&script_run);
    }

    /// Checks that the allowed port can be reached.
    pub fn check_allowed_port(&mut self) {
        let script_run = self.run("$C tcp $OPEN", TargetFolder::Hidden, &Control::InScope, None);
        self.report.controls += 1;
        if !self.fixture.listeners.take_allowed_port_reached() {
            self.report.faults.push(format!(
                "the allowed port was not reached ({}): {}",
                self.label, script_run.output
            ));
        }
        self.remove_folder(&script_run);
    }

    /// Stops the server and returns the results.
    pub fn finish(mut self) -> EscapeReport {
        // Background processes of earlier attempts have had time to act.
        let evidence = self.detect_escapes("");
        self.report
            .escapes
            .extend(evidence.into_iter().map(|item| format!("after the last attempt: {item}")));
        self.client.shut_down();
        self.report
    }

    /// Returns the evidence of a successful escape, as seen from outside the sandbox.
    pub(super) fn detect_escapes(&mut self, output: &str) -> Vec<String> {
        let mut evidence = Vec::new();
        let now = self.fixture.state();
        for (path, description) in &now {
            if self.before.get(path) != Some(description) {
                evidence.push(format!("changed: {} {description}", path.display()));
            }
        }
        let gone = self.before.keys().filter(|path| !now.contains_key(*path));
        evidence.extend(gone.map(|path| format!("gone: {}", path.display())));
        self.before = now;
        if output.contains(&self.fixture.secret) {
            evidence.push(format!(
                "secret in the output: {}",
                output.chars().take(600).collect::<String>()
            ));
        }
        evidence.extend(
            self.fixture.listeners.take_reached().into_iter().map(|who| format!("reached: {who}")),
        );
        let server = process_state(self.client.pid());
        if server != self.server {
            evidence.push(format!("the server was {} and is {server}", self.server));
            self.server = server;
        }
        evidence
    }

    /// Restores the files that an unconfined attempt changed.
    fn restore(&mut self) {
        let hidden = self.fixture.path("hidden");
        for entry in fs::read_dir(&hidden).unwrap().flatten() {
            let name = entry.file_name();
            let listens = ["sock", "dgram", "fifo"].iter().any(|one| name == *one);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
                Ok(_) if !listens => fs::remove_file(entry.path()).unwrap(),
                Ok(_) | Err(_) => {}
            }
        }
        fill_folder(&hidden, &self.fixture.secret);
        self.before = self.fixture.state();
    }

    fn run(
        &mut self,
        script: &str,
        target: TargetFolder,
        control: &Control,
        inside: Option<&Path>,
    ) -> ScriptRun {
        let here = format!("a/{}", self.next);
        self.next += 1;
        let folder = self.fixture.path(&format!("scope/{here}"));
        fill_folder(&folder.join("inside"), &self.fixture.control_secret);
        fs::write(folder.join("mine"), "mine").unwrap();
        if *control == Control::InScope {
            let before = format!("{:?}", state_of(&folder.join("inside")));
            fs::write(folder.join("before"), before).unwrap();
        }
        let text = format!(
            "{}(\n{script}\n) > output 2>&1\necho $? > exit_code\n",
            self.variables(target, inside)
        );
        self.call(
            "sandboxed_shell",
            &json!({
                "command": text, "working_directory": here, "execution_mode": "Synchronous",
                "timeout_seconds": 20,
            }),
        );
        let read =
            |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let exit = read(&folder.join("exit_code")).trim().parse().ok();
        let mut output = read(&folder.join("output"));
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let known = ["output", "mine", "before"].iter().any(|name| entry.file_name() == *name);
            if !known && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                output.push_str(&read(&entry.path()));
            }
        }
        ScriptRun { output, exit, folder }
    }

    /// Returns shell assignments for the variables that scripts use.
    fn variables(&self, target: TargetFolder, inside: Option<&Path>) -> String {
        let fixture = self.fixture;
        let folder = match target {
            TargetFolder::Hidden => fixture.path("hidden"),
            TargetFolder::Readable => fixture.path("shown"),
        };
        let target_folder = inside.map_or(folder.clone(), Path::to_owned);
        let home = inside.map_or(fixture.path("home"), Path::to_owned);
        let (forbidden, allowed) = fixture.listeners.ports();
        let home_file = fixture.home_file();
        let mut text = String::new();
        let mut set = |name: &str, value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}='{value}'");
        };
        set("D", &target_folder.display());
        set("H", &home.display());
        set("R", &home_file.parent().unwrap().display());
        set("M", &home_file.file_name().unwrap().display());
        set("C", &fixture.path("scope/bin/calls").display());
        set("E", &fixture.path("scope/bin/library.so").display());
        set("PID", &self.client.pid());
        set("HANDLE", &fixture.file_handle);
        let port = self.client.address().and_then(|at| at.rsplit(':').next());
        set("HTTP", &port.unwrap_or_default());
        set("TCP", &forbidden);
        set("OPEN", &allowed);
        set("UDP", &fixture.listeners.datagram_port());
        set("NAME", &fixture.listeners.abstract_name);
        set("SOCK", &folder.join("sock").display());
        set("DGRAM", &folder.join("dgram").display());
        set("FIFO", &folder.join("fifo").display());
        text
    }

    /// Calls a tool and returns its response. Checks do not rely on it.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        self.client.request("tools/call", &params.to_string())
    }

    fn remove_folder(&self, script_run: &ScriptRun) {
        // The fixture removes the folder if this fails.
        let _ = fs::remove_dir_all(&script_run.folder);
    }
}

/// Describes those properties of a process that another process could have changed.
fn process_state(pid: u32) -> String {
    if !inspect::is_running(pid) {
        return "gone".to_owned();
    }
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let status = read("status");
    let line = |key: &str| status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let is_stopped = fields.first().is_some_and(|state| matches!(*state, "T" | "t"));
    format!(
        "{} stopped: {is_stopped}, nice {}, {}, {}, killed first {} limits {}",
        read("comm").trim(),
        fields.get(16).unwrap_or(&""),
        line("TracerPid"),
        line("Cpus_allowed_list"),
        read("oom_score_adj").trim(),
        read("limits")
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
            .join("; ")
    )
}
