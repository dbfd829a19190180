//! What the journal promises, with real files and real processes' habits.

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

struct Bench {
    _place: TempDir,
    file: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("logs/audit.jsonl");
        Self { _place: place, file }
    }

    fn audit_log(&self) -> AuditLog {
        AuditLog::at(self.file.clone(), RotationPolicy::default())
    }

    /// A log with so many finished calls: twice as many lines.
    fn with(calls: usize) -> Self {
        Self::with_calls(0..calls)
    }

    /// A log with the finished calls of these numbers.
    fn with_calls(numbers: Range<usize>) -> Self {
        let bench = Self::new();
        let audit_log = bench.audit_log();
        numbers.for_each(|number| call(&audit_log, number));
        bench
    }

    fn verdict(&self) -> Verification {
        verify(self.file.clone(), None).unwrap()
    }

    fn kinds(&self) -> Vec<FaultKind> {
        self.verdict().faults.into_iter().map(|fault| fault.kind).collect()
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

fn begun<'a>(args: &'a Value) -> CallStart<'a> {
    let target = CallTarget { app: Some("mousepad"), ..CallTarget::default() };
    CallStart { principal: None, session: "s1", door: "mcp", tool: "ax_click", args, target }
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
    audit_log.begin(begun(&args)).unwrap().end(DONE).unwrap();
}

#[test]
fn nothing_is_made_before_the_first_record() {
    let bench = Bench::new();
    let audit_log = bench.audit_log();
    assert!(!bench.file.parent().unwrap().exists());
    let open = audit_log.begin(begun(&json!({}))).unwrap();
    assert_eq!(bench.lines().len(), 1, "the beginning is on disk before the call is done");
    assert_eq!(bench.verdict().unfinished, [open.id()]);
    open.end(DONE).unwrap();
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.unfinished.is_empty(), "{verdict:?}");
    audit_log.refused(begun(&json!({})), "forbidden", &["destructive_keyword"]).unwrap();
    assert_eq!(bench.verdict().lines, 3);
}

