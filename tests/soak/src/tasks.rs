//! `soak tasks`: repeats realistic tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use harness::TestDesktop;
use harness::tasks::TASKS;

use crate::summary::Summary;

/// The results of one task.
struct Tally {
    name: &'static str,
    done: usize,
    longest: Duration,
}

/// Runs every task `rounds` times, each time on a fresh desktop.
pub(crate) fn run(rounds: usize, seed: u64, only: Option<&str>) -> Summary {
    let chosen: Vec<_> =
        TASKS.iter().filter(|task| only.is_none_or(|word| task.name.contains(word))).collect();
    let progress = crate::progress(rounds * chosen.len());
    let mut failures = Vec::new();
    let mut tallies = Vec::new();
    for task in chosen {
        let mut tally = Tally { name: task.name, done: 0, longest: Duration::ZERO };
        for round in 1..=rounds {
            progress.set_message(task.name);
            let started = Instant::now();
            let work = catch_unwind(AssertUnwindSafe(|| (task.run)(&TestDesktop::new())));
            tally.longest = tally.longest.max(started.elapsed());
            match work {
                Ok(()) => tally.done += 1,
                Err(why) => {
                    failures.push(format!("{}, round {round}: {}", task.name, panic_message(&*why)))
                }
            }
            progress.inc(1);
        }
        tallies.push(tally);
    }
    progress.finish_and_clear();
    let mut summary = Summary::new(
        "tasks",
        format!("cargo xtask soak tasks --rounds {rounds} --seed {seed}"),
        "Realistic tasks are performed repeatedly on fresh desktops, only by calling `deskhand`. \
         The result of each is checked independently: a file, a request to a server, or a value in \
         the tree. No task may fail.",
    );
    for tally in tallies {
        let figure =
            format!("{} of {rounds}, longest {:.1} s", tally.done, tally.longest.as_secs_f64());
        summary.fact(tally.name, figure);
    }
    summary.failures = failures;
    summary
}

/// Returns the message of a panic.
pub(crate) fn panic_message(why: &(dyn std::any::Any + Send)) -> String {
    let text = why.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| why.downcast_ref::<&str>().copied())
        .unwrap_or("panicked without a message")
        .to_owned()
}
