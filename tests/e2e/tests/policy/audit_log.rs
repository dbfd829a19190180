//! The audit log survives the processes that write it, and manipulation is detected.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use harness::{
    App, Element, Outcome, TestDesktop,
    inspect::wait_until,
    mcp::{Elicitation, McpClient},
    outcome,
};
use serde_json::{Value, json};

/// A process that writes a log.
fn audit_writer(log: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit_writer"));
    command.arg(log).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `audit-log verify`. Returns its report and exit code.
fn verify(log: &Path) -> (Value, Option<i32>) {
    let mut command = Command::new(outcome::binary());
    command.args(["audit-log", "verify", "--format", "json"]).env("DESKHAND_AUDIT_LOG", log);
    let outcome = Outcome::of(&mut command);
    let verify = serde_json::from_slice(&outcome.stdout);
    (verify.unwrap_or_else(|error| panic!("{outcome}: {error}")), outcome.code)
}

fn assert_valid(log: &Path) -> Value {
    let (verify, code) = verify(log);
    assert_eq!((verify["faults"].as_array().map(Vec::len), code), (Some(0), Some(0)), "{verify}");
    verify
}

/// All lines of all files of a log, oldest first. A torn line is `None`.
fn read_lines(log: &Path) -> Vec<Option<Value>> {
    let folder = fs::read_dir(log.parent().unwrap()).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && path != log);
    files.sort();
    files.push(log.to_owned());
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}

/// Kills a process with `SIGKILL` and returns the lines it has printed.
fn kill_and_read(mut child: Child) -> Vec<String> {
    child.kill().unwrap();
    child.wait().unwrap();
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).collect()
}

#[test]
fn killed_writers_leave_a_valid_log_with_all_confirmed_records() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let mut printed: Vec<String> = Vec::new();
    for round in 0..120_u64 {
        // Two writers at once, with files so small that many are killed during a rotation.
        let mut writers =
            [(); 2].map(|()| audit_writer(&log, &["--rotate-at", "20000"]).spawn().unwrap());
        std::thread::sleep(Duration::from_micros(2_000 + fastrand::u64(..25_000)));
        let [first, second] = &mut writers;
        first.kill().unwrap();
        std::thread::sleep(Duration::from_micros(fastrand::u64(..3_000)));
        second.kill().unwrap();
        for writer in writers {
            printed.extend(kill_and_read(writer));
        }
        if round % 30 == 29 {
            assert_valid(&log);
        }
    }
    let verify = assert_valid(&log);
    let all = read_lines(&log);
    let torn = all.iter().filter(|line| line.is_none()).count();
    assert_eq!(json!([all.len() - torn, torn]), json!([verify["lines"], verify["mended"]]));
    let all: Vec<Value> = all.into_iter().flatten().collect();
    let ids = |phase: &str| -> std::collections::HashSet<u64> {
        all.iter()
            .filter(|one| one["phase"] == phase)
            .map(|one| one["id"].as_u64().unwrap())
            .collect()
    };
    let (begun, ended) = (ids("begun"), ids("ended"));
    assert!(ended.is_subset(&begun));
    assert!(printed.len() > 1_000, "only {} lines were printed", printed.len());
    for line in &printed {
        // The last line may be cut off by the kill.
        let mut words = line.split(' ');
        let (what, id) = (words.next().unwrap(), words.next().and_then(|id| id.parse().ok()));
        match (what, id, words.next()) {
            ("begun", Some(id), None) => {
                assert!(begun.contains(&id) || line == printed.last().unwrap())
            }
            ("ended", Some(id), Some(_)) => assert!(ended.contains(&id), "{line}"),
            _ => {}
        }
    }
}

