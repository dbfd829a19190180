//! All descendants of a program end with it, however they try to stay alive.

use std::{
    error::Error,
    fs,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::fixture::{BOTH, TestSandbox};
use deskhand_sandbox::{Enforcement, ExitReason};

type TestResult = Result<(), Box<dyn Error>>;

/// Scripts that try to stay alive: the number of processes each starts with `$M` in its command line.
const PERSISTENT_SCRIPTS: &[(usize, &str)] = &[
    (2, "sleep $M & sleep $M"),
    (2, "setsid sleep $M & setsid sleep $M; sleep 99"),
    (2, "(setsid sh -c \"trap '' TERM HUP INT; sleep $M & sleep $M\" &) ; sleep 99"),
    (1, "nohup setsid sleep $M > /dev/null 2>&1 & sleep 99"),
    (2, "trap '' TERM HUP INT QUIT; (sleep $M & (sleep $M &) &); while :; do sleep 1; done"),
];

static NEXT: AtomicU32 = AtomicU32::new(1);

/// A unique number of seconds, used to find processes.
fn marker() -> String {
    format!("9{}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Counts the processes with this word in their command line.
fn count_processes(word: &str) -> usize {
    let Ok(all) = fs::read_dir("/proc") else { return 0 };
    let has = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
    };
    all.flatten().filter(has).count()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) -> TestResult {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        if Instant::now() > end {
            return Err(format!("timeout: {what}").into());
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn start_and_wait(
    fixture: &TestSandbox,
    text: &str,
    word: &str,
    count: usize,
) -> Result<deskhand_sandbox::Container, Box<dyn Error>> {
    let (container, output) = fixture.start(&format!("M={word}\n{text}"))?;
    drop(output);
    wait_until(text, || count_processes(word) >= count)?;
    Ok(container)
}

#[test]
fn kill_leaves_no_process() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        for (count, text) in PERSISTENT_SCRIPTS.iter().cycle().take(PERSISTENT_SCRIPTS.len() * 2) {
            let word = marker();
            let container = start_and_wait(&fixture, text, &word, *count)?;
            container.kill()?;
            assert_eq!(count_processes(&word), 0, "{enforcement:?} {text}");
            assert_eq!(container.wait()?, ExitReason::Signal(9));
        }
    }
    Ok(())
}

#[test]
fn descendants_end_when_the_program_exits() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        for text in ["(setsid sleep $M &)", "trap '' TERM; setsid sleep $M & sleep $M & sleep 0.02"]
        {
            let word = marker();
            let (container, output) = fixture.start(&format!("M={word}\n{text}"))?;
            assert_eq!(container.wait()?, ExitReason::Exit(0));
            wait_until(text, || count_processes(&word) == 0)?;
            drop(output);
        }
    }
    Ok(())
}

#[test]
fn dropping_the_sandbox_ends_all_programs() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        let word = marker();
        let (count, text) = PERSISTENT_SCRIPTS[2];
        let container = start_and_wait(&fixture, text, &word, count)?;
        drop(fixture);
        assert_eq!(count_processes(&word), 0, "{enforcement:?}");
        assert_eq!(container.wait()?, ExitReason::Signal(9));
    }
    Ok(())
}

#[test]
fn killing_the_server_ends_all_programs() -> TestResult {
    for enforcement in ["kernel", "none"] {
        let scope = tempfile::tempdir()?;
        let word = marker();
        let (count, text) = PERSISTENT_SCRIPTS[2];
        let mut server = Command::new(crate::fixture::broker()?.program)
            .args([enforcement, &scope.path().to_string_lossy(), &format!("M={word}\n{text}")])
            .spawn()?;
        wait_until(text, || count_processes(&word) >= count)?;
        server.kill()?;
        server.wait()?;
        wait_until("everything to end", || count_processes(&word) == 0)?;
    }
    Ok(())
}

#[test]
fn fork_bomb_is_limited_and_can_be_killed() -> TestResult {
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.limits.processes = 320)?;
    let word = marker();
    let text = format!(
        "/usr/bin/python3 -c 'import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(1)' {word}"
    );
    let (container, output) = fixture.start(&text)?;
    drop(output);
    wait_until("many processes", || count_processes(&word) > 40)?;
    assert!(count_processes(&word) <= 320);
    container.kill()?;
    assert_eq!(count_processes(&word), 0);
    // The sandbox still works.
    assert_eq!(fixture.run("echo on")?, (ExitReason::Exit(0), "on\n".to_owned()));
    Ok(())
}
