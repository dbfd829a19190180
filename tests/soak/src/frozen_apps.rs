//! `soak wedge`: apps freeze or die while they are read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use deskhand_linux::private::DESKTOP_ID_VAR;
use harness::{Outcome, Program, TestDesktop, outcome};
use rustix::process::Signal;

use crate::faults::{self, Fault, SUBJECTS, Subject};
use crate::leftovers;
use crate::summary::Summary;
use crate::timing::{READ_LIMIT, RECOVERY_LIMIT};

/// The longest of several durations, and their number.
#[derive(Default)]
struct Longest {
    count: usize,
    most: Duration,
}

impl Longest {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.most = self.most.max(time);
    }

    fn text(&self) -> String {
        format!("{} ({} reads)", self.most.as_millis(), self.count)
    }
}

#[derive(Default)]
struct Tally {
    frozen: Longest,
    killed: Longest,
    other_app: Longest,
    recovery: Longest,
    outcomes: BTreeMap<String, usize>,
    failures: Vec<String>,
}

/// Injects faults into apps while they are read.
pub(crate) fn run(rounds: usize, seed: u64) -> Summary {
    let progress = crate::progress(rounds);
    progress.set_message("starting apps");
    let desktop = TestDesktop::new();
    let id = desktop.info().id.clone();
    let mut programs: Vec<Program> =
        SUBJECTS.iter().map(|subject| desktop.start(subject.app)).collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tally = Tally::default();
    for _ in 0..rounds {
        let at = rng.usize(0..SUBJECTS.len());
        progress.set_message(SUBJECTS[at].app.name());
        inject_fault(&desktop, &mut programs, at, &mut rng, &mut tally);
        progress.inc(1);
    }
    progress.finish_and_clear();
    drop(programs);
    drop(desktop);
    let left = leftovers::carrying(DESKTOP_ID_VAR, &id);
    if !left.is_empty() {
        tally.failures.push(format!("{} processes left on the desktop", left.len()));
    }
    summarise(rounds, seed, tally, left.len())
}

fn inject_fault(
    desktop: &TestDesktop,
    programs: &mut [Program],
    at: usize,
    rng: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let subject = &SUBJECTS[at];
    let fault = Fault::random(rng, subject);
    let delay = faults::random_delay(rng);
    let arguments = faults::random_read_command(rng, &programs[at].pid_text());
    let outcome = std::thread::scope(|threads| {
        let read =
            threads.spawn(|| Outcome::of(desktop.command(outcome::binary()).args(&arguments)));
        std::thread::sleep(delay);
        programs[at].signal(fault.signal());
        read.join().ok()
    });
    let description =
        format!("{fault:?} of {}, {delay:.0?} into `{}`", subject.app.name(), arguments.join(" "));
    match outcome {
        None => tally.failures.push(format!("{description}: hung or panicked")),
        Some(outcome) => {
            if outcome.elapsed > READ_LIMIT {
                tally.failures.push(format!("{description}: took {:.0?}", outcome.elapsed));
            }
            *tally.outcomes.entry(classify(&outcome)).or_default() += 1;
            match fault {
                Fault::Freeze => tally.frozen.add(outcome.elapsed),
                Fault::Kill => tally.killed.add(outcome.elapsed),
            }
        }
    }
    match fault {
        Fault::Freeze => check_recovery(desktop, programs, at, &description, tally),
        Fault::Kill => programs[at] = desktop.start_unread(subject.app),
    }
}

/// Checks that another app can be read while one is frozen, and that the frozen app answers after
/// it is resumed.
fn check_recovery(
    desktop: &TestDesktop,
    programs: &[Program],
    at: usize,
    description: &str,
    tally: &mut Tally,
) {
    let other_app = &programs[(at + 1) % programs.len()];
    let other = desktop.deskhand(&["tree", "--app", &other_app.pid_text()]);
    tally.other_app.add(other.elapsed);
    if other.code != Some(0) || other.elapsed > READ_LIMIT {
        tally.failures.push(format!("{description}: another app was affected: {other}"));
    }
    programs[at].signal(Signal::CONT);
    let started = Instant::now();
    let pid = programs[at].pid_text();
    let recovered = desktop.deskhand(&["tree", "--app", &pid, "--timeout", "20"]);
    tally.recovery.add(started.elapsed());
    let text = String::from_utf8_lossy(&recovered.stdout).into_owned();
    if recovered.code != Some(0) || text.lines().count() < 2 || started.elapsed() > RECOVERY_LIMIT {
        tally.failures.push(format!("{description}: no answer after it was resumed: {recovered}"));
    }
}

/// Classifies the outcome of a read.
fn classify(outcome: &Outcome) -> String {
    let text = String::from_utf8_lossy(&outcome.stdout);
    match outcome.code {
        Some(0) if text.contains("not_responding") || text.contains("The app stopped ") => {
            "a partial result with a notice".to_owned()
        }
        Some(0) => "a complete result".to_owned(),
        Some(_) if outcome.stderr.contains("error") => "an error message".to_owned(),
        Some(code) => format!("exit code {code} without a message"),
        None => "a signal".to_owned(),
    }
}

fn summarise(rounds: usize, seed: u64, tally: Tally, left: usize) -> Summary {
    let mut summary = Summary::new(
        "wedge",
        format!("cargo xtask soak wedge --rounds {rounds} --seed {seed}"),
        "Apps are frozen (SIGSTOP) or killed (SIGKILL) at random moments while they are read. \
         Every read must end within its deadline of 2 s (2.5 s including process start), other \
         apps must stay readable, and a frozen app must answer again after it is resumed.",
    );
    let apps: Vec<String> = SUBJECTS.iter().map(|subject: &Subject| subject.app.name()).collect();
    summary.fact("apps", apps.join(", "));
    summary.fact("longest read of an app that froze, ms", tally.frozen.text());
    summary.fact("longest read of an app that was killed, ms", tally.killed.text());
    summary.fact("longest read of another app during a freeze, ms", tally.other_app.text());
    summary.fact("longest first read after a freeze, ms", tally.recovery.text());
    for (outcome, count) in &tally.outcomes {
        summary.fact(format!("reads that ended with {outcome}"), count);
    }
    summary.fact("processes left", left);
    summary.failures = tally.failures;
    summary
}