#[test]
fn sha256sum_agrees_with_every_hash() {
    let bench = Bench::with(3);
    for line in bench.lines() {
        let (text, hash) = line.rsplit_once(r#","hash":""#).unwrap();
        let script = format!("printf '%s' '{text}}}' | sha256sum");
        let told = Command::new("sh").args(["-c", &script]).output().unwrap().stdout;
        assert_eq!(String::from_utf8(told).unwrap()[..64], hash[..64], "{line}");
    }
}

#[test]
fn a_changed_line_is_found() {
    let bench = Bench::with(5);
    for at in 0..10 {
        let good = bench.lines();
        let mut bad = good.clone();
        bad[at] = bad[at].replace("ax_click", "ax_cl1ck");
        bench.rewrite(&bad);
        assert_eq!(bench.kinds(), [FaultKind::Changed { seq: at as u64 + 1 }]);
        bench.rewrite(&good);
        assert!(bench.verdict().is_intact());
    }
}

#[test]
fn a_line_replaced_by_one_with_a_good_hash_is_found() {
    let bench = Bench::with(5);
    // The same calls in the same millisecond would be the same lines.
    let other = Bench::with_calls(5..10);
    for at in 0..10 {
        let good = bench.lines();
        let mut bad = good.clone();
        bad[at] = other.lines()[at].clone();
        bench.rewrite(&bad);
        assert!(!bench.verdict().is_intact(), "line {at}");
        bench.rewrite(&good);
    }
}

#[test]
fn a_removed_line_is_found_wherever_it_stood() {
    let bench = Bench::with(5);
    let good = bench.lines();
    for at in 0..10 {
        let mut bad = good.clone();
        bad.remove(at);
        bench.rewrite(&bad);
        let missing = FaultKind::Missing { from: at as u64 + 1, to: at as u64 + 1 };
        assert!(bench.kinds().contains(&missing), "line {at}: {:?}", bench.kinds());
    }
}

#[test]
fn lines_that_changed_places_or_were_put_in_are_found() {
    let bench = Bench::with(5);
    let good = bench.lines();
    let mut moved = good.clone();
    moved.swap(3, 5);
    bench.rewrite(&moved);
    assert!(bench.kinds().contains(&FaultKind::Misplaced { seq: 4 }), "{:?}", bench.kinds());
    let mut more = good.clone();
    more.insert(6, good[2].clone());
    bench.rewrite(&more);
    assert_eq!(bench.kinds(), [FaultKind::Misplaced { seq: 3 }]);
    let mut strange = good;
    strange.insert(6, r#"{"hello":"world"}"#.to_owned());
    bench.rewrite(&strange);
    assert_eq!(bench.kinds(), [FaultKind::Unreadable]);
}

#[test]
fn a_cut_off_end_is_found_and_stays_found_when_the_log_goes_on() {
    let bench = Bench::with(5);
    let good = bench.lines();
    bench.rewrite(&good[..7]);
    assert_eq!(bench.kinds(), [FaultKind::Missing { from: 8, to: 10 }]);
    call(&bench.audit_log(), 9);
    assert_eq!(bench.kinds(), [FaultKind::Missing { from: 8, to: 10 }]);
    assert!(bench.lines()[7].contains(r#""notice":{"missing":{"after":7,"until":10"#));
    let running = Bench::with(2);
    let audit_log = running.audit_log();
    call(&audit_log, 3);
    fs::write(&running.file, "").unwrap();
    call(&audit_log, 4);
    assert_eq!(running.kinds(), [FaultKind::Missing { from: 1, to: 6 }], "also while it is in use");
}

#[test]
fn a_removed_log_or_head_is_found() {
    let bench = Bench::with(5);
    fs::remove_file(&bench.file).unwrap();
    assert_eq!(bench.kinds(), [FaultKind::Missing { from: 1, to: 10 }]);
    call(&bench.audit_log(), 1);
    assert_eq!(bench.kinds(), [FaultKind::Missing { from: 1, to: 10 }]);
    let bench = Bench::with(5);
    fs::remove_file(bench.head()).unwrap();
    assert_eq!(bench.kinds(), [FaultKind::Headless]);
    call(&bench.audit_log(), 1);
    assert_eq!(bench.kinds(), [FaultKind::Headless]);
    assert_eq!(bench.verdict().lines, 13);
}

#[test]
fn a_record_noted_elsewhere_proves_what_came_before_it() {
    let bench = Bench::with(3);
    let Verification { last_seq, last_hash, .. } = bench.verdict();
    let noted = Checkpoint::parse(&format!("{last_seq}:{last_hash}")).unwrap();
    call(&bench.audit_log(), 4);
    assert!(verify(bench.file.clone(), Some(&noted)).unwrap().is_intact());
    let forged = Bench::with(4);
    let verdict = verify(forged.file.clone(), Some(&noted)).unwrap();
    assert_eq!(verdict.faults[0].kind, FaultKind::NotThere { seq: 6 });
    assert_eq!(Checkpoint::parse("6:nothing"), None);
}

#[test]
fn a_torn_line_is_no_record_and_the_next_one_says_so() {
    let bench = Bench::with(2);
    let whole = bench.lines()[3].clone();
    for torn in [&whole[..1], &whole[..whole.len() / 2], &whole[..whole.len() - 1], "\0\0"] {
        let before = bench.verdict();
        let mut file = OpenOptions::new().append(true).open(&bench.file).unwrap();
        file.write_all(torn.as_bytes()).unwrap();
        assert_eq!(bench.kinds(), [FaultKind::Unreadable]);
        assert_eq!(bench.verdict().lines, before.lines, "it does not count");
        call(&bench.audit_log(), 3);
        let after = bench.verdict();
        assert!(after.is_intact(), "{after:?}");
        assert_eq!((after.mended, after.lines), (before.mended + 1, before.lines + 3));
    }
    // What was torn is part of the chain now.
    let mut lines = bench.lines();
    lines[4] = "x".to_owned();
    bench.rewrite(&lines);
    assert!(!bench.verdict().is_intact());
}

#[test]
fn a_line_whose_writer_died_before_it_said_so_counts() {
    let bench = Bench::with(2);
    let head = fs::read(bench.head()).unwrap();
    call(&bench.audit_log(), 3);
    fs::write(bench.head(), head).unwrap();
    assert!(bench.verdict().is_intact());
    call(&bench.audit_log(), 4);
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.lines == 8, "{verdict:?}");
}

#[test]
fn a_line_that_lacks_only_its_end_counts() {
    let bench = Bench::with(2);
    let text = fs::read(&bench.file).unwrap();
    fs::write(&bench.file, text.trim_ascii_end()).unwrap();
    fs::remove_file(bench.head()).unwrap();
    call(&bench.audit_log(), 3);
    assert_eq!((bench.kinds(), bench.verdict().lines), (vec![FaultKind::Headless], 7));
}

#[test]
fn several_writers_keep_one_chain() {
    let bench = Bench::new();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            // Each with files of its own, as processes have.
            let audit_log = bench.audit_log();
            threads.spawn(move || (0..100).for_each(|number| call(&audit_log, number)));
        }
    });
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.lines == 800, "{verdict:?}");
}

