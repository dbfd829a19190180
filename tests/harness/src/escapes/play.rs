//! Plays attempts against a server, one after the other, and says which came through.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    Attempt, Control, Hold, Net, Place, Seen,
    place::{State, furnish, state_of},
};
use crate::{
    desk,
    hostile::{Caller, Door, Era},
};

/// Where outside an attempt aims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// At what commands do not see.
    Hidden,
    /// At what they may read.
    Shown,
}

/// What attempts came to.
#[derive(Debug, Default)]
pub struct Verdict {
    /// How many were made.
    pub attempts: usize,
    /// How many controls were.
    pub controls: usize,
    /// What came through, in words.
    pub escapes: Vec<String>,
    /// Acts that are allowed, and failed; attempts that were not made.
    pub faults: Vec<String>,
}

impl Verdict {
    /// Adds what other attempts came to.
    pub fn add(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.controls += other.controls;
        self.escapes.extend(other.escapes);
        self.faults.extend(other.faults);
    }
}

/// A server, and somebody who has it run scripts.
pub struct Player<'a> {
    pub(super) place: &'a Place,
    pub(super) caller: Caller,
    pub(super) verdict: Verdict,
    label: String,
    server: String,
    before: State,
    next: usize,
}

/// What a script left.
struct Ran {
    /// All it wrote down.
    loot: String,
    /// How it ended; absent when it did not come to that.
    exit: Option<i32>,
    folder: PathBuf,
}

impl<'a> Player<'a> {
    /// Starts a server.
    pub fn start(place: &'a Place, door: Door, net: Net, hold: Hold) -> Self {
        let caller = Caller::start(place.server(net, hold), door, Era::Handshake, &json!({}));
        let server = condition(caller.pid());
        place.ears.heard();
        place.ears.was_open();
        let label = format!("{door:?}, network {net:?}");
        let (before, verdict) = (place.state(), Verdict::default());
        Self { place, caller, verdict, label, server, before, next: 0 }
    }

    /// Makes an attempt that must fail.
    pub fn attempt(&mut self, row: &Attempt, outside: Outside) {
        let ran = self.run(&row.script, outside, &row.control, None);
        self.verdict.attempts += 1;
        let mut signs = self.signs(&ran.loot);
        if row.seen == Seen::Done && ran.exit == Some(0) {
            signs.push(format!("it was done: {}", ran.loot));
        }
        let what = format!("{} ({}, {outside:?})", row.name, self.label);
        if !ran.folder.join("loot").exists() {
            self.verdict.faults.push(format!("{what}: it was not attempted"));
        }
        if !signs.is_empty() {
            self.verdict.escapes.push(format!("{what}: {}\n  {}", row.script, signs.join("\n  ")));
        }
        self.forget(&ran);
    }

    /// Makes an attempt without a hold on it, which must be seen.
    pub fn witness(&mut self, row: &Attempt) {
        let ran = self.run(&row.script, Outside::Hidden, &row.control, None);
        self.verdict.attempts += 1;
        let signs = self.signs(&ran.loot);
        if signs.is_empty() {
            let why = format!("{} without a hold was not seen: {}", row.name, ran.loot);
            self.verdict.faults.push(why);
        }
        self.forget(&ran);
        self.restore();
    }

    /// Does the same where it is allowed.
    pub fn control(&mut self, row: &Attempt) {
        let inside = self.place.at(&format!("scope/a/{}/inside", self.next));
        let script = match &row.control {
            Control::Inside => row.script.clone(),
            Control::Child => format!("sleep 9 & PID=$!\n{}", row.script),
            Control::By(script) => script.clone(),
        };
        let inside = (row.control == Control::Inside).then_some(inside);
        let ran = self.run(&script, Outside::Hidden, &row.control, inside.as_deref());
        self.verdict.controls += 1;
        let is_so = match (&row.control, row.seen) {
            (Control::Inside, Seen::Changed) => {
                let now = state_of(&ran.folder.join("inside"));
                fs::read_to_string(ran.folder.join("before")).ok() != Some(format!("{now:?}"))
            }
            (Control::Inside, Seen::Told) => ran.loot.contains(&self.place.own),
            (Control::Inside, Seen::Heard | Seen::Done) | (Control::Child | Control::By(_), _) => {
                ran.exit == Some(0)
            }
        };
        if !is_so {
            let why = format!("{} ({}) inside: {}", row.name, self.label, ran.loot);
            self.verdict.faults.push(why);
        }
        self.forget(&ran);
    }

    /// Whether the one port that is open can be reached.
    pub fn the_open_port_is_reached(&mut self) {
        let ran = self.run("$C tcp $OPEN", Outside::Hidden, &Control::Inside, None);
        self.verdict.controls += 1;
        if !self.place.ears.was_open() {
            self.verdict.faults.push(format!("the open port ({}): {}", self.label, ran.loot));
        }
        self.forget(&ran);
    }

