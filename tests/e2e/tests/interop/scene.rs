//! An editor with a file, two apps of one name, and a client that walks the whole loop with them.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use harness::{App, Outcome, Program, Stage, interop, outcome};
use serde_json::{Value, json};

/// What the clients write.
pub(crate) const TEXT: &str = "Größe: 42 €";
/// A field of the editor.
pub(crate) const FIELD: &str = "role:text";
/// Two apps of this name run.
const TWINS: &str = "gtk3_passwords.py";

/// Which client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    TypeScript1,
    TypeScript2,
    Python,
}

/// How it comes to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    Stdio,
    Http,
    Sse,
}

/// Which era it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Auto,
    Modern,
}

/// A private desktop with what a client works with.
pub(crate) struct Scene {
    pub(crate) stage: Stage,
    editor: Program,
    twins: [Program; 2],
    file: PathBuf,
}

/// A server that ends with its test.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let stage = Stage::new();
        let file = stage.info().home.join("note.txt");
        fs::write(&file, "").unwrap();
        let editor = stage.start_changed(App::Mousepad, |command| {
            command.arg(&file);
        });
        let twin = || stage.start_unseen(App::Fixture(TWINS, &[]));
        let twins = [twin(), twin()];
        Self { stage, editor, twins, file }
    }

    /// The editor's process.
    pub(crate) fn editor(&self) -> String {
        self.editor.pid_text()
    }

    /// Starts a server that listens.
    pub(crate) fn serve(&self, options: &[&str]) -> Server {
        let mut child = self
            .stage
            .command(outcome::binary())
            .args(["mcp", "serve"])
            .args(options)
            .args(["--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let at = line.find("http://").unwrap_or_else(|| panic!("it does not say where: {line}"));
        let end = line.find("/mcp").unwrap_or_else(|| panic!("it does not say where: {line}"));
        Server { child, address: line[at..end].to_owned() }
    }

    /// Lets a client walk the whole loop, and judges what it saw and what the editor saved.
    pub(crate) fn is_walked_by(&self, language: Language, route: Route, era: Era) {
        let server = match route {
            Route::Stdio => None,
            Route::Http => Some(self.serve(&[])),
            Route::Sse => Some(self.serve(&["--sse"])),
        };
        let (word, path) = match route {
            Route::Stdio => ("stdio", ""),
            Route::Http => ("http", "/mcp"),
            Route::Sse => ("sse", "/sse"),
        };
        let address = server.as_ref().map_or("", |server| &server.address);
        let job = json!({
            "transport": word,
            "url": format!("{address}{path}"),
            "era": match era {
                Era::Legacy => "legacy",
                Era::Auto => "auto",
                Era::Modern => "modern",
            },
            "command": outcome::binary(),
            "editor": self.editor(),
            "field": FIELD,
            "text": TEXT,
            "twins": TWINS,
            "twin": self.twins[1].pid_text(),
        });
        let copy = interop::beside_packages();
        let mut command = match language {
            Language::TypeScript1 => self.script(interop::node(), copy.path().join("sdk1.mjs")),
            Language::TypeScript2 => self.script(interop::node(), copy.path().join("sdk2.mjs")),
            Language::Python => self.script(interop::python(), interop::scripts().join("sdk.py")),
        };
        let run = Outcome::of(command.arg(job.to_string()));
        assert_eq!(run.code, Some(0), "{run}");
        let seen: Value = serde_json::from_str(run.text().trim()).unwrap();
        self.judge(&seen, era);
        let speaks_tasks = language != Language::Python || era != Era::Legacy;
        if speaks_tasks {
            judge_task(&seen["task"]);
        }
        self.assert_saved(TEXT);
    }

    fn script(&self, mut interpreter: Command, file: PathBuf) -> Command {
        self.stage.info().apply(&mut interpreter);
        interpreter.arg(file).env("PYTHONDONTWRITEBYTECODE", "1");
        interpreter
    }

    fn judge(&self, seen: &Value, era: Era) {
        let version = if era == Era::Legacy { "2025-11-25" } else { "2026-07-28" };
        assert_eq!((&seen["version"], &seen["server"]), (&json!(version), &json!("deskhand")));
        let has = |list: &str, one: &str| {
            let all = seen[list].as_array().unwrap_or_else(|| panic!("{list}: {seen}"));
            all.iter().any(|word| word == one)
        };
        assert!(has("has", "tools") && has("has", "resources") && has("has", "prompts"), "{seen}");
        assert!(has("tools", "ax_click") && has("resources", "deskhand://apps"), "{seen}");
        assert!(has("templates", "deskhand://app/{name}/tree") && has("prompts", "test-app"));
        assert_eq!(seen["completed"], json!(["json"]), "{seen}");
        assert!(seen["prompt"].as_u64() >= Some(1), "{seen}");

        let editor = self.editor.pid();
        assert_eq!(seen["connected"]["pid"], editor, "{seen}");
        assert!(seen["outline"].as_str().unwrap().contains("menubar"), "{seen}");
        assert_eq!(seen["picture"], json!(["image/png"]), "{seen}");
        assert_eq!(seen["read"]["pid"], editor, "{seen}");
        assert_eq!(seen["typed"]["effect"], "confirmed", "{seen}");
        assert_eq!(seen["updated"], format!("deskhand://app/{editor}/state"), "{seen}");
        assert_eq!(seen["asserted"]["passed"], true, "{seen}");
        assert_eq!(seen["refused"]["isError"], true, "{seen}");

        let withdrawn = seen["withdrawn"].as_array().unwrap();
        assert!(withdrawn.iter().all(|word| word == "withdrawn"), "{seen}");
        // They held every place there is for twenty seconds, had they not been stopped.
        assert!(seen["waited_ms"].as_u64() < Some(10_000), "{seen}");

        assert_eq!(seen["chosen"]["pid"], self.twins[1].pid(), "{seen}");
        let asked = seen["asked"].as_array().unwrap();
        assert!(asked.iter().any(|words| words.as_str().unwrap().contains("Which one")), "{seen}");
    }

    /// Waits until the editor has saved a text.
    pub(crate) fn assert_saved(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let saved = fs::read_to_string(&self.file).unwrap();
            if saved.trim_end() == text {
                return;
            }
            assert!(Instant::now() < end, "the editor saved {saved:?}, not {text:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn judge_task(task: &Value) {
    let states = task["states"].as_array().unwrap_or_else(|| panic!("no task: {task}"));
    assert_eq!(states.first(), Some(&json!("working")), "{task}");
    assert_eq!(states.last(), Some(&json!("completed")), "{task}");
    assert_eq!(task["data"]["idle"], true, "{task}");
    assert!(task["stopped"].is_null() || task["stopped"] == "cancelled", "{task}");
}

impl Server {
    /// Where it serves.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the client has noticed then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
