//! Targets for the audit log.

use std::{fs, path::Path, sync::OnceLock};

use deskhand_engine::audit_log::{
    ActionFilter, AuditLog, CallEnd, CallStart, CallTarget as Aim, RotationPolicy, actions, verify,
};
use serde_json::json;
use tempfile::TempDir;

use crate::Target;

/// Arbitrary bytes as the log and its head file: they can be read but do not pass verification.
pub(crate) const LOG: Target = Target {
    name: "journal",
    run: log,
    words: &[
        "\"seq\":",
        "\"phase\":\"begun\"",
        "\"phase\":\"ended\"",
        "\"phase\":\"noticed\"",
        "\"id\":",
        "\"prev\":\"",
        "\"hash\":\"",
        "\"timestamp\":",
        "\"tool\":",
        "\n",
        "\"notice\":",
        "\"target\":",
    ],
    rounds: 1_000,
};

/// A real log with modifications: verification finds every one.
pub(crate) const EDITED: Target = Target {
    name: "journal_edited",
    run: edited,
    words: &["\n", "ok", "{", "\"", " "],
    rounds: 600,
};

/// Separates the head file from the log in an input.
const SEPARATOR: u8 = 0x1e;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

fn log(data: &[u8]) {
    let (head, log) = match data.iter().position(|byte| *byte == SEPARATOR) {
        Some(at) => (Some(&data[..at]), &data[at + 1..]),
        None => (None, data),
    };
    FOLDER.with(|folder| {
        let file = folder.path().join("audit.jsonl");
        write(&file, log);
        match head {
            Some(head) => write(&file.with_extension("head"), head),
            // The file may not exist.
            None => drop(fs::remove_file(file.with_extension("head"))),
        }
        if let Ok(verdict) = verify(file.clone(), None) {
            let is_empty = log.is_empty() && verdict.lines == 0;
            assert!(!verdict.is_intact() || is_empty || head.is_some(), "{verdict:?}");
        }
        // Arbitrary content can be listed without a panic.
        let _ = actions(file, &ActionFilter::default());
    });
}

fn edited(data: &[u8]) {
    static REAL: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
    let (real_log, head) = REAL.get_or_init(real_log);
    let log = apply_changes(real_log, data);
    FOLDER.with(|folder| {
        let file = folder.path().join("edited.jsonl");
        write(&file, &log);
        write(&file.with_extension("head"), head);
        let verdict = verify(file, None).expect("the log can be read");
        assert_eq!(
            verdict.is_intact(),
            log == *real_log,
            "{verdict:?}\n{}",
            String::from_utf8_lossy(&log)
        );
    });
}

/// Applies modifications to a log. Five bytes each give the position, the length to remove, and the
/// byte to insert and its count.
fn apply_changes(real_log: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut log = real_log.to_vec();
    for change in changes.chunks_exact(5).take(8) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % (log.len() + 1);
        let end = (at + usize::from(change[2])).min(log.len());
        let new = vec![change[3]; usize::from(change[4] % 4)];
        log.splice(at..end, new);
    }
    log
}

/// Returns a log as Deskhand writes it, and its head file.
fn real_log() -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("audit.jsonl");
    let journal = AuditLog::at(file.clone(), RotationPolicy::default());
    for round in 0..4 {
        let args = json!({ "app": "kcalc", "round": round });
        let target = Aim { app: Some("kcalc"), ..Aim::default() };
        let begun = CallStart {
            principal: None,
            session: "s",
            origin: "mcp",
            tool: "ax_click",
            args: &args,
            target,
        };
        let open = journal.begin(begun).expect("the log can be written");
        if round != 2 {
            let ended = CallEnd {
                result: "ok",
                effect: Some("confirmed"),
                delivery: None,
                target,
                flags: &[],
            };
            open.end(ended).expect("the log can be written");
        }
        journal.refused(begun, "write_blocked", &["x"]).expect("the log can be written");
    }
    drop(journal);
    let read = |path: &Path| fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    (read(&file), read(&file.with_extension("head")))
}

fn write(file: &Path, data: &[u8]) {
    fs::write(file, data).unwrap_or_else(|error| panic!("{file:?}: {error}"));
}
