//! Sandbox escapes attempted by commands of the real server. Each attempt has a control that shows
//! the same action works where it is allowed.

use harness::endings::{self, Ending};
use harness::escapes::{Control, Hold, Net, Outside, Place, Player, Seen, Verdict, rows};
use harness::hostile::Door;

fn assert_no_escapes(verdict: &Verdict) {
    let all = [verdict.escapes.as_slice(), &verdict.faults].concat();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Runs every attempt over one transport.
fn check_every_attempt(door: Door) {
    let place = Place::new();
    let mut all = Verdict::default();
    for net in [Net::Off, Net::On, Net::Port] {
        let mut player = Player::start(&place, door, net, Hold::Sandbox);
        for row in rows::all().iter().filter(|row| row.under.contains(&net)) {
            player.attempt(row, Outside::Hidden);
            if matches!(row.seen, Seen::Changed | Seen::Heard) {
                player.attempt(row, Outside::Shown);
            }
            player.control(row);
        }
        if net == Net::Off {
            player.race(5);
        } else {
            player.the_open_port_is_reached();
        }
        all.add(player.leave());
    }
    assert_no_escapes(&all);
}

#[test]
fn no_attempt_escapes_over_stdio() {
    check_every_attempt(Door::Stdio);
}

#[test]
fn no_attempt_escapes_over_http() {
    check_every_attempt(Door::Http);
}

#[test]
fn attempts_succeed_without_a_sandbox() {
    let place = Place::new();
    let mut player = Player::start(&place, Door::Stdio, Net::On, Hold::Nothing);
    for row in rows::all() {
        let is_own = row.control == Control::Inside;
        if row.seen == Seen::Heard || (is_own && matches!(row.seen, Seen::Changed | Seen::Told)) {
            player.witness(&row);
        }
    }
    assert_no_escapes(&player.leave());
}

#[test]
fn no_processes_remain_however_the_server_ends() {
    let place = Place::new();
    for door in [Door::Stdio, Door::Http] {
        for ending in Ending::ALL {
            let left = endings::end(&place, door, ending, 2);
            assert!(left.is_empty(), "{}", left.join("\n"));
        }
    }
}
