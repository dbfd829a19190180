//! Sandbox escapes attempted by commands of the real server. Each attempt has a control that shows
//! the same action works where it is allowed.

use harness::escapes::{
    AttemptRunner, Confinement, Control, Detection, EscapeReport, NetworkAccess, SandboxFixture,
    TargetFolder, attempts,
};
use harness::hostile::Transport;
use harness::termination::{self, Termination};

fn assert_no_escapes(verdict: &EscapeReport) {
    let all = [verdict.escapes.as_slice(), &verdict.faults].concat();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Runs every attempt over one transport.
fn check_every_attempt(door: Transport) {
    let place = SandboxFixture::new();
    let mut all = EscapeReport::default();
    for net in [NetworkAccess::Off, NetworkAccess::On, NetworkAccess::OnePort] {
        let mut player = AttemptRunner::start(&place, door, net, Confinement::Sandboxed);
        for row in attempts::all().iter().filter(|row| row.networks.contains(&net)) {
            player.attempt(row, TargetFolder::Hidden);
            if matches!(row.detection, Detection::FileChanged | Detection::ListenerReached) {
                player.attempt(row, TargetFolder::Readable);
            }
            player.control(row);
        }
        if net == NetworkAccess::Off {
            player.race_symlinks(5);
        } else {
            player.check_allowed_port();
        }
        all.add(player.finish());
    }
    assert_no_escapes(&all);
}

#[test]
fn no_attempt_escapes_over_stdio() {
    check_every_attempt(Transport::Stdio);
}

#[test]
fn no_attempt_escapes_over_http() {
    check_every_attempt(Transport::Http);
}

#[test]
fn attempts_succeed_without_a_sandbox() {
    let place = SandboxFixture::new();
    let mut player =
        AttemptRunner::start(&place, Transport::Stdio, NetworkAccess::On, Confinement::Unconfined);
    for row in attempts::all() {
        let is_own = row.control == Control::InScope;
        if row.detection == Detection::ListenerReached
            || (is_own && matches!(row.detection, Detection::FileChanged | Detection::SecretLeaked))
        {
            player.attempt_unconfined(&row);
        }
    }
    assert_no_escapes(&player.finish());
}

#[test]
fn no_processes_remain_however_the_server_ends() {
    let place = SandboxFixture::new();
    for door in [Transport::Stdio, Transport::Http] {
        for ending in Termination::ALL {
            let left = termination::leftovers_after(&place, door, ending, 2);
            assert!(left.is_empty(), "{}", left.join("\n"));
        }
    }
}
