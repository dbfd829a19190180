//! Tests of the audit log with real files.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;

use super::*;

struct LogFixture {
    _dir: TempDir,
    file: PathBuf,
}

impl LogFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("logs/audit.jsonl");
        Self { _dir: dir, file }
    }

    fn audit_log(&self) -> AuditLog {
        AuditLog::at(self.file.clone(), RotationPolicy::default())
    }

    /// Creates a log with this many finished calls, which are twice as many records.
    fn with(calls: usize) -> Self {
        Self::with_calls(0..calls)
    }

    /// Creates a log with finished calls of these numbers.
    fn with_calls(numbers: Range<usize>) -> Self {
        let fixture = Self::new();
        let audit_log = fixture.audit_log();
        numbers.for_each(|number| call(&audit_log, number));
        fixture
    }

    fn verify(&self) -> Verification {
        super::verify(self.file.clone(), None).unwrap()
    }

    fn kinds(&self) -> Vec<FaultKind> {
        self.verify().faults.into_iter().map(|fault| fault.kind).collect()
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(&self.file).unwrap().lines().map(str::to_owned).collect()
    }

    fn rewrite(&self, lines: &[String]) {
        fs::write(&self.file, lines.join("\n") + "\n").unwrap();
    }

    fn head(&self) -> PathBuf {
        self.file.with_extension("head")
    }
}

fn call_start<'a>(args: &'a Value) -> CallStart<'a> {
    let target = CallTarget { app: Some("mousepad"), ..CallTarget::default() };
    CallStart { principal: None, session: "s1", origin: "mcp", tool: "ax_click", args, target }
}

const DONE: CallEnd<'static> = CallEnd {
    result: "ok",
    effect: Some("confirmed"),
    delivery: None,
    target: CallTarget {
        app: Some("mousepad"),
        role: Some("AXButton"),
        title: None,
        position: None,
    },
    flags: &[],
};

fn call(audit_log: &AuditLog, number: usize) {
    let args = json!({ "query": format!("e{number}") });
    audit_log.begin(call_start(&args)).unwrap().end(DONE).unwrap();
}

#[test]
fn no_file_is_created_before_the_first_record() {
    let fixture = LogFixture::new();
    let audit_log = fixture.audit_log();
    assert!(!fixture.file.parent().unwrap().exists());
    let open = audit_log.begin(call_start(&json!({}))).unwrap();
    assert_eq!(fixture.lines().len(), 1, "the start is on disk before the call runs");
    assert_eq!(fixture.verify().unfinished, [open.id()]);
    open.end(DONE).unwrap();
    let result = fixture.verify();
    assert!(result.is_intact() && result.unfinished.is_empty(), "{result:?}");
    audit_log.refused(call_start(&json!({})), "forbidden", &["destructive_keyword"]).unwrap();
    assert_eq!(fixture.verify().lines, 3);
}

