//! `soak endings`: no process of a command is left after any kind of termination.

use harness::escapes::SandboxFixture;
use harness::hostile::Transport;
use harness::termination::{Termination, leftovers_after};

use crate::summary::Summary;

/// The number of commands per server.
const COMMANDS_PER_SERVER: usize = 5;

/// Terminates commands by each cause and over each transport in turn.
pub(crate) fn run(commands: usize, seed: u64) -> Summary {
    let progress = crate::progress(commands);
    let mut summary = Summary::new(
        "endings",
        format!("cargo xtask soak endings --commands {commands} --seed {seed}"),
        "Commands that fork, start new sessions and ignore signals are ended by `cancel`, by their \
         timeout, by a client that disconnects (closed stream or deleted session), and by SIGTERM \
         and SIGKILL to the server. Each command carries its own marker in its command line and \
         environment. Afterwards, no process on the machine may carry it.",
    );
    let fixture = SandboxFixture::new();
    let mut counts = Termination::ALL.map(|_| 0);
    let (mut done, mut turn) = (0, 0);
    while done < commands {
        let termination = Termination::ALL[turn % Termination::ALL.len()];
        let transport = [Transport::Stdio, Transport::Http][turn / Termination::ALL.len() % 2];
        progress.set_message(format!("{}, {transport:?}", termination.name()));
        let some = COMMANDS_PER_SERVER.min(commands - done);
        summary.failures.extend(leftovers_after(&fixture, transport, termination, some));
        counts[turn % Termination::ALL.len()] += some;
        done += some;
        turn += 1;
        progress.inc(some as u64);
    }
    progress.finish_and_clear();
    for (termination, count) in Termination::ALL.iter().zip(counts) {
        summary.fact(format!("commands ended by {}", termination.name()), count);
    }
    summary.fact("commands", done);
    summary.fact("servers", turn);
    summary
}
