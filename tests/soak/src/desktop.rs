//! `soak desktop`: private desktops start, stop and lose their owner process.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use deskhand_linux::private::{DESKTOP_ID_VAR, STATE_DIR_VAR};
use harness::{Outcome, outcome};

use crate::leftovers;
use crate::summary::Summary;
use crate::timing::DESKTOP_START_TIMEOUT;

#[derive(Default)]
struct Tally {
    up_ms: Vec<u128>,
    ended: usize,
    killed: usize,
    killed_while_starting: usize,
    failures: Vec<String>,
}

/// Starts and stops desktops.
pub(crate) fn run(rounds: usize, seed: u64) -> Summary {
    let folder = tempfile::Builder::new().prefix("dh").tempdir();
    let Ok(folder) = folder else {
        let mut summary = summary(rounds, seed, &Tally::default());
        summary.failures.push("cannot create a folder for the desktops".to_owned());
        return summary;
    };
    // Deskhand creates this folder itself, without access for other users.
    let state = folder.path().join("d");
    let locks = leftovers::stale_x_locks();
    let progress = crate::progress(rounds);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut tally = Tally::default();
    for _ in 0..rounds {
        match rng.u8(0..3) {
            0 => up_and_down(&state, &mut tally),
            1 => command_ends(&state, &mut tally),
            _ => owner_dies(&state, Duration::from_millis(rng.u64(0..600)), &mut tally),
        }
        check_leftovers(&state, &mut tally);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let stale: BTreeSet<String> = &leftovers::stale_x_locks() - &locks;
    if !stale.is_empty() {
        tally.failures.push(format!("lock files of X servers are left: {stale:?}"));
    }
    summary(rounds, seed, &tally)
}

fn deskhand(state: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(outcome::binary());
    command.env(STATE_DIR_VAR, state).env_remove(DESKTOP_ID_VAR).args(words);
    command
}

fn up_and_down(state: &Path, tally: &mut Tally) {
    let up = Outcome::of(&mut deskhand(state, &["desktop", "up", "--name", "soak"]));
    tally.up_ms.push(up.elapsed.as_millis());
    if up.code != Some(0) || up.elapsed > DESKTOP_START_TIMEOUT {
        tally.failures.push(format!("up: {up}"));
    }
    let down = Outcome::of(&mut deskhand(state, &["desktop", "down", "soak"]));
    if down.code != Some(0) {
        tally.failures.push(format!("down: {down}"));
    }
    tally.ended += 1;
}

fn command_ends(state: &Path, tally: &mut Tally) {
    let run = Outcome::of(&mut deskhand(state, &["desktop", "run", "--", "sh", "-c", "exit 7"]));
    if run.code != Some(7) {
        tally.failures.push(format!("the exit code of a command was lost: {run}"));
    }
    tally.ended += 1;
}

/// Kills the owner process after a delay, possibly during the start. The next start must clean up.
fn owner_dies(state: &Path, after: Duration, tally: &mut Tally) {
    let mut command = deskhand(state, &["desktop", "run", "--", "sleep", "60"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut owner) => {
            std::thread::sleep(after);
            let up = is_up(state);
            kill(&mut owner);
            tally.killed += 1;
            tally.killed_while_starting += usize::from(!up);
        }
        Err(error) => tally.failures.push(format!("deskhand cannot be started: {error}")),
    }
    let next = Outcome::of(&mut deskhand(state, &["desktop", "run", "--", "true"]));
    if next.code != Some(0) {
        tally.failures.push(format!(
            "owner killed after {after:?}, then the next start failed: \
                                     {next}"
        ));
    }
}

/// Returns `true` if a desktop is listed.
fn is_up(state: &Path) -> bool {
    let list = Outcome::of(&mut deskhand(state, &["desktop", "list", "--format", "json"]));
    let listed: Vec<serde_json::Value> = serde_json::from_slice(&list.stdout).unwrap_or_default();
    !listed.is_empty()
}

fn kill(owner: &mut Child) {
    // The process may have exited.
    let _ = owner.kill();
    let _ = owner.wait();
}

fn check_leftovers(state: &Path, tally: &mut Tally) {
    let processes = leftovers::carrying(STATE_DIR_VAR, &state.display().to_string());
    if !processes.is_empty() {
        tally.failures.push(format!("{} processes are left", processes.len()));
    }
    let folders = std::fs::read_dir(state).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.path().is_dir());
    let names: Vec<_> = folders.map(|entry| entry.file_name()).collect();
    if !names.is_empty() {
        tally.failures.push(format!("folders are left: {names:?}"));
    }
}

fn summary(rounds: usize, seed: u64, tally: &Tally) -> Summary {
    let mut summary = Summary::new(
        "desktop",
        format!("cargo xtask soak desktop --rounds {rounds} --seed {seed}"),
        "Private desktops are stopped, end with their command, or lose their owner process to \
         SIGKILL at a random moment, including during the start. After the next start, no process, \
         folder or X lock of an earlier desktop may be left.",
    );
    let mut times = tally.up_ms.clone();
    times.sort_unstable();
    summary.fact("desktops that ended normally", tally.ended);
    summary.fact("owner processes killed", tally.killed);
    summary.fact("of these during the start of the desktop", tally.killed_while_starting);
    if let (Some(middle), Some(most)) = (times.get(times.len() / 2), times.last()) {
        summary.fact("`desktop up`, ms", format!("p50 {middle}, maximum {most}"));
    }
    summary.failures.clone_from(&tally.failures);
    summary
}