#[test]
fn sha256sum_agrees_with_every_hash() {
    let fixture = LogFixture::with(3);
    for line in fixture.lines() {
        let (text, hash) = line.rsplit_once(r#","hash":""#).unwrap();
        let script = format!("printf '%s' '{text}}}' | sha256sum");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap().stdout;
        assert_eq!(String::from_utf8(output).unwrap()[..64], hash[..64], "{line}");
    }
}

#[test]
fn a_changed_record_is_detected() {
    let fixture = LogFixture::with(5);
    for at in 0..10 {
        let good = fixture.lines();
        let mut bad = good.clone();
        bad[at] = bad[at].replace("ax_click", "ax_cl1ck");
        fixture.rewrite(&bad);
        assert_eq!(fixture.kinds(), [FaultKind::Changed { seq: at as u64 + 1 }]);
        fixture.rewrite(&good);
        assert!(fixture.verify().is_intact());
    }
}

#[test]
fn a_replaced_record_with_a_valid_hash_is_detected() {
    let fixture = LogFixture::with(5);
    // The same calls in the same millisecond would produce identical records.
    let other = LogFixture::with_calls(5..10);
    for at in 0..10 {
        let good = fixture.lines();
        let mut bad = good.clone();
        bad[at] = other.lines()[at].clone();
        fixture.rewrite(&bad);
        assert!(!fixture.verify().is_intact(), "line {at}");
        fixture.rewrite(&good);
    }
}

#[test]
fn a_removed_record_is_detected_at_every_position() {
    let fixture = LogFixture::with(5);
    let good = fixture.lines();
    for at in 0..10 {
        let mut bad = good.clone();
        bad.remove(at);
        fixture.rewrite(&bad);
        let missing = FaultKind::Missing { from: at as u64 + 1, to: at as u64 + 1 };
        assert!(fixture.kinds().contains(&missing), "line {at}: {:?}", fixture.kinds());
    }
}

#[test]
fn moved_and_inserted_records_are_detected() {
    let fixture = LogFixture::with(5);
    let good = fixture.lines();
    let mut moved = good.clone();
    moved.swap(3, 5);
    fixture.rewrite(&moved);
    assert!(fixture.kinds().contains(&FaultKind::Misplaced { seq: 4 }), "{:?}", fixture.kinds());
    let mut more = good.clone();
    more.insert(6, good[2].clone());
    fixture.rewrite(&more);
    assert_eq!(fixture.kinds(), [FaultKind::Misplaced { seq: 3 }]);
    let mut strange = good;
    strange.insert(6, r#"{"hello":"world"}"#.to_owned());
    fixture.rewrite(&strange);
    assert_eq!(fixture.kinds(), [FaultKind::Unreadable]);
}

#[test]
fn a_truncated_log_is_detected_even_after_further_records() {
    let fixture = LogFixture::with(5);
    let good = fixture.lines();
    fixture.rewrite(&good[..7]);
    assert_eq!(fixture.kinds(), [FaultKind::Missing { from: 8, to: 10 }]);
    call(&fixture.audit_log(), 9);
    assert_eq!(fixture.kinds(), [FaultKind::Missing { from: 8, to: 10 }]);
    assert!(fixture.lines()[7].contains(r#""notice":{"missing":{"after":7,"until":10"#));
    let running = LogFixture::with(2);
    let audit_log = running.audit_log();
    call(&audit_log, 3);
    fs::write(&running.file, "").unwrap();
    call(&audit_log, 4);
    assert_eq!(
        running.kinds(),
        [FaultKind::Missing { from: 1, to: 6 }],
        "also while the log is in use"
    );
}

#[test]
fn a_removed_log_or_head_is_detected() {
    let fixture = LogFixture::with(5);
    fs::remove_file(&fixture.file).unwrap();
    assert_eq!(fixture.kinds(), [FaultKind::Missing { from: 1, to: 10 }]);
    call(&fixture.audit_log(), 1);
    assert_eq!(fixture.kinds(), [FaultKind::Missing { from: 1, to: 10 }]);
    let fixture = LogFixture::with(5);
    fs::remove_file(fixture.head()).unwrap();
    assert_eq!(fixture.kinds(), [FaultKind::Headless]);
    call(&fixture.audit_log(), 1);
    assert_eq!(fixture.kinds(), [FaultKind::Headless]);
    assert_eq!(fixture.verify().lines, 13);
}

#[test]
fn a_checkpoint_proves_all_earlier_records() {
    let fixture = LogFixture::with(3);
    let Verification { last_seq, last_hash, .. } = fixture.verify();
    let checkpoint = Checkpoint::parse(&format!("{last_seq}:{last_hash}")).unwrap();
    call(&fixture.audit_log(), 4);
    assert!(verify(fixture.file.clone(), Some(&checkpoint)).unwrap().is_intact());
    let forged = LogFixture::with(4);
    let result = verify(forged.file.clone(), Some(&checkpoint)).unwrap();
    assert_eq!(result.faults[0].kind, FaultKind::NotThere { seq: 6 });
    assert_eq!(Checkpoint::parse("6:nothing"), None);
}

#[test]
fn an_incomplete_line_is_reported_by_the_next_record() {
    let fixture = LogFixture::with(2);
    let whole = fixture.lines()[3].clone();
    for torn in [&whole[..1], &whole[..whole.len() / 2], &whole[..whole.len() - 1], "\0\0"] {
        let before = fixture.verify();
        let mut file = OpenOptions::new().append(true).open(&fixture.file).unwrap();
        file.write_all(torn.as_bytes()).unwrap();
        assert_eq!(fixture.kinds(), [FaultKind::Unreadable]);
        assert_eq!(fixture.verify().lines, before.lines, "it is not counted");
        call(&fixture.audit_log(), 3);
        let after = fixture.verify();
        assert!(after.is_intact(), "{after:?}");
        assert_eq!((after.mended, after.lines), (before.mended + 1, before.lines + 3));
    }
    // The incomplete line is part of the chain now.
    let mut lines = fixture.lines();
    lines[4] = "x".to_owned();
    fixture.rewrite(&lines);
    assert!(!fixture.verify().is_intact());
}

#[test]
fn a_record_without_a_head_update_is_valid() {
    let fixture = LogFixture::with(2);
    let head = fs::read(fixture.head()).unwrap();
    call(&fixture.audit_log(), 3);
    fs::write(fixture.head(), head).unwrap();
    assert!(fixture.verify().is_intact());
    call(&fixture.audit_log(), 4);
    let result = fixture.verify();
    assert!(result.is_intact() && result.lines == 8, "{result:?}");
}

#[test]
fn a_record_without_a_line_break_is_valid() {
    let fixture = LogFixture::with(2);
    let text = fs::read(&fixture.file).unwrap();
    fs::write(&fixture.file, text.trim_ascii_end()).unwrap();
    fs::remove_file(fixture.head()).unwrap();
    call(&fixture.audit_log(), 3);
    assert_eq!((fixture.kinds(), fixture.verify().lines), (vec![FaultKind::Headless], 7));
}

#[test]
fn several_writers_produce_one_chain() {
    let fixture = LogFixture::new();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            // Each thread opens its own files, like a separate process.
            let audit_log = fixture.audit_log();
            threads.spawn(move || (0..100).for_each(|number| call(&audit_log, number)));
        }
    });
    let result = fixture.verify();
    assert!(result.is_intact() && result.lines == 800, "{result:?}");
}

#[test]
fn rotation_continues_the_chain_and_deletes_old_files() {
    let fixture = LogFixture::new();
    let rotation = RotationPolicy { rotate_at: 2_000, keep: 3 };
    std::thread::scope(|threads| {
        for _ in 0..3 {
            let audit_log = AuditLog::at(fixture.file.clone(), rotation);
            threads.spawn(move || (0..60).for_each(|number| call(&audit_log, number)));
        }
    });
    let result = fixture.verify();
    assert!(result.is_intact() && result.unfinished.is_empty(), "{result:?}");
    assert_eq!((result.files, result.last_seq), (4, 360));
    assert!(result.first_seq > 300);
    let files = files::LogPaths { current: fixture.file.clone() };
    let full = files.all_full().unwrap();
    let second = &full[1].1;
    let text = fs::read_to_string(second).unwrap();
    fs::write(second, text.replacen("mousepad", "m0usepad", 1)).unwrap();
    assert!(matches!(fixture.kinds()[..], [FaultKind::Changed { .. }]));
    fs::write(second, text).unwrap();
    fs::remove_file(second).unwrap();
    assert!(
        matches!(fixture.kinds()[..], [FaultKind::Missing { .. }, ..]),
        "{:?}",
        fixture.kinds()
    );
    fs::remove_file(&full[0].1).unwrap();
    assert!(!fixture.verify().is_intact(), "the missing oldest file is detected, too");
}

#[test]
fn a_log_without_full_files_is_intact() {
    let fixture = LogFixture::new();
    let audit_log =
        AuditLog::at(fixture.file.clone(), RotationPolicy { rotate_at: 2_000, keep: 0 });
    (0..30).for_each(|number| call(&audit_log, number));
    let result = fixture.verify();
    assert!(result.is_intact() && result.files == 1 && result.last_seq == 60, "{result:?}");
}

#[test]
fn an_interrupted_rotation_is_completed() {
    let fixture = LogFixture::with(5);
    let files = files::LogPaths { current: fixture.file.clone() };
    fs::rename(&fixture.file, files.full(1)).unwrap();
    assert!(fixture.verify().is_intact());
    call(&fixture.audit_log(), 6);
    let result = fixture.verify();
    assert!(result.is_intact() && result.lines == 12 && result.files == 2, "{result:?}");
}

#[test]
fn a_failed_write_is_an_error_and_leaves_no_partial_record() {
    let fixture = LogFixture::new();
    fs::create_dir_all(&fixture.file).unwrap();
    let error = fixture.audit_log().begin(call_start(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error:?}");
    fs::remove_dir(&fixture.file).unwrap();
    let audit_log = fixture.audit_log();
    call(&audit_log, 1);
    std::os::unix::fs::symlink("/dev/full", fixture.head().with_extension("new")).unwrap();
    fs::rename(fixture.head().with_extension("new"), fixture.head()).unwrap();
    let error = fixture.audit_log().begin(call_start(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error:?}");
    assert_eq!(fixture.lines().len(), 2);
}

#[test]
fn a_locked_log_is_an_error_after_a_timeout() {
    let fixture = LogFixture::with(1);
    let holder = fs::File::open(&fixture.file).unwrap();
    holder.lock().unwrap();
    let error = fixture.audit_log().begin(call_start(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error:?}");
    holder.unlock().unwrap();
    call(&fixture.audit_log(), 2);
    assert!(fixture.verify().is_intact());
}

#[test]
fn calls_can_be_filtered_and_followed() {
    let fixture = LogFixture::with(2);
    let audit_log = fixture.audit_log();
    let args = json!({ "app": "Terminal" });
    let refused = CallStart {
        tool: "ax_type",
        session: "other",
        target: CallTarget::default(),
        ..call_start(&args)
    };
    audit_log.refused(refused, "write_blocked", &["flag"]).unwrap();
    let open = audit_log.begin(call_start(&args)).unwrap();
    let list = |filter: ActionFilter| actions(fixture.file.clone(), &filter).unwrap();
    let some = |text: &str| Some(text.to_owned());
    let all = list(ActionFilter::default());
    assert_eq!(all.len(), 4);
    assert_eq!(all[0].effect.as_deref(), Some("confirmed"));
    assert_eq!(all[0].target.role.as_deref(), Some("AXButton"));
    assert_eq!(list(ActionFilter { tool: some("ax_type"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(list(ActionFilter { session: some("oth"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(list(ActionFilter { app: some("term"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(
        list(ActionFilter { result: some("refused"), ..ActionFilter::default() }),
        all[2..3]
    );
    assert_eq!(
        list(ActionFilter { result: some("unfinished"), ..ActionFilter::default() }),
        all[3..]
    );
    assert_eq!(list(ActionFilter { flag: some("flag"), ..ActionFilter::default() }), all[2..3]);
    let since = Some(all[0].timestamp.clone());
    assert_eq!(list(ActionFilter { since, ..ActionFilter::default() }).len(), 4);
    assert!(list(ActionFilter { until: some("2001"), ..ActionFilter::default() }).is_empty());
    let mut follower = ActionFollower::new(fixture.file.clone(), ActionFilter::default()).unwrap();
    assert!(follower.poll().unwrap().is_empty());
    open.end(DONE).unwrap();
    let new = follower.poll().unwrap();
    assert_eq!((new.len(), &new[0].args), (1, &args));
    assert!(follower.poll().unwrap().is_empty());
}

#[test]
fn files_are_private_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = LogFixture::with(1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&fixture.file), 0o600);
    assert_eq!(mode(&fixture.head()), 0o600);
    assert_eq!(mode(fixture.file.parent().unwrap()), 0o700);
}

#[test]
fn many_refused_calls_do_not_push_out_other_records() {
    let fixture = LogFixture::with(1);
    let rotation = RotationPolicy { rotate_at: 100_000, keep: 2 };
    let audit_log = AuditLog::at(fixture.file.clone(), rotation);
    let args = json!({ "query": "x".repeat(15_000) });
    for _ in 0..20_000 {
        audit_log.refused(call_start(&args), "forbidden", &[]).unwrap();
    }
    drop(audit_log);
    let result = fixture.verify();
    assert!(result.is_intact() && result.rotated_away() == 0, "{result:?}");
    let all = actions(fixture.file.clone(), &ActionFilter::default()).unwrap();
    assert_eq!(all[0].result.as_deref(), Some("ok"), "earlier records still exist");
    let refused = all.iter().filter(|one| one.state == ActionState::Refused);
    let counted = refused.map(|one| one.left_out.unwrap_or(0) + u64::from(!one.tool.is_empty()));
    assert_eq!(counted.sum::<u64>(), 20_000, "each refusal is recorded or counted");
    assert!(all.len() < 300 && result.left_out > 19_000, "{} {result:?}", all.len());
}

#[test]
fn the_caller_is_recorded() {
    let fixture = LogFixture::new();
    let audit_log = fixture.audit_log();
    let args = json!({});
    let start = CallStart { principal: Some("oauth https://id.example ann"), ..call_start(&args) };
    audit_log.begin(start).unwrap().end(DONE).unwrap();
    audit_log.begin(call_start(&args)).unwrap().end(DONE).unwrap();
    audit_log.refused(start, "forbidden", &[]).unwrap();
    let filter = ActionFilter { session: Some("oauth".to_owned()), ..ActionFilter::default() };
    let shown = actions(fixture.file.clone(), &filter).unwrap();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|one| one.principal.as_deref() == start.principal));
    assert!(fixture.verify().is_intact());
}

#[test]
fn rotated_records_are_reported() {
    let fixture = LogFixture::new();
    let audit_log =
        AuditLog::at(fixture.file.clone(), RotationPolicy { rotate_at: 2_000, keep: 2 });
    (0..30).for_each(|number| call(&audit_log, number));
    let result = fixture.verify();
    assert!(result.is_intact(), "{result:?}");
    assert_eq!(result.rotated_away(), 60 - result.lines);
    assert!(result.rotated_away() > 0);
    let oldest =
        actions(fixture.file.clone(), &ActionFilter::default()).unwrap()[0].timestamp.clone();
    assert_eq!(result.since, Some(oldest));
    assert_eq!(LogFixture::with(3).verify().rotated_away(), 0);
}