#[test]
fn torn_line_of_a_killed_writer_is_repaired_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    // At the file size limit the kernel writes a part of the line and kills the writer with the
    // next write.
    let writer = audit_writer(&log, &[]);
    let limited = |trap: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{trap} ulimit -f 4; exec \"$0\" \"$@\"")]);
        shell.arg(writer.get_program()).args(writer.get_args());
        shell.stdout(Stdio::null()).output().unwrap()
    };
    let ended = limited("");
    assert_eq!(ended.status.signal(), Some(25), "expected SIGXFSZ: {ended:?}");
    assert!(!fs::read(&log).unwrap().ends_with(b"\n"), "the last line is complete");
    let (before, code) = verify(&log);
    assert_eq!((&before["faults"][0]["fault"], code), (&json!("unreadable"), Some(1)), "{before}");
    audit_writer(&log, &["--calls", "1"]).output().unwrap();
    let after = assert_valid(&log);
    assert_eq!(after["mended"], 1, "{after}");
    assert_eq!(after["lines"].as_u64(), before["lines"].as_u64().map(|lines| lines + 3));
    // A writer that ignores the signal gets an error and removes its partial line.
    let size = fs::metadata(&log).unwrap().len();
    let printed = limited("trap '' XFSZ;");
    assert!(String::from_utf8_lossy(&printed.stderr).contains("cannot be written"), "{printed:?}");
    assert_eq!(fs::metadata(&log).unwrap().len(), size);
    assert_eq!(assert_valid(&log)["lines"], after["lines"]);
}

#[test]
fn manipulation_of_the_log_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let done = audit_writer(&log, &["--calls", "20"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let original = fs::read_to_string(&log).unwrap();
    let noted = assert_valid(&log);
    let fault = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = original.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        let (verify, code) = verify(&log);
        assert_eq!(code, Some(1), "{verify}");
        verify["faults"][0]["fault"].as_str().unwrap().to_owned()
    };
    let changed = original.lines().nth(7).unwrap().replace("mousepad", "terminal");
    assert_eq!(fault(&|lines| lines[7].clone_from(&changed)), "changed");
    assert_eq!(fault(&|lines| drop(lines.remove(7))), "missing");
    assert_eq!(fault(&|lines| lines.swap(7, 8)), "missing");
    assert_eq!(fault(&|lines| lines.insert(9, lines[7].clone())), "misplaced");
    assert_eq!(fault(&|lines| lines.truncate(30)), "missing");
    assert_eq!(fault(&|lines| lines[7] = "{}".to_owned()), "unreadable");
    fs::write(&log, original.trim_end().strip_suffix('}').unwrap()).unwrap();
    assert_eq!(verify(&log).0["faults"][0]["fault"], "unreadable");
    fs::write(&log, &original).unwrap();
    assert_valid(&log);
    // A replaced log is detected with the sequence number and hash noted from the old one.
    fs::remove_file(&log).unwrap();
    fs::remove_file(log.with_extension("head")).unwrap();
    audit_writer(&log, &["--calls", "30"]).output().unwrap();
    assert_valid(&log);
    let noted = format!("{}:{}", noted["last_seq"], noted["last_hash"].as_str().unwrap());
    let mut command = Command::new(outcome::binary());
    command.args(["audit-log", "verify", "--noted", &noted, "--format", "json"]);
    let printed = Outcome::of(command.env("DESKHAND_AUDIT_LOG", &log));
    assert_eq!(printed.code, Some(1), "{printed}");
    assert!(printed.text().contains("not_there"), "{printed}");
}

#[test]
fn actions_are_recorded_without_typed_text() {
    const SECRET: &str = "xylophone-4711";
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let pid = app.pid_text();
    agent.ok("ax_connect", json!({ "app": pid, "alias": "editor" }));
    agent.ok("ax_type", json!({ "app": "editor", "text": SECRET }));
    agent.ok("ax_get_tree", json!({ "app": "editor" }));
    agent.refused("ax_click", json!({ "app": "editor", "query": "no such thing" }));
    let records = stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let records = records.as_array().unwrap();
    let tools: Vec<&Value> = records.iter().map(|one| &one["tool"]).collect();
    assert_eq!(tools, ["ax_type", "ax_click"], "reads must not be recorded");
    assert_eq!(records[0]["result"], "ok");
    assert_eq!(records[0]["effect"], "confirmed");
    assert_eq!(records[0]["door"], "mcp");
    assert_ne!(records[1]["result"], "ok");
    let of_type = ["audit-log", "show", "--tool", "ax_type", "--since", "10m", "--format", "json"];
    assert_eq!(stage.deskhand(&of_type).json().as_array().unwrap().len(), 1);
    let table = stage.deskhand(&["audit-log", "show", "--app", "mousepad"]).text();
    assert!(table.contains("ax_type") && table.contains("confirmed"), "{table} {records:?}");
    let log = stage.info().folders.data.join("audit.jsonl");
    assert!(!fs::read_to_string(&log).unwrap().contains(SECRET));
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
    drop(agent);
}

