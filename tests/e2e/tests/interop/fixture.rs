//! A desktop with an editor and two apps with the same name, and a client script that runs a
//! complete session with them.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use harness::{App, Outcome, Program, TestDesktop, interop, outcome};
use serde_json::{Value, json};

/// The text that the clients type.
pub(crate) const TEXT: &str = "Größe: 42 €";
/// Query for the text field of the editor.
pub(crate) const FIELD: &str = "role:text";
/// Name of the two apps that run at the same time.
const TWINS: &str = "gtk3_passwords.py";

/// The SDK of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    TypeScript1,
    TypeScript2,
    Python,
}

/// The transport of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
    Sse,
}

/// The protocol versions that a client uses: `initialize`-based, automatic, or 2026-07-28.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Auto,
    Modern,
}

/// A private desktop with the apps of the session.
pub(crate) struct Fixture {
    pub(crate) stage: TestDesktop,
    editor: Program,
    twins: [Program; 2],
    file: PathBuf,
}

/// A server process, killed when dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let stage = TestDesktop::new();
        let file = stage.info().home.join("note.txt");
        fs::write(&file, "").unwrap();
        let editor = stage.start_with(App::Mousepad, |command| {
            command.arg(&file);
        });
        let twin = || stage.start_unread(App::Fixture(TWINS, &[]));
        let twins = [twin(), twin()];
        Self { stage, editor, twins, file }
    }

    /// The pid of the editor as text.
    pub(crate) fn editor(&self) -> String {
        self.editor.pid_text()
    }

    /// Starts a server on HTTP.
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
        let at = line
            .find("http://")
            .unwrap_or_else(|| panic!("no address in the startup line: {line}"));
        let end =
            line.find("/mcp").unwrap_or_else(|| panic!("no address in the startup line: {line}"));
        Server { child, address: line[at..end].to_owned() }
    }

    /// Runs a client through the whole session, and checks its report and the file that the editor
    /// saved.
    pub(crate) fn run_client(&self, language: Language, transport: Transport, era: Era) {
        let server = match transport {
            Transport::Stdio => None,
            Transport::Http => Some(self.serve(&[])),
            Transport::Sse => Some(self.serve(&["--sse"])),
        };
        let (transport_name, path) = match transport {
            Transport::Stdio => ("stdio", ""),
            Transport::Http => ("http", "/mcp"),
            Transport::Sse => ("sse", "/sse"),
        };
        let address = server.as_ref().map_or("", |server| &server.address);
        let job = json!({
            "transport": transport_name,
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
            Language::TypeScript1 => {
                self.command_for(interop::node(), copy.path().join("typescript_sdk_1.mjs"))
            }
            Language::TypeScript2 => {
                self.command_for(interop::node(), copy.path().join("typescript_sdk_2.mjs"))
            }
            Language::Python => {
                self.command_for(interop::python(), interop::scripts().join("python_sdk.py"))
            }
        };
        let run = Outcome::of(command.arg(job.to_string()));
        assert_eq!(run.code, Some(0), "{run}");
        let report: Value = serde_json::from_str(run.text().trim()).unwrap();
        self.check_report(&report, era);
        let supports_tasks = language != Language::Python || era != Era::Legacy;
        if supports_tasks {
            check_task(&report["task"]);
        }
        self.assert_saved(TEXT);
    }

    fn command_for(&self, mut interpreter: Command, file: PathBuf) -> Command {
        self.stage.info().apply(&mut interpreter);
        interpreter.arg(file).env("PYTHONDONTWRITEBYTECODE", "1");
        interpreter
    }

    fn check_report(&self, report: &Value, era: Era) {
        let version = if era == Era::Legacy { "2025-11-25" } else { "2026-07-28" };
        assert_eq!((&report["version"], &report["server"]), (&json!(version), &json!("deskhand")));
        let contains = |list: &str, one: &str| {
            let all = report[list].as_array().unwrap_or_else(|| panic!("{list}: {report}"));
            all.iter().any(|word| word == one)
        };
        assert!(
            contains("has", "tools") && contains("has", "resources") && contains("has", "prompts"),
            "{report}"
        );
        assert!(
            contains("tools", "ax_click") && contains("resources", "deskhand://apps"),
            "{report}"
        );
        assert!(
            contains("templates", "deskhand://app/{name}/tree") && contains("prompts", "test-app")
        );
        assert_eq!(report["completed"], json!(["json"]), "{report}");
        assert!(report["prompt"].as_u64() >= Some(1), "{report}");

        let editor = self.editor.pid();
        assert_eq!(report["connected"]["pid"], editor, "{report}");
        assert!(report["outline"].as_str().unwrap().contains("menubar"), "{report}");
        assert_eq!(report["picture"], json!(["image/png"]), "{report}");
        assert_eq!(report["read"]["pid"], editor, "{report}");
        assert_eq!(report["typed"]["effect"], "confirmed", "{report}");
        assert_eq!(report["updated"], format!("deskhand://app/{editor}/state"), "{report}");
        assert_eq!(report["asserted"]["passed"], true, "{report}");
        assert_eq!(report["refused"]["isError"], true, "{report}");

        let cancelled = report["withdrawn"].as_array().unwrap();
        assert!(cancelled.iter().all(|word| word == "withdrawn"), "{report}");
        // The cancelled calls occupied all slots for up to 20 seconds if cancellation did not work.
        assert!(report["waited_ms"].as_u64() < Some(10_000), "{report}");

        assert_eq!(report["chosen"]["pid"], self.twins[1].pid(), "{report}");
        let prompts = report["asked"].as_array().unwrap();
        assert!(
            prompts.iter().any(|words| words.as_str().unwrap().contains("Which one")),
            "{report}"
        );
    }

    /// Waits until the editor has saved this text.
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

fn check_task(task: &Value) {
    let states = task["states"].as_array().unwrap_or_else(|| panic!("no task: {task}"));
    assert_eq!(states.first(), Some(&json!("working")), "{task}");
    assert_eq!(states.last(), Some(&json!("completed")), "{task}");
    assert_eq!(task["data"]["idle"], true, "{task}");
    assert!(task["stopped"].is_null() || task["stopped"] == "cancelled", "{task}");
}

impl Server {
    /// URL of a path on the server.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended by itself; the client reports that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
