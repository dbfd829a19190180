//! `soak escapes`: commands try to get out of their scope.

use harness::escapes::{Attempt, Hold, Net, Outside, Place, Player, Seen, Verdict, rows};
use harness::hostile::Door;

use crate::summary::Summary;

/// How often links are swapped under the server's eyes, a server.
const RACES: usize = 10;

/// Makes at least so many attempts, each kind over both doors, in an order by lot.
pub(crate) fn run(attempts: usize, seed: u64) -> Summary {
    let progress = crate::progress(attempts);
    let mut summary = Summary::new(
        "escapes",
        format!("cargo xtask soak escapes --attempts {attempts} --seed {seed}"),
        "Commands of the real server, over its standard streams and over HTTP, try to change, read and \
         reach what is outside of their scope: files by every call that changes one, links that are \
         swapped meanwhile, secrets of the home, of the server's variables, memory and descriptors, its \
         process, sockets by address, path and name, namespaces, devices, and calls that give more \
         rights. What is outside tells what was done: files as they are, listeners, the table of \
         processes, what the attempt wrote down. None may get out, and each act must succeed where it \
         is allowed.",
    );
    let mut lot = fastrand::Rng::with_seed(seed);
    let mut all = Verdict::default();
    let (mut servers, mut turn) = (0, 0);
    while all.attempts < attempts {
        let place = Place::new();
        let door = [Door::Stdio, Door::Http][turn % 2];
        for net in [Net::Off, Net::On, Net::Port] {
            progress.set_message(format!("{door:?}, network {net:?}"));
            let mut rows: Vec<Attempt> = rows::all();
            rows.retain(|row| row.under.contains(&net));
            lot.shuffle(&mut rows);
            all.add(one(&place, door, net, &rows));
            servers += 1;
            progress.set_position(all.attempts as u64);
        }
        turn += 1;
    }
    progress.finish_and_clear();
    summary.fact("kinds of attempts", rows::all().len());
    summary.fact("attempts", all.attempts);
    summary.fact("the same acts where they are allowed", all.controls);
    summary.fact("servers", servers);
    summary.fact("escapes", all.escapes.len());
    summary.fact("acts that are allowed and failed", all.faults.len());
    summary.broken = [all.escapes, all.faults].concat();
    summary
}

/// All attempts against one server.
fn one(place: &Place, door: Door, net: Net, rows: &[Attempt]) -> Verdict {
    let mut player = Player::start(place, door, net, Hold::Sandbox);
    for row in rows {
        player.attempt(row, Outside::Hidden);
        if matches!(row.seen, Seen::Changed | Seen::Heard) {
            player.attempt(row, Outside::Shown);
        }
        player.control(row);
    }
    match net {
        Net::Off => player.race(RACES),
        Net::On | Net::Port => player.the_open_port_is_reached(),
    }
    player.leave()
}