#[test]
fn command_start_and_end_are_recorded_without_output() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let scope_arg = folder.path().display().to_string();
    let settings = [("DESKHAND_TOOLSETS", "cli"), ("AHMA_SANDBOX_SCOPE", scope_arg.as_str())];
    let mut agent = McpClient::start_with_env(&stage, Elicitation::Unsupported, &settings);
    let command = json!({ "command": "while [ ! -e go ]; do sleep 0.01; done; printf %s%s alpha beta; exit 3" });
    let id = agent.ok("sandboxed_shell", command)["operation_id"].clone();
    let records = || stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let begun = records();
    assert_eq!(
        (begun[0]["tool"].as_str(), begun[0]["effect"].as_str()),
        (Some("sandboxed_shell"), Some("started"),)
    );
    assert!(begun[0]["args"]["command"].as_str().unwrap().contains("printf"), "{begun}");
    fs::write(folder.path().join("go"), "").unwrap();
    assert!(agent.call("await", json!({})).failed);
    assert!(wait_until(|| records().as_array().unwrap().len() == 2), "{}", records());
    let ended = &records()[1];
    assert_eq!((&ended["args"]["operation_id"], &ended["effect"]), (&id, &json!("failed")));
    let log = stage.info().folders.data.join("audit.jsonl");
    assert!(
        !fs::read_to_string(&log).unwrap().contains("alphabeta"),
        "the log contains the output"
    );
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
}

#[test]
fn refused_effect_is_recorded_as_ok_result() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    // An open menu grabs the keyboard, so a menu is not opened in the background.
    let answer = stage.deskhand(&["click", "File", "--app", &app.pid_text(), "--format", "json"]);
    assert!(answer.text().contains("\"effect\": \"refused\""), "{answer}");
    let records = stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let last = records.as_array().and_then(|all| all.last()).unwrap();
    assert_eq!((&last["result"], &last["effect"]), (&json!("ok"), &json!("refused")), "{records}");
}

#[test]
fn action_is_refused_if_it_cannot_be_recorded() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Mousepad);
    let folder = stage.info().folders.data.clone();
    let log = folder.join("audit.jsonl");
    let pid = app.pid_text();
    let mut agent = McpClient::start(&stage, Elicitation::Unsupported);
    let assert_refused = |agent: &mut McpClient, what: &str| {
        let typed = agent.refused("ax_type", json!({ "app": pid, "text": "never" }));
        assert!(typed.contains("audit log") && typed.contains("cannot be written"), "{typed}");
        let type_args = ["type", "never", "--app", &pid, "--format", "json"];
        let error = stage.deskhand(&type_args).expect_error("audit_log_unwritable");
        assert_eq!(error["delivery"], "not_sent", "{error}");
        agent.ok("ax_get_tree", json!({ "app": pid }));
        let text = stage.tree(&app);
        let found = text.find(|one| has_value(one, "never"));
        assert!(found.is_none(), "{what}: {found:?}");
    };
    // A full disk.
    fs::create_dir_all(&folder).unwrap();
    symlink("/dev/full", &log).unwrap();
    assert_refused(&mut agent, "a full disk");
    fs::remove_file(&log).unwrap();
    // A file that cannot be written.
    fs::create_dir(&log).unwrap();
    assert_refused(&mut agent, "no file");
    fs::remove_dir(&log).unwrap();
    // The same server writes again after the log has been repaired.
    agent.ok("ax_type", json!({ "app": pid, "text": "at last" }));
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
    let records = stage.tree(&app);
    let found = records.find(|one| has_value(one, "at last"));
    assert!(found.is_some());
    drop(agent);
}

fn has_value(one: &Element, text: &str) -> bool {
    one.value.as_ref().and_then(Value::as_str).is_some_and(|value| value.contains(text))
}