    /// Ends the server; what came of it all.
    pub fn leave(mut self) -> Verdict {
        // What was left to do its work later would have done it by now.
        let signs = self.signs("");
        self.verdict.escapes.extend(signs.into_iter().map(|sign| format!("in the end: {sign}")));
        self.caller.leave();
        self.verdict
    }

    /// What is not as it should be, seen from outside.
    pub(super) fn signs(&mut self, loot: &str) -> Vec<String> {
        let mut signs = Vec::new();
        let now = self.place.state();
        for (path, said) in &now {
            if self.before.get(path) != Some(said) {
                signs.push(format!("changed: {} {said}", path.display()));
            }
        }
        let gone = self.before.keys().filter(|path| !now.contains_key(*path));
        signs.extend(gone.map(|path| format!("gone: {}", path.display())));
        self.before = now;
        if loot.contains(&self.place.secret) {
            signs.push(format!("told: {}", loot.chars().take(600).collect::<String>()));
        }
        signs.extend(self.place.ears.heard().into_iter().map(|who| format!("heard: {who}")));
        let server = condition(self.caller.pid());
        if server != self.server {
            signs.push(format!("the server was {} and is {server}", self.server));
            self.server = server;
        }
        signs
    }

    /// Puts back what an attempt without a hold has changed.
    fn restore(&mut self) {
        let hidden = self.place.at("hidden");
        for entry in fs::read_dir(&hidden).unwrap().flatten() {
            let name = entry.file_name();
            let listens = ["sock", "dgram", "fifo"].iter().any(|one| name == *one);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
                Ok(_) if !listens => fs::remove_file(entry.path()).unwrap(),
                Ok(_) | Err(_) => {}
            }
        }
        furnish(&hidden, &self.place.secret);
        self.before = self.place.state();
    }

    fn run(
        &mut self,
        script: &str,
        outside: Outside,
        control: &Control,
        inside: Option<&Path>,
    ) -> Ran {
        let here = format!("a/{}", self.next);
        self.next += 1;
        let folder = self.place.at(&format!("scope/{here}"));
        furnish(&folder.join("inside"), &self.place.own);
        fs::write(folder.join("mine"), "mine").unwrap();
        if *control == Control::Inside {
            let before = format!("{:?}", state_of(&folder.join("inside")));
            fs::write(folder.join("before"), before).unwrap();
        }
        let text = format!(
            "{}(\n{script}\n) > loot 2>&1\necho $? > ended\n",
            self.variables(outside, inside)
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
        let exit = read(&folder.join("ended")).trim().parse().ok();
        let mut loot = read(&folder.join("loot"));
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let known = ["loot", "mine", "before"].iter().any(|name| entry.file_name() == *name);
            if !known && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                loot.push_str(&read(&entry.path()));
            }
        }
        Ran { loot, exit, folder }
    }

    /// What scripts find set.
    fn variables(&self, outside: Outside, inside: Option<&Path>) -> String {
        let place = self.place;
        let folder = match outside {
            Outside::Hidden => place.at("hidden"),
            Outside::Shown => place.at("shown"),
        };
        let aim = inside.map_or(folder.clone(), Path::to_owned);
        let home = inside.map_or(place.at("home"), Path::to_owned);
        let (closed, open) = place.ears.ports();
        let at_home = place.at_home();
        let mut text = String::new();
        let mut set = |name: &str, value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}='{value}'");
        };
        set("D", &aim.display());
        set("H", &home.display());
        set("R", &at_home.parent().unwrap().display());
        set("M", &at_home.file_name().unwrap().display());
        set("C", &place.at("scope/bin/calls").display());
        set("E", &place.at("scope/bin/library.so").display());
        set("PID", &self.caller.pid());
        set("HANDLE", &place.handle);
        let own = self.caller.address().and_then(|at| at.rsplit(':').next());
        set("HTTP", &own.unwrap_or_default());
        set("TCP", &closed);
        set("OPEN", &open);
        set("UDP", &place.ears.datagram_port());
        set("NAME", &place.ears.name);
        set("SOCK", &folder.join("sock").display());
        set("DGRAM", &folder.join("dgram").display());
        set("FIFO", &folder.join("fifo").display());
        text
    }

    /// Calls a tool and waits for its answer; nothing is judged by it.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        self.caller.ask("tools/call", &params.to_string())
    }

    fn forget(&self, ran: &Ran) {
        // A folder that cannot be removed goes with the place.
        let _ = fs::remove_dir_all(&ran.folder);
    }
}

/// How a process is, as far as others could have changed it.
fn condition(pid: u32) -> String {
    if !desk::runs(pid) {
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
