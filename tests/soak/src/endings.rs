//! `soak endings`: nothing a command started is left, however it ends.

use harness::endings::{Ending, end};
use harness::escapes::Place;
use harness::hostile::Door;

use crate::summary::Summary;

/// How many commands one server gets.
const A_SERVER: usize = 5;

/// Ends so many commands, by each ending and over each door in turn.
pub(crate) fn run(commands: usize, seed: u64) -> Summary {
    let progress = crate::progress(commands);
    let mut summary = Summary::new(
        "endings",
        format!("cargo xtask soak endings --commands {commands} --seed {seed}"),
        "Commands that fork, leave their session twice and ignore every signal that can be ignored are \
         ended by `cancel`, by their time, by the client that goes (its stream closed, its session \
         deleted), and by SIGTERM and SIGKILL to the server. Each carries a mark of its own in its \
         command line and its variables: afterwards no process of the machine may carry it.",
    );
    let place = Place::new();
    let mut counts = Ending::ALL.map(|_| 0);
    let (mut done, mut turn) = (0, 0);
    while done < commands {
        let ending = Ending::ALL[turn % Ending::ALL.len()];
        let door = [Door::Stdio, Door::Http][turn / Ending::ALL.len() % 2];
        progress.set_message(format!("{}, {door:?}", ending.name()));
        let some = A_SERVER.min(commands - done);
        summary.broken.extend(end(&place, door, ending, some));
        counts[turn % Ending::ALL.len()] += some;
        done += some;
        turn += 1;
        progress.inc(some as u64);
    }
    progress.finish_and_clear();
    for (ending, count) in Ending::ALL.iter().zip(counts) {
        summary.fact(format!("commands ended by {}", ending.name()), count);
    }
    summary.fact("commands", done);
    summary.fact("servers", turn);
    summary
}
