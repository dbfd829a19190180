//! `soak gate`: listed attacks and random calls against the policy checks.

use harness::hostile::{
    Attack, Era, GateCheck, ProtectedDesktop, Setup, Transport, attacks, random_calls,
};

use crate::summary::Summary;

/// The policies for random calls. Safe mode is left out because it allows many of them.
const RANDOM_CALL_SETUPS: [Setup; 4] =
    [Setup::Denied, Setup::WriteBlocked, Setup::Sandboxed, Setup::ReadOnly];

/// The number of random calls per server.
const CALLS_PER_SERVER: usize = 250;

/// Runs every listed attack over both transports and in both protocol eras, then makes random
/// calls.
pub(crate) fn run(calls: usize, seed: u64) -> Summary {
    let progress = crate::progress(calls);
    let mut summary = Summary::new(
        "gate",
        format!("cargo xtask soak gate --calls {calls} --seed {seed}"),
        "Clients try to bypass the policy checks with other app names, look-alike characters, \
         linked desktop files, aliases, unusual process ids and tool names, ambiguous messages, \
         forged states and answers, tasks and subscriptions. Then they make random calls from the \
         tools' schemas, up to eight at a time. The protected apps report every event they \
         receive. They must not change, content of an app that must not be read must not appear in \
         any response, every refusal must be recorded, the audit log must verify, and the server \
         must keep running.",
    );
    let hand = run_listed_attacks(&progress);
    summary.fact(
        "calls of listed attacks, over both transports and in both protocol eras",
        hand.calls,
    );
    summary.fact("of these refused", hand.refused);
    let mut all = GateCheck::default();
    let mut desktop = ProtectedDesktop::new();
    let tools = random_calls::tools(&mut desktop);
    let mut turn = 0;
    while all.calls < calls {
        let setup = RANDOM_CALL_SETUPS[turn % RANDOM_CALL_SETUPS.len()];
        progress.set_message(setup.name());
        let some = CALLS_PER_SERVER.min(calls - all.calls);
        let check =
            random_calls::run(&mut desktop, setup, &tools, some, seed + turn as u64, || {
                progress.inc(1)
            });
        all.calls += check.calls;
        all.refused += check.refused;
        all.escapes.extend(check.escapes);
        turn += 1;
    }
    progress.finish_and_clear();
    summary.fact("set-ups", RANDOM_CALL_SETUPS.map(Setup::name).join(", "));
    summary.fact("random calls", all.calls);
    summary.fact("of these refused", all.refused);
    summary.fact("servers", turn);
    summary.failures = [hand.escapes, all.escapes].concat();
    summary
}

fn run_listed_attacks(progress: &indicatif::ProgressBar) -> GateCheck {
    let mut check = GateCheck::default();
    let runs: [(&[Setup], Vec<Attack>); 4] = [
        (&[Setup::Denied], attacks::denied()),
        (&[Setup::WriteBlocked], attacks::write_blocked()),
        (&[Setup::Sandboxed, Setup::ReadOnly], attacks::read_only()),
        (&[Setup::Safe], attacks::consent()),
    ];
    for (setups, attacks) in runs {
        let mut desktop = ProtectedDesktop::new();
        for setup in setups {
            progress.set_message(setup.name());
            for transport in [Transport::Stdio, Transport::Http] {
                for era in [Era::Handshake, Era::PerRequest] {
                    check.run_attacks(&mut desktop, *setup, transport, era, &attacks);
                }
            }
        }
    }
    check
}
