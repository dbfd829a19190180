//! The audit log outlives the programs that write it, and shows what was done to it.

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
    App, Outcome, Seen, Stage,
    desk::until,
    mcp::{Agent, Manner},
    outcome,
};
use serde_json::{Value, json};

/// A program that writes a log.
fn scribe(log: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit_writer"));
    command.arg(log).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What the program itself says of a log.
fn verdict(log: &Path) -> (Value, Option<i32>) {
    let mut command = Command::new(outcome::binary());
    command.args(["audit-log", "verify", "--format", "json"]).env("DESKHAND_AUDIT_LOG", log);
    let outcome = Outcome::of(&mut command);
    let verdict = serde_json::from_slice(&outcome.stdout);
    (verdict.unwrap_or_else(|error| panic!("{outcome}: {error}")), outcome.code)
}

fn sound(log: &Path) -> Value {
    let (verdict, code) = verdict(log);
    assert_eq!((verdict["faults"].as_array().map(Vec::len), code), (Some(0), Some(0)), "{verdict}");
    verdict
}

/// Every line of every file of a log, oldest first; those that are torn are none.
fn lines(log: &Path) -> Vec<Option<Value>> {
    let folder = fs::read_dir(log.parent().unwrap()).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl") && path != log);
    files.sort();
    files.push(log.to_owned());
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}

/// Kills a program as hard as it gets, and returns what it had said by then.
fn killed(mut child: Child) -> Vec<String> {
    child.kill().unwrap();
    child.wait().unwrap();
    BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).collect()
}

#[test]
fn writers_killed_at_any_moment_leave_a_sound_log_with_all_they_were_told_is_in_it() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("audit.jsonl");
    let mut told: Vec<String> = Vec::new();
    for round in 0..120_u64 {
        // Two at once, in files so small that many die in the middle of a rotation.
        let mut writers =
            [(); 2].map(|()| scribe(&log, &["--rotate-at", "20000"]).spawn().unwrap());
        std::thread::sleep(Duration::from_micros(2_000 + fastrand::u64(..25_000)));
        let [first, second] = &mut writers;
        first.kill().unwrap();
        std::thread::sleep(Duration::from_micros(fastrand::u64(..3_000)));
        second.kill().unwrap();
        for writer in writers {
            told.extend(killed(writer));
        }
        if round % 30 == 29 {
            sound(&log);
        }
    }
    let verdict = sound(&log);
    let all = lines(&log);
    let torn = all.iter().filter(|line| line.is_none()).count();
    assert_eq!(json!([all.len() - torn, torn]), json!([verdict["lines"], verdict["mended"]]));
    let all: Vec<Value> = all.into_iter().flatten().collect();
    let ids = |phase: &str| -> std::collections::HashSet<u64> {
        all.iter()
            .filter(|one| one["phase"] == phase)
            .map(|one| one["id"].as_u64().unwrap())
            .collect()
    };
    let (begun, ended) = (ids("begun"), ids("ended"));
    assert!(ended.is_subset(&begun));
    assert!(told.len() > 1_000, "only {} records were told", told.len());
    for line in &told {
        // The last line may be cut off by the kill.
        let mut words = line.split(' ');
        let (what, id) = (words.next().unwrap(), words.next().and_then(|id| id.parse().ok()));
        match (what, id, words.next()) {
            ("begun", Some(id), None) => {
                assert!(begun.contains(&id) || line == told.last().unwrap())
            }
            ("ended", Some(id), Some(_)) => assert!(ended.contains(&id), "{line}"),
            _ => {}
        }
    }
}