#[test]
fn full_files_continue_the_chain_and_old_ones_go() {
    let bench = Bench::new();
    let bounds = RotationPolicy { rotate_at: 2_000, keep: 3 };
    std::thread::scope(|threads| {
        for _ in 0..3 {
            let audit_log = AuditLog::at(bench.file.clone(), bounds);
            threads.spawn(move || (0..60).for_each(|number| call(&audit_log, number)));
        }
    });
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.unfinished.is_empty(), "{verdict:?}");
    assert_eq!((verdict.files, verdict.last_seq), (4, 360));
    assert!(verdict.first_seq > 300);
    let files = files::LogPaths { current: bench.file.clone() };
    let full = files.all_full().unwrap();
    let second = &full[1].1;
    let text = fs::read_to_string(second).unwrap();
    fs::write(second, text.replacen("mousepad", "m0usepad", 1)).unwrap();
    assert!(matches!(bench.kinds()[..], [FaultKind::Changed { .. }]));
    fs::write(second, text).unwrap();
    fs::remove_file(second).unwrap();
    assert!(matches!(bench.kinds()[..], [FaultKind::Missing { .. }, ..]), "{:?}", bench.kinds());
    fs::remove_file(&full[0].1).unwrap();
    assert!(!bench.verdict().is_intact(), "the oldest is missed, too");
}

#[test]
fn a_log_that_keeps_no_full_files_is_sound() {
    let bench = Bench::new();
    let audit_log = AuditLog::at(bench.file.clone(), RotationPolicy { rotate_at: 2_000, keep: 0 });
    (0..30).for_each(|number| call(&audit_log, number));
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.files == 1 && verdict.last_seq == 60, "{verdict:?}");
}

