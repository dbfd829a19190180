//! Whatever a program starts ends with it, however it tries to stay.

use std::{
    error::Error,
    fs,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::bench::{Bench, EITHER};
use deskhand_sandbox::{Ended, How};

type Outcome = Result<(), Box<dyn Error>>;

/// Ways to stay; each starts the number of processes that is said, with `$M` among their words.
const STAYING: &[(usize, &str)] = &[
    (2, "sleep $M & sleep $M"),
    (2, "setsid sleep $M & setsid sleep $M; sleep 99"),
    (2, "(setsid sh -c \"trap '' TERM HUP INT; sleep $M & sleep $M\" &) ; sleep 99"),
    (1, "nohup setsid sleep $M > /dev/null 2>&1 & sleep 99"),
    (2, "trap '' TERM HUP INT QUIT; (sleep $M & (sleep $M &) &); while :; do sleep 1; done"),
];

static NEXT: AtomicU32 = AtomicU32::new(1);

/// A number of seconds nobody else sleeps.
fn marker() -> String {
    format!("9{}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How many processes have a word among theirs.
fn alive(word: &str) -> usize {
    let Ok(all) = fs::read_dir("/proc") else { return 0 };
    let has = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
    };
    all.flatten().filter(has).count()
}

fn until(what: &str, is_so: impl Fn() -> bool) -> Outcome {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        if Instant::now() > end {
            return Err(format!("not in time: {what}").into());
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

fn begun(
    bench: &Bench,
    text: &str,
    word: &str,
    count: usize,
) -> Result<deskhand_sandbox::Cell, Box<dyn Error>> {
    let (cell, output) = bench.begin(&format!("M={word}\n{text}"))?;
    drop(output);
    until(text, || alive(word) >= count)?;
    Ok(cell)
}

#[test]
fn a_kill_leaves_nothing() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        for (count, text) in STAYING.iter().cycle().take(STAYING.len() * 2) {
            let word = marker();
            let cell = begun(&bench, text, &word, *count)?;
            cell.kill()?;
            assert_eq!(alive(&word), 0, "{how:?} {text}");
            assert_eq!(cell.wait()?, Ended::Signal(9));
        }
    }
    Ok(())
}

#[test]
fn the_end_of_a_program_is_the_end_of_what_it_left() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        for text in ["(setsid sleep $M &)", "trap '' TERM; setsid sleep $M & sleep $M & sleep 0.02"]
        {
            let word = marker();
            let (cell, output) = bench.begin(&format!("M={word}\n{text}"))?;
            assert_eq!(cell.wait()?, Ended::Exit(0));
            until(text, || alive(&word) == 0)?;
            drop(output);
        }
    }
    Ok(())
}

#[test]
fn a_sandbox_ends_with_all_its_programs() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        let word = marker();
        let (count, text) = STAYING[2];
        let cell = begun(&bench, text, &word, count)?;
        drop(bench);
        assert_eq!(alive(&word), 0, "{how:?}");
        assert_eq!(cell.wait()?, Ended::Signal(9));
    }
    Ok(())
}

#[test]
fn a_server_that_is_killed_takes_everything_with_it() -> Outcome {
    for how in ["kernel", "none"] {
        let scope = tempfile::tempdir()?;
        let word = marker();
        let (count, text) = STAYING[2];
        let mut server = Command::new(crate::bench::broker()?.program)
            .args([how, &scope.path().to_string_lossy(), &format!("M={word}\n{text}")])
            .spawn()?;
        until(text, || alive(&word) >= count)?;
        server.kill()?;
        server.wait()?;
        until("everything to end", || alive(&word) == 0)?;
    }
    Ok(())
}

#[test]
fn a_program_that_multiplies_is_bounded_and_can_be_killed() -> Outcome {
    let bench = Bench::planned(How::Kernel, |plan| plan.bounds.processes = 320)?;
    let word = marker();
    let text = format!(
        "/usr/bin/python3 -c 'import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(1)' {word}"
    );
    let (cell, output) = bench.begin(&text)?;
    drop(output);
    until("many processes", || alive(&word) > 40)?;
    assert!(alive(&word) <= 320);
    cell.kill()?;
    assert_eq!(alive(&word), 0);
    // The sandbox still works.
    assert_eq!(bench.run("echo on")?, (Ended::Exit(0), "on\n".to_owned()));
    Ok(())
}