#[test]
fn a_line_torn_by_the_end_of_its_writer_is_no_record_and_is_told_of() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("audit.jsonl");
    // The kernel lets a part of the line through and kills the writer at the next.
    let writer = scribe(&log, &[]);
    let limited = |trap: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{trap} ulimit -f 4; exec \"$0\" \"$@\"")]);
        shell.arg(writer.get_program()).args(writer.get_args());
        shell.stdout(Stdio::null()).output().unwrap()
    };
    let ended = limited("");
    assert_eq!(ended.status.signal(), Some(25), "by SIGXFSZ: {ended:?}");
    assert!(!fs::read(&log).unwrap().ends_with(b"\n"), "a line is torn");
    let (before, code) = verdict(&log);
    assert_eq!((&before["faults"][0]["fault"], code), (&json!("unreadable"), Some(1)), "{before}");
    scribe(&log, &["--calls", "1"]).output().unwrap();
    let after = sound(&log);
    assert_eq!(after["mended"], 1, "{after}");
    assert_eq!(after["lines"].as_u64(), before["lines"].as_u64().map(|lines| lines + 3));
    // A writer that is told of the error takes its part back.
    let size = fs::metadata(&log).unwrap().len();
    let told = limited("trap '' XFSZ;");
    assert!(String::from_utf8_lossy(&told.stderr).contains("cannot be written"), "{told:?}");
    assert_eq!(fs::metadata(&log).unwrap().len(), size);
    assert_eq!(sound(&log)["lines"], after["lines"]);
}

#[test]
fn what_is_done_to_the_log_is_found() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("audit.jsonl");
    let done = scribe(&log, &["--calls", "20"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let good = fs::read_to_string(&log).unwrap();
    let noted = sound(&log);
    let fault = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = good.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        let (verdict, code) = verdict(&log);
        assert_eq!(code, Some(1), "{verdict}");
        verdict["faults"][0]["fault"].as_str().unwrap().to_owned()
    };
    let changed = good.lines().nth(7).unwrap().replace("mousepad", "terminal");
    assert_eq!(fault(&|lines| lines[7].clone_from(&changed)), "changed");
    assert_eq!(fault(&|lines| drop(lines.remove(7))), "missing");
    assert_eq!(fault(&|lines| lines.swap(7, 8)), "missing");
    assert_eq!(fault(&|lines| lines.insert(9, lines[7].clone())), "misplaced");
    assert_eq!(fault(&|lines| lines.truncate(30)), "missing");
    assert_eq!(fault(&|lines| lines[7] = "{}".to_owned()), "unreadable");
    fs::write(&log, good.trim_end().strip_suffix('}').unwrap()).unwrap();
    assert_eq!(verdict(&log).0["faults"][0]["fault"], "unreadable");
    fs::write(&log, &good).unwrap();
    sound(&log);
    // A whole new log is found by what was noted of the old one.
    fs::remove_file(&log).unwrap();
    fs::remove_file(log.with_extension("head")).unwrap();
    scribe(&log, &["--calls", "30"]).output().unwrap();
    sound(&log);
    let noted = format!("{}:{}", noted["last_seq"], noted["last_hash"].as_str().unwrap());
    let mut command = Command::new(outcome::binary());
    command.args(["audit-log", "verify", "--noted", &noted, "--format", "json"]);
    let told = Outcome::of(command.env("DESKHAND_AUDIT_LOG", &log));
    assert_eq!(told.code, Some(1), "{told}");
    assert!(told.text().contains("not_there"), "{told}");
}

#[test]
fn what_an_agent_does_is_on_record_and_what_it_types_is_not() {
    const SECRET: &str = "xylophone-4711";
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let mut agent = Agent::start(&stage, Manner::Silent);
    let pid = app.pid_text();
    agent.ok("ax_connect", json!({ "app": pid, "alias": "editor" }));
    agent.ok("ax_type", json!({ "app": "editor", "text": SECRET }));
    agent.ok("ax_get_tree", json!({ "app": "editor" }));
    agent.refused("ax_click", json!({ "app": "editor", "query": "no such thing" }));
    let shown = stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let shown = shown.as_array().unwrap();
    let tools: Vec<&Value> = shown.iter().map(|one| &one["tool"]).collect();
    assert_eq!(tools, ["ax_type", "ax_click"], "looking is not on record");
    assert_eq!(shown[0]["result"], "ok");
    assert_eq!(shown[0]["effect"], "confirmed");
    assert_eq!(shown[0]["door"], "mcp");
    assert_ne!(shown[1]["result"], "ok");
    let of_type = ["audit-log", "show", "--tool", "ax_type", "--since", "10m", "--format", "json"];
    assert_eq!(stage.deskhand(&of_type).json().as_array().unwrap().len(), 1);
    let table = stage.deskhand(&["audit-log", "show", "--app", "mousepad"]).text();
    assert!(table.contains("ax_type") && table.contains("confirmed"), "{table} {shown:?}");
    let log = stage.info().folders.data.join("audit.jsonl");
    assert!(!fs::read_to_string(&log).unwrap().contains(SECRET));
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
    drop(agent);
}