#[test]
fn a_rotation_that_was_cut_short_is_finished() {
    let bench = Bench::with(5);
    let files = files::LogPaths { current: bench.file.clone() };
    fs::rename(&bench.file, files.full(1)).unwrap();
    assert!(bench.verdict().is_intact());
    call(&bench.audit_log(), 6);
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.lines == 12 && verdict.files == 2, "{verdict:?}");
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let bench = Bench::new();
    fs::create_dir_all(&bench.file).unwrap();
    let error = bench.audit_log().begin(begun(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error:?}");
    fs::remove_dir(&bench.file).unwrap();
    let audit_log = bench.audit_log();
    call(&audit_log, 1);
    std::os::unix::fs::symlink("/dev/full", bench.head().with_extension("new")).unwrap();
    fs::rename(bench.head().with_extension("new"), bench.head()).unwrap();
    let error = bench.audit_log().begin(begun(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error:?}");
    assert_eq!(bench.lines().len(), 2);
}

#[test]
fn a_log_somebody_holds_is_told_and_not_waited_for_without_end() {
    let bench = Bench::with(1);
    let holder = fs::File::open(&bench.file).unwrap();
    holder.lock().unwrap();
    let error = bench.audit_log().begin(begun(&json!({}))).unwrap_err();
    assert!(matches!(error, Error::Held { .. }), "{error:?}");
    holder.unlock().unwrap();
    call(&bench.audit_log(), 2);
    assert!(bench.verdict().is_intact());
}

#[test]
fn calls_are_shown_as_wanted() {
    let bench = Bench::with(2);
    let audit_log = bench.audit_log();
    let args = json!({ "app": "Terminal" });
    let plain = CallStart {
        tool: "ax_type",
        session: "other",
        target: CallTarget::default(),
        ..begun(&args)
    };
    audit_log.refused(plain, "write_blocked", &["flag"]).unwrap();
    let open = audit_log.begin(begun(&args)).unwrap();
    let shown = |wanted: ActionFilter| actions(bench.file.clone(), &wanted).unwrap();
    let some = |text: &str| Some(text.to_owned());
    let all = shown(ActionFilter::default());
    assert_eq!(all.len(), 4);
    assert_eq!(all[0].effect.as_deref(), Some("confirmed"));
    assert_eq!(all[0].target.role.as_deref(), Some("AXButton"));
    assert_eq!(shown(ActionFilter { tool: some("ax_type"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(shown(ActionFilter { session: some("oth"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(shown(ActionFilter { app: some("term"), ..ActionFilter::default() }), all[2..3]);
    assert_eq!(
        shown(ActionFilter { result: some("refused"), ..ActionFilter::default() }),
        all[2..3]
    );
    assert_eq!(
        shown(ActionFilter { result: some("unfinished"), ..ActionFilter::default() }),
        all[3..]
    );
    assert_eq!(shown(ActionFilter { flag: some("flag"), ..ActionFilter::default() }), all[2..3]);
    let since = Some(all[0].timestamp.clone());
    assert_eq!(shown(ActionFilter { since, ..ActionFilter::default() }).len(), 4);
    assert!(shown(ActionFilter { until: some("2001"), ..ActionFilter::default() }).is_empty());
    let mut follow = ActionFollower::new(bench.file.clone(), ActionFilter::default()).unwrap();
    assert!(follow.news().unwrap().is_empty());
    open.end(DONE).unwrap();
    let news = follow.news().unwrap();
    assert_eq!((news.len(), &news[0].args), (1, &args));
    assert!(follow.news().unwrap().is_empty());
}

#[test]
fn files_are_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::with(1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&bench.file), 0o600);
    assert_eq!(mode(&bench.head()), 0o600);
    assert_eq!(mode(bench.file.parent().unwrap()), 0o700);
}

#[test]
fn a_mass_of_refused_calls_does_not_push_out_what_was_done() {
    let bench = Bench::with(1);
    let bounds = RotationPolicy { rotate_at: 100_000, keep: 2 };
    let audit_log = AuditLog::at(bench.file.clone(), bounds);
    let args = json!({ "query": "x".repeat(15_000) });
    for _ in 0..20_000 {
        audit_log.refused(begun(&args), "forbidden", &[]).unwrap();
    }
    drop(audit_log);
    let verdict = bench.verdict();
    assert!(verdict.is_intact() && verdict.rotated_away() == 0, "{verdict:?}");
    let all = actions(bench.file.clone(), &ActionFilter::default()).unwrap();
    assert_eq!(all[0].result.as_deref(), Some("ok"), "what was done before is there");
    let refused = all.iter().filter(|one| one.state == ActionState::Refused);
    let told = refused.map(|one| one.left_out.unwrap_or(0) + u64::from(!one.tool.is_empty()));
    assert_eq!(told.sum::<u64>(), 20_000, "each is on record, one by one or by their number");
    assert!(all.len() < 300 && verdict.left_out > 19_000, "{} {verdict:?}", all.len());
}

#[test]
fn who_called_is_on_record() {
    let bench = Bench::new();
    let audit_log = bench.audit_log();
    let args = json!({});
    let theirs = CallStart { principal: Some("oauth https://id.example ann"), ..begun(&args) };
    audit_log.begin(theirs).unwrap().end(DONE).unwrap();
    audit_log.begin(begun(&args)).unwrap().end(DONE).unwrap();
    audit_log.refused(theirs, "forbidden", &[]).unwrap();
    let wanted = ActionFilter { session: Some("oauth".to_owned()), ..ActionFilter::default() };
    let shown = actions(bench.file.clone(), &wanted).unwrap();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|one| one.principal.as_deref() == theirs.principal));
    assert!(bench.verdict().is_intact());
}

#[test]
fn lines_that_went_with_the_oldest_files_are_told() {
    let bench = Bench::new();
    let audit_log = AuditLog::at(bench.file.clone(), RotationPolicy { rotate_at: 2_000, keep: 2 });
    (0..30).for_each(|number| call(&audit_log, number));
    let verdict = bench.verdict();
    assert!(verdict.is_intact(), "{verdict:?}");
    assert_eq!(verdict.rotated_away(), 60 - verdict.lines);
    assert!(verdict.rotated_away() > 0);
    let oldest =
        actions(bench.file.clone(), &ActionFilter::default()).unwrap()[0].timestamp.clone();
    assert_eq!(verdict.since, Some(oldest));
    assert_eq!(Bench::with(3).verdict().rotated_away(), 0);
}
