//! `soak wedge`: apps freeze and die while they are looked at.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use deskhand_linux::private::MARK;
use harness::{Outcome, Program, Stage, outcome};
use rustix::process::Signal;

use crate::blows::{self, Blow, VICTIMS, Victim};
use crate::leftovers;
use crate::summary::Summary;

/// A look has 2 s; the process needs a moment to start and to write.
const LIMIT: Duration = Duration::from_millis(2_500);
/// An app that was frozen answers within this once it runs again.
const RECOVERY: Duration = Duration::from_secs(20);

/// The longest time of a kind, and how often it was taken.
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
        format!("{} ({} looks)", self.most.as_millis(), self.count)
    }
}

#[derive(Default)]
struct Tally {
    frozen: Longest,
    killed: Longest,
    bystander: Longest,
    recovery: Longest,
    endings: BTreeMap<String, usize>,
    broken: Vec<String>,
}

/// Strikes apps while they are looked at, so many times.
pub(crate) fn run(rounds: usize, seed: u64) -> Summary {
    let progress = crate::progress(rounds);
    progress.set_message("starting apps");
    let stage = Stage::new();
    let id = stage.info().id.clone();
    let mut programs: Vec<Program> = VICTIMS.iter().map(|victim| stage.start(victim.app)).collect();
    let mut lot = fastrand::Rng::with_seed(seed);
    let mut tally = Tally::default();
    for _ in 0..rounds {
        let at = lot.usize(0..VICTIMS.len());
        progress.set_message(VICTIMS[at].app.name());
        strike(&stage, &mut programs, at, &mut lot, &mut tally);
        progress.inc(1);
    }
    progress.finish_and_clear();
    drop(programs);
    drop(stage);
    let left = leftovers::carrying(MARK, &id);
    if !left.is_empty() {
        tally.broken.push(format!("{} processes left on the desktop", left.len()));
    }
    summarise(rounds, seed, tally, left.len())
}

fn strike(
    stage: &Stage,
    programs: &mut [Program],
    at: usize,
    lot: &mut fastrand::Rng,
    tally: &mut Tally,
) {
    let victim = &VICTIMS[at];
    let blow = Blow::any(lot, victim);
    let moment = blows::moment(lot);
    let words = blows::look(lot, &programs[at].pid_text());
    let outcome = std::thread::scope(|threads| {
        let look = threads.spawn(|| Outcome::of(stage.command(outcome::binary()).args(&words)));
        std::thread::sleep(moment);
        programs[at].signal(blow.signal());
        look.join().ok()
    });
    let story =
        format!("{blow:?} of {} {moment:.0?} into `{}`", victim.app.name(), words.join(" "));
    match outcome {
        None => tally.broken.push(format!("{story}: hung or panicked")),
        Some(outcome) => {
            if outcome.elapsed > LIMIT {
                tally.broken.push(format!("{story}: took {:.0?}", outcome.elapsed));
            }
            *tally.endings.entry(ending(&outcome)).or_default() += 1;
            match blow {
                Blow::Freeze => tally.frozen.add(outcome.elapsed),
                Blow::Kill => tally.killed.add(outcome.elapsed),
            }
        }
    }
    match blow {
        Blow::Freeze => thaw(stage, programs, at, &story, tally),
        Blow::Kill => programs[at] = stage.start_unseen(victim.app),
    }
}

/// While one app is frozen another is looked at as ever; afterwards the frozen one answers again.
fn thaw(stage: &Stage, programs: &[Program], at: usize, story: &str, tally: &mut Tally) {
    let bystander = &programs[(at + 1) % programs.len()];
    let seen = stage.deskhand(&["tree", "--app", &bystander.pid_text()]);
    tally.bystander.add(seen.elapsed);
    if seen.code != Some(0) || seen.elapsed > LIMIT {
        tally.broken.push(format!("{story}: a bystander suffered: {seen}"));
    }
    programs[at].signal(Signal::CONT);
    let begun = Instant::now();
    let pid = programs[at].pid_text();
    let again = stage.deskhand(&["tree", "--app", &pid, "--timeout", "20"]);
    tally.recovery.add(begun.elapsed());
    let text = String::from_utf8_lossy(&again.stdout).into_owned();
    if again.code != Some(0) || text.lines().count() < 2 || begun.elapsed() > RECOVERY {
        tally.broken.push(format!("{story}: did not answer afterwards: {again}"));
    }
}

/// How a look ended, in a word or two.
fn ending(outcome: &Outcome) -> String {
    let text = String::from_utf8_lossy(&outcome.stdout);
    match outcome.code {
        Some(0) if text.contains("not_responding") || text.contains("stopped responding") => {
            "a partial answer that says so".to_owned()
        }
        Some(0) => "an answer".to_owned(),
        Some(_) if outcome.stderr.contains("error") => "a clear error".to_owned(),
        Some(code) => format!("exit code {code} without a word"),
        None => "a signal".to_owned(),
    }
}

fn summarise(rounds: usize, seed: u64, tally: Tally, left: usize) -> Summary {
    let mut summary = Summary::new(
        "wedge",
        format!("cargo xtask soak wedge --rounds {rounds} --seed {seed}"),
        "Apps are frozen (SIGSTOP) or killed (SIGKILL) at random moments of a look. Every look must \
         end within its deadline of 2 s (2.5 s with the start of the process), other apps must be \
         seen as ever, and a frozen app must answer again afterwards.",
    );
    let apps: Vec<String> = VICTIMS.iter().map(|victim: &Victim| victim.app.name()).collect();
    summary.fact("apps", apps.join(", "));
    summary.fact("longest look at an app that froze, ms", tally.frozen.text());
    summary.fact("longest look at an app that was killed, ms", tally.killed.text());
    summary.fact("longest look at a bystander meanwhile, ms", tally.bystander.text());
    summary.fact("longest first look after the freeze, ms", tally.recovery.text());
    for (ending, count) in &tally.endings {
        summary.fact(format!("looks that ended in {ending}"), count);
    }
    summary.fact("processes left", left);
    summary.broken = tally.broken;
    summary
}