#[test]
fn a_command_is_on_record_when_it_begins_and_when_it_ends_and_its_output_is_not() {
    let stage = Stage::new();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display().to_string();
    let settings = [("DESKHAND_TOOLSETS", "cli"), ("AHMA_SANDBOX_SCOPE", place.as_str())];
    let mut agent = Agent::set(&stage, Manner::Silent, &settings);
    let command = json!({ "command": "while [ ! -e go ]; do sleep 0.01; done; printf %s%s alpha beta; exit 3" });
    let id = agent.ok("sandboxed_shell", command)["operation_id"].clone();
    let shown = || stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let begun = shown();
    assert_eq!(
        (begun[0]["tool"].as_str(), begun[0]["effect"].as_str()),
        (Some("sandboxed_shell"), Some("started"),)
    );
    assert!(begun[0]["args"]["command"].as_str().unwrap().contains("printf"), "{begun}");
    fs::write(folder.path().join("go"), "").unwrap();
    assert!(agent.call("await", json!({})).failed);
    assert!(until(|| shown().as_array().unwrap().len() == 2), "{}", shown());
    let ended = &shown()[1];
    assert_eq!((&ended["args"]["operation_id"], &ended["effect"]), (&id, &json!("failed")));
    let log = stage.info().folders.data.join("audit.jsonl");
    assert!(!fs::read_to_string(&log).unwrap().contains("alphabeta"), "what it printed");
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
}

#[test]
fn what_cannot_be_done_in_the_background_is_no_refusal_of_the_gate() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    // An open menu takes the keyboard, so a menu is not opened in the background.
    let answer = stage.deskhand(&["click", "File", "--app", &app.pid_text(), "--format", "json"]);
    assert!(answer.text().contains("\"effect\": \"refused\""), "{answer}");
    let shown = stage.deskhand(&["audit-log", "show", "--format", "json"]).json();
    let last = shown.as_array().and_then(|all| all.last()).unwrap();
    assert_eq!((&last["result"], &last["effect"]), (&json!("ok"), &json!("refused")), "{shown}");
}

#[test]
fn nothing_is_done_that_cannot_be_recorded() {
    let stage = Stage::new();
    let app = stage.start(App::Mousepad);
    let folder = stage.info().folders.data.clone();
    let log = folder.join("audit.jsonl");
    let pid = app.pid_text();
    let mut agent = Agent::start(&stage, Manner::Silent);
    let unchanged = |agent: &mut Agent, what: &str| {
        let typed = agent.refused("ax_type", json!({ "app": pid, "text": "never" }));
        assert!(typed.contains("audit log") && typed.contains("cannot be written"), "{typed}");
        let by_hand = ["type", "never", "--app", &pid, "--format", "json"];
        let error = stage.deskhand(&by_hand).expect_error("audit_log_unwritable");
        assert_eq!(error["delivery"], "not_sent", "{error}");
        agent.ok("ax_get_tree", json!({ "app": pid }));
        let text = stage.tree(&app);
        let found = text.find(|one| holds(one, "never"));
        assert!(found.is_none(), "{what}: {found:?}");
    };
    // A disk that is full.
    fs::create_dir_all(&folder).unwrap();
    symlink("/dev/full", &log).unwrap();
    unchanged(&mut agent, "a full disk");
    fs::remove_file(&log).unwrap();
    // A file that cannot be written.
    fs::create_dir(&log).unwrap();
    unchanged(&mut agent, "no file");
    fs::remove_dir(&log).unwrap();
    // A log that is put right is written again, by the same server.
    agent.ok("ax_type", json!({ "app": pid, "text": "at last" }));
    stage.deskhand(&["audit-log", "verify"]).expect_ok();
    let shown = stage.tree(&app);
    let found = shown.find(|one| holds(one, "at last"));
    assert!(found.is_some());
    drop(agent);
}

fn holds(one: &Seen, text: &str) -> bool {
    one.value.as_ref().and_then(Value::as_str).is_some_and(|value| value.contains(text))
}
