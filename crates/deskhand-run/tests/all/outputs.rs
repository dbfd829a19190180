//! Output is stored completely, or the gap is reported, with constant memory use.

use std::time::Duration;

use crate::fixture::{Fixture, NEVER_STOP, TestResult, run_now, script, test_deadline, wait_until};
use deskhand_run::{
    OperationFilter,
    operation::{OperationObserver, OperationState},
    output::{PageRequest, PageStart},
};

fn from(at: u64) -> PageRequest {
    PageRequest { start: PageStart::Byte(at), max_lines: None, max_bytes: 64 << 10 }
}

/// The resident memory of this process in megabytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn long_outputs_are_complete_and_use_little_memory() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    // 20,000,000 bytes: 2,500,000 lines of 7 digits.
    let text = "seq 1000001 3500000";
    let all = (0..6).map(|_| session.start(script(text), OperationObserver::None));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let mut most = 0;
    while all.iter().any(|operation| !operation.state().is_over()) {
        most = most.max(resident());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(most < 60 && most > 0, "{most} MB");
    for operation in &all {
        let summary = operation.summary();
        assert_eq!((summary.state, summary.output_bytes), (OperationState::Completed, 20_000_000));
        let line = |line| {
            operation.output(PageRequest {
                start: PageStart::Line(line),
                max_lines: Some(1),
                max_bytes: 99,
            })
        };
        assert_eq!(line(1_234_567).text, "2234567\n");
        let both = operation.excerpt(1000);
        assert!(both.head.starts_with("1000001\n") && both.tail.ends_with("\n3500000\n"));
        assert_eq!(both.omitted + (both.head.len() + both.tail.len()) as u64, 20_000_000);
    }
    // The files on disk have no names.
    assert_eq!(std::fs::read_dir(fixture.outputs())?.count(), 0);
    Ok(())
}

#[test]
fn beyond_the_limit_both_ends_are_kept_and_the_gap_is_reported() -> TestResult {
    let fixture = Fixture::with(|config| config.output_limits.disk = 1 << 20)?;
    let session = fixture.open()?;
    let operation = run_now(&session, script("seq 1000001 1500000"))?;
    let both = operation.excerpt(4096);
    assert_eq!((both.total, both.lost), (4_000_000, 4_000_000 - (1 << 20) - (64 << 10)));
    assert!(both.head.starts_with("1000001\n") && both.tail.ends_with("1500000\n"));
    let page = operation.output(from(2_000_000));
    assert!(page.missing > 0 && page.from == 4_000_000 - (64 << 10), "{}", page.from);
    Ok(())
}

#[test]
fn invalid_utf8_is_reported() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let operation =
        run_now(&session, script("printf 'a\\377\\000b\\342\\202'; head -c 300000 /dev/urandom"))?;
    let page =
        operation.output(PageRequest { start: PageStart::Byte(0), max_lines: None, max_bytes: 5 });
    assert!(page.text.starts_with("a\u{fffd}\0b") && page.invalid > 0, "{page:?}");
    let (mut at, mut invalid) = (0, 0);
    while at < 300_006 {
        let page = operation.output(from(at));
        invalid += page.invalid;
        assert!(page.next > at);
        at = page.next;
    }
    assert!(at == 300_006 && invalid > 100_000, "{at} {invalid}");
    Ok(())
}

#[test]
fn follow_returns_new_output_until_the_end() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let text = "for i in 1 2 3; do echo line $i; sleep 0.05; done; printf 'h\\303'; sleep 0.1; printf '\\266r'";
    let operation = session.start(script(text), OperationObserver::None)?;
    let (mut wait_for_pattern, mut at, mut pages) = (String::new(), 0, 0);
    loop {
        let page = operation.follow(from(at), test_deadline(), NEVER_STOP);
        assert_eq!(page.invalid, 0);
        wait_for_pattern.push_str(&page.text);
        at = page.next;
        pages += 1;
        if operation.state().is_over() && at == operation.summary().output_bytes {
            break;
        }
    }
    assert_eq!(wait_for_pattern, "line 1\nline 2\nline 3\nhör");
    assert!(pages > 2, "{pages}");
    Ok(())
}

#[test]
fn follow_stops_on_request_and_at_the_deadline() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let operation = session.start(script("echo one; sleep 1000"), OperationObserver::None)?;
    assert!(wait_until(|| operation.summary().output_bytes == 4));
    assert_eq!(operation.follow(from(4), test_deadline(), &|| true).text, "");
    let soon = std::time::Instant::now() + Duration::from_millis(30);
    assert_eq!(operation.follow(from(4), soon, NEVER_STOP).text, "");
    assert_eq!(operation.state(), OperationState::Running);
    Ok(())
}

#[test]
fn endless_output_stays_within_the_limits() -> TestResult {
    let fixture = Fixture::with(|config| config.output_limits.disk = 1 << 20)?;
    let session = fixture.open()?;
    let operation = session.start(script("yes"), OperationObserver::None)?;
    assert!(wait_until(|| operation.summary().output_bytes > 50 << 20));
    assert!(resident() < 60);
    operation.cancel("enough");
    assert_eq!(session.operations(&OperationFilter::default())?.len(), 1);
    assert!(operation.excerpt(100).tail.ends_with('\n'));
    Ok(())
}

#[test]
fn total_output_is_limited_and_the_oldest_is_dropped() -> TestResult {
    let fixture = Fixture::with(|config| {
        (config.total_output_bytes, config.output_limits.disk) = (3 << 20, 1 << 20)
    })?;
    let session = fixture.open()?;
    let run = || run_now(&session, script("seq 1000001 1100000"));
    let all = (0..5).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    let complete: Vec<bool> = all.iter().map(|operation| operation.excerpt(99).lost == 0).collect();
    assert_eq!(complete, [false, false, true, true, true]);
    assert!(all[0].storage_error().is_some_and(|reason| reason.contains("disk space")));
    assert!(all[0].excerpt(99).tail.ends_with("1100000\n"));
    Ok(())
}
